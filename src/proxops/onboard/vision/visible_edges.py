"""The model's edges that are in view at a pose, as lines in the picture: what an operator sees drawn over it."""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.core.lens_map import distorted
from proxops.core.vision import Floats
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.expected_picture import ExpectedPicture
from proxops.optics.scene.mesh import Mesh, face_normals

SHARP: Final = math.cos(math.radians(30.0))  # of two faces
PIECES: Final = 4  # of an edge, each of which is seen or not
BEHIND: Final = 0.02  # share of its distance by which a piece may lie behind what is seen there
NEAREST: Final = 0.02  # m before the lens
MOST: Final = 2000


class VisibleEdges:
    """Of one client through one lens. Edges are where faces meet at an angle, materials meet, or a round surface turns away."""

    def __init__(self, lens: Lens, client: Mesh) -> None:
        self._lens = lens
        _, first, place = np.unique(np.round(client.vertices, 6), axis=0, return_index=True, return_inverse=True)
        corners = place.reshape(-1)[client.triangles]
        self._vertices = client.vertices[first]
        self._normals = face_normals(client.vertices, client.triangles)
        sides = np.sort(corners[:, [[0, 1], [1, 2], [2, 0]]].reshape(-1, 2), axis=1)
        face = np.repeat(np.arange(len(corners)), 3)
        self._ends, which = np.unique(sides, axis=0, return_inverse=True)
        which = which.reshape(-1)
        order = np.argsort(which, kind="stable")
        begin = np.searchsorted(which[order], np.arange(len(self._ends)))
        count = np.bincount(which, minlength=len(self._ends))
        self._one = face[order[begin]]
        self._other = face[order[np.minimum(begin + 1, len(order) - 1)]]
        cosine = np.einsum("ij,ij->i", self._normals[self._one], self._normals[self._other])
        seam = client.material[self._one] != client.material[self._other]
        self._always = (count != 2) | (cosine < SHARP) | seam

    def lines(self, T_sensor_target: Floats, expected: ExpectedPicture) -> NDArray[np.float32]:
        """(m, 4) px, u v u v. ``expected``: drawn near that pose, for what hides what."""
        T = pose_from_packed(T_sensor_target)
        seen = self._vertices @ T[:3, :3].T + T[:3, 3]
        a = seen[self._ends[:, 0]]
        normals = self._normals @ T[:3, :3].T
        towards = [np.einsum("ij,ij->i", normals[face], a) < 0.0 for face in (self._one, self._other)]
        drawn = (towards[0] | towards[1]) & (self._always | (towards[0] != towards[1]))
        a, b = a[drawn], seen[self._ends[drawn, 1]]
        before = (a[:, 2] > NEAREST) & (b[:, 2] > NEAREST)
        a, b = a[before], b[before]
        share = np.linspace(0.0, 1.0, PIECES + 1)[:, None, None]
        ends = (1.0 - share) * a + share * b  # (pieces + 1, edges, 3)
        middle = 0.5 * (ends[1:] + ends[:-1])
        kept = self._in_view(middle.reshape(-1, 3), expected)
        pixels = self._pixels(ends.reshape(-1, 3)).reshape(PIECES + 1, -1, 2)
        out = np.concatenate([pixels[:-1], pixels[1:]], axis=2).reshape(-1, 4)[kept]
        return np.ascontiguousarray(out[:MOST], np.float32)

    def _in_view(self, places: Floats, expected: ExpectedPicture) -> NDArray[np.bool_]:
        """Whether nothing that is drawn lies before these; a neighbour of the pixel is asked too, as edges lie at rims."""
        top, left, bottom, right = expected.box
        pixels = np.round(self._pixels(places)).astype(np.int64) - np.array([left, top])
        seen = np.zeros(len(places), bool)
        for di, dj in ((0, 0), (1, 0), (-1, 0), (0, 1), (0, -1)):
            i, j = pixels[:, 0] + di, pixels[:, 1] + dj
            inside = (i >= 0) & (j >= 0) & (i < right - left) & (j < bottom - top)
            near = expected.nearness[np.where(inside, j, 0), np.where(inside, i, 0)] if bottom > top else 0.0
            seen |= inside & (near > 0.0) & (places[:, 2] * near < 1.0 + BEHIND)
        return seen

    def _pixels(self, places: Floats) -> Floats:
        """(n, 2)"""
        z = places[:, 2]
        u, v, _ = distorted(self._lens, places[:, 0] / z, places[:, 1] / z)
        return np.stack([self._lens.fx * u + self._lens.cx, self._lens.fy * v + self._lens.cy], axis=1)
