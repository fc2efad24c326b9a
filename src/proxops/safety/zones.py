"""Red, yellow, green (paper 001, section 3.7): the zone of a pose, the thickness of yellow, and who may go on.

Red begins where a clearance is used up. Yellow is the layer before it, as thick as the way that a stop takes at the
present speed and never thinner than the cell file says: a stop that begins at its edge ends before red.
"""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.vocabulary import Zone
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.clearance import Clearance, Finding

LOGIC: Final[dict[tuple[Zone, Zone], bool]] = {  # (commanded, actual): go. Table 1
    (Zone.RED, Zone.RED): False,
    (Zone.RED, Zone.YELLOW): False,
    (Zone.RED, Zone.GREEN): False,
    (Zone.YELLOW, Zone.RED): False,
    (Zone.YELLOW, Zone.YELLOW): False,
    (Zone.YELLOW, Zone.GREEN): False,
    (Zone.GREEN, Zone.RED): False,
    (Zone.GREEN, Zone.YELLOW): True,
    (Zone.GREEN, Zone.GREEN): True,
}


class Judgement(NamedTuple):
    """The zone of a pose and the pair that decided it."""

    zone: Zone
    finding: Finding


def zone_of(clearance_m: float, layer_m: float) -> Zone:
    """Zone of a clearance with a yellow layer; what is not a number is red."""
    if not clearance_m > 0.0:
        return Zone.RED
    return Zone.GREEN if clearance_m > layer_m else Zone.YELLOW


@kernel
def stopping_way(way: Array, rate: Array, lag_s: Array, out: Array) -> None:
    """How far each axis can still go, into ``out`` (m, rad): the guard's braking ``way``, and what it goes on by at ``rate``
    until a stop reaches it, ``lag_s`` later."""
    for i in range(out.shape[0]):
        out[i] = abs(way[i]) + abs(rate[i]) * lag_s[i]


@kernel
def yellow_layer_m(levers: Array, ahead: Array, minimum_m: float) -> float:
    """Thickness of yellow that is enough for every pair: the most that any point of robot 1 and any of robot 2 go
    together while each axis goes on by ``ahead``; ``levers`` are those of ``Clearance``."""
    layer = 0.0
    for i in range(ahead.shape[0]):
        layer += levers[i] * abs(ahead[i])
    return max(layer, minimum_m)


def judge_zone(clearance: Clearance, q: NDArray[np.float64], ahead: NDArray[np.float64], minimum_m: float) -> Judgement:
    """Zone of axes ``q`` when each axis can still go on by ``ahead``, every pair with the layer of its own."""
    near = clearance.nearest_yellow(q, ahead, minimum_m)
    if near.distance_m > near.layer_m:
        return Judgement(Zone.GREEN, near)
    least = clearance.at(q, 0.0)  # the pair deepest in its layer need not be the nearest one
    if not least.distance_m > 0.0:
        return Judgement(Zone.RED, least)
    return Judgement(Zone.YELLOW, near)
