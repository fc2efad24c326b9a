"""``proxops ctl``: the operator's requests to a running facility."""

from __future__ import annotations

import math
from collections.abc import Iterator
from contextlib import contextmanager
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated, Any

import typer

from proxops.cli.options import Json, KeyFile, SystemName, TrajectoryPath, print_json
from proxops.core.channel import CONTROL_NAME

if TYPE_CHECKING:
    from proxops.client import ControlClient

ctl = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Drive a running facility (proxops serve).")
Control = Annotated[
    str,
    typer.Option(
        envvar="PROXOPS_CONTROL",
        help="NAME of the facility (serve --control), USER@NAME of another user's, a control socket, or HOST:PORT.",
    ),
]


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


@ctl.callback()
def _facility(context: typer.Context, control: Control = CONTROL_NAME, key_file: KeyFile = None) -> None:
    """Which facility the commands are for."""
    context.obj = control, key_file


@contextmanager
def _line(context: typer.Context) -> Iterator[ControlClient]:
    """The line to the facility that the command line names."""
    from proxops.client import ControlClient

    control, key_file = context.obj
    client = ControlClient(control, key=key_file)
    try:
        yield client
    finally:
        client.close()


def _ask(context: typer.Context, json: bool, verb: str, **arguments: object) -> Any:
    """Ask the facility; say shortly what came of it."""
    with _line(context) as line:
        result = line.ask(verb, **arguments)
    _done(json)
    return result


def _done(json: bool, **more: object) -> None:
    if json:
        print_json({"ok": True, **more})
    else:
        print("ok", *more.values())


@ctl.command("status")
def status(context: typer.Context, json: Json = False) -> None:
    """Mode, source, cause of a stop, interlocks, axes."""
    from proxops.cli.asking import print_status

    with _line(context) as line:
        state = line.ask("status")
    if json:
        print_json(state)
    else:
        print_status(state)


@ctl.command("select")
def select(
    context: typer.Context,
    source: Annotated[str, typer.Argument(help="bridge, sync, async, manual, sine or none.")],
    json: Json = False,
) -> None:
    """Choose who commands the hall."""
    _ask(context, json, "select", source=source)


@ctl.command("accept")
def accept(
    context: typer.Context,
    ahead: Annotated[
        bool, typer.Option("--next", help="Not the one that waits: the next one within a minute.")
    ] = False,
    json: Json = False,
) -> None:
    """Let the new client that waits at the bridge move the hall."""
    _ask(context, json, "accept", ahead=ahead)


@ctl.command("hardware")
def hardware(
    context: typer.Context,
    kind: Annotated[str, typer.Argument(help="simulation or real.")],
    json: Json = False,
) -> None:
    """Virtual hall or real robots."""
    _ask(context, json, "hardware", kind=kind)


@ctl.command("load")
def load(
    context: typer.Context,
    file: TrajectoryPath,
    json: Json = False,
) -> None:
    """Have the facility check a trajectory, with its own cell and tool, and put it on the desk for `select async`."""
    from proxops.client import load_trajectory

    with _line(context) as line:
        lines = load_trajectory(line, file)
    _done(json, lines=lines)


@ctl.command("drives")
def drives(context: typer.Context, state: Switch, json: Json = False) -> None:
    """Switch all drives; payloads are checked first."""
    _ask(context, json, "drives", on=state is Switch.ON)


@ctl.command("move-to-start")
def move_to_start(
    context: typer.Context,
    order: Annotated[str, typer.Option(help="Order of the units.")] = "rail,robot1,robot2",
    wait: Annotated[float, typer.Option(min=0, help="Wait for arrival, at most so many seconds.")] = 0.0,
    json: Json = False,
) -> None:
    """Move rail and robots to the first command, one after another."""
    from proxops.cli.asking import wait_for

    with _line(context) as line:
        line.ask("move_to_start", order=order)
        if wait > 0:
            wait_for(line, "AT_START", wait)
    _done(json)


@ctl.command("confirm")
def confirm(context: typer.Context, json: Json = False) -> None:
    """Start the run."""
    _ask(context, json, "confirm")


@ctl.command("safe-stop")
def safe_stop(context: typer.Context, json: Json = False) -> None:
    """Stop from anywhere; latched until reset."""
    _ask(context, json, "safe_stop")


@ctl.command("reset")
def reset(context: typer.Context, json: Json = False) -> None:
    """Acknowledge a stop whose cause is gone."""
    _ask(context, json, "reset")


@ctl.command("jog", context_settings={"ignore_unknown_options": True})
def jog(
    context: typer.Context,
    component: Annotated[str, typer.Argument(help="rail; a1..a6 (IJT); x y z a b c (IDC, GLC); x y z rx ry rz (CLW).")],
    direction: Direction,
    robot: Annotated[str, typer.Option(help="robot1 or robot2.")] = "robot1",
    system: Annotated[SystemName, typer.Option(case_sensitive=False, help="Coordinate system.")] = SystemName.IJT,
    seconds: Annotated[float, typer.Option("--for", min=0.05, max=60, help="How long the button is held.")] = 1.0,
    speed: Annotated[float, typer.Option(min=0.01, max=1, help="Share of the jog speed.")] = 1.0,
    json: Json = False,
) -> None:
    """Hold a jog button for a while (needs `select manual`)."""
    from proxops.cli.asking import hold_jog

    unit = "rail" if component == "rail" else robot
    with _line(context) as line:
        hold_jog(line, system.value, unit, component, 1 if direction is Direction.PLUS else -1, speed, seconds)
    _done(json)


@ctl.command("sine")
def sine(
    context: typer.Context,
    axis: Annotated[str, typer.Argument(help="rail, robot1_a1 … robot2_a6.")],
    amplitude: Annotated[float, typer.Option(help="mm for the rail, deg for other axes.")] = 2.0,
    frequency: Annotated[float, typer.Option(help="Hz.")] = 0.2,
    cycles: Annotated[int, typer.Option(help="Number of periods, the first swelling, the last fading.")] = 4,
    json: Json = False,
) -> None:
    """Start a sine wave on one axis (needs `select sine`)."""
    scale = 1e-3 if axis == "rail" else math.pi / 180
    _ask(context, json, "sine", axis=axis, amplitude=amplitude * scale, frequency_hz=frequency, cycles=cycles)


@ctl.command("interlock")
def interlock(context: typer.Context, name: str, state: Held, json: Json = False) -> None:
    """Set one input of the virtual hall by its name."""
    _ask(context, json, "interlock", name=name, healthy=state is not Held.OPEN)


def _short_way(word: str, default: str, help_text: str) -> None:
    """``ctl door open``: the first input of a kind without spelling its name."""

    @ctl.command(word, help=help_text)
    def command(
        context: typer.Context,
        state: Held,
        name: Annotated[str, typer.Option(help="Which one; the first of its kind by default.")] = default,
        json: Json = False,
    ) -> None:
        interlock(context, name, state, json)


_short_way("door", "door", "Open or close a door of the virtual hall.")
_short_way("gate", "gate", "Open or close a rolling gate.")
_short_way("fence", "fence", "Open or close the fence: only reduced jog while open.")
_short_way("laser", "laser", "Open or close the laser safety circuit.")
_short_way("power", "power", "Cut (open) or restore (close) a drive's power.")


@ctl.command("estop")
def estop(
    context: typer.Context,
    state: Button,
    name: Annotated[str, typer.Option(help="Which one; the first of its kind by default.")] = "estop",
    json: Json = False,
) -> None:
    """Press or release an emergency stop of the virtual hall."""
    _ask(context, json, "interlock", name=name, healthy=state is Button.RELEASE)


@ctl.command("push")
def push(
    context: typer.Context,
    x: Annotated[float, typer.Option(help="Impulse along world x, N s.")] = 0.0,
    y: Annotated[float, typer.Option(help="Along y.")] = 0.0,
    z: Annotated[float, typer.Option(help="Along z.")] = 0.0,
    duration_ms: Annotated[float, typer.Option(help="How long the hand pushes.")] = 100.0,
    json: Json = False,
) -> None:
    """Push the module of a live micro-gravity run (proxops run float --realtime)."""
    _ask(context, json, "push", x_Ns=x, y_Ns=y, z_Ns=z, duration_s=duration_ms * 1e-3)


@ctl.command("designate")
def designate(
    context: typer.Context,
    sensor: Annotated[str, typer.Argument(help="Whose picture it is.")],
    number: Annotated[int, typer.Argument(help="Of that picture.", min=0)],
    right: Annotated[float, typer.Argument(help="Where the target's middle is, px from the left.")],
    down: Annotated[float, typer.Argument(help="The same from above, px.")],
    radius: Annotated[float, typer.Option(help="Within which it is, px.")] = 40.0,
    json: Json = False,
) -> None:
    """Say where the target is in a picture of a live mission (proxops run MISSION --realtime --control NAME)."""
    _ask(context, json, "designate", sensor=sensor, number=number, right_px=right, down_px=down, radius_px=radius)


@ctl.command("shut-down")
def shut_down(context: typer.Context, json: Json = False) -> None:
    """End the facility in good order: robots to rest, log closed."""
    _ask(context, json, "shut_down")
