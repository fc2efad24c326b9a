"""Two craft under way for many cycles in one call, with a look out for contact: the same as cycle by cycle."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.space.docking import COUNT, interfaces
from proxops.space.ephemeris import ephemeris_at
from proxops.space.lvlh import turn_with_lvlh
from proxops.space.thrusters import fire
from proxops.space.two_craft import MASS, World, step

REACH_SLACK: Final = 1.0 + 1e-9  # a look that stops too early is asked again; one that stops too late would be wrong


class Given(NamedTuple):
    """What a flight does not change."""

    dry_mass: float
    path: Array  # (n, 10) of a prescribed orbit: ``ephemeris``
    held: Array  # q_lvlh_body of a target that stands in lvlh, or nothing
    degree: int  # of gravity's zonal terms


class Looks(NamedTuple):
    """How a flight of many cycles looks out for contact: after each cycle that is a multiple of ``every`` it stops if the
    interfaces are nearer than ``gap_m`` and beside each other, or the centres of mass than ``reach_m``."""

    every: int
    gap_m: float
    reach_m: float
    interface_t: Array  # from the centre of mass, body axes
    interface_c: Array


@kernel
def fly(y: Array, world: World, bank: NDArray[np.void], given: Given, cycle: int, cycles: int) -> None:
    """Thrusters, then everything by one cycle, so many times: one call from Python. ``cycle``: the first."""
    w: Any = world[0]
    b: Any = bank[0]
    for n in range(cycle, cycle + cycles):
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
) -> tuple[int, float]:
    """``fly`` under ``looks``. How many cycles it was, and the gap at the look before the last; ``gap``: before the first."""
    flown, told = 0, np.empty(COUNT)
    while True:
        some = min(looks.every - (cycle + flown) % looks.every, cycles - flown)
        fly(y, world, bank, given, cycle + flown, some)
        flown += some
        if flown == cycles:
            return flown, gap
        interfaces(
            y[6:9], y[9:12], y[12:16], y[16:19], y[19:23], y[23:26], looks.interface_t, looks.interface_c, told
        )  # fmt: skip
        if contact_near(y, told[0], told[1], looks):
            return flown, gap
        gap = told[0]
