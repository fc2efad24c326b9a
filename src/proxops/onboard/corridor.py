"""Approach corridors: how much of the cone's width is in use."""

from __future__ import annotations

import math

from proxops.core.flight import Floats
from proxops.core.mission import Corridor


def line_share(place_lvlh: Floats, direction: Floats, to_m: float, corridor: Corridor) -> float:
    """Of a straight approach in LVLH: the cone's axis runs along ``direction`` (unit, target to chaser), and its radius counts
    at the end, ``to_m`` from the target's centre of mass. Above 1: outside."""
    (x, y, z), (a, b, c) = place_lvlh.tolist(), direction.tolist()
    beyond = x * a + y * b + z * c
    across = math.hypot(x - beyond * a, y - beyond * b, z - beyond * c)
    return _share(across, beyond - to_m, corridor)


def axis_share(between_interfaces: Floats, corridor: Corridor) -> float:
    """Of the final approach: chaser's interface from the target's in the target's frame; the cone opens along +x."""
    x, y, z = between_interfaces.tolist()
    return _share(math.hypot(y, z), x, corridor)


def _share(lateral: float, beyond: float, corridor: Corridor) -> float:
    """Before its radius' place the cone stays as wide as it is there."""
    return lateral / (corridor.radius_m + max(beyond, 0.0) * math.tan(math.radians(corridor.half_angle_deg)))
