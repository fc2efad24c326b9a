"""Virtual robot controllers: rail, robot 1 and robot 2, each as a KUKA controller behaves under external set-points.

A set-point comes every cycle and is interpolated linearly; after a dead time each axis follows it as a critically damped
second-order servo with bounded speed and acceleration, in steps of 1 ms at most. A controller does not smooth what it is given: a
set-point that asks for more than the axis' speed, leaves the axis range, or is not a number is a fault, as is a following
error beyond its limit; then that controller brakes, switches its drives off and closes the brakes. Actual values carry
the repeatability of the mechanics as a slow random offset from a seeded generator.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.any_cell import AnyCell
from proxops.lab.cell_axes import Controller
from proxops.lab.links.fault import Trouble
from proxops.maths.kernel import kernel
from proxops.maths.record import one_layout, room_for
from proxops.maths.rotation import Array

STEP_NS: Final = 1_000_000  # of the servos, at most
DEAD_NS: Final = 100_000_000  # of dead time, at most: so many set-points are kept
WANDER_S: Final = 0.5  # time constant of the repeatability offset
RELEASE_NS: Final = 200_000_000  # that brakes need to open
SPEED_TOLERANCE: Final = 1.05  # share of the axis speed at which a controller faults
NOISE_BLOCK: Final = 256
LEAST_AXES, LEAST_UNITS, LEAST_HISTORY = 16, 4, 32


class Drive(IntEnum):
    """State of one controller's drives."""

    OFF = 0  # brakes closed
    RELEASING = 1
    ON = 2
    BRAKING = 3  # after a fault or a stop, on the way to OFF


class Fault(IntEnum):
    """Why a controller stopped by itself."""

    NONE = 0
    NOT_FINITE = 1
    SPEED = 2
    RANGE = 3
    FOLLOWING_ERROR = 4


FAULT_TEXT: Final = {
    Fault.NOT_FINITE: "set-point is not a number",
    Fault.SPEED: "set-point steps faster than the axis",
    Fault.RANGE: "set-point beyond the software limit switch",
    Fault.FOLLOWING_ERROR: "following error",
}


@one_layout
def controller_dtype(axes: int, units: int, history: int) -> np.dtype[np.void]:
    """State of all controllers of a cell, with room for so many axes and controllers; ``units`` of these are there. ``history``:
    cycles of set-points kept."""
    n = (axes,)
    return np.dtype(
        [
            ("units", "i8"),
            ("omega", "f8", n), ("delay", "f8", n),  # rad/s; dead time in cycles
            ("lower", "f8", n), ("upper", "f8", n), ("speed", "f8", n), ("acceleration", "f8", n), ("follow", "f8", n),
            ("sigma", "f8", n), ("unit", "i8", n),  # number of the controller that drives an axis
            ("dt", "f8"), ("h", "f8"), ("steps", "i8"),  # s of a cycle, and of the servos' steps; how many in a cycle
            ("history", "f8", (history, axes)), ("now", "i8"), ("x", "f8", n), ("v", "f8", n), ("wander", "f8", n),
            ("drive", "i8", (units,)), ("timer", "i8", (units,)), ("all_on", "i8", (1,)),
            ("fault", "i8"), ("fault_axis", "i8"), ("fault_value", "f8"), ("fault_bound", "f8"),
        ]
    )  # fmt: skip


OFF, RELEASING, ON, BRAKING = (int(d) for d in Drive)
NOT_A_NUMBER, TOO_FAST, BEYOND_LIMIT, LEFT_BEHIND = (int(f) for f in Fault if f)


@kernel
def _raise(c: NDArray[np.void], fault: int, axis: int, value: float, bound: float) -> None:
    """Note the first fault and brake the controller that has it."""
    s = c[0]
    if s.fault == 0:
        s.fault, s.fault_axis, s.fault_value, s.fault_bound = fault, axis, value, bound
    s.drive[s.unit[axis]] = BRAKING


@kernel
def _accept(c: NDArray[np.void], setpoint: Array) -> None:
    """Check the new set-points as the controllers do, and put them into the history."""
    s = c[0]
    kept = s.history.shape[0]
    before, slot = s.now % kept, (s.now + 1) % kept
    for i in range(setpoint.shape[0]):
        last, new = s.history[before, i], setpoint[i]
        s.history[slot, i] = last
        if s.drive[s.unit[i]] != ON:
            s.history[slot, i] = s.x[i]
            continue
        rate = abs(new - last) / s.dt
        if not math.isfinite(new):
            _raise(c, NOT_A_NUMBER, i, new, 0.0)
        elif rate > SPEED_TOLERANCE * s.speed[i]:
            _raise(c, TOO_FAST, i, rate, SPEED_TOLERANCE * s.speed[i])
        elif new < s.lower[i] - 1e-6 or new > s.upper[i] + 1e-6:
            _raise(c, BEYOND_LIMIT, i, new, s.lower[i] if new < s.lower[i] else s.upper[i])
        else:
            s.history[slot, i] = new
    s.now += 1


@kernel
def _delayed(c: NDArray[np.void], axis: int, cycles_ago: float) -> float:
    """Set-point as it was ``cycles_ago`` before the end of this cycle, interpolated."""
    s = c[0]
    whole, kept = int(cycles_ago), s.history.shape[0]
    part = cycles_ago - whole
    newer, older = s.history[(s.now - whole) % kept, axis], s.history[(s.now - whole - 1) % kept, axis]
    value: float = newer + part * (older - newer)
    return value


@kernel
def _servo(c: NDArray[np.void], i: int) -> None:
    """One axis over one cycle: steps of the servo, or of braking."""
    s = c[0]
    drive, steps, h = s.drive[s.unit[i]], s.steps, s.h
    for k in range(steps):
        if drive == ON:
            reference = _delayed(c, i, s.delay[i] + (steps - 1 - k) / steps)
            a = s.omega[i] * (s.omega[i] * (reference - s.x[i]) - 2.0 * s.v[i])
            a = min(max(a, -s.acceleration[i]), s.acceleration[i])
        else:
            a = -math.copysign(min(s.acceleration[i], abs(s.v[i]) / h), s.v[i])
        s.v[i] = min(max(s.v[i] + a * h, -s.speed[i]), s.speed[i])
        s.x[i] += s.v[i] * h
    if drive == ON:
        error = abs(_delayed(c, i, s.delay[i]) - s.x[i])
        if error > s.follow[i]:
            _raise(c, LEFT_BEHIND, i, error, s.follow[i])


@kernel
def _still(c: NDArray[np.void], unit: int) -> bool:
    """None of the axes of a controller moves any more."""
    s, still = c[0], True
    for i in range(s.v.shape[0]):  # an axis that is not there does not move
        still = still and (s.unit[i] != unit or s.v[i] == 0.0)
    return still


@kernel
def step(c: NDArray[np.void], setpoint: Array, noise: Array, actual: Array, rate: Array) -> int:
    """One cycle of all controllers; returns the fault that stands."""
    s = c[0]
    _accept(c, setpoint)
    for i in range(setpoint.shape[0]):
        _servo(c, i)
        s.wander[i] += -s.wander[i] * (s.dt / WANDER_S) + s.sigma[i] * math.sqrt(2.0 * s.dt / WANDER_S) * noise[i]
        actual[i], rate[i] = s.x[i] + s.wander[i], s.v[i]
    s.all_on[0] = 1
    for unit in range(s.units):
        if s.drive[unit] == BRAKING and _still(c, unit):
            s.drive[unit] = OFF
        elif s.drive[unit] == RELEASING:
            s.timer[unit] -= 1
            if s.timer[unit] <= 0:
                s.drive[unit] = ON
        if s.drive[unit] != ON:
            s.all_on[0] = 0
    fault: int = s.fault
    return fault


@dataclass(frozen=True)
class ControllerFault:
    """A fault as a controller reports it."""

    fault: Fault
    axis: int  # counted from 0
    value: float
    bound: float
    controller: str = ""  # whose it is
    slides: bool = False  # the axis is a rail: metres, not angles

    @property
    def trouble(self) -> Trouble:
        return Trouble.CONTROLLER

    @property
    def number(self) -> int:
        return self.axis + 1

    def __str__(self) -> str:
        unit, scale = ("mm", 1e3) if self.slides else ("deg", 180.0 / math.pi)
        unit += "/s" if self.fault is Fault.SPEED else ""
        value, bound = self.value * scale, self.bound * scale
        return f"{self.controller}: {FAULT_TEXT[self.fault]}, got {value:.6g} {unit}, bound {bound:.6g} {unit}"


def fault_of(controllers: tuple[Controller, ...], fault: int, axis: int, value: float, bound: float) -> ControllerFault:
    """A fault in plain numbers, with the controller that has it."""
    whose = next(one for one in controllers if one.axes.start <= axis < one.axes.stop)
    return ControllerFault(Fault(fault), axis, value, bound, whose.name, whose.slides)


class VirtualHall:
    """Virtual controllers of a cell. A ``Link``: ``read`` what was, ``write`` what shall be."""

    drift = None

    def __init__(self, cell: AnyCell, rng: np.random.Generator, q: NDArray[np.float64] | None = None) -> None:
        n, self._controllers = cell.n_axes, cell.controllers
        self._period_ns = cell.period_ns
        units = len(self._controllers)
        history = room_for(math.ceil(DEAD_NS / cell.period_ns + 2.0), LEAST_HISTORY)
        self._c = np.zeros(1, controller_dtype(room_for(n, LEAST_AXES), room_for(units, LEAST_UNITS), history))
        self._rng = rng
        self._noise = rng.standard_normal((NOISE_BLOCK, n))
        self._next_noise = 0
        self.actual, self.rate = np.zeros(n), np.zeros(n)
        s = self._c[0]
        _fill(s, cell)
        x, wander = s["x"][:n], s["wander"][:n]
        x[:] = cell.home if q is None else q
        wander[:] = s["sigma"][:n] * rng.standard_normal(n)
        s["history"][:] = s["x"]
        self.actual[:] = x + wander
        # True minus reported axes: constant, unknown to everyone but sensors that look at the hall.
        self.positioning_error = rng.spawn(1)[0].standard_normal(n) * cell.positioning_sigma
        self._drive: NDArray[np.int64] = s["drive"][:units]
        self._timer: NDArray[np.int64] = s["timer"][:units]
        self._standing: NDArray[np.float64] = x
        self._all_on: NDArray[np.int64] = s["all_on"]

    def read(self) -> NDArray[np.float64]:
        """Actual axes at the end of the last cycle (m, rad). A view: it changes with the next ``write``."""
        return self.actual

    def write(self, setpoint: NDArray[np.float64]) -> ControllerFault | None:
        """Hand over the set-points and let a cycle pass. A fault that stands is returned every cycle until ``clear``."""
        if self._next_noise == NOISE_BLOCK:
            self._rng.standard_normal(out=self._noise)
            self._next_noise = 0
        fault = step(self._c, setpoint, self._noise[self._next_noise], self.actual, self.rate)
        self._next_noise += 1
        return None if fault == 0 else fault_of(self._controllers, *self.standing_fault)

    # ------------------------------------------------------------------ cycles that pass in one call
    @property
    def noise(self) -> NDArray[np.float64]:
        """One row for each cycle, for those who step the ``controllers`` themselves."""
        return self._noise

    @property
    def controllers(self) -> NDArray[np.void]:
        return self._c

    @property
    def next_noise(self) -> int:
        """Row of the next cycle; those that follow it are the ones to come."""
        return self._next_noise

    def stepped(self, cycles: int) -> ControllerFault | None:
        """So many have been stepped; as ``write``."""
        self._next_noise += cycles
        fault = self.standing_fault
        return fault_of(self._controllers, *fault) if fault[0] else None

    def drives_on(self) -> None:
        """Close the contactors and open the brakes; takes 0.2 s. Clears faults."""
        s = self._c[0]
        s["fault"] = 0
        off = self._drive != ON
        self._drive[off], self._timer[off] = RELEASING, math.ceil(RELEASE_NS / self._period_ns)
        s["all_on"] = not off.any()

    def drives_off(self) -> None:
        """Brake whatever still moves, then close the brakes."""
        self._drive[self._drive != OFF] = BRAKING
        self._all_on[0] = 0

    @property
    def standing_fault(self) -> tuple[int, int, float, float]:
        """``Fault`` that stands (0: none), axis, value and bound as plain numbers."""
        s = self._c[0]
        return int(s["fault"]), int(s["fault_axis"]), float(s["fault_value"]), float(s["fault_bound"])

    @property
    def drives(self) -> NDArray[np.int64]:
        """``Drive`` of each controller. A view."""
        return self._drive

    @property
    def all_on(self) -> bool:
        return bool(self._all_on[0])

    @property
    def any_on(self) -> bool:
        return bool((self._drive != OFF).any())

    @property
    def standing(self) -> NDArray[np.float64]:
        """Where the servos are, free of the repeatability offset: the set-point to begin with when drives go on."""
        return self._standing


def _fill(s: np.void, cell: AnyCell) -> None:
    """Parameters of all axes from the cell."""
    for name in ("lower", "upper", "speed", "acceleration"):
        s[name][: cell.n_axes] = getattr(cell.axes, name)
    s["units"] = len(cell.controllers)
    steps = math.ceil(cell.period_ns / STEP_NS)
    s["dt"], s["h"], s["steps"] = cell.period_ns * 1e-9, cell.period_ns * 1e-9 / steps, steps
    for number, controller in enumerate(cell.controllers):
        span, servo = controller.axes, controller.servo
        # Critically damped: the lag at constant speed is 2 / omega, less one step of the integration.
        s["omega"][span] = 2.0 / (servo.time_constant_ms * 1e-3 + s["h"])
        s["delay"][span] = servo.dead_time_ms * 1e-3 / s["dt"]
        s["follow"][span], s["sigma"][span] = servo.following_error_limit, controller.sigma
        s["unit"][span] = number
