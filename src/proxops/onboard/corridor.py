"""Off course: how much of an approach corridor's width is in use, how far the reference and the line of sight are off."""

from __future__ import annotations

import math
from collections.abc import Iterable

from proxops.core.flight import Floats
from proxops.core.mission import Corridor
from proxops.maths.kernel import kernel
from proxops.maths.triple import difference, inverse, quad, rotated, triple


def line_share(place_lvlh: Iterable[float], direction: Iterable[float], to_m: float, corridor: Corridor) -> float:
    """Of a straight approach in LVLH: the cone's axis runs along ``direction`` (unit, target to chaser), and its radius counts
    at the end, ``to_m`` from the target's centre of mass. Above 1: outside."""
    (x, y, z), (a, b, c) = place_lvlh, direction
    beyond = x * a + y * b + z * c
    across = math.hypot(x - beyond * a, y - beyond * b, z - beyond * c)
    return _share(across, beyond - to_m, corridor)


def axis_share(between_interfaces: Iterable[float], corridor: Corridor) -> float:
    """Of the final approach: chaser's interface from the target's in the target's frame; the cone opens along +x."""
    x, y, z = between_interfaces
    return _share(math.hypot(y, z), x, corridor)


def _share(lateral: float, beyond: float, corridor: Corridor) -> float:
    """Before its radius' place the cone stays as wide as it is there."""
    return lateral / (corridor.radius_m + max(beyond, 0.0) * math.tan(math.radians(corridor.half_angle_deg)))


@kernel
def off_boresight(
    position: Floats, q_eci_target: Floats, q_eci_chaser: Floats, target_mass_centre: Floats, sensor_place: Floats
) -> float:
    """Angle between the sensor's axis (-x) and the target's origin, rad; ``sensor_place``: from the centre of mass."""
    arm = rotated(quad(q_eci_target, 0), triple(target_mass_centre, 0))
    origin = (-arm[0] - position[0], -arm[1] - position[1], -arm[2] - position[2])
    x, y, z = difference(rotated(inverse(quad(q_eci_chaser, 0)), origin), triple(sensor_place, 0))
    return math.atan2(math.hypot(y, z), -x)


@kernel
def off_course(p: Floats, v: Floats, p_ref: Floats, v_ref: Floats) -> tuple[float, float, float]:
    """Distance from the target, and how far off the reference, m; how much faster or slower, m/s."""
    distance = place = speed = 0.0
    for i in range(3):
        distance += p[i] * p[i]
        place += (p[i] - p_ref[i]) ** 2
        speed += (v[i] - v_ref[i]) ** 2
    return math.sqrt(distance), math.sqrt(place), math.sqrt(speed)
