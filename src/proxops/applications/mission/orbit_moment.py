"""What imaging sensors in orbit may look at: where both craft, Sun and Earth truly are."""

from __future__ import annotations

from proxops.core.earth import TURN_RATE
from proxops.maths.rotation import Array
from proxops.sensors.moment import OrbitMoment
from proxops.space.pair import SpacecraftPair
from proxops.space.two_craft import Q_T, P


def orbit_moment(pair: SpacecraftPair, T_target_chaser: Array) -> OrbitMoment:
    """Of now; the Earth's own axes are those of the orbit when the mission begins."""
    y, turn = pair.y, TURN_RATE * pair.t
    return OrbitMoment(T_target_chaser, y[Q_T].copy(), y[P].copy(), pair.sun_direction, pair.surroundings[0], turn)
