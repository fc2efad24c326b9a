"""``proxops ft calibrate``: with the virtual sensor or a user's own, then load.toml and calibration.png beside log and report."""

from __future__ import annotations

from importlib.metadata import version
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from proxops.applications.load_calibration.calibration import (
    ARM,
    EXCITATIONS,
    Calibration,
    calibrate,
    calibrate_sensor,
    entries,
    rehearse,
    summary,
)
from proxops.applications.load_calibration.drive import RATE_HZ
from proxops.applications.load_calibration.figures import draw, draw_calibration, print_calibration
from proxops.applications.load_calibration.record import LogPlace
from proxops.core.channel import LOOPBACK
from proxops.core.clock import LiveClock
from proxops.core.errors import BadInput, Refused, refuse_overwriting
from proxops.core.tool_load_file import read_tool_load, toml_of
from proxops.facility.interruption import noted_interrupt
from proxops.facility.run_folder import LOG, finish, prepare_folder
from proxops.ground.experiment_report import experiment_report
from proxops.ground.log import Log
from proxops.ground.plot_style import save
from proxops.ground.results import PAGE, SUMMARY
from proxops.ground.section import RunReport
from proxops.lab.cell import Cell
from proxops.touch.force_port import ForcePort
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
            done = _listening(name, share, seed, port, rate_hz, quiet, folder)
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


def report(log: Log, cell: Cell | None = None) -> RunReport:
    """Of a calibration's log; it tells all, ``cell`` is for other kinds of runs."""
    return experiment_report(log, draw)


def _log(folder: Path, name: str, sensor: str, seed: int, clock: str) -> LogPlace:
    """In a folder that is made now. What an earlier calibration recorded there is kept."""
    about = f"Load calibration of {name} by the {sensor}"
    return LogPlace(
        prepare_folder(folder) / LOG,
        {
            "scenario": "ft_calibration", "about": about, "kind": KIND, "model": ARM[0], "proxops": version("proxops"),
            "seed": str(seed), "clock": clock,
        },
    )  # fmt: skip


def _written(done: Calibration, how: str, folder: Path) -> list[Path]:
    paths = [folder / name for name in RESULTS]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(toml_of(done.load_file, how))
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(folder)) from None
    save(draw_calibration(done.t, done.readings, done.compensated, done.name), paths[1])
    return paths


def _listening(
    name: str, excitation: float, seed: int, port: int, rate_hz: float, quiet: bool, folder: Path
) -> Calibration:
    """By the wall's clock; the port is given back whatever happens."""
    rehearse()
    source = ForcePort((LOOPBACK, port))
    log = _log(folder, name, f"sensor on port {port}", seed, "wall")
    if not quiet:
        print(f"force port {LOOPBACK}:{source.address[1]}: waiting for readings, then the arm moves", flush=True)
    try:
        return calibrate_sensor(name, excitation, seed, source, rate_hz, LiveClock(), log)
    except Refused as error:
        if source.last_refusal and not source.taken:
            raise Refused(f"{error}; datagrams came, the last was refused: {source.last_refusal}") from None
        raise
    finally:
        source.close()
