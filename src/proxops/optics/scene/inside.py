"""Whether a place lies inside a body: how often its surface goes round it, by the solid angles of all triangles.

Van Oosterom and Strackee, IEEE Trans. Biomed. Eng. 30 (1983): of a triangle with corners a, b, c as seen from the place,
tan(Ω / 2) = a · (b × c) / (|a||b||c| + (a·b)|c| + (b·c)|a| + (c·a)|b|). A closed surface gives 1 inside and 0 outside; one with
holes something between, so that a hole changes little.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.optics.scene.scene import Scene


def turns_round(scene: Scene, body: int, p_body: NDArray[np.float64]) -> float:
    """How often the surface of ``body`` goes round the place, in the body's frame."""
    first, last = scene.first_triangle[body], scene.first_triangle[body + 1]
    a, b, c = (scene.vertices[scene.triangles[first:last, k]] - p_body for k in range(3))
    la, lb, lc = (np.linalg.norm(v, axis=1) for v in (a, b, c))
    volume = np.einsum("ij,ij->i", a, np.cross(b, c))
    ab, bc, ca = (np.einsum("ij,ij->i", v, w) for v, w in ((a, b), (b, c), (c, a)))
    return float(np.sum(np.arctan2(volume, la * lb * lc + ab * lc + bc * la + ca * lb))) / (2.0 * math.pi)
