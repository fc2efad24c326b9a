"""Manual control unit: one axis or one frame component moves while the operator holds the button (heartbeats).

In yellow it is slow and says so; the guard stops it before red, and lets it out of red again, only away and slowly. With the
fence open no point of the robots is faster than 250 mm/s: the guard stops what is, and the unit keeps below.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import Clock
from proxops.core.errors import Refused
from proxops.core.vocabulary import Severity, Tell, Zone
from proxops.facility.motions.jog_button import JogButton, Press
from proxops.facility.motions.stroke import Stroke
from proxops.lab.any_cell import AnyCell
from proxops.safety.guard import Guard
from proxops.safety.interlocks import Interlocks
from proxops.safety.limits import FENCE_SPEED_M_S, limited_step, point_speed
from proxops.safety.motion import Motion, Rest, Wish
from proxops.safety.zone_watch import ZoneWatch

SLOW_SHARE: Final = 0.1  # of the jog speeds, in yellow and in red
STAYS_M: Final = 0.005  # beyond the layer: at its edge the speed does not flicker
KEEPS_BELOW: Final = 0.95  # of the speed that the guard allows any point: postures change while the axes turn
HOLD_MS: Final = 200.0  # without a heartbeat for so long the motion fades
SHORTEST_HOLD_MS: Final = 20.0
RAMP_S: Final = 0.3  # from rest to full jog speed, and back


def heartbeat_cycles(hold_ms: float, age_ms: float, period_ns: int) -> int:
    """How many cycles of ``period_ns`` a heartbeat is good for that was sent ``age_ms`` ago. Counted from when it was sent: of a
    queue of heartbeats each ends at its own time, however late it is served."""
    return math.floor((hold_ms - max(0.0, age_ms)) * 1e-3 / (period_ns * 1e-9) + 1e-9)


class Jog(Motion):
    """The manual control unit as a motion. ``press`` is a heartbeat; without it the motion fades. A numbered press whose
    motion has ended, for whatever reason, is ``spent``: the button must be let go of and pressed again."""

    def __init__(
        self, cell: AnyCell, stroke: Stroke, interlocks: Interlocks, clock: Clock, zones: ZoneWatch, tell: Tell
    ) -> None:
        self._stroke, self._cycle_s = stroke, cell.period_ns * 1e-9
        self._cell, self._interlocks, self._clock, self._zones, self._tell = cell, interlocks, clock, zones, tell
        self.zone = Zone.GREEN  # of the robots, if this jog went on at full speed
        self._per_speed = np.zeros(cell.n_axes)  # axis rates at a jog speed of one (m/s or rad/s)
        self._press: Press | None = None
        self.spent: int | None = None  # number of the press that has nothing more to say
        self._share = self._speed = self._gone = 0.0  # of the top speed; m/s or rad/s; m or rad since the start
        self._until_ns = 0  # until when the last heartbeat holds
        self._wish, self._before = np.zeros(cell.n_axes), np.zeros(cell.n_axes)

    @property
    def pressed(self) -> Press | None:
        """The press that moves, or fades."""
        return self._press

    def press(self, press: Press, share: float, cycles: int, guard: Guard) -> bool:
        """A heartbeat, good for ``cycles``; ``share`` of the cell's jog speed. False while it moves nothing: too old, or
        it has to wait until the motion before has come to rest."""
        now = self._press
        if cycles < 2 or (now is None and press.step is not None and guard.moving):
            return False
        if now is None:
            self._begin(press, guard.setpoint)
        elif now != press and not self._takes_over(now, press):
            return False
        self._share, self._until_ns = share, self._clock.now_ns() + cycles * self._cell.period_ns
        return True

    def release(self) -> None:
        """Let go: the motion fades."""
        self._until_ns = 0
        if self._press:
            self.spent = self._press.number

    def rest(self) -> None:
        """Forget a press that something else has ended."""
        if self._press:
            self.spent = self._press.number
        self._press, self._speed, self._until_ns = None, 0.0, 0
        self._per_speed[:] = 0.0

    def step(self) -> Wish:
        press = self._press
        if press is None:
            return Rest.HOLD
        self._look(press)
        done = press.step is not None and abs(self._gone) == press.step
        speed = self._ramped(press)
        if done or (speed == 0.0 and not self._held):
            self.rest()
            return Rest.HOLD
        self._go_on(press, speed)
        self._before[:] = self._wish
        stop = self._stroke.axes(press.button, self._gone, self._before, self._wish)
        if stop:
            return stop
        if self._speed != 0.0:
            np.divide(self._wish - self._before, self._speed * self._cycle_s, out=self._per_speed)
        return self._wish

    @property
    def _held(self) -> bool:
        """The last heartbeat holds still."""
        return self._clock.now_ns() < self._until_ns

    def _look(self, press: Press) -> None:
        """Zone of the robots at the full speed of this button, so that slowing down does not change the answer."""
        stays_m = STAYS_M if self.zone is not Zone.GREEN else 0.0
        rate = self._per_speed * self._top(press.button)
        judged = self._zones.actual(self._wish, rate, stays_m)
        if judged.zone is not self.zone and judged.zone is not Zone.GREEN:
            way_out = ": only away" if judged.zone is Zone.RED else ""
            near = f"{judged.finding.pair}, {judged.finding.distance_m * 1e3:.0f} mm"
            self._tell(Severity.WARNING, f"zone.{judged.zone.name.lower()}", f"jog slowed ({near} from red){way_out}")
        self.zone = judged.zone

    def _begin(self, press: Press, setpoint: NDArray[np.float64]) -> None:
        self._press, self._gone, self._per_speed[:] = press, 0.0, 0.0
        self._stroke.begin(press.button, setpoint)
        self._wish[:] = setpoint

    def _takes_over(self, now: Press, press: Press) -> bool:
        """Whether ``press`` goes on with the motion of ``now``. A step does not: it begins and ends at rest."""
        if now.button != press.button and (self._held or press.number is None):
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
        """Speed of this cycle, as far as heartbeats, zone and fence decide it."""
        top = self._top(press.button)
        goal = press.direction * min(self._share * top, self._most(top)) if self._held else 0.0
        change = top * self._cycle_s / RAMP_S
        return self._speed + min(max(goal - self._speed, -change), change)

    def _most(self, top: float) -> float:
        """Speed that zone and fence allow, m/s or rad/s."""
        most = top if self.zone is Zone.GREEN else SLOW_SHARE * top
        if self._interlocks.fence_open:
            most = min(most, self._cell.file.limits.reduced_share * top)
            fastest = point_speed(self._zones.levers, self._cell.arm_of_axis, self._per_speed)
            if fastest * most > FENCE_SPEED_M_S * KEEPS_BELOW:
                most = FENCE_SPEED_M_S * KEEPS_BELOW / fastest
        return most

    def _go_on(self, press: Press, speed: float) -> None:
        """The way so far and one cycle more; a step brakes in time to end on its amount exactly."""
        if press.step is None:
            self._speed = speed
            self._gone += speed * self._cycle_s
            return
        goal, ramp = press.direction * press.step, self._top(press.button) / RAMP_S
        self._gone, self._speed = limited_step(goal, goal, self._gone, self._speed, abs(speed), ramp, self._cycle_s)
