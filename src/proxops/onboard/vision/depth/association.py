"""Which place of the model each beam should have met, and how far off it ended: one step of point-to-plane ICP.

A beam is cast at the model as it stands: what it meets first is what the sensor sees, never the far side of a panel. Where it
meets nothing within reach, the closest place takes its part, so that points beside the outline pull. With n the normal there
(or the way from an edge), q the place, x the beam's end:

    e = n·(x − q),    −de/dδ = (n, (q − p) × n) for δ = (place, rotation on the left) of the target, whose origin is p
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import matrix
from proxops.maths.triple import Triple, crossed, difference, mapped, triple
from proxops.onboard.vision.depth.client_model import Surface
from proxops.onboard.vision.depth.closest_point import closest_point
from proxops.optics.scene.descent import nearest_of_body

MISSED, CAST, CLOSEST, MIXED = 0, 1, 2, 3
FLAT_M: Final = 0.012  # from the plane of a beam's middle, of its corners


@kernel
def associate(
    surface: Surface, R: Array, p: Array, origin: Array, end: Array, reach_m: float, spot_rad: Array, error: Array,
    rows: Array, along: Array, face: NDArray[np.int32], how: NDArray[np.uint8],
) -> None:  # fmt: skip
    """For each beam: e (m), (6) −de/dδ, cosine of beam and normal, face of the model, and how it was found. A beam of half width
    ``spot_rad`` that misses by no more than that has no error."""
    back = matrix(3, 3)
    for i in range(3):
        for j in range(3):
            back[i, j] = R[j, i]
    place = (p[0], p[1], p[2])
    for i in range(end.shape[0]):
        o, x = triple(origin[i], 0), triple(end[i], 0)
        way = difference(x, o)
        far = math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
        d = (way[0] / far, way[1] / far, way[2] / far)
        o_body, d_body = mapped(back, difference(o, place)), mapped(back, d)
        e, n_body, q_body, found, hit = _met(surface, o_body, d_body, far, reach_m, spot_rad[i] * far)
        how[i], face[i], error[i] = found, hit, e
        if found == MISSED:
            continue
        n, arm = mapped(R, n_body), mapped(R, q_body)
        turn = crossed(arm, n)
        for k in range(3):
            rows[i, k], rows[i, 3 + k] = n[k], turn[k]
        along[i] = n[0] * d[0] + n[1] * d[1] + n[2] * d[2]


@kernel
def _met(
    surface: Surface, o: Triple, d: Triple, far: float, reach_m: float, spot_m: float
) -> tuple[float, Triple, Triple, int, int]:
    """In the body's frame: e, normal, place, how, face."""
    boxes, children, faces, _, root = surface
    t, hit = nearest_of_body(boxes, children, faces, root, o, d, 0.0, np.inf)
    if hit >= 0:
        row = faces[hit]
        cosine = row[0] * d[0] + row[1] * d[1] + row[2] * d[2]
        sign = -1.0 if cosine > 0.0 else 1.0
        e = sign * cosine * (far - t)
        if abs(e) < reach_m:
            q = (o[0] + t * d[0], o[1] + t * d[1], o[2] + t * d[2])
            return e, (sign * row[0], sign * row[1], sign * row[2]), q, CAST, hit
    x = (o[0] + far * d[0], o[1] + far * d[1], o[2] + far * d[2])
    hit, q = closest_point(surface, x, d, reach_m)
    if hit < 0:
        return 0.0, d, x, MISSED, -1
    off, row = difference(x, q), faces[hit]
    e = math.sqrt(off[0] * off[0] + off[1] * off[1] + off[2] * off[2])
    if e < 1e-6:
        return 0.0, (row[0], row[1], row[2]), q, CLOSEST, hit
    return max(e - spot_m, 0.0), (off[0] / e, off[1] / e, off[2] / e), q, CLOSEST, hit


@kernel
def over_edges(
    surface: Surface, R: Array, p: Array, origin: Array, end: Array, spot_rad: Array, out: NDArray[np.bool_]
) -> None:
    """Whether each beam, ``spot_rad`` wide to either side, meets the model and not one surface of it: its corners do not meet the
    plane that its middle meets. Those mix what lies before and behind an edge."""
    boxes, children, faces, _, root = surface
    back = matrix(3, 3)
    for i in range(3):
        for j in range(3):
            back[i, j] = R[j, i]
    for i in range(end.shape[0]):
        o, x = triple(origin[i], 0), triple(end[i], 0)
        way = difference(x, o)
        o_body = mapped(back, (o[0] - p[0], o[1] - p[1], o[2] - p[2]))
        wide = spot_rad[i] * math.sqrt(way[0] * way[0] + way[1] * way[1] + way[2] * way[2])
        d = _unit(mapped(back, way))
        _, hit = nearest_of_body(boxes, children, faces, root, o_body, d, 0.0, np.inf)
        out[i] = False
        if hit < 0 or wide == 0.0:
            continue
        row = faces[hit]
        for corner in range(4):
            side = (wide if corner & 1 else -wide, wide if corner & 2 else -wide)
            d = _unit(mapped(back, (way[0] + side[0], way[1] + side[1], way[2])))
            t, other = nearest_of_body(boxes, children, faces, root, o_body, d, 0.0, np.inf)
            q = (o_body[0] + t * d[0], o_body[1] + t * d[1], o_body[2] + t * d[2])
            if other < 0 or abs(row[0] * q[0] + row[1] * q[1] + row[2] * q[2] + row[3]) > FLAT_M:
                out[i] = True
                break


@kernel
def _unit(v: Triple) -> Triple:
    long = math.sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2])
    return v[0] / long, v[1] / long, v[2] / long
