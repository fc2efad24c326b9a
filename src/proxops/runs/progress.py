"""Progress of a run on the terminal, drawn by the run itself or by a process beside it."""

from __future__ import annotations

import base64
import os
import subprocess
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final

from proxops.core.child import child_command
from proxops.core.experiment_result import Progress as Told
from proxops.facility.installation import Installation
from proxops.facility.loop import Progress
from proxops.ground.schema import pool_schema
from proxops.runs.overseer import Overseer

TELL_EVERY_S: Final = 0.5  # of a run's time
DRAW_EVERY_S: Final = 0.1  # of the wall's
SECONDS: Final = "{task.completed:8.1f} s of facility time"
COUNTED: Final = "{task.completed:.0f} of {task.total:.0f}"
WARMING: Final = "warming up … (the first time on a machine this compiles for about a minute)"


def now_and_then(progress: Told, what: str, of_s: float) -> Callable[[float], None]:
    """What a loop calls every cycle with its time, so that progress is told twice in a second of it."""
    due = [0.0]

    def tell(t: float) -> None:
        if t >= due[0]:
            due[0] = t + TELL_EVERY_S
            progress(what, t, of_s)

    return tell


def told_to(overseer: Overseer) -> Progress:
    """Progress for another process, which may hold the run wherever it is told."""

    def tell(phase: str, done_s: float, expected_s: float) -> None:
        overseer.wait_while_held()
        overseer.tell(phase, done_s, expected_s)

    return tell


@contextmanager
def progress_bar(quiet: bool, overseer: Overseer | None = None, done: str = SECONDS) -> Iterator[Progress]:
    """A bar for each phase, in seconds of the facility's time or ``COUNTED``; nothing when ``quiet``. An overseer is told
    instead."""
    if overseer is not None:
        yield told_to(overseer)
        return
    if quiet:
        yield lambda phase, done_s, expected_s: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description:<14}"),
        BarColumn(),
        TextColumn(done),
        TimeRemainingColumn(),
    )
    # Drawn by whoever tells, not by a thread of its own: a process with threads cannot fork its recorder, and starting another
    # interpreter for it takes half a second.
    with Bar(*columns, console=Console(stderr=True), auto_refresh=False) as bar:
        tasks, drawn_s = {}, 0.0

        def show(phase: str, done_s: float, expected_s: float) -> None:
            nonlocal drawn_s
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase)
            bar.update(tasks[phase], completed=done_s, total=expected_s or None)
            if (now_s := time.monotonic()) - drawn_s >= DRAW_EVERY_S:
                drawn_s = now_s
                bar.refresh()

        yield show


@contextmanager
def count_bar(quiet: bool, what: str, total: int) -> Iterator[Callable[[], None]]:
    """A bar that counts whole things; call what it gives for each that is done."""
    if quiet:
        yield lambda: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (TextColumn("{task.description:<14}"), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    with Bar(*columns, console=Console(stderr=True), auto_refresh=False) as bar:
        task = bar.add_task(what, total=total)

        def count() -> None:
            bar.advance(task)
            bar.refresh()

        yield count


def monitor(hall: Installation, lines: int = 0) -> subprocess.Popen[bytes]:
    """Events and the present cycle on the terminal, from another process; ``lines`` of a file give a bar."""
    pool, events = (ring.path for ring in hall.rings)
    table = base64.b64encode(pool_schema(hall.facility.pool.groups)).decode()
    words = ("--pool", pool, "--parent", os.getpid(), "--lines", lines, "--table", table)
    return subprocess.Popen(child_command("proxops.ground.monitor", events, *words))
