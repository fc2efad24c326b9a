"""A bank of thrusters: pulses of whole cycles, each with its own true thrust and direction, and what may be broken."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.craft import Thrusters
from proxops.core.messages import PERIOD_S
from proxops.maths.rotation import Array

ROUNDING: Final = 1e-6  # of a cycle: on-times are whole cycles but for rounding


class ThrusterBank:
    """Valves open for whole cycles of 4 ms, from the beginning of a command; shorter than the minimum they stay closed.
    ``factors`` and ``turns`` are the true thrust over the nominal and the true misalignment of each."""

    def __init__(self, spec: Thrusters, mass_centre: Array, factors: Array, rng: np.random.Generator) -> None:
        places, directions = spec.places - mass_centre, spec.directions
        turns = rng.normal(0.0, math.radians(spec.misalignment_deg), directions.shape)
        true = directions + np.cross(turns, directions)
        true /= np.linalg.norm(true, axis=1)[:, None]
        self.count = len(places)
        self._thrust = spec.force_n * factors
        self._force = self._thrust[:, None] * true
        self._torque = np.cross(places, self._force)
        self._least = max(1, round(spec.min_on_ms * 1e-3 / PERIOD_S))
        self._left: NDArray[np.int64] = np.zeros(self.count, np.int64)  # cycles still to fire
        self.stuck_open = np.zeros(self.count, bool)
        self.stuck_closed = np.zeros(self.count, bool)
        self.isolated = np.zeros(self.count, bool)
        self.closed_valves = 0
        self.on = np.zeros(self.count, bool)  # in the present cycle
        self.fired_s = np.zeros(self.count)  # chamber pressure since it was read last
        self.force, self.torque, self.thrust = np.zeros(3), np.zeros(3), 0.0
        self._quiet = True

    def command(self, on_time_s: Array, isolated: NDArray[np.bool_] | None) -> None:
        """From the next cycle on."""
        cycles = np.floor(on_time_s / PERIOD_S + ROUNDING).astype(np.int64)
        self._left = np.where(cycles >= self._least, cycles, 0)
        if isolated is not None:
            self.isolated |= isolated
            self.closed_valves = int(self.isolated.sum())
        self._quiet = False

    def advance(self, dry: bool) -> None:
        """One cycle: which fire, and the wrench about the centre of mass in body axes."""
        if self._quiet and not self.stuck_open.any():
            return
        on = ((self._left > 0) & ~self.stuck_closed | self.stuck_open) & ~self.isolated
        if dry:
            on[:] = False
        self._left -= self._left > 0
        self.on = on
        if on.any():
            self.fired_s += on * PERIOD_S
            self.force, self.torque, self.thrust = on @ self._force, on @ self._torque, float(on @ self._thrust)
        else:
            self.force, self.torque, self.thrust = np.zeros(3), np.zeros(3), 0.0
            self._quiet = not self._left.any() and not self.stuck_open.any()

    def read_pressure(self) -> Array:
        """Seconds of chamber pressure since the last call."""
        fired, self.fired_s = self.fired_s, np.zeros(self.count)
        return fired
