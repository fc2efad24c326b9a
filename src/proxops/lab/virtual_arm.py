"""A virtual arm behind a joint position interface: drives with dead time and lag, encoders, and a guard of its own.

Its clock is handed in; at each reading it has gone through all of its own cycles up to now, as a real controller would.
Within a cycle the reference moves straight to the set-point, after the dead time, and the joints follow it with a lag
of the second order. Where no set-point comes for a moment the reference goes on as fast as before. What the guard does
not like ends in a halt: all rates go to zero in a straight line, within the accelerations, and the cause stays
readable. Gears are stiff and brakes are not modelled. What the joints give way on top of their drives, under a force from
outside, comes from a ``JointGive``; encoders show it.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.lab.command_watch import CommandWatch
from proxops.lab.encoders import encoder_reading
from proxops.lab.links.arm import Floats, Measured
from proxops.maths.draws import Draws
from proxops.maths.kernel import kernel
from proxops.maths.rotation import copy_to

ROUNDING: float = 1e-6  # share of a speed limit that arithmetic may add
JUMP: float = 4.0  # a step of more than four cycles at full speed is a jump, not a fast motion


@dataclass(frozen=True, eq=False)
class ArmTraits:
    """Per joint where arrays. SI, rad."""

    joints: tuple[str, ...]
    lower: Floats
    upper: Floats
    speed: Floats
    acceleration: Floats
    cycle_s: float = PERIOD_S
    lag_s: float = 4e-3  # each of two equal ones; 0: none
    dead_cycles: int = 1  # between a set-point and its first effect
    patience_s: float = 0.02  # without a fresh set-point
    encoder_step: float = 2.0 * math.pi / 2**20
    encoder_noise: float = 2e-6  # standard deviation

    @property
    def delay_s(self) -> float:
        """How far behind its set-points the arm is in steady motion; a set-point is meant for one cycle after it is
        given."""
        return self.dead_cycles * self.cycle_s + 2.0 * self.lag_s


class JointGive(Protocol):
    """What the joints (n) give way, and how that moves: rad, rad/s, rad/s²."""

    angles: Floats
    rates: Floats
    accelerations: Floats

    def step(self, joints: Floats, dt: float) -> None:
        """A cycle on, with the drives at ``joints``."""
        ...


NO_SENSORS = np.zeros(0)  # of torques


class VirtualArm:
    """Starts at rest at ``angles``. ``angles``, ``rates`` and ``accelerations`` are the true ones."""

    def __init__(
        self, traits: ArmTraits, angles: Floats, clock: Callable[[], float], random: np.random.Generator
    ) -> None:
        n = len(traits.joints)
        self.traits, self._clock = traits, clock
        self._draws = Draws(random, 0, n)
        self.halted, self._reach = "", traits.speed * traits.cycle_s  # rad, in a cycle
        self._rounded_reach = self._reach * (1.0 + ROUNDING)
        self._watch, self._cycle = CommandWatch(traits.patience_s), 0
        self._motion = np.zeros((2, 3, n))  # of the joints, and what the drives alone do: angles, rates, accelerations
        self._motion[:, 0] = angles
        self.angles, self.rates, self.accelerations = self._motion[0]
        self._give: JointGive | None = None
        self._drives = np.zeros((3, n))
        self._drives[:2] = angles
        # Where they aim, newest set-point, rate of the reference.
        self.reference, self._given, self._pace = self._drives
        self._longest, self._fresh = 0.0, False  # s to the end of a halt; whether the set-point came in this cycle
        self._limits = np.array([traits.acceleration, traits.lower, traits.upper])
        self._line = np.tile(self.angles, (traits.dead_cycles + 2, 1))  # set-points, newest first
        self._newest, self._shape = self._line[0], (n,)
        self._encoders = self.angles
        self._measure()

    @property
    def t(self) -> float:
        return self._cycle * self.traits.cycle_s

    def give_way(self, give: JointGive) -> None:
        """From now on the joints are not stiff."""
        self._give = give

    @property
    def driven(self) -> Floats:
        """Angles without what the joints give way."""
        driven: Floats = self._motion[1, 0]
        return driven

    @property
    def overtaken(self) -> int:
        """Set-points that came behind a newer one, and were left aside."""
        return self._watch.overtaken

    @property
    def at_rest(self) -> bool:
        return bool(np.abs(self.rates).max() < 1e-6)

    def read(self) -> Measured:
        """All cycles up to the clock's time; then what the encoders say."""
        if self.go_on():
            self._measure()
        return Measured(self.t, self._encoders, NO_SENSORS, self.halted)

    def go_on(self) -> bool:
        """All cycles up to the clock's time, if there are any; nobody asks the encoders."""
        until = math.floor(self._clock() / self.traits.cycle_s + 1e-6)
        if until <= self._cycle:
            return False
        while self._cycle < until:
            self._step()
        return True

    def command(self, wish: Floats, answers: float) -> None:
        """Take a set-point for the end of the next cycle, or halt and say why. ``answers``: time of the measurement
        that it was computed from."""
        wish, watch = np.asarray(wish, float), self._watch
        if (
            not self.halted
            and wish.shape == self._shape
            and watch.welcomes(self.t, answers)
            and take(wish, self._newest, self._rounded_reach, self._limits, self._given)
        ):
            self._fresh = True
            watch.take(answers)
            return
        fault = self._objection(wish) or watch.objection(self.t, answers)
        if fault:
            self.halt(fault)
        else:
            watch.overtakes(answers)

    def _objection(self, wish: Floats) -> str:
        traits = self.traits
        if wish.shape != (len(traits.joints),):
            return f"set-point of {wish.size} angles for {len(traits.joints)} joints"
        if acceptable(wish, self._newest, self._rounded_reach, self._limits):
            return ""
        steps = np.abs(wish - self._newest)
        for name, angle, step, most, low, high in zip(
            traits.joints, wish, steps, self._reach, traits.lower, traits.upper, strict=True
        ):
            if not math.isfinite(angle):
                return f"{name}: set-point is no number"
            if not low <= angle <= high:
                bounds = f"{math.degrees(low):.0f} … {math.degrees(high):.0f}"
                return f"{name}: set-point {math.degrees(angle):.1f} deg beyond its range {bounds} deg"
            if step > JUMP * most:
                return f"{name}: set-point jumps by {math.degrees(step):.3g} deg, allowed {math.degrees(most):.3g} in a cycle"
            if step > most * (1.0 + ROUNDING):
                return (
                    f"{name}: set-point asks for {step / traits.cycle_s:.4g} rad/s, allowed {most / traits.cycle_s:.4g}"
                )
        raise AssertionError("a set-point was refused without a cause")

    def clear(self) -> None:
        """Forget a halt once the joints stand: what follows is commanded from there."""
        if self.halted and self.at_rest:
            self.halted = ""
            self.reference[:] = self._given[:] = self._line[:] = self.driven
            self._pace[:], self._watch = 0.0, CommandWatch(self.traits.patience_s)

    def halt(self, cause: str) -> None:
        """All rates go to zero in a straight line. The first cause stays."""
        if not self.halted:
            self.halted = f"{cause} (at {self.t:.3f} s)"
            self._longest = float((np.abs(self._pace) / self.traits.acceleration).max())

    def _step(self) -> None:
        """One of the arm's cycles."""
        traits = self.traits
        self._cycle += 1
        if silence := self._watch.silence(self.t):
            self.halt(silence)
        i = advance(
            self._line, self._drives, self._motion, self._limits, self._fresh, not self.halted, traits.dead_cycles, traits.lag_s,
            traits.cycle_s,
        )  # fmt: skip
        self._fresh = False
        if i >= 0:
            self.halt(self._at_the_end(i))
        if self.halted:
            left = max(0.0, 1.0 - traits.cycle_s / self._longest) if self._longest > 0.0 else 0.0
            self._pace *= left
            self._longest *= left
            follow(self._drives, self._motion, traits.lag_s, traits.cycle_s)
        if self._give is not None:
            self._give.step(self.driven, traits.cycle_s)
            self.angles += self._give.angles
            self.rates += self._give.rates
            self.accelerations += self._give.accelerations

    def _at_the_end(self, i: int) -> str:
        """Why a halt begins before it would end beyond a range."""
        traits, angle = self.traits, math.degrees(self.reference[i])
        low, high = math.degrees(traits.lower[i]), math.degrees(traits.upper[i])
        return f"{traits.joints[i]}: stops just before the end of its range, {angle:.1f} of {low:.0f} … {high:.0f} deg"

    def _measure(self) -> None:
        self._encoders = encoder_reading(
            self.angles, self.traits.encoder_noise, self.traits.encoder_step, self._draws.row
        )


@kernel
def acceptable(wish: Floats, before: Floats, reach: Floats, limits: Floats) -> bool:
    """Is each angle a number, within its range and ``reach`` of the one before?"""
    good = True
    for i in range(wish.shape[0]):
        good = good and abs(wish[i] - before[i]) <= reach[i] and limits[1, i] <= wish[i] <= limits[2, i]
    return good


@kernel
def take(wish: Floats, before: Floats, reach: Floats, limits: Floats, given: Floats) -> bool:
    """``given`` := ``wish``, if it is ``acceptable``."""
    good = acceptable(wish, before, reach, limits)
    if good:
        copy_to(wish, given)
    return good


@kernel
def advance(
    line: Floats, drives: Floats, motion: Floats, limits: Floats, fresh: bool, free: bool, dead_cycles: int, lag: float, dt: float
) -> int:  # fmt: skip
    """One cycle: the ``line`` of set-points (newest first) goes on, without a ``fresh`` one as fast as before; the reference aims
    at the one that is due, and the joints follow it. The first joint that would leave its range in a halt begun after that, and
    then nothing has moved; -1: none. Unless it is ``free`` only the line goes on."""
    for i in range(line.shape[1]):
        newest = drives[1, i] if fresh else 2.0 * line[0, i] - line[1, i]
        for k in range(line.shape[0] - 1, 0, -1):
            line[k, i] = line[k - 1, i]
        line[0, i] = newest
    if not free:
        return -1
    blocked = beyond_range(line[dead_cycles], drives[0], limits, dt)
    if blocked < 0:
        for i in range(line.shape[1]):
            drives[2, i] = (line[dead_cycles, i] - drives[0, i]) / dt
        follow(drives, motion, lag, dt)
    return blocked


@kernel
def beyond_range(target: Floats, reference: Floats, limits: Floats, dt: float) -> int:
    """The first joint that would leave its range in a halt begun after a cycle to ``target``, or -1."""
    acceleration, lower, upper = limits[0], limits[1], limits[2]
    longest = 0.0
    for i in range(target.shape[0]):
        longest = max(longest, abs((target[i] - reference[i]) / dt) / acceleration[i])
    for i in range(target.shape[0]):
        pace = (target[i] - reference[i]) / dt
        end = target[i] + 0.5 * pace * longest
        if (end < lower[i] and pace < 0.0) or (end > upper[i] and pace > 0.0):
            return i
    return -1


@kernel
def follow(drives: Floats, motion: Floats, lag: float, dt: float) -> None:
    """One cycle: the reference moves on at its pace and the joints follow it through two equal lags, exactly over ``dt``."""
    reference, pace = drives[0], drives[2]
    angles, rates, accelerations = motion[1, 0], motion[1, 1], motion[1, 2]
    for i in range(reference.shape[0]):
        start = reference[i]
        reference[i] = start + pace[i] * dt
        if lag <= 0.0:
            accelerations[i] = (pace[i] - rates[i]) / dt
            angles[i], rates[i] = reference[i], pace[i]
        else:
            # Behind a ramp in the long run by two lags; what is left of the state beside that dies out as
            # (d + c t) exp(-t / lag).
            d = angles[i] - (start - 2.0 * lag * pace[i])
            c = rates[i] - pace[i] + d / lag
            decay = math.exp(-dt / lag)
            left = (d + c * dt) * decay
            angles[i] = reference[i] - 2.0 * lag * pace[i] + left
            rates[i] = pace[i] + c * decay - left / lag
            accelerations[i] = -2.0 * c * decay / lag + left / (lag * lag)
        motion[0, 0, i], motion[0, 1, i], motion[0, 2, i] = angles[i], rates[i], accelerations[i]
