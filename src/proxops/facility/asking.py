"""The operator's side of the control channel, as ``proxops ctl`` uses it: ask, load, hold a button, wait, show."""

from __future__ import annotations

import math
import os
import time
from pathlib import Path
from typing import Any, Final

from proxops.client import ControlClient
from proxops.core.errors import EXIT_BAD_INPUT, BadInput, Refused

HEARTBEAT_S = 0.05
LOOK_S: Final = 0.05
LOAD_S: Final = 120.0  # the facility gives a check less; this is for one that has fallen silent about it
FADING_S = 0.4  # a little more than the ramp of the jog


def load(control: ControlClient, file: Path, name: str | None = None) -> int:
    """Have the facility check a trajectory and put it on the desk; returns the number of lines. It gets a sealed copy of the
    file, read with the caller's rights. ``name``: what it shall call it, if not as the file is called."""
    from proxops.core.sealed_memory import sealed_copy
    from proxops.core.trajectory_size import LARGEST_BYTES

    fd = sealed_copy(file, "trajectory", LARGEST_BYTES)
    try:
        job = control.ask_with_file("load", fd, source=name or str(file))["job"]
    finally:
        os.close(fd)
    until = time.monotonic() + LOAD_S
    while (lines := loaded_lines(control.ask("status")["load"], job)) is None:
        if time.monotonic() > until:
            raise Refused(f"load: {file} is still being checked after {LOAD_S:g} s")
        time.sleep(LOOK_S)
    return lines


def loaded_lines(told: dict[str, Any], job: int) -> int | None:
    """How many lines of ``job`` are on the desk by status' word on loads; None while it is being checked. Raises why it was
    refused."""
    if told["job"] != job:
        raise Refused(f"load: another file has been loaded meanwhile, {told['source']}")
    if told["state"] == "refused":
        raise BadInput(told["error"]) if told["exit"] == EXIT_BAD_INPUT else Refused(told["error"])
    return int(told["lines"]) if told["state"] == "loaded" else None


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
