"""What a camera or a time-of-flight camera sees of a scene: radiance, or ranges. The same exposure gives the same bits.

Depth by a z-buffer with nine samples in each pixel, shadows by rays. Everything is kept in room of the renderer's own, so one
renderer belongs to one thread.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.lens import Lens
from proxops.maths.rotation import Array
from proxops.optics.exposure import Exposure
from proxops.optics.render.depth import put_ranges
from proxops.optics.render.lighting import lamps_of
from proxops.optics.render.moments import SAMPLES, poses_at, rounds, seen_at, share_of
from proxops.optics.render.rasteriser import Rasteriser
from proxops.optics.render.resolve import Rectangle, View, World, gather, look_for, shade
from proxops.optics.render.sky import add_sky
from proxops.optics.render.surfaces import surfaces_of
from proxops.optics.scene.rays import judge_poses, placed_at
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import Tree

Floats = NDArray[np.float32]
FINE, COARSE = 1, 2  # every how many pixels lights are looked for at first
MANY = 60_000  # pixels, from which on it is the coarse way: then what throws shadows is large in the picture, too


class Renderer:
    """Of one scene through one lens. Where a light would add less than ``faint`` (W/m²/sr) a pixel in a penumbra looks for it
    once: dark walls that fill the picture get grain there, and cost half."""

    def __init__(self, scene: Scene, tree: Tree, lens: Lens, faint: float = 0.0) -> None:
        self._faint = faint
        self.lens = lens
        self._tree, self.surfaces = tree, surfaces_of(scene, tree)
        self._raster = Rasteriser(scene, tree, lens)
        self._x, self._y, self._pixel = self._raster.x, self._raster.y, self._raster.pixel
        self._look = look_for(1, lens.height, lens.width)

    def radiance(self, exposure: Exposure) -> Floats:
        """(height, width) W/m²/sr in the band of ``scene/light.py``."""
        self._judge(exposure)
        lamps = lamps_of(exposure)
        if len(self._look.found) < len(lamps):
            self._look = look_for(len(lamps), self.lens.height, self.lens.width)
        radiance = np.zeros((self.lens.height, self.lens.width), np.float32)
        sky = np.ones_like(radiance)
        count = rounds(exposure, self.lens, self._tree.body_boxes)
        for turn in range(max(count, 1)):
            self._expose(exposure, lamps, turn, count, radiance, sky)
        if exposure.sky is not None:
            add_sky(exposure, exposure.sky, self.lens, self._x, self._y, sky, radiance)
        return radiance

    def depth(self, exposure: Exposure, samples: int = 2) -> tuple[Floats, Floats]:
        """In the middle of the exposure, (height, width, samples²): ranges along the line of sight in metres, inf where nothing
        is; and infrared reflectance times the cosine of incidence."""
        self._judge(exposure)
        buffers = self._raster.room(samples)
        to, back = seen_at(exposure, 0.5)
        shape = (self.lens.height, self.lens.width, samples * samples)
        ranges, signals = np.full(shape, np.inf, np.float32), np.zeros(shape, np.float32)
        self._raster.draw(to, buffers, samples, 0.0, 0.0)
        rows = buffers.rows(samples)
        put_ranges(
            buffers.depths, buffers.ids, rows, samples, self._x, self._y, self._pixel,
            self.surfaces.triangles, self.surfaces.materials, back, ranges, signals,
        )  # fmt: skip
        buffers.clear()
        return ranges, signals

    def nearest(self, exposure: Exposure) -> tuple[NDArray[np.int32], Floats, Rectangle]:
        """In the middle of the exposure: which triangle the middle of each pixel sees (-1: none) and 1 / z of that, of the
        rectangle of pixels beyond which there is nothing."""
        self._judge(exposure)
        buffers = self._raster.room(1)
        self._raster.draw(seen_at(exposure, 0.5)[0], buffers, 1, 0.0, 0.0)
        rows = top, left, bottom, right = buffers.rows(1)
        ids, nearness = buffers.ids[top:bottom, left:right].copy(), buffers.depths[top:bottom, left:right].copy()
        buffers.clear()
        return ids, nearness, rows

    def _judge(self, exposure: Exposure) -> None:
        bodies = len(self._tree.roots)
        judge_poses(exposure.T_scene_body, bodies, "poses of bodies")
        judge_poses(exposure.T_scene_sensor[:, None, :], 1, "poses of the sensor")

    def _expose(self, exposure: Exposure, lamps: Array, turn: int, count: int, radiance: Floats, sky: Floats) -> None:
        """Adds one round of nine samples."""
        buffers = self._raster.room(3)
        T_body_sensor = np.empty((SAMPLES, len(self._tree.roots), 12))
        if count == 0:
            middle, to_back = 0.5, seen_at(exposure, 0.5)
            T_body_sensor[:] = to_back[1]
            self._raster.draw(to_back[0], buffers, 3, 0.0, 0.0)
        else:
            middle = (turn + 0.5) / count
            for s in range(SAMPLES):
                to, T_body_sensor[s] = seen_at(exposure, share_of(turn, s, count))
                self._raster.draw_sample(to, buffers, s)
        rows = buffers.rows(3)
        step = FINE if (rows[2] - rows[0]) * (rows[3] - rows[1]) < MANY else COARSE
        view = View(self._x, self._y, self._pixel, T_body_sensor)
        placed = placed_at(self._tree, poses_at(exposure.T_scene_body, middle))
        world = World(*self.surfaces, self._tree.arrays, placed, lamps)
        gather(buffers.ids, rows, step, view, world, self._look)
        shade(buffers.ids, rows, step, view, world, self._look, 1.0 / max(count, 1), radiance, sky, self._faint)
        buffers.clear()
