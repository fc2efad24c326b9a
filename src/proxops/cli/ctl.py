"""``proxops ctl``: the operator's requests to a running facility."""

from __future__ import annotations

import math
from enum import StrEnum
from typing import Annotated, Any

import typer

from proxops.cli.options import (
    CONTROL,
    CellPath,
    ControlPort,
    Json,
    SystemName,
    Tool,
    TrajectoryPath,
    print_json,
    read_cell,
)

ctl = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Drive a running facility (proxops serve).")


class Held(StrEnum):
    """State of an input as an operator says it."""

    OPEN = "open"
    CLOSE = "close"
    CLOSED = "closed"


class Switch(StrEnum):
    """Drives."""

    ON = "on"
    OFF = "off"


class Button(StrEnum):
    """An emergency stop."""

    PRESS = "press"
    RELEASE = "release"


class Direction(StrEnum):
    """Of a jog."""

    PLUS = "+"
    MINUS = "-"


def _ask(control_port: int, json: bool, verb: str, **arguments: object) -> Any:
    """Ask the facility; say shortly what came of it."""
    from proxops.facility.asking import ask

    result = ask(control_port, verb, **arguments)
    _done(json)
    return result


def _done(json: bool, **more: object) -> None:
    if json:
        print_json({"ok": True, **more})
    else:
        print("ok", *more.values())


@ctl.command("status")
def status(control_port: ControlPort = CONTROL, json: Json = False) -> None:
    """Mode, source, cause of a stop, interlocks, axes."""
    from proxops.facility.asking import ask, print_status

    state = ask(control_port, "status")
    if json:
        print_json(state)
    else:
        print_status(state)


@ctl.command("select")
def select(
    source: Annotated[str, typer.Argument(help="bridge, sync, async, manual, sine or none.")],
    control_port: ControlPort = CONTROL,
    json: Json = False,
) -> None:
    """Choose who commands the hall."""
    _ask(control_port, json, "select", source=source)


@ctl.command("accept")
def accept(control_port: ControlPort = CONTROL, json: Json = False) -> None:
    """Let a new client of the bridge move the hall: the one that waits, or else the next one within a minute."""
    _ask(control_port, json, "accept")


@ctl.command("hardware")
def hardware(
    kind: Annotated[str, typer.Argument(help="simulation or real.")],
    control_port: ControlPort = CONTROL,
    json: Json = False,
) -> None:
    """Virtual hall or real robots."""
    _ask(control_port, json, "hardware", kind=kind)


@ctl.command("load")
def load(
    file: TrajectoryPath,
    user_tool: Tool = None,
    cell: CellPath = None,
    control_port: ControlPort = CONTROL,
    json: Json = False,
) -> None:
    """Check a trajectory and put it on the desk for `select async`. Name the cell and tool that the facility has."""
    from proxops.facility.asking import load as load_file

    _done(json, lines=load_file(read_cell(cell, user_tool), file, control_port))


@ctl.command("drives")
def drives(state: Switch, control_port: ControlPort = CONTROL, json: Json = False) -> None:
    """Switch all drives; payloads are checked against Table 5 first."""
    _ask(control_port, json, "drives", on=state is Switch.ON)


@ctl.command("move-to-start")
def move_to_start(
    order: Annotated[str, typer.Option(help="Order of the units.")] = "rail,robot1,robot2",
    wait: Annotated[float, typer.Option(min=0, help="Wait for arrival, at most so many seconds.")] = 0.0,
    control_port: ControlPort = CONTROL,
    json: Json = False,
) -> None:
    """Move rail and robots to the first command, one after another."""
    from proxops.facility.asking import ask, wait_for

    ask(control_port, "move_to_start", order=order)
    if wait > 0:
        wait_for(control_port, "AT_START", wait)
    _done(json)


@ctl.command("confirm")
def confirm(control_port: ControlPort = CONTROL, json: Json = False) -> None:
    """Start the run."""
    _ask(control_port, json, "confirm")


@ctl.command("safe-stop")
def safe_stop(control_port: ControlPort = CONTROL, json: Json = False) -> None:
    """Stop from anywhere; latched until reset."""
    _ask(control_port, json, "safe_stop")


@ctl.command("reset")
def reset(control_port: ControlPort = CONTROL, json: Json = False) -> None:
    """Acknowledge a stop whose cause is gone."""
    _ask(control_port, json, "reset")


@ctl.command("jog", context_settings={"ignore_unknown_options": True})
def jog(
    component: Annotated[str, typer.Argument(help="rail; a1..a6 (IJT); x y z a b c (IDC, GLC); x y z rx ry rz (CLW).")],
    direction: Direction,
    robot: Annotated[str, typer.Option(help="robot1 or robot2.")] = "robot1",
    system: Annotated[SystemName, typer.Option(case_sensitive=False, help="Coordinate system.")] = SystemName.IJT,
    seconds: Annotated[float, typer.Option("--for", min=0.05, max=60, help="How long the button is held.")] = 1.0,
    speed: Annotated[float, typer.Option(min=0.01, max=1, help="Share of the jog speed.")] = 1.0,
    control_port: ControlPort = CONTROL,
    json: Json = False,
) -> None:
    """Hold a jog button for a while (needs `select manual`)."""
    from proxops.facility.asking import hold_jog

    unit = "rail" if component == "rail" else robot
    hold_jog(control_port, system.value, unit, component, 1 if direction is Direction.PLUS else -1, speed, seconds)
    _done(json)


@ctl.command("sine")
def sine(
    axis: Annotated[str, typer.Argument(help="rail, robot1_a1 … robot2_a6.")],
    amplitude: Annotated[float, typer.Option(help="mm for the rail, deg for other axes.")] = 2.0,
    frequency: Annotated[float, typer.Option(help="Hz.")] = 0.2,
    cycles: Annotated[int, typer.Option(help="Number of periods, the first swelling, the last fading.")] = 4,
    control_port: ControlPort = CONTROL,
    json: Json = False,
) -> None:
    """Start a sine wave on one axis (needs `select sine`)."""
    scale = 1e-3 if axis == "rail" else math.pi / 180
    _ask(control_port, json, "sine", axis=axis, amplitude=amplitude * scale, frequency_hz=frequency, cycles=cycles)


@ctl.command("interlock")
def interlock(name: str, state: Held, control_port: ControlPort = CONTROL, json: Json = False) -> None:
    """Set one input of the virtual hall by its name."""
    _ask(control_port, json, "interlock", name=name, healthy=state is not Held.OPEN)


def _short_way(word: str, default: str, help_text: str) -> None:
    """``ctl door open``: the first input of a kind without spelling its name."""

    @ctl.command(word, help=help_text)
    def command(
        state: Held,
        name: Annotated[str, typer.Option(help="Which one; the first of its kind by default.")] = default,
        control_port: ControlPort = CONTROL,
        json: Json = False,
    ) -> None:
        interlock(name, state, control_port, json)


_short_way("door", "door", "Open or close a door of the virtual hall.")
_short_way("gate", "gate", "Open or close a rolling gate.")
_short_way("fence", "fence", "Open or close the fence: only reduced jog while open.")
_short_way("laser", "laser", "Open or close the laser safety circuit.")
_short_way("power", "power", "Cut (open) or restore (close) a drive's power.")


@ctl.command("estop")
def estop(
    state: Button,
    name: Annotated[str, typer.Option(help="Which one; the first of its kind by default.")] = "estop",
    control_port: ControlPort = CONTROL,
    json: Json = False,
) -> None:
    """Press or release an emergency stop of the virtual hall."""
    _ask(control_port, json, "interlock", name=name, healthy=state is Button.RELEASE)


@ctl.command("push")
def push(
    x: Annotated[float, typer.Option(help="Impulse along world x, N s.")] = 0.0,
    y: Annotated[float, typer.Option(help="Along y.")] = 0.0,
    z: Annotated[float, typer.Option(help="Along z.")] = 0.0,
    duration_ms: Annotated[float, typer.Option(help="How long the hand pushes.")] = 100.0,
    control_port: ControlPort = CONTROL,
    json: Json = False,
) -> None:
    """Push the module of a live micro-gravity run (proxops run float --realtime)."""
    _ask(control_port, json, "push", x_Ns=x, y_Ns=y, z_Ns=z, duration_s=duration_ms * 1e-3)


@ctl.command("shut-down")
def shut_down(control_port: ControlPort = CONTROL, json: Json = False) -> None:
    """End the facility in good order: robots to rest, log closed."""
    _ask(control_port, json, "shut_down")
