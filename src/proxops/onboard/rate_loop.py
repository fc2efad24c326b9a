"""How much damping a sampled loop stands when the rate that it feeds back is measured late.

A joint (or a task direction) with rate x and damping a per cycle (d dt / m, or kd dt) obeys x' = x − a u, u what the controller
believed of x so many cycles ago: the motor's delay, a difference of two readings (the mean rate of the last cycle) and its
low-pass.

    z − 1 + a z⁻ⁿ F(z) = 0,     F = 1, or ½ (1 + z⁻¹) s / (1 − (1 − s) z⁻¹)

With true rates the largest stable a is 2 sin(π / (4n + 2)): 2 without delay, 1 with one cycle, 0.62 with two."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cache
from typing import Final

import numpy as np

from proxops.core.joint_table import JointsTable
from proxops.maths.low_pass import low_pass_share

FINE: Final = 1e-7  # of the bound, found by bisection


@dataclass(frozen=True)
class RateLoop:
    """``delay``: cycles between reading and torque. ``share``: of a difference that the low-pass takes in one cycle; None: the
    rate is true."""

    delay: int = 0
    share: float | None = None

    @property
    def most(self) -> float:
        """Damping per cycle below which the loop is stable."""
        return _most(self.delay, self.share)


def rate_loop(table: JointsTable | None, dt: float) -> RateLoop:
    """As a scenario's joints make it, at a cycle of ``dt``."""
    table = table or JointsTable()
    delay = table.motor.delay_cycles if table.motor is not None else 0
    if table.encoder is None or table.encoder.rate == "true":
        return RateLoop(delay)
    return RateLoop(delay, low_pass_share(table.encoder.cutoff_hz or math.inf, dt))


@cache
def _most(delay: int, share: float | None) -> float:
    if share is None:
        return 2.0 * math.sin(math.pi / (4 * delay + 2))
    low, high = 0.0, 4.0
    while high - low > FINE * high:
        middle = 0.5 * (low + high)
        low, high = (middle, high) if _stable(middle, delay, share) else (low, middle)
    return low


def _stable(a: float, delay: int, share: float) -> bool:
    """(z − 1)(z − 1 + s) z^(n + 1) + a s ½ (z² + z) has all its roots inside the unit circle; a factor z is left out."""
    polynomial = np.zeros(delay + 3)
    polynomial[:3] = 1.0, share - 2.0, 1.0 - share  # times z^n
    polynomial[-2:] += 0.5 * a * share
    return bool(np.max(np.abs(np.roots(polynomial))) < 1.0)
