"""The defect that needs a cure: a simulated mass bounces off real hardware through a robot's delay and comes back faster.

The hardware is where the mass was a delay tau ago, so its force lags: undamped, the loop gains energy in every contact and the
restitution is about exp(pi omega tau / 2) instead of 1. Here are the virtual hardware and the bounce through a pure delay (time
continuous, to the accuracy of the quadrature). A loop in ticks (``ticked_bounce``) holds each force for one tick and so lags half
a tick more.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.space.contact_law import contact_force, contact_omega
from proxops.touch.command_path import placed

HARDWARE_DTYPE = np.dtype(
    [
        ("k", "f8"), ("c", "f8"), ("n", "f8"), ("d0", "f8"),  # the law, and where contact begins (m)
        ("tau", "f8"),  # ticks from a command's node to the force sample that comes of it
        ("noise", "f8"), ("dead", "f8"),  # N
        ("depth", "f8"), ("force", "f8"),  # greatest so far
    ]
)  # fmt: skip
Hardware = NDArray[np.void]
Array = NDArray[np.float64]


def hardware(
    k: float, c: float, tau_ticks: float, n: float = 1.0, d0_m: float = 0.0, noise_n: float = 0.0, dead_n: float = 0.0
) -> Hardware:
    """Virtual docking hardware on a robot, with its force sensor."""
    return np.array([(k, c, n, d0_m, tau_ticks, noise_n, dead_n, 0.0, 0.0)], HARDWARE_DTYPE)


@kernel
def reading(device: Hardware, path: Array, tick: int, dt: float, gauss: float) -> float:
    """What the force sensor says at a tick (N); ``gauss`` is the tick's normal deviate. The dead zone hides the true force,
    below it the noise is left."""
    h = device[0]
    x, step = placed(path, tick - h.tau)
    f = contact_force(x - h.d0, step / dt, h.k, h.c, h.n)
    h.depth, h.force = max(h.depth, x - h.d0), max(h.force, f)
    return float((f if f >= h.dead else 0.0) + h.noise * gauss)


@kernel
def delayed_bounce(
    mass: float, speed: float, k: float, c: float, n: float, tau: float, per_delay: int
) -> tuple[float, float, float]:
    """Restitution, greatest depth (m) and greatest force (N) through a pure delay ``tau`` (s), ``per_delay`` steps in it.

    The force of a step is known from the past, so a step is a quadrature (Simpson); between steps the past is a cubic."""
    h = tau / per_delay
    d, v = np.empty(per_delay + 1), np.empty(per_delay + 1)  # the last tau, oldest first, a ring
    for i in range(per_delay + 1):
        d[i], v[i] = speed * h * (i - per_delay), speed
    oldest, newest = 0, per_delay
    depth, peak, touched = 0.0, 0.0, False
    for _ in range(int(6.0 * math.pi / (contact_omega(mass, speed, k, n) * h)) + 10 * per_delay):
        after = (oldest + 1) % (per_delay + 1)
        middle_d = 0.5 * (d[oldest] + d[after]) + 0.125 * h * (v[oldest] - v[after])
        middle_v = 1.5 * (d[after] - d[oldest]) / h - 0.25 * (v[oldest] + v[after])
        a0 = -contact_force(d[oldest], v[oldest], k, c, n) / mass
        am = -contact_force(middle_d, middle_v, k, c, n) / mass
        a1 = -contact_force(d[after], v[after], k, c, n) / mass
        peak, touched = max(peak, -a1 * mass), touched or a1 < 0.0
        if touched and a0 == 0.0 and am == 0.0 and a1 == 0.0 and v[newest] < 0.0:
            break
        d[oldest] = d[newest] + h * v[newest] + h * h / 6.0 * (a0 + 2.0 * am)
        v[oldest] = v[newest] + h / 6.0 * (a0 + 4.0 * am + a1)
        newest, oldest = oldest, after
        depth = max(depth, d[newest])
    return -v[newest] / speed, depth, peak


@kernel
def flown(x: float, v: float, force: float, mass: float, dt: float) -> tuple[float, float]:
    """Position and rate of a mass after a tick under a force that is held, outward positive."""
    a = -force / mass
    return x + v * dt + 0.5 * a * dt * dt, v + a * dt
