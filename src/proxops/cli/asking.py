"""What ``proxops ctl`` does beyond a single request: hold a button, wait for a mode, show the status."""

from __future__ import annotations

import math
import time
from typing import Any

from proxops.client import ControlClient
from proxops.core.errors import Refused

HEARTBEAT_S = 0.05
FADING_S = 0.4  # a little more than the ramp of the jog


def hold_jog(
    control: ControlClient, system: str, robot: str, component: str, direction: int, speed: float, seconds: float
) -> None:
    """Hold a jog button: heartbeats for ``seconds``, then let go."""
    until = time.monotonic() + seconds
    while time.monotonic() < until:
        control.ask("jog", system=system, robot=robot, component=component, direction=direction, speed=speed)
        time.sleep(min(HEARTBEAT_S, max(0.0, until - time.monotonic())))
    control.ask("release")
    time.sleep(FADING_S)  # so that the next jog finds the robots at rest


def wait_for(control: ControlClient, mode: str, seconds: float) -> None:
    """Wait until the facility is in ``mode``; a stop or the end of patience is an error."""
    until = time.monotonic() + seconds
    while True:
        state = control.ask("status")
        if state["mode"] == mode:
            return
        if state["stop"]:
            raise Refused(state["stop"]["text"])
        if time.monotonic() > until:
            raise Refused(f"still {state['mode']} after {seconds:g} s, waited for {mode}")
        time.sleep(0.05)


def print_status(state: dict[str, Any]) -> None:
    """Status for people: mm and deg."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    if "axes" not in state:  # no hall: a run of another kind that listens
        console.print("   ".join(f"{key} [bold]{value}[/]" for key, value in state.items()))
        return
    console.print(
        f"mode [bold]{state['mode']}[/]   source {state['source']}   hardware {state['hardware']}   "
        f"drives {'on' if state['drives_on'] else 'off'}"
    )
    if state["stop"]:
        console.print(f"[red]{state['stop']['text']}[/]")
    for name, label in (
        ("open_interlocks", "open interlocks"),
        ("alarms", "alarms"),
        ("possible", "possible now"),
    ):
        if state[name]:
            console.print(f"{label}: {', '.join(state[name])}")
    sync = state["sync"]
    if sync:
        refused = ", ".join(f"{count} {name}" for name, count in sync["refused"].items()) or "none"
        console.print(f"synchronous interface {sync['address']}, master {sync['master'] or 'none'}, refused {refused}")
    if told := state["bridge"]:
        why = "" if told["cause"] == "NONE" else f" ({told['cause']})"
        left = f", {told['left_m']:.4f} m left" if told.get("left_m") is not None else ""
        console.print(f"bridge {told['address']}, client {told['client'] or 'none'}: {told['phase']}{why}{left}")
    table = Table("axis", "set-point", "actual", "unit")
    for axis, value in state["axes"].items():
        scale, unit = (1e3, "mm") if axis == "rail" else (180 / math.pi, "deg")
        shown = ("no number" if v is None else f"{v * scale:.4f}" for v in (state["setpoint"][axis], value))
        table.add_row(axis, *shown, unit)
    console.print(table)
    console.print(f"cycle {state['tick']}, missed {state['missed_cycles']}, recorded {state['recorded_cycles']}")
