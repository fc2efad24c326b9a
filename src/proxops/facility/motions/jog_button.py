"""Buttons of the manual control unit: one axis or one component of a frame each, and how one of them is pressed."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.vocabulary import System
from proxops.lab.any_cell import AnyCell
from proxops.lab.arm_cell import ArmCell
from proxops.lab.coordinates import DEG, LIN, MM

AXIS_NAMES: Final = ("a1", "a2", "a3", "a4", "a5", "a6")
FRAME_NAMES: Final = ("x", "y", "z", "a", "b", "c")
CLW_NAMES: Final = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True)
class JogButton:
    """What is moved: column of the 22 doubles, wire units per SI unit, turning or not; and what it is called."""

    system: System
    column: int
    scale: float
    turning: bool
    robot: str
    component: str


@dataclass(frozen=True)
class Press:
    """One pressing of a button, from touch to release; every heartbeat of it says the same."""

    button: JogButton
    direction: int
    step: float | None = None  # m or rad after which the motion ends by itself
    number: int | None = None  # told apart by it: what has ended does not begin anew. None: by heartbeats alone


def button(system: System, robot: str, component: str) -> JogButton:
    """Find the button; errors list the valid names."""
    if robot == "rail" or component == "rail":
        return JogButton(System.IJT, LIN, 1 / MM, False, "rail", "rail")
    names = {System.IJT: AXIS_NAMES, System.CLW: CLW_NAMES}.get(system, FRAME_NAMES)
    if robot not in ("robot1", "robot2") or component not in names:
        raise BadInput(
            "no such jog button",
            value=f"{system.name} {robot} {component}",
            bound=f"rail, or robot1|robot2 with {', '.join(names)}",
        )
    index = names.index(component)
    turning = system is System.IJT or index >= 3
    scale = {System.CLW: 1.0, System.GLC: 1.0, System.IDC: 1 / MM, System.IJT: 1.0}[system]
    if turning and system is not System.CLW:
        scale = 1 / DEG
    return JogButton(system, (0 if robot == "robot1" else 7) + index, scale, turning, robot, component)


def axis_button(cell: ArmCell, robot: str, component: str) -> JogButton:
    """One axis of a cell of arms; errors list the valid names."""
    name = "rail" if "rail" in (robot, component) else f"{robot}_{component}"
    if name not in cell.axis_names:
        valid = ", ".join(axis.replace("_", " ", 1) for axis in cell.axis_names)
        raise BadInput("no such jog button", value=f"{robot} {component}", bound=valid)
    column = cell.axis_names.index(name)
    return JogButton(System.IJT, column, 1.0, not cell.slides[column], robot, component)


def pressed_button(
    cell: AnyCell, system: str, robot: str, component: str, direction: int, step: float | None, press: int | None
) -> Press:
    """A press as an operator asks for it; ``step`` in m or rad."""
    if system.upper() not in System.__members__:
        raise BadInput("no such coordinate system", value=repr(system), bound=", ".join(System.__members__))
    if direction not in (-1, 1):
        raise BadInput("jog: direction", value=direction, bound="1 or -1")
    if step is not None and (not 0 < step < math.inf or press is None):
        raise BadInput("jog: step", value=f"step {step}, press {press}", bound="a step above 0, of a numbered press")
    if isinstance(cell, ArmCell):
        if System[system.upper()] is not System.IJT:
            raise BadInput("jog: a cell of arms is jogged by its axes", value=system, bound="IJT")
        return Press(axis_button(cell, robot, component), direction, step, press)
    return Press(button(System[system.upper()], robot, component), direction, step, press)
