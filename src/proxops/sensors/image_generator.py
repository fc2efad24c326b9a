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
from proxops.core.lens import Lens
from proxops.core.scenery_table import ORBIT_SUFFIX, Scenery
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
LENS_ERROR: Final = 21  # stream of random numbers
SAMPLES: Final = 2  # per pixel and direction, of a time-of-flight camera
AHEAD: Final = np.array([5.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
SCRATCH: Final = Moment(
    0.0,
    OrbitMoment(AHEAD, AHEAD[3:], np.array([7e6, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 1.0, 0.0),
    HallMoment(AHEAD, np.zeros(13)),
)
"""Something to look at."""


class Studio:
    """Of one sensor: what it looks at, and who paints that."""

    def __init__(self, spec: RenderedSensor, index: int, seed: int, staging: Staging, tree: Tree) -> None:
        self._spec, self._index, self._staging = spec, index, staging
        self._paint = painter(spec, index, seed, staging, tree)

    def take(self, order: PictureOrder) -> tuple[Image, Floats]:
        exposure = self._staging.exposure(order, self._spec)
        share = 0.0 if isinstance(self._spec, LidarSensor) else 0.5
        return self._paint(exposure), self._staging.truth(exposure, share)

    def warm_up(self) -> None:
        exposure_s = fixed_exposure_s(self._spec) or 1e-3
        self.take(PictureOrder(self._index, 0, 0.0, exposure_s, 0.0, (SCRATCH, replace(SCRATCH, t=2.0))))


class ImageGenerator:
    """``sees_hall``: of each sensor; ``exchanged``: the chaser is on robot 2. ``handed_over``: sensors that see the hall see the
    orbit as long as the moments that they are shown have no hall."""

    def __init__(
        self, sensors: tuple[RenderedSensor, ...], sees_hall: tuple[bool, ...], scenery: Scenery, seed: int, cell: Cell | None,
        exchanged: bool = False, handed_over: bool = False,
    ) -> None:  # fmt: skip
        hall = HallStaging(cell, scenery, exchanged, sensors, seed) if cell and any(sees_hall) else None
        orbit = OrbitStaging(scenery, cell, sensors, seed) if handed_over or not all(sees_hall) else None
        trees = {id(staging): tree_of(staging.scene) for staging in (hall, orbit) if staging is not None}

        def studios(staging: Staging | None, wanted: Callable[[bool], bool]) -> dict[int, Studio]:
            if staging is None:
                return {}
            return {
                index: Studio(spec, index, seed, staging, trees[id(staging)])
                for index, (spec, looks) in enumerate(zip(sensors, sees_hall, strict=True))
                if wanted(looks)
            }

        self._hall = studios(hall, lambda looks: looks)
        self._orbit = studios(orbit, lambda looks: handed_over or not looks)

    def take(self, order: PictureOrder) -> tuple[Image, Floats]:
        """The image, and T_sensor_target (7) at its time: in the middle of the exposure, at the first point of a scan."""
        begun_in_hall = order.moments[0].hall is not None or order.sensor not in self._orbit
        studio = self._hall.get(order.sensor) if begun_in_hall else None
        return (studio or self._orbit[order.sensor]).take(order)

    def warm_up(self) -> None:
        """Load or compile all kernels now, by pictures that nobody sees."""
        for studio in (*self._hall.values(), *self._orbit.values()):
            studio.warm_up()


def painter(spec: RenderedSensor, index: int, seed: int, staging: Staging, tree: Tree) -> Callable[[Exposure], Image]:
    """Of one sensor: an exposure in, its image out."""
    if isinstance(spec, GreyCamera):
        lens = true_lens(spec, seed)
        camera, renderer = Camera(spec, index, seed), Renderer(staging.scene, tree, lens, staging.faint)
        return lambda exposure: camera.develop(renderer.radiance(exposure), exposure)
    if isinstance(spec, TofSensor):
        tof, renderer = TimeOfFlightCamera(spec, index, seed), Renderer(staging.scene, tree, spec.lens, staging.faint)
        return lambda exposure: tof.develop(*renderer.depth(exposure, SAMPLES), exposure)
    assert isinstance(spec, LidarSensor)
    lidar = Lidar(spec, index, seed)
    return lambda exposure: lidar.scan(staging.scene, tree, exposure)


def true_lens(spec: GreyCamera, seed: int) -> Lens:
    """The one that draws: its focal length is not quite what calibration has told. One camera has one, in hall and orbit."""
    name = spec.name.removesuffix(ORBIT_SUFFIX).encode()
    off = spec.focal_error_share * float(np.random.default_rng([seed, LENS_ERROR, *name]).standard_normal())
    return replace(spec.lens, fx=(1.0 + off) * spec.lens.fx, fy=(1.0 + off) * spec.lens.fy)
