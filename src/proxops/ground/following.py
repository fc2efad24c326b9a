"""How closely the robots followed the command in the run, with and without the delay of their drives.

The delay of rail, robot 1 and robot 2 is the one number that, taken off, leaves the least squared axis error,
found by Gauss-Newton on the recorded wish, linear between cycles. It counts from the record that holds a wish
to the record that holds its fulfilment: the cycle in which controllers interpolate to it is part of it.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S, UNITS
from proxops.ground.pose_rows import distance_and_angle
from proxops.ground.recorded import Floats, Ports, Recorded, ports_of_axes
from proxops.lab.coordinates import HallRecord
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

ITERATIONS: Final = 12
CONVERGED_S: Final = 1e-7
LONGEST_S: Final = 0.5  # no drive is slower than this: a fit that wants more has found something else
LOOK_BACK: Final = round(LONGEST_S / PERIOD_S)  # cycles before the run that a delayed wish can come from
CORRELATED: Final = round(1.0 / PERIOD_S)  # cycles over which what the fit leaves is taken as one observation
UNSURE_S: Final = 2e-3  # a delay known less well (1 sigma) than this is not told


@dataclass(frozen=True)
class Errors:
    """Distance (m) and angle (rad) between commanded and actual ports, (cycles of the run, 2 robots)."""

    position: Floats
    attitude: Floats


@dataclass(frozen=True)
class Following:
    """Errors of the run as they are, and against the wish as it was one delay earlier."""

    delays: dict[str, float]  # s; NaN where the unit moved too little to be sure
    direct: Errors
    delay_removed: Errors
    axes: Floats  # actual minus wish, (cycles, 13), m and rad
    axes_delay_removed: Floats


def follow(data: Recorded, hall: HallRecord, wished: Ports, actual_ports: Ports) -> Following:
    """Compare wish and actual axes of the run, and the ports that they carry (those of the whole log)."""
    actual, wish = data.actual[data.run], data.wish[data.run]
    delays, earlier = {}, np.empty_like(wish)
    for name, unit in UNITS.items():
        delay, sure = fit_delay(data, unit)
        delays[name] = delay if sure else math.nan
        values, rates = _rooms(data, unit, 2)
        delayed_wish(data, unit, delay, values, rates)
        earlier[:, unit] = values
    shown = _of_run(data, actual_ports)
    direct, delay_removed = _errors(_of_run(data, wished), shown), _errors(ports_of_axes(hall, earlier), shown)
    return Following(delays, direct, delay_removed, actual - wish, actual - earlier)


def _of_run(data: Recorded, ports: Ports) -> Ports:
    return ports[0][data.run], ports[1][data.run]


def delayed_wish(data: Recorded, unit: slice, delay: float, values: Floats, rates: Floats) -> None:
    """Wish of a unit's axes ``delay`` seconds before each cycle of the run, and its rate then."""
    window = slice(max(data.run.start - LOOK_BACK, 0), data.run.stop)
    first = data.run.start - window.start
    _between(data.t[window], data.wish[window], unit.start, first, float(delay), values, rates)


def _rooms(data: Recorded, unit: slice, count: int) -> list[Floats]:
    """For numbers of all cycles of the run and a unit's axes, used again and again: the system takes its time to give memory."""
    return [np.empty((data.run.stop - data.run.start, unit.stop - unit.start)) for _ in range(count)]


@kernel
def _between(t: Array, wish: Array, column: int, first: int, delay: float, values: Array, rates: Array) -> None:
    """``wish`` from ``column`` on, ``delay`` before each row from ``first`` on, linear between rows; and its slope there."""
    last, high = len(t) - 1, 0
    for k in range(len(values)):
        wanted = t[first + k] - delay
        if not (0 < high <= last and t[high - 1] < wanted <= t[high]):
            high += 1  # as a rule the next one
            if not (high <= last and t[high - 1] < wanted <= t[high]):
                high = np.searchsorted(t, wanted)
        upper = min(max(high, 1), last)
        lower = max(upper - 1, 0)
        step = max(t[upper] - t[lower], 1e-9)
        share = min(max((wanted - t[lower]) / step, 0.0), 1.0)
        for i in range(values.shape[1]):
            rise = wish[upper, column + i] - wish[lower, column + i]
            values[k, i], rates[k, i] = wish[lower, column + i] + share * rise, rise / step


def fit_delay(data: Recorded, unit: slice) -> tuple[float, bool]:
    """Best constant delay of a unit in seconds (0 when it did not move), and whether its motion really shows it."""
    if not data.ran:
        return 0.0, False
    actual, delay = data.actual[data.run, unit], 0.0
    error, rate, product = _rooms(data, unit, 3)
    for _ in range(ITERATIONS):
        delayed_wish(data, unit, delay, error, rate)
        error -= actual
        moved = float(np.sum(np.multiply(rate, rate, out=product)))
        if moved == 0.0:
            return 0.0, False
        change = float(np.sum(np.multiply(rate, error, out=product))) / moved
        delay = min(max(delay + change, -LONGEST_S), LONGEST_S)
        if abs(change) < CONVERGED_S:
            break
    sigma = math.sqrt(float(np.mean(np.multiply(error, error, out=product))) * CORRELATED / moved)
    return delay, sigma < UNSURE_S and abs(delay) < LONGEST_S


def _errors(commanded: Ports, actual: Ports) -> Errors:
    pairs = [distance_and_angle(c, a) for c, a in zip(commanded, actual, strict=True)]
    return Errors(*(np.stack(columns, axis=1) for columns in zip(*pairs, strict=True)))
