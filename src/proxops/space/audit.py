"""The conservation audit: what is left of energy and angular momentum when every change is accounted for.

Each figure is (present - first - ledger) over the size of the quantity; it is zero but for the integrator's error and
rounding. On a prescribed orbit the target's energy is not ours to audit (zero), and the chaser's is that of its motion
relative to the target.
"""

from __future__ import annotations

import math
from typing import Any, Final

from proxops.core.earth import MU_M3_S2
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.space.gravity import zonal_potential
from proxops.space.two_craft import (
    IMPULSE_C,
    IMPULSE_T,
    MASS,
    SPIN_WORK_C,
    SPIN_WORK_T,
    WORK_C,
    WORK_T,
    World,
    out_of_body,
)

SLOW_RATE: Final = 1e-4  # rad/s: what turns more slowly is measured against this rate
SLOW_SPEED: Final = 1e-3  # m/s, likewise
FIGURES: Final = 6
BOOK: Final = 14  # energies (4), angular momenta (6), sizes (4)


@kernel
def open_book(y: Array, world: World, book: Array) -> None:
    """The first entries: what ``audit`` compares with later. Ledgers must be zero."""
    w = world[0]
    book[0], book[1] = _orbit_energies(y, w)
    book[2] = _spin_momentum(y[12:16], y[16:19], w.target, 1.0, y[26:30], w, 0, book[4:7])
    book[3] = _spin_momentum(y[19:23], y[23:26], w.chaser, y[MASS] / w.first_mass, y[26:30], w, w.wheels, book[7:10])
    for k in range(2):
        craft = w.target if k == 0 else w.chaser
        inertia = max(craft.inertia[0, 0], craft.inertia[1, 1], craft.inertia[2, 2])
        m = book[4 + 3 * k : 7 + 3 * k]
        size = math.sqrt(m[0] * m[0] + m[1] * m[1] + m[2] * m[2])
        book[10 + k] = max(size, inertia * SLOW_RATE)
        book[12 + k] = max(book[2 + k], 0.5 * inertia * SLOW_RATE * SLOW_RATE)


@kernel
def audit(y: Array, world: World, book: Array, out: Array) -> None:
    """The six figures, in the order of the pool's group ``audit``."""
    w = world[0]
    target, chaser = _orbit_energies(y, w)
    out[0] = 0.0 if w.prescribed else (target - book[0] - y[WORK_T]) / abs(book[0])
    size = abs(book[1]) if not w.prescribed else max(chaser, 0.5 * SLOW_SPEED * SLOW_SPEED)
    out[1] = (chaser - book[1] - y[WORK_C]) / size
    room = w.room
    scale = y[MASS] / w.first_mass
    energy_t = _spin_momentum(y[12:16], y[16:19], w.target, 1.0, y[26:30], w, 0, room[0])
    energy_c = _spin_momentum(y[19:23], y[23:26], w.chaser, scale, y[26:30], w, w.wheels, room[1])
    out[2] = _left(room[0], book[4:7], y[IMPULSE_T]) / book[10]
    out[3] = _left(room[1], book[7:10], y[IMPULSE_C]) / max(book[11], _size(room[1]))
    out[4] = (energy_t - book[2] - y[SPIN_WORK_T]) / book[12]
    out[5] = (energy_c - book[3] - y[SPIN_WORK_C]) / max(book[13], energy_c)


@kernel
def examine(y: Array, world: World, book: Array, held: bool, out: Array) -> None:
    """``audit``, of a target that may be ``held`` in its attitude: that has no ledger."""
    audit(y, world, book, out)
    if held:
        out[2] = out[4] = 0.0


@kernel
def _size(v: Array) -> float:
    return math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])


@kernel
def _left(now: Array, first: Array, ledger: Array) -> float:
    total = 0.0
    for i in range(3):
        total += (now[i] - first[i] - ledger[i]) ** 2
    return math.sqrt(total)


@kernel
def _orbit_energies(y: Array, w: Any) -> tuple[float, float]:
    """Per unit mass, of target and chaser; on a prescribed orbit the chaser's is its relative kinetic energy."""
    if w.prescribed:
        return 0.0, 0.5 * (y[9] * y[9] + y[10] * y[10] + y[11] * y[11])
    p, v = w.room[2], w.room[3]
    for i in range(3):
        p[i], v[i] = y[i] + y[6 + i], y[3 + i] + y[9 + i]
    return _energy(y[0:3], y[3:6], w.degree), _energy(p, v, w.degree)


@kernel
def _energy(p: Array, v: Array, degree: int) -> float:
    kinetic = 0.5 * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return float(kinetic - MU_M3_S2 / _size(p) - zonal_potential(p, degree))


@kernel
def _spin_momentum(q: Array, rate: Array, craft: Any, scale: float, h: Array, w: Any, wheels: int, out: Array) -> float:
    """Angular momentum in eci axes into ``out``; returns the energy of rotation. Wheels counted by their whole momentum."""
    body = w.room[7]
    energy = 0.0
    for i in range(3):
        row = craft.inertia[i]
        body[i] = scale * (row[0] * rate[0] + row[1] * rate[1] + row[2] * rate[2])
        energy += 0.5 * rate[i] * body[i]
    for k in range(wheels):
        for i in range(3):
            body[i] += w.axes[k, i] * h[k]
        energy += 0.5 * h[k] * h[k] / w.rotor
    out_of_body(q, body, out)
    return energy
