"""Which triangle each sample of a picture sees, at one moment."""

from __future__ import annotations

import numpy as np

from proxops.core.lens import Lens
from proxops.maths.rotation import Array
from proxops.optics.render.buffers import Buffers
from proxops.optics.render.distortion import lines_of_sight
from proxops.optics.render.geometry import draw
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import Tree


class Rasteriser:
    """Of one scene through one lens; with room of its own for samples."""

    def __init__(self, scene: Scene, tree: Tree, lens: Lens) -> None:
        self._lens, self._boxes = lens, tree.body_boxes
        self._mesh = (scene.vertices, scene.triangles, scene.first_vertex, scene.first_triangle)
        self.x, self.y = lines_of_sight(lens)
        self.pixel = 2.0 / (lens.fx + lens.fy)  # width of one on the plane z = 1
        margin = 2.0 * self.pixel
        self._limits = np.array([self.x.min(), self.y.min(), self.x.max(), self.y.max()])
        self._limits += [-margin, -margin, margin, margin]
        self._k, self._corners = np.array(lens.distortion), np.empty((len(scene.vertices), 6))
        self._buffers: dict[int, Buffers] = {}

    def room(self, samples: int) -> Buffers:
        """For ``samples``² in each pixel."""
        if samples not in self._buffers:
            self._buffers[samples] = Buffers(self._lens.height * samples, self._lens.width * samples)
        return self._buffers[samples]

    def draw_sample(self, T_sensor_body: Array, buffers: Buffers, s: int) -> None:
        """Only the sample ``s`` of nine of each pixel."""
        single = self.room(1)
        self.draw(T_sensor_body, single, 1, (s % 3 - 1) / 3.0, (s // 3 - 1) / 3.0)
        buffers.take(single, s)
        single.clear()

    def draw(self, T_sensor_body: Array, buffers: Buffers, samples: int, right: float, down: float) -> None:
        """With ``samples``² in each pixel; ``right``, ``down``: by how many pixels a single one is off the middle."""
        lens, half = self._lens, 0.5 * (samples - 1)
        grid = np.array([
            samples * lens.fx, samples * (lens.cx - right) + half,
            samples * lens.fy, samples * (lens.cy - down) + half,
            lens.fx, lens.fy,
        ])  # fmt: skip
        draw(
            self._mesh, T_sensor_body, self._boxes, grid, self._k, self._limits, lens.ideal,
            self._corners, buffers.depths, buffers.ids, buffers.extent,
        )  # fmt: skip
