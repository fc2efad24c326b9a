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
from proxops.space.two_craft import World

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
def open_for(bank: NDArray[np.void], on_time_s: Array, least: int) -> None:
    """Each for the whole cycles of its on-time, none for fewer than ``least``."""
    b: Any = bank[0]
    for k in range(on_time_s.size):
        count = math.floor(on_time_s[k] / PERIOD_S + ROUNDING)
        b.left[k] = count if count >= least else 0


@kernel
def isolate(bank: NDArray[np.void], isolated: NDArray[np.bool_]) -> int:
    """Close the latch valves of those that are ``isolated``, for good; how many are closed."""
    b: Any = bank[0]
    closed = 0
    for k in range(isolated.size):
        if isolated[k]:
            b.isolated[k] = 1
    for k in range(b.count):
        closed += b.isolated[k]
    return closed


@kernel
def take_pressure(bank: NDArray[np.void], out: Array) -> None:
    """``out`` := seconds of chamber pressure of each since the last call."""
    b: Any = bank[0]
    for k in range(out.size):
        out[k] = b.fired[k]
        b.fired[k] = 0.0


@kernel
def obey(
    world: World, bank: NDArray[np.void], on_time_s: Array, least: int, torque_on_craft: Array, isolated: NDArray[np.bool_]
) -> int:  # fmt: skip
    """What flight software asks of thrusters, wheels and latch valves; how many of these are closed."""
    w: Any = world[0]
    open_for(bank, on_time_s, least)
    for k in range(torque_on_craft.size):
        w.motor[k] = -torque_on_craft[k]
    return isolate(bank, isolated)


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
        self.least = max(1, round(spec.min_on_ms * 1e-3 / PERIOD_S))
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
        open_for(self.row, on_time_s, self.least)
        if isolated is not None:
            self.closed_valves = isolate(self.row, isolated)

    def advance(self, dry: bool) -> None:
        """One cycle: which fire, and the wrench about the centre of mass in body axes."""
        fire(self.row, dry)

    def read_pressure(self) -> Array:
        """Seconds of chamber pressure since the last call."""
        fired = np.empty(self.count)
        take_pressure(self.row, fired)
        return fired
