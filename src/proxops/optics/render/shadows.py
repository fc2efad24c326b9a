"""Which fragments a light reaches, in two rounds.

First pixels (all, or every second one of every second row) look for each light once, to a point of its disc that differs from
that of eight neighbours. Where they agree on a surface, that is the answer for all pixels between; where they do not, there is
the edge of a shadow, and each sample looks for itself.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.maths.triple import triple
from proxops.optics.render.fill import Ids
from proxops.optics.render.fragments import COLUMN, MASK, SAMPLES, TRIANGLE, offset
from proxops.optics.render.lighting import GOLDEN, arrival, sees_light
from proxops.optics.render.reflection import dot
from proxops.optics.render.spot import DEPTH, FLAT, PLACE, SIDE, TOTAL, VALUE, put_spot
from proxops.optics.render.surfaces import BODY, OUTERMOST
from proxops.optics.scene.tree import TreeArrays

Bytes = NDArray[np.uint8]
SHADED, LIT, TURNED = range(3)  # what a pixel found when it looked for a light; turned: its surface faces away

CORNERS = 4
RIM = 0.95  # share of the disc's area inside the circle on which eight of nine pixels look: what hides any part of the rim
EIGHTHS = 0.75 * math.pi  # hides one of them, if it is more than a hundredth; the ninth looks to the middle
RINGS = (8, 2, 5, 0, 7, 1, 4, 3, 6)  # of the disc, for these in turn
R1, R2 = (
    0.7548776662466927,
    0.5698402909980532,
)  # neighbouring pixels get shares that are far apart (Roberts 2018, "R2")
ORDER = (0, 8, 2, 6, 4, 1, 7, 3, 5)  # of a pixel's samples, corners first


@kernel
def put_found(
    fragments: Ids, count: int, spots: Array, j: int, step: int, triangles: Array, tree: TreeArrays, placed: Array,
    balls: Array, lamp: Array, found: Bytes,
) -> None:  # fmt: skip
    """The first round, of a row ``j`` and a light."""
    for f in range(count):
        i, t, spot = fragments[f, COLUMN], fragments[f, TRIANGLE], spots[f]
        p = triple(spot, PLACE)
        if dot(triple(spot, FLAT), arrival(lamp, p)[0]) <= 0.0:
            found[j, i] = TURNED
            continue
        which = 3 * ((j // step) % 3) + (i // step) % 3
        own = unshaded_by(triangles[t], spot)
        sees = sees_light(tree, placed, balls, own, p, lamp, RIM if which < 8 else 0.0, which * EIGHTHS)
        found[j, i] = LIT if sees else SHADED


@kernel
def unshaded_by(face: Array, spot: Array) -> int:
    """The spot's body if it cannot stand in the light of this triangle, else -1."""
    return int(face[BODY]) if face[OUTERMOST] > 0.0 and spot[SIDE] > 0.0 else -1


@kernel
def add_agreed(
    fragments: Ids, count: int, spots: Array, j: int, step: int, pixel: float, triangles: Array,
    seen: Ids, distance: NDArray[np.float32], found: Bytes, rows: tuple[int, int, int, int], wide: bool,
) -> None:  # fmt: skip
    """Adds ``VALUE`` to ``TOTAL`` where neighbours agree that the light comes there. What is left for the second round keeps it.
    ``wide``: the light's penumbra may be so wide that all nine points of its disc must be asked."""
    mask = ~(step - 1)
    top, bottom = (j - 1) & mask, min((((j - 1) & mask) + 2 * step if wide else j + step) + 1, rows[2])
    top += step if top < rows[0] else 0
    for f in range(count):
        i, t, spot = fragments[f, COLUMN], fragments[f, TRIANGLE], spots[f]
        if spot[VALUE] <= 0.0:
            continue
        near, z, body, lit, shaded = 4.0 * step * pixel * spot[DEPTH], spot[DEPTH], triangles[t, BODY], 0, 0
        left, right = (i - 1) & mask, min((((i - 1) & mask) + 2 * step if wide else i + step) + 1, rows[3])
        left += step if left < rows[1] else 0
        for y in range(top, bottom, step):
            for x in range(left, right, step):
                other = seen[y, x]
                if other == t or (other >= 0 and abs(distance[y, x] - z) < near and triangles[other, BODY] == body):
                    lit += found[y, x] == LIT
                    shaded += found[y, x] == SHADED
        if shaded == 0 and lit > 0:
            spot[TOTAL] += spot[VALUE]
        if (shaded == 0) != (lit == 0):
            spot[VALUE] = 0.0


@kernel
def add_looked_for(
    fragments: Ids, count: int, spots: Array, j: int, x: Array, y: Array, pixel: float, T_body_sensor: Array,
    triangles: Array, tree: TreeArrays, placed: Array, balls: Array, lamp: Array, faint: float,
) -> None:  # fmt: skip
    """The second round: a ray from each sample, so that both the light's disc and the pixel's area are sampled. Where those from
    the corners of a whole pixel agree, the others are not asked. ``faint``: of less one ray decides."""
    spot = vector(20)
    for f in range(count):
        value = spots[f, VALUE]
        if value <= 0.0:
            continue
        i, t, lit, sent = fragments[f, COLUMN], fragments[f, TRIANGLE], 0, 0
        face, body = triangles[t], int(triangles[t, BODY])
        begin, turn = (R1 * i + R2 * j) % 1.0, 2.0 * math.pi * ((R2 * i + R1 * j + 0.5) % 1.0)
        most = 1 if value < faint else SAMPLES
        for order in range(SAMPLES):
            if sent == most or (sent == CORNERS and order == CORNERS and (lit == 0 or lit == sent)):
                break
            s = ORDER[order]
            if not (fragments[f, MASK] >> s) & 1:
                continue
            right, down = offset(s)
            put_spot(face, T_body_sensor[s, body], placed[body], x[i] + pixel * right, y[i] + pixel * down, spot)
            own, p = unshaded_by(face, spot), triple(spot, PLACE)
            lit += sees_light(tree, placed, balls, own, p, lamp, (RINGS[sent] + begin) / 9.0, turn + sent * GOLDEN)
            sent += 1
        spots[f, TOTAL] += value * lit / sent
