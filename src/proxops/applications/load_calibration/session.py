"""``proxops ft calibrate``: with the virtual sensor or a user's own, then load.toml and calibration.png."""

from __future__ import annotations

from importlib.resources import files
from pathlib import Path
from typing import Any, Final

from proxops.applications.load_calibration.calibration import EXCITATIONS, calibrate, calibrate_sensor, rehearse
from proxops.applications.load_calibration.drive import RATE_HZ
from proxops.applications.load_calibration.figures import draw_calibration, print_calibration
from proxops.applications.load_calibration.result import Calibration, Row, summary
from proxops.core.channel import LOOPBACK
from proxops.core.clock import LiveClock
from proxops.core.errors import BadInput, Refused, refuse_overwriting
from proxops.core.interruption import noted_interrupt
from proxops.core.tool_load_file import read_tool_load, toml_of
from proxops.ground.plot_style import save
from proxops.touch.force_port import ForcePort

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
            done = calibrate(read_tool_load(source), share, seed, str(source))
        else:
            name = read_tool_load(tool).name if tool else "tool"
            told, how = {"tool": name, "sensor": f"network, port {port}"}, f"sensor on port {port}"
            done = _listening(name, share, seed, port, rate_hz, quiet)
        written = _written(done, f"proxops ft calibrate, {how}", folder)
    about = summary(done)
    if not quiet:
        print_calibration(done.rows, about, written)
    return {
        "ok": True, **told, "seed": seed, "excitation": excitation, **about, "parameters": [_entry(row) for row in done.rows],
        "files": [str(path) for path in written],
    }  # fmt: skip


def _entry(row: Row) -> dict[str, Any]:
    entry = dict(zip(("name", "unit", "identified", "sigma", "truth"), row, strict=True))
    return entry if row[-1] is not None else {key: value for key, value in entry.items() if key != "truth"}


def _written(done: Calibration, how: str, folder: Path) -> list[Path]:
    paths = [folder / name for name in RESULTS]
    try:
        folder.mkdir(parents=True, exist_ok=True)
        paths[0].write_text(toml_of(done.load_file, how))
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(folder)) from None
    save(draw_calibration(done.t, done.readings, done.compensated, done.name), paths[1])
    return paths


def _listening(name: str, excitation: float, seed: int, port: int, rate_hz: float, quiet: bool) -> Calibration:
    """By the wall's clock; the port is given back whatever happens."""
    rehearse()
    source = ForcePort((LOOPBACK, port))
    if not quiet:
        print(f"force port {LOOPBACK}:{source.address[1]}: waiting for readings, then the arm moves", flush=True)
    try:
        return calibrate_sensor(name, excitation, seed, source, rate_hz, LiveClock())
    except Refused as error:
        if source.last_refusal and not source.taken:
            raise Refused(f"{error}; datagrams came, the last was refused: {source.last_refusal}") from None
        raise
    finally:
        source.close()
