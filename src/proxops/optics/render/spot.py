"""Where on its triangle a fragment lies: place, normals, and the way to the eye; a row of numbers for each."""

from __future__ import annotations

from typing import Final

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Triple, triple
from proxops.optics.render.fill import Ids
from proxops.optics.render.fragments import COLUMN, SAMPLE, TRIANGLE, offset
from proxops.optics.render.reflection import CRINKLE, EXPONENT, crinkled, unit
from proxops.optics.render.surfaces import BODY, CORNERS, MATERIAL, NORMALS, ROUND

PLACE, FLAT, EYE, IN_BODY, NORMAL, DEPTH, SIDE, LOBE, VALUE, TOTAL = 0, 3, 6, 9, 12, 15, 16, 17, 18, 19
"""Place, normal towards the eye (of the triangle, or smooth), direction of the eye (all in the scene); place in the body;
normal (scene); z in the sensor's frame; 1 if the eye is on the outer side, else -1; exponent of the lobe;
radiance by one light; by all."""
WIDTH: Final = 20


@kernel
def put_spots(
    fragments: Ids, count: int, x: Array, y: Array, pixel: float, T_body_sensor: Array, triangles: Array, placed: Array,
    spots: Array,
) -> None:  # fmt: skip
    """``x``, ``y``: lines of sight of the row's pixels; ``T_body_sensor`` (9, B, 12) at the moment of each sample."""
    for f in range(count):
        i, t, s = fragments[f, COLUMN], fragments[f, TRIANGLE], fragments[f, SAMPLE]
        right, down = offset(s)
        T = T_body_sensor[s, int(triangles[t, BODY])]
        put_spot(triangles[t], T, placed[int(triangles[t, BODY])], x[i] + pixel * right, y[i] + pixel * down, spots[f])


@kernel
def put_spot(face: Array, T: Array, row: Array, x: float, y: float, spot: Array) -> None:
    """On the line of sight (x, y, 1); all but normal and lobe. ``T`` (12) of the body at that moment, ``row`` of ``placed``."""
    dx = T[0] * x + T[1] * y + T[2]
    dy = T[3] * x + T[4] * y + T[5]
    dz = T[6] * x + T[7] * y + T[8]
    above = face[0] * T[9] + face[1] * T[10] + face[2] * T[11] + face[3]
    slope = face[0] * dx + face[1] * dy + face[2] * dz
    z = -above / slope if slope != 0.0 else 0.0
    side = 1.0 if above >= 0.0 else -1.0
    p = (T[9] + z * dx, T[10] + z * dy, T[11] + z * dz)
    spot[IN_BODY], spot[IN_BODY + 1], spot[IN_BODY + 2] = p
    n = (side * face[0], side * face[1], side * face[2])
    spot[DEPTH], spot[SIDE] = z, side
    if face[ROUND] > 0.0:
        n = _smooth(face, spot)
        p = _lifted(face, p, side)
    q = in_scene(row, p)
    spot[PLACE], spot[PLACE + 1], spot[PLACE + 2] = q[0] + row[9], q[1] + row[10], q[2] + row[11]
    spot[EYE], spot[EYE + 1], spot[EYE + 2] = unit(in_scene(row, (-dx, -dy, -dz)))
    spot[FLAT], spot[FLAT + 1], spot[FLAT + 2] = in_scene(row, n)


@kernel
def put_normals(
    fragments: Ids, count: int, pixel: float, triangles: Array, materials: Array, placed: Array, spots: Array
) -> None:
    """Normals between those of the corners, with crinkles; and the exponents of the lobes."""
    for f in range(count):
        spot, face = spots[f], triangles[fragments[f, TRIANGLE]]
        material = materials[int(face[MATERIAL])]
        spot[LOBE] = material[EXPONENT]
        for c in range(3):
            spot[NORMAL + c] = spot[FLAT + c]
        if face[ROUND] == 0.0 and material[CRINKLE] == 0.0:
            continue
        side = spot[SIDE]
        n = _smooth(face, spot) if face[ROUND] > 0.0 else (side * face[0], side * face[1], side * face[2])
        n, spot[LOBE] = crinkled(material, triple(spot, IN_BODY), n, pixel * spot[DEPTH])
        spot[NORMAL], spot[NORMAL + 1], spot[NORMAL + 2] = in_scene(placed[int(face[BODY])], n)


@kernel
def in_scene(row: Array, v: Triple) -> Triple:
    """A direction of a body in the scene, of its row of ``placed``."""
    return (
        row[0] * v[0] + row[3] * v[1] + row[6] * v[2],
        row[1] * v[0] + row[4] * v[1] + row[7] * v[2],
        row[2] * v[0] + row[5] * v[1] + row[8] * v[2],
    )


@kernel
def _shares(face: Array, p: Triple) -> tuple[float, float]:
    """Of the second and third corner in a place on the triangle; that of the first is the rest."""
    b = min(max(face[4] * p[0] + face[5] * p[1] + face[6] * p[2] + face[7], 0.0), 1.0)
    c = min(max(face[8] * p[0] + face[9] * p[1] + face[10] * p[2] + face[11], 0.0), 1.0)
    return b, c


@kernel
def _lifted(face: Array, p: Triple, side: float) -> Triple:
    """From the flat triangle onto the round surface that it stands for, so that facets neither shade each other at the terminator
    nor end in the dark by themselves (Hanika 2021, "Hacking the shadow terminator")."""
    b, c = _shares(face, p)
    if side < 0.0:
        return p
    x, y, z = p
    for corner in range(3):
        n, at = NORMALS + 3 * corner, CORNERS + 3 * corner
        below = (p[0] - face[at]) * face[n] + (p[1] - face[at + 1]) * face[n + 1] + (p[2] - face[at + 2]) * face[n + 2]
        share = b if corner == 1 else (c if corner == 2 else 1.0 - b - c)
        lift = -share * min(below, 0.0)
        x, y, z = x + lift * face[n], y + lift * face[n + 1], z + lift * face[n + 2]
    return x, y, z


@kernel
def _smooth(face: Array, spot: Array) -> Triple:
    """Between those of the triangle's corners, on the side of the eye; in the body."""
    p, side = triple(spot, IN_BODY), spot[SIDE]
    b, c = _shares(face, p)
    a = side * (1.0 - b - c)
    b, c, n = side * b, side * c, NORMALS
    return unit(
        (
            a * face[n] + b * face[n + 3] + c * face[n + 6],
            a * face[n + 1] + b * face[n + 4] + c * face[n + 7],
            a * face[n + 2] + b * face[n + 5] + c * face[n + 8],
        )
    )
