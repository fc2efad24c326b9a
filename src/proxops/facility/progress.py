"""Progress of a run on the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager

from proxops.core.messages import PERIOD_S
from proxops.facility.play import Progress


@contextmanager
def progress_bar(quiet: bool) -> Iterator[Progress]:
    """A bar for each phase, in seconds of the facility's time; nothing when ``quiet``."""
    if quiet:
        yield lambda phase, done, expected: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, TextColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    columns = (
        TextColumn("{task.description:<14}"),
        BarColumn(),
        TextColumn("{task.completed:8.1f} s of facility time"),
        TimeRemainingColumn(),
    )
    with Bar(*columns, console=Console(stderr=True)) as bar:
        tasks = {}

        def show(phase: str, done: int, expected: int) -> None:
            if phase not in tasks:
                tasks[phase] = bar.add_task(phase)
            bar.update(tasks[phase], completed=done * PERIOD_S, total=expected * PERIOD_S if expected else None)

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
    with Bar(*columns, console=Console(stderr=True)) as bar:
        task = bar.add_task(what, total=total)
        yield lambda: bar.advance(task)
