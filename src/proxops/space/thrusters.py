"""A bank of thrusters: pulses of whole cycles, each with its own true thrust and direction, and what may be broken."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.craft import Thrusters
from proxops.core.messages import MAX_THRUSTERS, PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

ROUNDING: Final = 1e-6  # of a cycle: on-times are whole cycles but for rounding
N: Final = MAX_THRUSTERS
BANK_DTYPE: Final = np.dtype(
    [
        ("count", "i8"), ("left", "i8", (N,)),  # cycles still to fire
        ("stuck_open", "u1", (N,)), ("stuck_closed", "u1", (N,)), ("isolated", "u1", (N,)), ("on", "u1", (N,)),
        ("forces", "f8", (N, 3)), ("torques", "f8", (N, 3)), ("thrusts", "f8", (N,)), ("fired", "f8", (N,)),
        ("force", "f8", (3,)), ("torque", "f8", (3,)), ("thrust", "f8"),  # of all that fire in the present cycle
    ]
)  # fmt: skip


@kernel
def fire(bank: NDArray[np.void], dry: bool) -> None:
    """One cycle: which fire, and the wrench about the centre of mass in body axes. In one call: this runs every 4 ms."""
    b: Any = bank[0]
    force, torque, thrust = b.force, b.torque, 0.0
    force[:] = 0.0
    torque[:] = 0.0
    for k in range(b.count):
        wanted = (b.left[k] > 0 and b.stuck_closed[k] == 0) or b.stuck_open[k] != 0
        on = wanted and b.isolated[k] == 0 and not dry
        b.on[k] = on
        if b.left[k] > 0:
            b.left[k] -= 1
        if on:
            thrust += b.thrusts[k]
            b.fired[k] += PERIOD_S
            for i in range(3):
                force[i] += b.forces[k, i]
                torque[i] += b.torques[k, i]
    b.thrust = thrust


@kernel
def open_for(on_time_s: Array, least: int, cycles: NDArray[np.int64]) -> None:
    """``cycles`` := whole cycles of each on-time, none of fewer than ``least``."""
    for k in range(on_time_s.size):
        count = math.floor(on_time_s[k] / PERIOD_S + ROUNDING)
        cycles[k] = count if count >= least else 0


class ThrusterBank:
    """Valves open for whole cycles of 4 ms, from the beginning of a command; shorter than the minimum they stay closed.
    ``factors`` and ``turns`` are the true thrust over the nominal and the true misalignment of each."""

    def __init__(self, spec: Thrusters, mass_centre: Array, factors: Array, rng: np.random.Generator) -> None:
        places, directions = spec.places - mass_centre, spec.directions
        turns = rng.normal(0.0, math.radians(spec.misalignment_deg), directions.shape)
        true = directions + np.cross(turns, directions)
        true /= np.linalg.norm(true, axis=1)[:, None]
        n = self.count = len(places)
        self.row = np.zeros(1, BANK_DTYPE)
        row = self.row[0]
        row["count"], row["thrusts"][:n] = n, spec.force_n * factors
        row["forces"][:n] = row["thrusts"][:n, None] * true
        row["torques"][:n] = np.cross(places, row["forces"][:n])
        self._least = max(1, round(spec.min_on_ms * 1e-3 / PERIOD_S))
        self._left, self._fired = row["left"][:n], row["fired"][:n]
        # Numba's records know no truth values: bytes there, the same bytes as truth values here.
        flags = (row[name][:n].view(np.bool_) for name in ("stuck_open", "stuck_closed", "isolated", "on"))
        self.stuck_open, self.stuck_closed, self.isolated, self.on = flags  # on: in the present cycle
        self.force, self.torque, self._thrust = row["force"], row["torque"], self.row["thrust"]
        self.closed_valves = 0

    @property
    def thrust(self) -> float:
        """Sum of all jets, N."""
        return float(self._thrust[0])

    def command(self, on_time_s: Array, isolated: NDArray[np.bool_] | None) -> None:
        """From the next cycle on."""
        open_for(on_time_s, self._least, self._left)
        if isolated is not None and isolated.any():
            self.isolated |= isolated
            self.closed_valves = int(self.isolated.sum())

    def advance(self, dry: bool) -> None:
        """One cycle: which fire, and the wrench about the centre of mass in body axes."""
        fire(self.row, dry)

    def read_pressure(self) -> Array:
        """Seconds of chamber pressure since the last call."""
        fired: Array = self._fired.copy()
        self._fired[:] = 0.0
        return fired
