"""``proxops check`` as a whole: read what is asked for, examine it, write and print the answer."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from proxops.applications.catalogue import load_flown
from proxops.applications.mission.flown_motion import FlownMotion
from proxops.bridge.settings import BridgeSettings, settings_of
from proxops.core.errors import BadInput, refuse_overwriting
from proxops.core.mission import Mission
from proxops.facility.feasibility import (
    Asked,
    ExchangedMotion,
    FeasibilityAnswer,
    FiledMotion,
    Say,
    ScriptedMotion,
    Table,
    TrialHall,
    answer,
    table_of,
)
from proxops.facility.trajectories.preflight import preflight
from proxops.lab.cell import Cell
from proxops.lab.payload import demand_carried
from proxops.lab.trajectory import Trajectory, read_trajectory


def check_session(cell: Cell, what: str, plot: Path | None, folder: Path | None, *, quiet: bool) -> Table:
    """Check a scenario, a mission or a trajectory file; the table that was printed and written. Robots that may not carry what is
    mounted can show nothing."""
    if plot is not None:
        from proxops.ground.plot_style import checked_suffix

        checked_suffix(plot)
        refuse_overwriting(plot, Path(what))
    demand_carried(cell)
    with _told(quiet) as say:
        asked, settings, written = _read(cell, what)
        found = answer(TrialHall(cell, settings), asked, lambda text: say(f"{asked.name}: trying {text}"))
    about = {**table_of(found), "scale": settings.scale, "user_tool": cell.tool.source, "as_written": written}
    about["files"] = _write(found, about, plot, folder)
    if not quiet:
        from rich.console import Console

        from proxops.facility.feasibility.terminal import print_answer

        print_answer(about, Console())
    return about


def _read(cell: Cell, what: str) -> tuple[Asked, BridgeSettings, Table | None]:
    """The motion, the bridge's settings, and for a trajectory whether ``proxops play`` could run it as it is written."""
    path = Path(what)
    if path.suffix != ".toml" and path.is_file():
        trajectory = read_trajectory(path)
        return FiledMotion(cell, trajectory), BridgeSettings(), _as_written(cell, trajectory)
    scenario = load_flown(what)
    settings = settings_of(scenario.file.bridge if isinstance(scenario, Mission) else scenario.bridge)
    asked: Asked = (
        FlownMotion(scenario) if isinstance(scenario, Mission) else ScriptedMotion(scenario, settings.sun_weight > 0.0)
    )
    return ExchangedMotion(asked) if settings.exchanged else asked, settings, None


def _as_written(cell: Cell, trajectory: Trajectory) -> Table:
    try:
        preflight(cell, trajectory)
    except BadInput as reason:
        return {"plays": False, "text": f"as it is written (proxops play): no: {reason}"}
    return {"plays": True, "text": "as it is written (proxops play): yes"}


def _write(found: FeasibilityAnswer, about: Table, plot: Path | None, folder: Path | None) -> list[str]:
    """The picture where it was asked for; check.json and check.svg in a folder."""
    pictures = [] if plot is None else [plot]
    files = list(pictures)
    if folder is not None:
        try:
            folder.mkdir(parents=True, exist_ok=True)
            (folder / "check.json").write_text(json.dumps(about, indent=2, ensure_ascii=False) + "\n")
        except OSError as reason:
            raise BadInput(f"cannot be written: {reason.strerror}", where=str(folder)) from None
        pictures.append(folder / "check.svg")
        files += [folder / "check.json", folder / "check.svg"]
    if pictures:
        from proxops.facility.feasibility.plot import plot_answer

        for picture in pictures:
            plot_answer(found, picture)
    return [str(file) for file in files]


@contextmanager
def _told(quiet: bool) -> Iterator[Say]:
    """What is being tried, on the terminal's standard error."""
    if quiet:
        yield lambda text: None
        return
    from rich.console import Console

    with Console(stderr=True).status("reading …") as status:
        yield lambda text: status.update(f"{text} …")
