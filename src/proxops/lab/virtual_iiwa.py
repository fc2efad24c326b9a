"""A virtual LBR iiwa behind a velocity interface: drives with lag and dead time, encoders, torque sensors, and a guard.

Its clock is handed in; at each reading it has gone through all of its own cycles up to now, as a real controller would. What the
guard does not like ends in a halt: the whole vector of rates goes to zero in a straight line, within the accelerations, and the
cause stays readable. Gears are stiff unless ``elastic`` ones are given; brakes are not modelled.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from proxops.lab.command_watch import CommandWatch
from proxops.lab.elastic_joints import ElasticJoints
from proxops.lab.encoders import encoder_reading
from proxops.lab.links.arm import Floats, Measured
from proxops.maths.kernel import kernel

ROUNDING: float = 1e-9  # share of a speed limit that arithmetic may add
MARGIN: float = math.radians(0.5)  # of a stop before the end of a joint's range

TorqueModel = Callable[[Floats, Floats, Floats], Floats]  # angles, rates, accelerations → net joint torques, N m


@dataclass(frozen=True)
class IiwaTraits:
    """Per joint where arrays. SI, rad."""

    joints: tuple[str, ...]
    lower: Floats
    upper: Floats
    speed: Floats
    acceleration: Floats
    cycle_s: float = 1e-3
    lag_s: float = 5e-3  # of the velocity controllers
    dead_cycles: int = 2  # between a command and its first effect
    patience_s: float = 0.05  # without a fresh command
    encoder_step: float = 2.0 * math.pi / 2**20
    encoder_noise: float = 2e-6  # standard deviation
    torque_noise: float = 0.05  # N m, standard deviation
    torque_offset: float = 0.1  # N m, standard deviation of what a sensor is off all the time

    @property
    def delay_s(self) -> float:
        """How far behind its commands the arm is in steady motion."""
        return self.dead_cycles * self.cycle_s + self.lag_s


class VirtualIiwa:
    """Starts at rest at ``angles``. ``torques``: of the arm as it stands in the hall, friction included; with ``elastic`` gears,
    which have the rest, of friction alone."""

    def __init__(
        self, traits: IiwaTraits, angles: Floats, torques: TorqueModel, clock: Callable[[], float], random: np.random.Generator,
        elastic: ElasticJoints | None = None,
    ) -> None:  # fmt: skip
        n = len(traits.joints)
        self._elastic = elastic
        self.traits, self._torques, self._clock, self._random = traits, torques, clock, random
        self.halted = ""
        self._watch, self._cycle = CommandWatch(traits.patience_s), 0
        self.angles, self.rates, self.accelerations = np.array(angles, float), np.zeros(n), np.zeros(n)  # true ones
        self._setpoint, self._target = np.zeros(n), np.zeros(n)
        self._line = np.zeros((traits.dead_cycles + 1, n))  # commands on their way, newest first
        self._offset = traits.torque_offset * random.standard_normal(n)
        self._encoders, self._sensors = np.zeros(n), np.zeros(n)
        self._measure()

    @property
    def overtaken(self) -> int:
        """Commands that came behind a newer one, and were left aside."""
        return self._watch.overtaken

    @property
    def t(self) -> float:
        return self._cycle * self.traits.cycle_s

    def read(self) -> Measured:
        """All cycles up to the clock's time; then what encoders and sensors say."""
        until = math.floor(self._clock() / self.traits.cycle_s + 1e-6)
        if until > self._cycle:
            while self._cycle < until:
                self._step()
            self._measure()
        return Measured(self.t, self._encoders, self._sensors, self.halted)

    def command(self, wish: Floats, answers: float) -> None:
        """Take rates, or halt and say why. One that has been overtaken by a newer one changes nothing, the watch over silence
        included."""
        rates = np.asarray(wish, float)
        fault = self._objection(rates, answers)
        if fault:
            self.halt(fault)
        elif self._watch.overtakes(answers) and not self.halted:
            self._line[0] = rates
            self._watch.take(answers)

    @property
    def at_rest(self) -> bool:
        return bool(np.abs(self.rates).max() < 1e-6)

    def _objection(self, rates: Floats, answers: float) -> str:
        traits = self.traits
        if rates.shape != (len(traits.joints),):
            return f"command of {rates.size} rates for {len(traits.joints)} joints"
        if sound(rates, traits.speed) and self._watch.timely(self.t, answers):
            return ""
        for name, rate, most in zip(traits.joints, rates, traits.speed, strict=True):
            if not math.isfinite(rate):
                return f"{name}: commanded rate is no number"
            if abs(rate) > most * (1.0 + ROUNDING):
                return f"{name}: commanded {rate:.4g} rad/s, allowed {most:.4g}"
        return self._watch.objection(self.t, answers)

    def halt(self, cause: str) -> None:
        """All rates go to zero in a straight line. The first cause stays."""
        self.halted = self.halted or f"{cause} (at {self.t:.3f} s)"

    def clear(self) -> None:
        """Forget a halt once the joints stand."""
        if self.halted and self.at_rest:
            self.halted = ""
            self._line[:], self._setpoint[:] = 0.0, 0.0
            self._watch = CommandWatch(self.traits.patience_s)

    def _step(self) -> None:
        """One of the robot's cycles."""
        traits = self.traits
        self._cycle += 1
        if silence := self._watch.silence(self.t):
            self.halt(silence)
        self._target[:] = self._line[-1]
        self._line[1:] = self._line[:-1].copy()
        near = range_ahead(
            self.angles,
            self.rates,
            self._setpoint,
            traits.lower,
            traits.upper,
            traits.acceleration,
            traits.lag_s,
            MARGIN,
        )
        if near >= 0:
            low, high = math.degrees(traits.lower[near]), math.degrees(traits.upper[near])
            angle = math.degrees(self.angles[near])
            self.halt(
                f"{traits.joints[near]}: stops just before the end of its range, {angle:.1f} of {low:.0f} … {high:.0f} deg"
            )
        if self.halted:
            self._target[:] = 0.0
        drive(
            self._target, self._setpoint, self.rates, self.angles, self.accelerations, traits.acceleration, traits.lag_s,
            traits.cycle_s,
        )  # fmt: skip
        if self._elastic is not None:
            self._elastic.step(self.angles, self.rates, traits.cycle_s)

    def _measure(self) -> None:
        traits, n = self.traits, self.angles.size
        self._encoders = encoder_reading(
            self.angles, traits.encoder_noise, traits.encoder_step, lambda: self._random.standard_normal(n)
        )
        noise = traits.torque_noise * self._random.standard_normal(n)
        self._sensors = self._torques(self.angles, self.rates, self.accelerations) + self._offset + noise
        if self._elastic is not None:
            self._sensors += self._elastic.torque


@kernel
def sound(rates: Floats, speed: Floats) -> bool:
    """Numbers, none beyond its limit."""
    good = True
    for i in range(rates.shape[0]):
        good = good and abs(rates[i]) <= speed[i] * (1.0 + ROUNDING)  # False of what is no number
    return good


@kernel
def drive(
    target: Floats, setpoint: Floats, rates: Floats, angles: Floats, accelerations: Floats, limit: Floats, lag: float, dt: float
) -> None:  # fmt: skip
    """The set-point goes straight towards ``target`` as fast as the accelerations allow, all joints together; the rates follow it
    with a lag of the first order (exact over ``dt``)."""
    share = 1.0
    for i in range(target.shape[0]):
        change = abs(target[i] - setpoint[i])
        if change > limit[i] * dt:
            share = min(share, limit[i] * dt / change)
    decay = math.exp(-dt / lag) if lag > 0.0 else 0.0
    for i in range(target.shape[0]):
        setpoint[i] += share * (target[i] - setpoint[i])
        behind, before = rates[i] - setpoint[i], rates[i]
        rates[i] = setpoint[i] + behind * decay
        angles[i] += setpoint[i] * dt + behind * lag * (1.0 - decay)
        accelerations[i] = (rates[i] - before) / dt


@kernel
def range_ahead(
    angles: Floats, rates: Floats, setpoint: Floats, lower: Floats, upper: Floats, limit: Floats, lag: float, margin: float
) -> int:  # fmt: skip
    """A joint that a halt begun now would leave within ``margin`` of the end of its range while it moves there; -1 if none."""
    longest = 0.0
    for i in range(angles.shape[0]):
        longest = max(longest, abs(setpoint[i]) / limit[i])
    for i in range(angles.shape[0]):
        way = 0.5 * setpoint[i] * longest + lag * rates[i]
        if (way > 0.0 and angles[i] + way > upper[i] - margin) or (way < 0.0 and angles[i] + way < lower[i] + margin):
            return i
    return -1
