"""``proxops ft calibrate``: with the virtual sensor or a user's own, then load.toml and calibration.png beside log and report."""

from __future__ import annotations

from functools import partial
from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from proxops.applications.load_calibration.calibration import ARM, EXCITATIONS, calibrate
from proxops.applications.load_calibration.drive import RATE_HZ
from proxops.applications.load_calibration.figures import draw_calibration, print_calibration
from proxops.applications.load_calibration.own_sensor import listening
from proxops.applications.load_calibration.report import report
from proxops.applications.load_calibration.result import Calibration, entries, summary
from proxops.core.errors import BadInput, refuse_overwriting
from proxops.core.interruption import noted_interrupt
from proxops.core.tool_load_file import read_tool_load, toml_of
from proxops.ground.plot_style import save
from proxops.ground.results import PAGE, SUMMARY
from proxops.ground.row_stream import RowStream
from proxops.runs.folder import LOG, finish, prepare_folder
from proxops.touch.tool_load import load_of

KIND: Final = "load_calibration"
RESULTS: Final = ("load.toml", "calibration.png")


def shipped_tool() -> Path:
    """The cube module that comes with us."""
    return Path(str(files("proxops") / "lab" / "tools" / "cube_module.toml"))


def calibration_session(
    tool: Path | None, excitation: str, seed: int, folder: Path, *, quiet: bool, port: int | None = None,
    rate_hz: float = RATE_HZ,
) -> dict[str, Any]:  # fmt: skip
    """Calibrate, write the results into ``folder``, print; the result as plain values. ``port``: of a user's sensor; what hangs
    on it nobody knows, so a tool's file gives but its name."""
    if tool is not None:
        refuse_overwriting(folder / RESULTS[0], tool)
    share = EXCITATIONS[excitation]
    with noted_interrupt():
        if port is None:
            source = tool or shipped_tool()
            told, how = {"tool": str(source), "sensor": "virtual"}, f"seed {seed}"
            hung = read_tool_load(source)
            load_of(hung, str(source))  # a tool that cannot be is refused before there is a folder
            log = _log(folder, hung.name, "virtual sensor", seed, "lockstep")
            done = calibrate(hung, share, seed, str(source), log)
        else:
            name = read_tool_load(tool).name if tool else "tool"
            told, how = {"tool": name, "sensor": f"network, port {port}"}, f"sensor on port {port}"
            place = partial(_log, folder, name, f"sensor on port {port}", seed, "wall")
            done = listening(name, share, seed, port, rate_hz, place, quiet=quiet)
        written = _written(done, f"proxops ft calibrate, {how}", folder)
        finish(folder, report, {}, report=True, quiet=True)
    about = summary(done)
    written += [folder / name for name in (LOG, SUMMARY, PAGE)]
    if not quiet:
        print_calibration(done.rows, about, written)
    return {
        "ok": True, **told, "seed": seed, "excitation": excitation, **about, "parameters": entries(done.rows),
        "files": [str(path) for path in written],
    }  # fmt: skip


def _log(folder: Path, name: str, sensor: str, seed: int, clock: str) -> RowStream:
    """In a folder that is made now. What an earlier calibration recorded there is kept."""
    about = f"Load calibration of {name} by the {sensor}"
    metadata = {
        "scenario": "ft_calibration", "about": about, "kind": KIND, "model": ARM[0],
        "proxops_version": version("proxops"), "seed": str(seed), "clock": clock,
    }  # fmt: skip
    return RowStream(prepare_folder(folder) / LOG, metadata, live=clock == "wall")


def _written(done: Calibration, how: str, folder: Path) -> list[Path]:
    paths = [folder / name for name in RESULTS]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(toml_of(done.load_file, how))
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(folder)) from None
    save(draw_calibration(done.t, done.readings, done.compensated, done.name), paths[1])
    return paths
