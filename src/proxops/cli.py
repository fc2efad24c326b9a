"""The command line. Every command is thin: it reads options, calls the package, prints. Heavy imports wait until used."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from datetime import UTC, datetime
from enum import Enum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proxops.core.errors import EXIT_DONE, EXIT_STOPPED, BadInput, ProxopsError

if TYPE_CHECKING:
    from proxops.lab.cell import Cell

app = typer.Typer(
    add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None,
    help="proxops: the open test facility for spacecraft rendezvous, docking and on-orbit servicing.",
)  # fmt: skip
ctl = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Drive a running facility (proxops serve) from the command line.")
log = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Look into a recorded run: info, export, plot, align, recover.")
app.add_typer(ctl, name="ctl")
app.add_typer(log, name="log")


class SystemName(str, Enum):
    """Coordinate systems as they are typed."""

    IJT = "IJT"
    IDC = "IDC"
    GLC = "GLC"
    CLW = "CLW"


Json = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Tool = Annotated[Path | None, typer.Option("--user-tool", help="user_tool.val; the paper's Figure 24 by default.")]
CellPath = Annotated[Path | None, typer.Option("--cell", help="Cell file (TOML); the EPOS hall by default.")]
FilePath = Annotated[Path, typer.Argument(help="Trajectory file: 23 columns, a line every 4 ms.")]
LogPath = Annotated[Path, typer.Argument(help="Recorded run (.mcap).")]


def _cell(cell: Path | None, tool: Path | None) -> Cell:
    from proxops.lab.cell import load_cell
    from proxops.lab.user_tool import UserTool

    return load_cell(cell, UserTool.read(tool) if tool else None)


def _print(result: Any) -> None:
    print(json.dumps(result, indent=2, ensure_ascii=False))


@app.command()
def play(
    file: FilePath, user_tool: Tool = None, out: Annotated[Path | None, typer.Option(help="Folder for summary.json, run.mcap, report.html.")] = None,
    realtime: Annotated[bool, typer.Option("--realtime", help="Keep 4 ms by the clock instead of running as fast as possible.")] = False,
    order: Annotated[str, typer.Option(help="Order of the move to start.")] = "rail,robot1,robot2",
    seed: Annotated[int, typer.Option(min=0, help="Seed of the virtual robots' repeatability.")] = 0,
    open_at: Annotated[list[str] | None, typer.Option("--open", help="Rehearse: open an interlock in the run, NAME@SECONDS.")] = None,
    report: Annotated[bool, typer.Option(help="Write report.html.")] = True,
    cell: CellPath = None, json_: Json = False,
) -> None:  # fmt: skip
    """Play a trajectory file on the virtual hall: move to start, confirm, run; recorded and summed up."""
    from proxops.facility.session import play_session

    folder = out or Path("runs") / file.stem
    summary = play_session(
        _cell(cell, user_tool), file, folder, realtime=realtime, order=order, seed=seed, rehearse=open_at or [], report=report, quiet=json_
    )
    if json_:
        _print(summary)
    raise typer.Exit(EXIT_DONE if summary["passed"] else EXIT_STOPPED)


@app.command()
def convert(
    file: FilePath, to: Annotated[SystemName, typer.Option(help="Coordinate system of the result.")],
    user_tool: Tool = None, out: Annotated[Path | None, typer.Option(help="File to write; standard output by default.")] = None,
    pov: Annotated[str | None, typer.Option(help='Point of view for CLW: "x y z qx qy qz qw" (m, scalar last); the input\'s, or the lab\'s, by default.')] = None,
    posture: Annotated[str | None, typer.Option(help='Posture to start near: "rail_mm A1..A6 A1..A6" in mm and deg; home by default.')] = None,
    cell: CellPath = None, json_: Json = False,
) -> None:  # fmt: skip
    """Write the same motion in another coordinate system."""
    from proxops.facility.conversion import convert_file

    result = convert_file(_cell(cell, user_tool), file, to.value, out, pov, posture, as_json=json_)
    if json_:
        _print(result)


@app.command()
def serve(
    user_tool: Tool = None, out: Annotated[Path | None, typer.Option(help="Folder for the log; runs/serve-<time> by default.")] = None,
    bind: Annotated[str, typer.Option(help="Address of the synchronous interface. Control always stays on loopback.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="UDP port of the synchronous interface.")] = 47250,
    control_port: Annotated[int, typer.Option(min=0, max=65535, help="UDP port of the control channel.")] = 47251,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the virtual robots' repeatability.")] = 0,
    for_s: Annotated[float | None, typer.Option("--for", help="End by itself after this many seconds.")] = None,
    drives: Annotated[bool, typer.Option(help="Switch the drives on at the start.")] = True,
    report: Annotated[bool, typer.Option(help="Write summary.json and report.html at the end.")] = True,
    cell: CellPath = None, json_: Json = False,
) -> None:  # fmt: skip
    """Run the live facility at 250 Hz: synchronous commands over UDP, control by `proxops ctl`."""
    from proxops.facility.session import serve_session

    folder = out or Path("runs") / f"serve-{datetime.now(UTC):%Y%m%dT%H%M%SZ}"
    summary = serve_session(
        _cell(cell, user_tool), folder, sync=(bind, port), control_port=control_port, seed=seed, for_s=for_s, drives=drives, report=report, quiet=json_
    )
    if json_:
        _print(summary)
    raise typer.Exit(EXIT_STOPPED if summary["ended_in_stop"] else EXIT_DONE)


@app.command()
def doctor(json_: Json = False) -> None:
    """Tell what this machine can do for a live facility, one line each, with the fix."""
    from proxops.facility.doctor import examine, print_findings

    findings = examine()
    if json_:
        _print([finding.__dict__ for finding in findings])
    else:
        print_findings(findings)


# ------------------------------------------------------------------ ctl
class Held(str, Enum):
    """State of an input as an operator says it."""

    OPEN = "open"
    CLOSED = "closed"
    CLOSE = "close"


ControlPortOption = Annotated[int, typer.Option("--control-port", min=1, max=65535, help="UDP port of the control channel.")]


def _ask(control_port: int, json_: bool, verb: str, **arguments: object) -> Any:
    """Ask the facility; say shortly what came of it."""
    from proxops.facility.asking import ask

    result = ask(control_port, verb, **arguments)
    if json_:
        _print({"ok": True, "result": result} if verb != "status" else result)
    elif verb != "status":
        print("ok")
    return result


@ctl.command("status")
def ctl_status(control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """Mode, source, cause of a stop, interlocks, axes."""
    result = _ask(control_port, json_, "status")
    if not json_:
        from proxops.facility.asking import print_status

        print_status(result)


@ctl.command("select")
def ctl_select(source: Annotated[str, typer.Argument(help="sync, async, manual, sine or none.")], control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """Choose who commands the hall."""
    _ask(control_port, json_, "select", source=source)


@ctl.command("hardware")
def ctl_hardware(kind: Annotated[str, typer.Argument(help="simulation or real.")], control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """Virtual hall or real robots."""
    _ask(control_port, json_, "hardware", kind=kind)


@ctl.command("load")
def ctl_load(file: FilePath, user_tool: Tool = None, cell: CellPath = None, control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """Check a trajectory and put it on the desk for `select async`. Give the cell and tool that the facility has."""
    from proxops.facility.asking import load

    lines = load(_cell(cell, user_tool), file, control_port)
    if json_:
        _print({"ok": True, "lines": lines})
    else:
        print(f"ok: {lines} lines")


@ctl.command("drives")
def ctl_drives(state: Annotated[str, typer.Argument(help="on or off.")], control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """Switch all drives; payloads are checked against Table 5 first."""
    if state not in ("on", "off"):
        raise BadInput("drives", value=state, bound="on or off")
    _ask(control_port, json_, "drives", on=state == "on")


@ctl.command("move-to-start")
def ctl_move(
    order: Annotated[str, typer.Option(help="Order of the units.")] = "rail,robot1,robot2",
    wait: Annotated[float, typer.Option(help="Wait for arrival, at most this many seconds (0: do not wait).")] = 0.0,
    control_port: ControlPortOption = 47251, json_: Json = False,
) -> None:  # fmt: skip
    """Move rail and robots to the first command, one after another."""
    _ask(control_port, json_, "move_to_start", order=order)
    if wait > 0:
        from proxops.facility.asking import wait_for

        wait_for(control_port, "AT_START", wait)


@ctl.command("confirm")
def ctl_confirm(control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """Start the run."""
    _ask(control_port, json_, "confirm")


@ctl.command("safe-stop")
def ctl_safe_stop(control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """Stop from anywhere; latched until reset."""
    _ask(control_port, json_, "safe_stop")


@ctl.command("reset")
def ctl_reset(control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """Acknowledge a stop whose cause is gone."""
    _ask(control_port, json_, "reset")


@ctl.command("jog")
def ctl_jog(
    component: Annotated[str, typer.Argument(help="rail; a1..a6 (IJT); x y z a b c (IDC, GLC); x y z rx ry rz (CLW).")],
    direction: Annotated[str, typer.Argument(help="+ or -.")],
    robot: Annotated[str, typer.Option(help="robot1 or robot2.")] = "robot1",
    system: Annotated[SystemName, typer.Option(help="Coordinate system.")] = SystemName.IJT,
    seconds: Annotated[float, typer.Option("--for", min=0.05, max=60, help="How long the button is held.")] = 1.0,
    speed: Annotated[float, typer.Option(min=0.01, max=1, help="Share of the jog speed.")] = 1.0,
    control_port: ControlPortOption = 47251, json_: Json = False,
) -> None:  # fmt: skip
    """Hold a jog button for a while (needs `select manual`)."""
    from proxops.facility.asking import hold_jog

    if direction not in ("+", "-"):
        raise BadInput("jog direction", value=direction, bound="+ or -")
    hold_jog(control_port, system.value, "rail" if component == "rail" else robot, component, 1 if direction == "+" else -1, speed, seconds)
    _print({"ok": True}) if json_ else print("ok")


@ctl.command("sine")
def ctl_sine(
    axis: Annotated[str, typer.Argument(help="rail, robot1_a1 … robot2_a6.")],
    amplitude: Annotated[float, typer.Option(help="mm for the rail, deg for other axes.")] = 2.0,
    frequency: Annotated[float, typer.Option(help="Hz.")] = 0.2,
    cycles: Annotated[int, typer.Option(help="Number of periods, the first swelling, the last fading.")] = 4,
    control_port: ControlPortOption = 47251, json_: Json = False,
) -> None:  # fmt: skip
    """Start a sine wave on one axis (needs `select sine`)."""
    scale = 1e-3 if axis == "rail" else 0.017453292519943295
    _ask(control_port, json_, "sine", axis=axis, amplitude=amplitude * scale, frequency_hz=frequency, cycles=cycles)


@ctl.command("interlock")
def ctl_interlock(name: str, state: Held, control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """Set one input of the virtual hall by its name."""
    _ask(control_port, json_, "interlock", name=name, healthy=state is not Held.OPEN)


def _input_command(word: str, default: str, help_: str) -> None:
    """`ctl door open`: short ways to the first input of each kind."""

    @ctl.command(word, help=help_)
    def command(
        state: Held, name: Annotated[str, typer.Option(help="Which one.")] = default,
        control_port: ControlPortOption = 47251, json_: Json = False,
    ) -> None:  # fmt: skip
        _ask(control_port, json_, "interlock", name=name, healthy=state is not Held.OPEN)


for _word, _default, _help in (
    ("door", "door_main", "Open or close a door of the virtual hall."),
    ("gate", "gate_north", "Open or close a rolling gate."),
    ("fence", "fence", "Open or close the fence: only reduced jog while open."),
    ("laser", "laser_circuit", "Open or close the laser safety circuit."),
):
    _input_command(_word, _default, _help)


@ctl.command("estop")
def ctl_estop(
    state: Annotated[str, typer.Argument(help="press or release.")], name: Annotated[str, typer.Option(help="Which one.")] = "estop_control_room",
    control_port: ControlPortOption = 47251, json_: Json = False,
) -> None:  # fmt: skip
    """Press or release an emergency stop of the virtual hall."""
    if state not in ("press", "release"):
        raise BadInput("estop", value=state, bound="press or release")
    _ask(control_port, json_, "interlock", name=name, healthy=state == "release")


@ctl.command("shut-down")
def ctl_shut_down(control_port: ControlPortOption = 47251, json_: Json = False) -> None:
    """End the facility in good order: robots to rest, log closed."""
    _ask(control_port, json_, "shut_down")


# ------------------------------------------------------------------ log
@log.command("info")
def log_info(file: LogPath, json_: Json = False) -> None:
    """Variables, rates, times, events of a run."""
    from proxops.ground.info import describe
    from proxops.ground.log import Log
    from proxops.ground.tables import print_info

    about = describe(Log.open(file))
    if json_:
        _print(about)
    else:
        print_info(about)


@log.command("export")
def log_export(
    file: LogPath, out: Annotated[Path | None, typer.Option(help="CSV to write; standard output by default.")] = None,
    variable: Annotated[list[str] | None, typer.Option("--variable", help="group or group.name; all by default.")] = None,
    words: Annotated[bool, typer.Option(help="Modes and sources by name.")] = False, json_: Json = False,
) -> None:  # fmt: skip
    """CSV of all or chosen variables."""
    from proxops.ground.export import choose, export_csv, write_csv
    from proxops.ground.log import Log

    recorded = Log.open(file)
    if json_ and out is None:
        columns = choose(recorded, variable)
        _print({c.name: recorded.values(c.name).tolist() for c in columns})
    elif out is None:
        write_csv(recorded, choose(recorded, variable), sys.stdout, words=words)
    else:
        rows = export_csv(recorded, out, variable, words=words)
        _print({"rows": rows, "out": str(out)}) if json_ else print(f"{out}: {rows} rows")


@log.command("plot")
def log_plot(
    file: LogPath, system: Annotated[SystemName, typer.Option(help="Coordinate system of the plot.")] = SystemName.GLC,
    out: Annotated[Path | None, typer.Option(help="Picture to write (.png, .svg, .pdf); beside the log by default.")] = None,
    user_tool: Tool = None, cell: CellPath = None, json_: Json = False,
) -> None:  # fmt: skip
    """Plot commanded and actual values in any coordinate system."""
    from proxops.core.vocabulary import System
    from proxops.ground.log import Log
    from proxops.ground.plots import plot_log
    from proxops.ground.provenance import cell_of

    recorded = Log.open(file)
    target = out or file.with_name(f"{file.stem}_{system.value}.png")
    plot_log(recorded, _cell(cell, user_tool) if user_tool or cell else cell_of(recorded), System[system.value], target)
    _print({"out": str(target), "system": system.value}) if json_ else print(target)


@log.command("align")
def log_align(
    file: LogPath, data: Annotated[Path, typer.Argument(help="CSV of time-stamped outside data.")],
    out: Annotated[Path | None, typer.Option(help="CSV to write; beside the data by default.")] = None,
    time_column: Annotated[str | None, typer.Option(help="Name of the time column if it cannot be guessed.")] = None,
    time_form: Annotated[str | None, typer.Option(help="utc_iso, utc_s, utc_ns, gps_s, gps_ns … if it cannot be guessed.")] = None,
    json_: Json = False,
) -> None:  # fmt: skip
    """Add the ground-truth poses at the instants of outside data (UTC or GPS time)."""
    from proxops.ground.align import align
    from proxops.ground.log import Log
    from proxops.ground.tables import plain

    target = out or data.with_name(f"{data.stem}_aligned.csv")
    done = plain(align(Log.open(file), data, target, time_column, time_form))
    _print({**done, "out": str(target)}) if json_ else print(f"{target}: {done}")


@log.command("recover")
def log_recover(file: LogPath, out: Annotated[Path | None, typer.Option(help="Log to write; beside the old one by default.")] = None, json_: Json = False) -> None:
    """Make a whole log of one that was cut off (killed process, full disk)."""
    from proxops.ground.recover import recover
    from proxops.ground.tables import plain

    target = out or file.with_name(f"{file.stem}_recovered.mcap")
    done = plain(recover(file, target))
    _print({**done, "out": str(target)}) if json_ else print(f"{target}: {done}")


def main() -> None:
    """Entry point: errors of ours become one clear message and an exit code (1 stopped, 2 bad input)."""
    try:
        app(standalone_mode=False)
    except ProxopsError as error:
        if "--json" in sys.argv:
            print(json.dumps({"ok": False, "error": str(error), "exit": error.exit_code}, ensure_ascii=False))
        print(f"proxops: {error}", file=sys.stderr)
        sys.exit(error.exit_code)
    except typer.Exit as end:
        sys.exit(end.exit_code)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(EXIT_DONE)


if __name__ == "__main__":
    main()
