"""What a mission's imaging sensors may look at: where both craft, Sun and Earth truly are, and what the hall shows."""

from __future__ import annotations

from proxops.applications.mission.hall_view import HallView
from proxops.core.earth import TURN_RATE
from proxops.maths.rotation import Array
from proxops.sensors.moment import HallMoment, Moment, OrbitMoment
from proxops.space.pair import SpacecraftPair
from proxops.space.two_craft import Q_T, P


def orbit_moment(pair: SpacecraftPair, T_target_chaser: Array) -> OrbitMoment:
    """Of now; the Earth's own axes are those of the orbit when the mission begins."""
    y, turn = pair.y, TURN_RATE * pair.t
    return OrbitMoment(T_target_chaser, y[Q_T].copy(), y[P].copy(), pair.sun_direction, pair.surroundings[0], turn)


def moment_of(pair: SpacecraftPair, T_target_chaser: Array | None, hall: HallView | None) -> Moment:
    """Now: in orbit, if the computed pose is given, and in the hall, if there is one."""
    orbit = None if T_target_chaser is None else orbit_moment(pair, T_target_chaser)
    shown = None if hall is None else HallMoment(hall.ports.copy(), hall.axes.copy())
    return Moment(pair.t, orbit, shown, 0 if hall is None else hall.utc_ns)
