"""The last word before an arm of a few joints moves: every set-point is checked against the one before, or the arm brakes.

Numbers, jumps, speed, acceleration between cycles, and the range, judged where a braking begun after this cycle would
end, so that braking itself never overruns it. A set-point that breaks a rule is not sent: from the last good one on,
all joints come to rest together within their accelerations, and rule, joint, value and bound stay readable until the
guard is reset. An arm that is commanded by joint rates has a set-point too: where those rates lead. What the encoders say is
compared with it, so that an arm which does not go where it is sent is stopped.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.braking import braking_time, braking_way
from proxops.safety.limits import ASTRAY_RAD
from proxops.safety.range_rule import JUMP_FACTOR
from proxops.safety.rules import Rule, Stop

ROUNDING: Final = 1e-6  # share of a limit that arithmetic may add
NOT_FINITE, JUMP, AXIS_RANGE = int(Rule.NOT_FINITE), int(Rule.JUMP), int(Rule.AXIS_RANGE)
AXIS_SPEED, AXIS_ACCELERATION = int(Rule.AXIS_SPEED), int(Rule.AXIS_ACCELERATION)
FORGETTING: Final = 1.0  # rad of way: an arm commanded by rates has no position loop, so a share of its way is forgiven


class ArmGuard:
    """Starts at rest at ``joints``. Limits per joint: rad, rad/s, rad/s2. ``stop`` is None while nothing is wrong.
    ``trailing_s``: by how much time the arm trails its set-point."""

    def __init__(
        self, names: tuple[str, ...], lower: Array, upper: Array, speed: Array, acceleration: Array, joints: Array,
        cycle_s: float = PERIOD_S, trailing_s: float = 0.0,
    ) -> None:  # fmt: skip
        self.names, self.cycle_s = names, cycle_s
        self._astray = ASTRAY_RAD + (trailing_s + cycle_s) * np.asarray(speed, float)
        self._trailing_s = trailing_s
        self._limits = np.array([lower, upper, speed, acceleration], float)
        self.stop: Stop | None = None
        self.reset(joints)

    def reset(self, joints: Array) -> None:
        """Stand at ``joints``, with nothing wrong."""
        self.stop = None
        self.joints, self.rates = np.array(joints, float), np.zeros(len(self.names))
        self._from, self._pace, self._brake_s, self._t = self.joints.copy(), self.rates.copy(), 0.0, 0.0

    @property
    def at_rest(self) -> bool:
        return not self.rates.any()

    def judge(self, wish: Array, cycles: int = 1) -> Array:
        """The set-point to send in this cycle: the wish, or one of the way on which the arm brakes; ``cycles`` have passed since
        the last one."""
        if self.stop is None:
            self._check(np.asarray(wish, float))
        return self._advance(wish, cycles)

    def _advance(self, wish: Array, cycles: int) -> Array:
        if self.stop is None:
            before, after = self.joints, np.array(wish, float)
        else:
            before = self.joints if cycles == 1 else self._braked(self._t + (cycles - 1) * self.cycle_s)
            self._t += cycles * self.cycle_s
            after = self._braked(self._t)
        self.rates = (after - before) / self.cycle_s
        self.joints = after
        return after

    def _braked(self, t: float) -> Array:
        way: Array = self._from + self._pace * braking_way(t, self._brake_s)
        return way

    def judge_rates(self, wish: Array, measured: Array, cycles: int = 1) -> Array:
        """The joint rates to command until the next cycle: the wish, or those of the way on which the arm brakes.
        ``measured``: by the encoders, rad. ``cycles`` have passed since the last rates, which the arm has held."""
        asked = np.asarray(wish, float)
        if self.stop is None:
            if cycles > 1:
                self.joints = self.joints + self.rates * (self.cycle_s * (cycles - 1))
            self.notice(measured)
        if self.stop is None and asked.shape == self.joints.shape:
            forgiven = np.exp(-np.abs(self.rates) * (cycles * self.cycle_s / FORGETTING))
            self.joints = measured + (self.joints - measured) * forgiven
            rates, asked = asked, self.joints + asked * self.cycle_s
            self._check(asked)
            if self.stop is None:
                self._look_ahead(rates, measured)
        elif self.stop is None:
            self._check(asked)
        self._advance(asked, cycles)
        return np.array(wish, float) if self.stop is None else self.rates

    def _look_ahead(self, rates: Array, measured: Array) -> None:
        """The range of where the encoders say that the joints are, too: an arm may be ahead of its set-point."""
        lower, upper, _, acceleration = self._limits
        end = measured + rates * (0.5 * braking_time(rates, acceleration) + self._trailing_s + self.cycle_s)
        over, under = (end > upper) & (rates > 0.0), (end < lower) & (rates < 0.0)
        if (over | under).any():
            joint = int(np.argmax(over | under))
            bound = upper[joint] if over[joint] else lower[joint]
            self.brake(Stop(Rule.AXIS_RANGE, value=float(end[joint]), bound=float(bound), detail=self.names[joint]))

    def notice(self, measured: Array) -> None:
        """Brake if the arm is not where its set-point has led it; ``measured``: by the encoders, rad."""
        off = np.abs(measured - self.joints)
        worst = int(np.argmax(off - self._astray))
        if not off[worst] <= self._astray[worst]:  # of what is no number too
            self.brake(
                Stop(
                    Rule.FOLLOWING, value=float(off[worst]), bound=float(self._astray[worst]), detail=self.names[worst]
                )
            )

    def brake(self, stop: Stop) -> None:
        """Come to rest from now on, for a cause from here or from elsewhere; the first one stays."""
        if self.stop is None:
            self.stop = stop
            self._from, self._pace, self._t = self.joints.copy(), self.rates.copy(), 0.0
            self._brake_s = braking_time(self.rates, self._limits[3])

    def _check(self, wish: Array) -> None:
        if wish.shape != self.joints.shape:
            self.brake(Stop(Rule.BAD_COMMAND, detail=f"{wish.size} angles for {len(self.names)} joints"))
            return
        rule, joint, value, bound = broken_rule(wish, self.joints, self.rates, self._limits, self.cycle_s)
        if rule:
            self.brake(Stop(Rule(rule), value=value, bound=bound, detail=self.names[joint]))


@kernel
def broken_rule(wish: Array, x: Array, v: Array, limits: Array, dt: float) -> tuple[int, int, float, float]:
    """Rule that ``wish`` breaks (0: none), joint, value and bound; ``x`` and ``v``: the set-point before and its
    rate."""
    lower, upper, speed, acceleration = limits[0], limits[1], limits[2], limits[3]
    for i in range(wish.shape[0]):
        step = abs(wish[i] - x[i])
        if not np.isfinite(step):
            return NOT_FINITE, i, wish[i], 0.0
        if step > JUMP_FACTOR * speed[i] * dt:
            return JUMP, i, step, JUMP_FACTOR * speed[i] * dt
        if step > speed[i] * dt * (1.0 + ROUNDING):
            return AXIS_SPEED, i, step / dt, speed[i]
        away = abs(wish[i] - x[i] - v[i] * dt)  # from where the joint would be without any acceleration
        if away > acceleration[i] * dt * dt * (1.0 + ROUNDING):
            return AXIS_ACCELERATION, i, away, acceleration[i] * dt * dt
    after = (wish - x) / dt
    longest = braking_time(after, acceleration)
    for i in range(wish.shape[0]):
        end = wish[i] + after[i] * 0.5 * longest
        if end > upper[i] and (after[i] > 0.0 or wish[i] > upper[i]):
            return AXIS_RANGE, i, end, upper[i]
        if end < lower[i] and (after[i] < 0.0 or wish[i] < lower[i]):
            return AXIS_RANGE, i, end, lower[i]
    return 0, 0, 0.0, 0.0
