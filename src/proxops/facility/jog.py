"""Manual control unit: one axis or one frame component moves while the operator holds the button (heartbeats)."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import Refused
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import System
from proxops.facility.jog_button import JogButton, Press
from proxops.facility.motion import Rest, Wish
from proxops.lab.cell import Cell
from proxops.lab.coordinates import OK, axes_from_values, robot_of, values_from_axes, wire_pose
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.safety.guard import Guard
from proxops.safety.interlocks import Interlocks
from proxops.safety.limits import limited_step
from proxops.safety.rules import Rule, Stop

HOLD_MS: Final = 200.0  # without a heartbeat for so long the motion fades
SHORTEST_HOLD_MS: Final = 20.0
RAMP_S: Final = 0.3  # from rest to full jog speed, and back


def heartbeat_cycles(hold_ms: float, age_ms: float) -> int:
    """How many cycles a heartbeat is good for that was sent ``age_ms`` ago. Counted from when it was sent: of a queue of
    heartbeats each ends at its own time, however late it is served."""
    return math.floor((hold_ms - max(0.0, age_ms)) * 1e-3 / PERIOD_S + 1e-9)


class Jog:
    """The manual control unit as a motion. ``press`` is a heartbeat; without it the motion fades. A numbered press whose
    motion has ended, for whatever reason, is ``spent``: the button must be let go of and pressed again."""

    def __init__(self, cell: Cell, interlocks: Interlocks) -> None:
        self._cell, self._interlocks = cell, interlocks
        self._press: Press | None = None
        self.spent: int | None = None  # number of the press that has nothing more to say
        self._share = self._speed = self._gone = 0.0  # of the top speed; m/s or rad/s; m or rad since the start
        self._alive = 0
        self._start, self._values = np.zeros(22), np.zeros(22)
        self._wish, self._before = np.zeros(13), np.zeros(13)

    @property
    def pressed(self) -> Press | None:
        """The press that moves, or fades."""
        return self._press

    def press(self, press: Press, share: float, cycles: int, guard: Guard, pov: NDArray[np.float64]) -> bool:
        """A heartbeat, good for ``cycles``; ``share`` of the cell's jog speed. False while it moves nothing: too old, or
        it has to wait until the motion before has come to rest."""
        now = self._press
        if cycles < 2 or (now is None and press.step is not None and guard.moving):
            return False
        if now is None:
            self._begin(press, guard.setpoint, pov)
        elif now != press and not self._takes_over(now, press):
            return False
        self._share, self._alive = share, cycles
        return True

    def release(self) -> None:
        """Let go: the motion fades."""
        self._alive = 0
        if self._press:
            self.spent = self._press.number

    def rest(self) -> None:
        """Forget a press that something else has ended."""
        if self._press:
            self.spent = self._press.number
        self._press, self._speed, self._alive = None, 0.0, 0

    def step(self) -> Wish:
        press = self._press
        if press is None:
            return Rest.HOLD
        self._alive = max(0, self._alive - 1)
        done = press.step is not None and abs(self._gone) == press.step
        speed = self._ramped(press)
        if done or (speed == 0.0 and not self._alive):
            self.rest()
            return Rest.HOLD
        self._go_on(press, speed)
        self._put(press.button)
        self._before[:] = self._wish
        code, beyond = axes_from_values(
            self._cell.hall, int(press.button.system), self._values, self._before, False, self._wish
        )
        return self._wish if code == OK else Stop(Rule.UNREACHABLE, value=beyond, detail=f"{robot_of(code)}, jog")

    def _begin(self, press: Press, setpoint: NDArray[np.float64], pov: NDArray[np.float64]) -> None:
        self._press, self._gone = press, 0.0
        values_from_axes(self._cell.hall, int(press.button.system), setpoint, pov, self._start)
        self._values[:], self._wish[:] = self._start, setpoint

    def _takes_over(self, now: Press, press: Press) -> bool:
        """Whether ``press`` goes on with the motion of ``now``. A step does not: it begins and ends at rest."""
        if now.button != press.button and (self._alive or press.number is None):
            raise Refused("another jog is still moving: release it first")
        if now.number is not None and now.number == press.number:
            raise Refused("a press keeps its button, direction and step: release it first")
        if now.button != press.button or now.step is not None or press.step is not None:
            return False
        self._press, self.spent = press, now.number
        return True

    def _top(self, pressed: JogButton) -> float:
        limits = self._cell.file.limits
        return math.radians(limits.jog_rate_deg_s) if pressed.turning else limits.jog_speed_m_s

    def _ramped(self, press: Press) -> float:
        """Speed of this cycle, as far as heartbeats and fence decide it."""
        top, most = self._top(press.button), 1.0
        if self._interlocks.fence_open:
            most = self._cell.file.limits.reduced_share
        goal = press.direction * min(self._share, most) * top if self._alive else 0.0
        change = top * PERIOD_S / RAMP_S
        return self._speed + min(max(goal - self._speed, -change), change)

    def _go_on(self, press: Press, speed: float) -> None:
        """The way so far and one cycle more; a step brakes in time to end on its amount exactly."""
        if press.step is None:
            self._speed = speed
            self._gone += speed * PERIOD_S
            return
        goal, ramp = press.direction * press.step, self._top(press.button) / RAMP_S
        self._gone, self._speed = limited_step(goal, goal, self._gone, self._speed, abs(speed), ramp)

    def _put(self, pressed: JogButton) -> None:
        """Move one component by the way so far; in CLW a turn is about the axes of the point of view."""
        if pressed.system is System.CLW and pressed.turning:
            start = 0 if pressed.column < 7 else 7
            turn = np.zeros(3)
            turn[pressed.column - start - 3] = self._gone
            R = matrix_from_rotation_vector(turn) @ wire_pose(self._start, start)[:3, :3]
            w, x, y, z = quat_from_matrix(R)
            self._values[start + 3 : start + 7] = x, y, z, w
        else:
            self._values[pressed.column] = self._start[pressed.column] + self._gone * pressed.scale
