"""The defect that needs a cure: a simulated mass bounces off real hardware through a robot's delay and comes back faster.

The hardware is where the mass was a delay tau ago, so its force lags: undamped, the loop gains energy in every contact and the
restitution is about exp(pi omega tau / 2) instead of 1. In one dimension: the virtual hardware, the bounce through a pure delay
(time continuous, to the accuracy of the quadrature), and that of a loop in ticks, which holds each force for one tick and so lags
half a tick more. It feeds the force back as it comes, led or watched: simple remedies to compare with. What flies is
``touch/docking_loop.py``.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.space.contact_law import contact_force, contact_omega

NODES: Final = 64  # of the ring: delays up to a quarter of a second at 4 ms
MOST: Final = 0.5  # of the mass per tick: damping that may act in one tick
NONE, LEAD, PASSIVITY = range(3)
BEYOND: Final = 3.0  # ticks and a delay, after which the hardware is free too
HARDWARE_DTYPE = np.dtype(
    [
        ("k", "f8"), ("c", "f8"), ("n", "f8"), ("d0", "f8"),  # the law, and where contact begins (m)
        ("tau", "f8"),  # ticks from a command's node to the force sample that comes of it
        ("noise", "f8"), ("dead", "f8"),  # N
        ("depth", "f8"), ("force", "f8"),  # greatest so far
    ]
)  # fmt: skip
Hardware = NDArray[np.void]


# --- what has been commanded, tick by tick: the robot goes from node to node on a cubic, a delay late


def straight_path(x: float, step: float) -> Array:
    """Ring of nodes (NODES, 2), position (m) and rate (m per tick), of an approach that is at ``x`` at node 0 and came
    there with ``step`` per tick."""
    return np.array([(x + step * (i if i == 0 else i - NODES), step) for i in range(NODES)])


@kernel
def put_node(path: Array, tick: int, x: float, step: float) -> None:
    """The node of a tick takes the place of the oldest one."""
    path[tick % NODES, 0], path[tick % NODES, 1] = x, step


@kernel
def placed(path: Array, ticks: float) -> tuple[float, float]:
    """Position (m) and rate (m per tick) at a moment in ticks, counted from node 0."""
    i = math.ceil(ticks)
    a, b = path[(i - 1) % NODES], path[i % NODES]
    u = ticks - (i - 1)
    gap = b[0] - a[0]
    bend, twist = 3.0 * gap - 2.0 * a[1] - b[1], a[1] + b[1] - 2.0 * gap
    return a[0] + u * (a[1] + u * (bend + u * twist)), a[1] + u * (2.0 * bend + 3.0 * u * twist)


# --- the hardware


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


# --- simple remedies


@kernel
def led_force(force: float, before: float, tau: float) -> float:
    """N, a delay of ``tau`` ticks ahead (half a tick of hold included by the caller); a contact pushes and never pulls."""
    if force <= 0.0:
        return 0.0
    return max(0.0, force + tau * (force - before))


@kernel
def watched_force(force: float, rate: float, stored: float, mass: float, dt: float) -> tuple[float, float]:
    """Force (N) and energy (J) after a tick: ``stored`` is what the contact has taken from the mass so far.

    While it is above zero the force passes. Otherwise a damper takes back what the tick would give too much
    (Hannaford and Ryu's observer and controller, on the impedance side). The tick's energy is counted at the mean rate."""
    mean = rate - 0.5 * force / mass * dt
    stored += force * mean * dt
    if stored >= 0.0 or mean == 0.0:
        return force, stored
    damping = min(-stored / (mean * mean * dt), MOST * mass / dt)
    return force + damping * mean, stored + damping * mean * mean * dt


@kernel
def ticked_bounce(
    device: Hardware, path: Array, x: float, v: float, mass: float, dt: float, tau: float, method: int, gauss: Array
) -> float:
    """Restitution of a mass (kg) that comes from ``x`` (m) with ``v`` (m/s); ``tau``: ticks of delay as believed, ``gauss``:
    a normal deviate for every tick."""
    before, stored, touched, v0 = 0.0, 0.0, False, v
    for tick in range(gauss.shape[0]):
        f = reading(device, path, tick, dt, gauss[tick])
        used = led_force(f, before, tau + 0.5) if method == LEAD else f
        before = f
        if method == PASSIVITY:
            used, stored = watched_force(used, v, stored, mass, dt)
        x, v = flown(x, v, used, mass, dt)
        put_node(path, tick + 1, x, v * dt)
        touched = touched or x > 0.0
        if touched and v < 0.0 and x < v * dt * (tau + BEYOND):
            break
    return -v / v0
