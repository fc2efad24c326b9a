"""Sketches of the client: what a net of rays meets of it from one side, and how bright that is in its light.

A sketch has axes of its own: right, down, ahead, with the client's centre as origin. The net lies across the line of sight
through the centre; its rays come from an eye ``away`` metres before it.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Triple
from proxops.onboard.vision.picture_search.known_shape import ShapeArrays
from proxops.optics.render.reflection import ALBEDO, EXPONENT, dot, reflected, unit
from proxops.optics.scene.descent import any_of_body, nearest_of_body

Floats32 = NDArray[np.float32]
Numbers = NDArray[np.int32]
LIFT = 1e-4  # m above its face, from where a ray to the light starts


@kernel
def put_met(
    shape: ShapeArrays, centre: Array, basis: Array, pitch: float, away: float, faces: Numbers, spots: Floats32
) -> None:  # fmt: skip
    """``basis`` (3, 3): columns right, down, ahead in the target's frame. ``faces`` (n, n): which is met, -1: none; ``spots``
    (n, n, 6): place and normal towards the eye, in the sketch's axes."""
    n = faces.shape[0]
    eye = (
        centre[0] - away * basis[0, 2], centre[1] - away * basis[1, 2], centre[2] - away * basis[2, 2]
    )  # fmt: skip
    for j in range(n):
        for i in range(n):
            x, y = pitch * (i - 0.5 * (n - 1)), pitch * (j - 0.5 * (n - 1))
            d = unit(_turned(basis, x, y, away))
            t, face = nearest_of_body(shape.boxes, shape.children, shape.faces, shape.root, eye, d, 0.0, np.inf)
            faces[j, i] = face
            if face < 0:
                continue
            row = shape.faces[face]
            p = (eye[0] + t * d[0] - centre[0], eye[1] + t * d[1] - centre[1], eye[2] + t * d[2] - centre[2])
            sign = -1.0 if row[0] * d[0] + row[1] * d[1] + row[2] * d[2] > 0.0 else 1.0
            spots[j, i, 0], spots[j, i, 1], spots[j, i, 2] = _turned_back(basis, p[0], p[1], p[2])
            a, b, c = _turned_back(basis, row[0], row[1], row[2])
            spots[j, i, 3], spots[j, i, 4], spots[j, i, 5] = sign * a, sign * b, sign * c


@kernel
def put_bright(
    shape: ShapeArrays, centre: Array, basis: Array, away: float, faces: Numbers, spots: Floats32, lamps: Array,
    level: Floats32,
) -> None:  # fmt: skip
    """``lamps`` (m, 5): direction in the sketch's axes, irradiance, 1 if it comes from a half space. ``level``: radiance."""
    for j in range(faces.shape[0]):
        for i in range(faces.shape[1]):
            face = faces[j, i]
            level[j, i] = 0.0
            if face < 0:
                continue
            spot = spots[j, i]
            p, n = (float(spot[0]), float(spot[1]), float(spot[2])), (float(spot[3]), float(spot[4]), float(spot[5]))
            material = shape.materials[int(shape.surface[face, 0])]
            eye = unit((-p[0], -p[1], -away - p[2]))
            total = 0.0
            for k in range(lamps.shape[0]):
                lamp = lamps[k]
                light = (lamp[0], lamp[1], lamp[2])
                if lamp[4] > 0.0:
                    total += 0.5 * lamp[3] * (1.0 + dot(light, n)) * material[ALBEDO] / np.pi
                    continue
                value = lamp[3] * reflected(material, material[EXPONENT], n, eye, light)
                if value > 0.0 and (shape.surface[face, 1] > 0.0 or not _shaded(shape, centre, basis, p, n, light)):
                    total += value
            level[j, i] = total


@kernel
def _shaded(shape: ShapeArrays, centre: Array, basis: Array, p: Triple, n: Triple, light: Triple) -> bool:
    q = _turned(basis, p[0] + LIFT * n[0], p[1] + LIFT * n[1], p[2] + LIFT * n[2])
    o = (q[0] + centre[0], q[1] + centre[1], q[2] + centre[2])
    d = _turned(basis, light[0], light[1], light[2])
    return any_of_body(shape.boxes, shape.children, shape.faces, shape.root, o, d, LIFT, np.inf)


@kernel
def _turned(R: Array, x: float, y: float, z: float) -> Triple:
    return (
        R[0, 0] * x + R[0, 1] * y + R[0, 2] * z,
        R[1, 0] * x + R[1, 1] * y + R[1, 2] * z,
        R[2, 0] * x + R[2, 1] * y + R[2, 2] * z,
    )


@kernel
def _turned_back(R: Array, x: float, y: float, z: float) -> Triple:
    return (
        R[0, 0] * x + R[1, 0] * y + R[2, 0] * z,
        R[0, 1] * x + R[1, 1] * y + R[2, 1] * z,
        R[0, 2] * x + R[1, 2] * y + R[2, 2] * z,
    )
