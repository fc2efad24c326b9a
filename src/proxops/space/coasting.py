"""Two craft under way for many cycles in one call, with a look out for contact: the same as cycle by cycle."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, copy_to
from proxops.maths.stack import vector
from proxops.space.docking import COUNT, interfaces
from proxops.space.ephemeris import ephemeris_at
from proxops.space.lvlh import turn_with_lvlh
from proxops.space.surroundings import AIR_EVERY, SKY_EVERY, look
from proxops.space.thrusters import BANK_DTYPE, fire
from proxops.space.two_craft import MASS, SIZE, WORLD_DTYPE, World, step

REACH_SLACK: Final = 1.0 + 1e-9  # a look that stops too early is asked again; one that stops too late would be wrong


class Given(NamedTuple):
    """What a flight does not change."""

    dry_mass: float
    path: Array  # (n, 10) of a prescribed orbit: ``ephemeris``
    held: Array  # q_lvlh_body of a target that stands in lvlh, or nothing
    degree: int  # of gravity's zonal terms
    book: Array  # of the audit: ``audit.open_book``
    air: int  # kind of atmosphere
    epoch_tt: float  # s, at which the mission begins


class Looks(NamedTuple):
    """How a flight of many cycles looks out for contact: after each cycle that is a multiple of ``every`` it stops if the
    interfaces are nearer than ``gap_m`` and beside each other, or the centres of mass than ``reach_m``."""

    every: int
    gap_m: float
    reach_m: float
    interface_t: Array  # from the centre of mass, body axes
    interface_c: Array


class Kept(NamedTuple):
    """Where two craft were."""

    y: Array
    world: World
    bank: NDArray[np.void]


def room_for_craft() -> Kept:
    """To keep them in."""
    return Kept(np.zeros(SIZE), np.zeros(1, WORLD_DTYPE), np.zeros(1, BANK_DTYPE))


@kernel
def keep(kept: Kept, y: Array, world: World, bank: NDArray[np.void]) -> None:
    """``kept`` := all that a flight changes. NumPy would copy a record field by field."""
    copy_to(y, kept.y)
    kept.world[0], kept.bank[0] = world[0], bank[0]


@kernel
def fly(y: Array, world: World, bank: NDArray[np.void], given: Given, cycle: int, cycles: int) -> None:
    """What surrounds the craft, if that is due, thrusters, then everything by one cycle, so many times: one call from Python.
    ``cycle``: the first."""
    w: Any = world[0]
    b: Any = bank[0]
    for n in range(cycle, cycle + cycles):
        if n % AIR_EVERY == 0:
            look(y, world, given.air, given.epoch_tt + n * PERIOD_S, n % SKY_EVERY == 0)
        if w.prescribed:
            for k in range(3):
                ephemeris_at(given.path, n * PERIOD_S + 0.5 * k * PERIOD_S, w.reference[k, 0:3], w.reference[k, 3:6])
        fire(bank, y[MASS] <= given.dry_mass)
        w.thrust = b.thrust
        for i in range(3):
            w.force[i], w.torque[i] = b.force[i], b.torque[i]
        step(y, world, PERIOD_S)
        if given.held.size > 0:
            turn_with_lvlh(y, given.degree, given.held)


@kernel
def contact_near(y: Array, gap_m: float, lateral_m: float, looks: Looks) -> bool:
    """Whether a flight stops here to look closer, the interfaces being so far apart along and across the docking axis."""
    if abs(gap_m) < looks.gap_m and lateral_m < looks.reach_m:
        return True
    inside: bool = y[6] * y[6] + y[7] * y[7] + y[8] * y[8] < REACH_SLACK * looks.reach_m * looks.reach_m
    return inside


@kernel
def coast(
    y: Array, world: World, bank: NDArray[np.void], given: Given, cycle: int, cycles: int, looks: Looks, gap: float
) -> tuple[int, float, bool]:
    """``fly`` under ``looks``. How many cycles it was; the gap at the last look that gave no cause to stop, ``gap`` if there was
    none; whether there was cause, in the last cycle."""
    flown, told = 0, vector(COUNT)
    while True:
        some = min(looks.every - (cycle + flown) % looks.every, cycles - flown)
        fly(y, world, bank, given, cycle + flown, some)
        flown += some
        if (cycle + flown) % looks.every:
            return flown, gap, False
        interfaces(
            y[6:9], y[9:12], y[12:16], y[16:19], y[19:23], y[23:26], looks.interface_t, looks.interface_c, told
        )  # fmt: skip
        if contact_near(y, told[0], told[1], looks):
            return flown, gap, True
        gap = told[0]
        if flown == cycles:
            return flown, gap, False
