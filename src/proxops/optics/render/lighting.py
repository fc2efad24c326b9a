"""How much of a light reaches a place: its strength there, and whether something stands between. Kernels.

A light is a disc. Which point of it a ray goes to is a fixed pattern: nine rays go to nine rings, turned by the golden angle, and
the pattern is turned from pixel to pixel, so that a penumbra has fine grain and no steps.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Triple
from proxops.optics.exposure import Exposure
from proxops.optics.render.reflection import dot, unit
from proxops.optics.scene.light import AROUND, DISTANT, light_rows
from proxops.optics.scene.rays import occluded
from proxops.optics.scene.tree import TreeArrays

MOST: Final = 16  # lights of a picture
FAR: Final = 1e9  # m
LIFT: Final = 1e-5  # m, from where on a ray can meet something: rounding is below
GOLDEN: Final = math.pi * (3.0 - math.sqrt(5.0))


def lamps_of(exposure: Exposure) -> Array:
    """``light_rows`` with two more triples: across the light's direction and each other, to aim at points of its disc."""
    if len(exposure.lights) > MOST:
        raise BadInput("too many lights", where="exposure", value=len(exposure.lights), bound=f"at most {MOST}")
    rows = light_rows(exposure.lights)
    lamps = np.zeros((len(rows), 16))
    lamps[:, :10] = rows
    for row in lamps:
        direction = row[4:7]
        row[10:13] = np.cross(direction, np.eye(3)[np.argmin(np.abs(direction))])
        row[10:13] /= np.linalg.norm(row[10:13])
        row[13:16] = np.cross(direction, row[10:13])
    return lamps


@kernel
def arrival(lamp: Array, p: Triple) -> tuple[Triple, float]:
    """Direction towards the light's middle and irradiance across it, at a place ``p`` (scene)."""
    direction = (lamp[4], lamp[5], lamp[6])
    if lamp[0] == DISTANT:
        return direction, lamp[7]
    away = (lamp[1] - p[0], lamp[2] - p[1], lamp[3] - p[2])
    square = max(dot(away, away), 1e-12)
    towards = unit(away)
    cosine = -dot(towards, direction)
    off = math.acos(min(max(cosine, -1.0), 1.0)) / lamp[8]
    return towards, float(lamp[7]) / square * math.exp(-math.log(2.0) * off * off)


@kernel
def around(lamp: Array, n: Triple) -> float:
    """Irradiance that a surface with this normal (scene) gets of a half space."""
    return float(0.5 * lamp[7] * (1.0 + lamp[4] * n[0] + lamp[5] * n[1] + lamp[6] * n[2]))


@kernel
def sees_light(
    tree: TreeArrays, placed: Array, balls: Array, outermost_of: int, p: Triple, lamp: Array, ring: float, turn: float
) -> bool:
    """Whether a ray from ``p`` (scene) gets to the point of the light's disc at ``ring`` (0 to 1, share of its area) and angle
    ``turn``. ``outermost_of``: the body that cannot be in the way, or -1."""
    r = lamp[9] * math.sqrt(ring)
    a, b = r * math.cos(turn), r * math.sin(turn)
    aim = (a * lamp[10] + b * lamp[13], a * lamp[11] + b * lamp[14], a * lamp[12] + b * lamp[15])
    if lamp[0] == DISTANT:
        direction, reach = unit((lamp[4] + aim[0], lamp[5] + aim[1], lamp[6] + aim[2])), FAR
    else:
        away = (lamp[1] + aim[0] - p[0], lamp[2] + aim[1] - p[1], lamp[3] + aim[2] - p[2])
        reach = math.sqrt(dot(away, away))
        direction = unit(away)
    if outermost_of >= 0 and _passes_others(placed, balls, outermost_of, p, direction, reach):
        return True
    return not occluded(tree, placed, p, direction, LIFT, reach)


@kernel
def _passes_others(placed: Array, balls: Array, own: int, p: Triple, direction: Triple, reach: float) -> bool:
    """Whether the ray misses the balls round all bodies but its own."""
    for b in range(placed.shape[0]):
        if b == own:
            continue
        row, ball = placed[b], balls[b]
        away = (
            row[9] + row[0] * ball[0] + row[3] * ball[1] + row[6] * ball[2] - p[0],
            row[10] + row[1] * ball[0] + row[4] * ball[1] + row[7] * ball[2] - p[1],
            row[11] + row[2] * ball[0] + row[5] * ball[1] + row[8] * ball[2] - p[2],
        )
        along = min(max(dot(away, direction), 0.0), reach)
        if dot(away, away) - along * (2.0 * dot(away, direction) - along) < ball[3] * ball[3]:
            return False
    return True


@kernel
def is_around(lamp: Array) -> bool:
    return bool(lamp[0] == AROUND)


@kernel
def is_wide(lamp: Array) -> bool:
    """More than twice as large as the Sun: its penumbrae are wider than a few pixels."""
    return bool(lamp[9] > 0.01)
