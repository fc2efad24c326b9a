"""Manual control unit: one axis or one frame component moves while the operator holds the button (heartbeats)."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput, Refused
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import System
from proxops.facility.motion import Rest, Wish
from proxops.lab.cell import Cell
from proxops.lab.coordinates import DEG, LIN, MM, OK, axes_from_values, robot_of, values_from_axes, wire_pose
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.safety.interlocks import Interlocks
from proxops.safety.rules import Rule, Stop

HEARTBEAT_CYCLES: Final = 50  # 0.2 s without a heartbeat lets the motion fade
RAMP_S: Final = 0.3  # from rest to full jog speed, and back
RAMP: Final = PERIOD_S / RAMP_S
AXIS_NAMES: Final = ("a1", "a2", "a3", "a4", "a5", "a6")
FRAME_NAMES: Final = ("x", "y", "z", "a", "b", "c")
CLW_NAMES: Final = ("x", "y", "z", "rx", "ry", "rz")


@dataclass(frozen=True)
class JogButton:
    """What is moved: column of the 22 doubles, wire units per SI unit, turning or not."""

    system: System
    column: int
    scale: float
    turning: bool


def button(system: System, robot: str, component: str) -> JogButton:
    """Find the button; errors list the valid names."""
    if robot == "rail" or component == "rail":
        return JogButton(System.IJT, LIN, 1 / MM, False)
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
    return JogButton(system, (0 if robot == "robot1" else 7) + index, scale, turning)


class Jog:
    """The manual control unit as a motion. ``press`` is a heartbeat; without it the motion fades."""

    def __init__(self, cell: Cell, interlocks: Interlocks) -> None:
        self._cell, self._interlocks = cell, interlocks
        self._button: JogButton | None = None
        self._target = self._speed = 0.0  # shares of the button's top speed, with sign
        self._alive = 0
        self._values = np.zeros(22)
        self._wish, self._before = np.zeros(13), np.zeros(13)

    @property
    def moving(self) -> bool:
        return self._button is not None

    def press(
        self, pressed: JogButton, direction: int, share: float, setpoint: NDArray[np.float64], pov: NDArray[np.float64]
    ) -> None:
        """A heartbeat of the button; ``share`` of the cell's jog speed."""
        if self.moving and self._button != pressed:
            raise Refused("another jog is still moving: release it first")
        if not self.moving:
            self._button = pressed
            values_from_axes(self._cell.hall, int(pressed.system), setpoint, pov, self._values)
            self._wish[:] = setpoint
        self._target, self._alive = direction * share, HEARTBEAT_CYCLES

    def release(self) -> None:
        """Let go: the motion fades."""
        self._alive = 0

    def step(self) -> Wish:
        if self._button is None:
            return Rest.HOLD
        self._alive = max(0, self._alive - 1)
        top = self._cell.file.limits.reduced_share if self._interlocks.fence_open else 1.0
        goal = min(max(self._target, -top), top) if self._alive else 0.0
        self._speed += min(max(goal - self._speed, -RAMP), RAMP)
        if self._speed == 0.0 and not self._alive:
            self._button = None
            return Rest.HOLD
        self._advance(self._button, self._speed * self._top(self._button) * PERIOD_S)
        self._before[:] = self._wish
        code, beyond = axes_from_values(
            self._cell.hall, int(self._button.system), self._values, self._before, False, self._wish
        )
        return self._wish if code == OK else Stop(Rule.UNREACHABLE, value=beyond, detail=f"{robot_of(code)}, jog")

    def _top(self, pressed: JogButton) -> float:
        limits = self._cell.file.limits
        return math.radians(limits.jog_rate_deg_s) if pressed.turning else limits.jog_speed_m_s

    def _advance(self, pressed: JogButton, amount: float) -> None:
        """Move one component; in CLW a turn is about the axes of the point of view."""
        if pressed.system is System.CLW and pressed.turning:
            start = 0 if pressed.column < 7 else 7
            turn = np.zeros(3)
            turn[pressed.column - start - 3] = amount
            R = matrix_from_rotation_vector(turn) @ wire_pose(self._values, start)[:3, :3]
            w, x, y, z = quat_from_matrix(R)
            self._values[start + 3 : start + 7] = x, y, z, w
        else:
            self._values[pressed.column] += amount * pressed.scale
