"""Pictures to order: the surroundings that sensors look at, and for each sensor what draws and what develops its picture.

Nothing is kept from one order to the next: the same order gives the same image, in any process.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from proxops.core.images import Image
from proxops.core.imaging_table import GreyCamera, LidarSensor, RenderedSensor, TofSensor
from proxops.core.scenery_table import Scenery
from proxops.lab.cell import Cell
from proxops.optics.exposure import Exposure
from proxops.optics.render.renderer import Renderer
from proxops.optics.scene.tree import Tree, tree_of
from proxops.sensors.camera.camera import Camera
from proxops.sensors.hall_staging import HallStaging
from proxops.sensors.lidar import Lidar
from proxops.sensors.moment import Floats, HallMoment, Moment, OrbitMoment, PictureOrder, fixed_exposure_s
from proxops.sensors.orbit_staging import OrbitStaging
from proxops.sensors.tof import TimeOfFlightCamera

Staging = HallStaging | OrbitStaging
SAMPLES: Final = 2  # per pixel and direction, of a time-of-flight camera
AHEAD: Final = np.array([5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
SCRATCH: Final = Moment(
    0.0,
    OrbitMoment(AHEAD, AHEAD[3:], np.array([7e6, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 1.0, 0.0),
    HallMoment(AHEAD, np.zeros(13)),
)
"""Something to look at."""


class ImageGenerator:
    """``sees_hall``: of each sensor; ``exchanged``: the chaser is on robot 2."""

    def __init__(
        self, sensors: tuple[RenderedSensor, ...], sees_hall: tuple[bool, ...], scenery: Scenery, seed: int, cell: Cell | None,
        exchanged: bool = False,
    ) -> None:  # fmt: skip
        hall = HallStaging(cell, scenery, exchanged, sensors) if cell and any(sees_hall) else None
        orbit = OrbitStaging(scenery, cell, sensors) if not all(sees_hall) else None
        stagings = [hall if looks else orbit for looks in sees_hall]
        self._stagings = tuple(staging for staging in stagings if staging is not None)
        self._specs, self._seed = sensors, seed
        trees = {id(staging): tree_of(staging.scene) for staging in self._stagings}
        self._painters = tuple(
            painter(spec, index, seed, staging, trees[id(staging)])
            for index, (spec, staging) in enumerate(zip(sensors, self._stagings, strict=True))
        )

    def take(self, order: PictureOrder) -> tuple[Image, Floats]:
        """The image, and T_sensor_target (7) at its time: in the middle of the exposure, at the first point of a scan."""
        staging, spec = self._stagings[order.sensor], self._specs[order.sensor]
        exposure = staging.exposure(order, spec)
        share = 0.0 if isinstance(spec, LidarSensor) else 0.5
        return self._painters[order.sensor](exposure), staging.truth(exposure, share)

    def warm_up(self) -> None:
        """Load or compile all kernels now, by pictures that nobody sees."""
        for index, (spec, staging) in enumerate(zip(self._specs, self._stagings, strict=True)):
            order = PictureOrder(index, 0, 0.0, fixed_exposure_s(spec) or 1e-3, 0.0, (SCRATCH, replace(SCRATCH, t=2.0)))
            self._painters[index](staging.exposure(order, spec))


def painter(spec: RenderedSensor, index: int, seed: int, staging: Staging, tree: Tree) -> Callable[[Exposure], Image]:
    """Of one sensor: an exposure in, its image out."""
    if isinstance(spec, GreyCamera):
        camera, renderer = Camera(spec, index, seed), Renderer(staging.scene, tree, spec.lens, staging.faint)
        return lambda exposure: camera.develop(renderer.radiance(exposure), exposure)
    if isinstance(spec, TofSensor):
        tof, renderer = TimeOfFlightCamera(spec, index, seed), Renderer(staging.scene, tree, spec.lens, staging.faint)
        return lambda exposure: tof.develop(*renderer.depth(exposure, SAMPLES), exposure)
    assert isinstance(spec, LidarSensor)
    lidar = Lidar(spec, index, seed)
    return lambda exposure: lidar.scan(staging.scene, tree, exposure)
