"""What turns the base of an arm: reaction wheels (internal, momentum only moves over) or pairs of thrusters (external, on or
off)."""

from __future__ import annotations

import math
from typing import Protocol

import numpy as np

from proxops.arms.model import Floats


class BaseActuator(Protocol):
    """Torques in the base's frame, N m."""

    def act(self, wish: Floats, rotors: Floats, dt: float) -> tuple[Floats | None, Floats | None]:
        """For the next ``dt``: (6) force and torque from outside, and (3) torque of the wheels' motors, on the base; None:
        none. ``rotors``: the wheels' momentum (3)."""
        ...


class ReactionWheels:
    """One wheel on each axis of the base, within torque and momentum."""

    def __init__(self, torque_n_m: float, momentum_n_m_s: float) -> None:
        self._torque, self._momentum = torque_n_m, momentum_n_m_s

    def act(self, wish: Floats, rotors: Floats, dt: float) -> tuple[Floats | None, Floats | None]:
        drive = np.clip(wish, -self._torque, self._torque)
        # A rotor takes up −drive dt; a full one gives no more torque that way.
        after = np.clip(rotors - drive * dt, -self._momentum, self._momentum)
        return None, (rotors - after) / dt


class ThrusterPairs:
    """A pair for each sense of each axis, a pure torque, on or off. In each period a pair is open for as many whole steps as
    the wish asks; what is shorter than the shortest pulse waits for the next period."""

    def __init__(self, torque_n_m: float, min_on_s: float, period_s: float) -> None:
        self._torque, self._min_on_s, self._period_s = torque_n_m, min_on_s, period_s
        self._waiting = np.zeros(3)  # N m s
        self._left = np.zeros(3)  # steps still to be open, signed
        self._into = 0  # steps of this period that are over

    def act(self, wish: Floats, rotors: Floats, dt: float) -> tuple[Floats | None, Floats | None]:
        if self._into == 0:
            self._plan(wish, dt)
        self._into = (self._into + 1) % max(1, round(self._period_s / dt))
        out = np.zeros(6)
        out[3:] = self._torque * np.sign(self._left)
        self._left -= np.sign(self._left)
        return out, None

    def _plan(self, wish: Floats, dt: float) -> None:
        shortest, longest = max(1, math.ceil(self._min_on_s / dt - 1e-9)), max(1, round(self._period_s / dt))
        wanted = np.asarray(wish) * self._period_s + self._waiting
        steps = np.minimum(np.round(np.abs(wanted) / (self._torque * dt)), longest)
        steps[steps < shortest] = 0.0
        self._left = np.sign(wanted) * steps
        most = self._torque * shortest * dt  # more than a shortest pulse is not carried over: it is beyond the pairs
        self._waiting = np.clip(wanted - self._left * self._torque * dt, -most, most)
