"""Exposures in orbit: two craft before stars and Earth, in the light of the Sun. The frame of the scene has inertial axes and the
origin of the target's frame as its own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from proxops.core.earth import EQUATOR_M
from proxops.core.imaging_table import RenderedSensor
from proxops.core.mounted_table import Mounted
from proxops.core.scenery_table import Scenery
from proxops.lab.cell import Cell
from proxops.optics.exposure import Exposure, Sky
from proxops.optics.scene.hall_mockups import mockup_mesh
from proxops.optics.scene.mesh import Mesh, joined
from proxops.optics.scene.orbit_lights import orbit_lights
from proxops.optics.scene.orbit_surroundings import (
    CHASER,
    CLIENT,
    CLIENT_FULL,
    SERVICER,
    TARGET,
    craft_mesh,
    orbit_poses,
    orbit_scene,
    shipped_craft,
)
from proxops.sensors.moment import Floats, OrbitMoment, PictureOrder
from proxops.sensors.staging import (
    as_it_is,
    in_the_middle,
    judge_place,
    lamp_on_chaser,
    markers_on,
    staged,
    true_pose,
    unpacked,
)

HERE = np.eye(4)
SHIPPED = (CLIENT, CLIENT_FULL)


class OrbitStaging:
    """``cell``: of the hall, if there is one: its mock-ups are the craft unless the scenery names a file. ``seed``: of what the
    client's model does not have."""

    faint = 0.0

    def __init__(self, scenery: Scenery, cell: Cell | None, sensors: Sequence[RenderedSensor], seed: int = 0) -> None:
        servicer = mockup_mesh(cell, 0).mesh if cell else shipped_craft(SERVICER)
        client = as_it_is(orbit_client(scenery, cell), scenery, seed)
        self.scene = orbit_scene(
            joined([client, *markers_on("target", sensors)]), joined([servicer, *markers_on("chaser", sensors)])
        )
        self._lamp = scenery.illuminator
        for spec in sensors:
            judge_place(self.scene, _body_of(spec), HERE, spec)

    def exposure(self, order: PictureOrder, spec: RenderedSensor) -> Exposure:
        seen = [moment.orbit for moment in order.moments if moment.orbit is not None]
        poses = np.array([orbit_poses(one.q_eci_target, np.zeros(3), one.T_target_chaser) for one in seen])
        now = seen[len(seen) // 2]
        sky = sky_of(now)
        lights = orbit_lights(sky.to_sun, sky.sunlit, sky.to_earth, sky.earth_radius_rad)
        lights += lamp_on_chaser(self._lamp, unpacked(in_the_middle(order, poses)[CHASER]))
        return staged(order, poses, HERE, _body_of(spec), spec, lights, sky)

    def truth(self, exposure: Exposure, share: float = 0.5) -> Floats:
        """T_sensor_target (7) when this share of the exposure has passed."""
        return true_pose(exposure, TARGET, HERE, share)


def sky_of(moment: OrbitMoment) -> Sky:
    """Sun and Earth as they stand about the target."""
    r = float(np.linalg.norm(moment.p_eci_target))
    down, sun, half = -moment.p_eci_target / r, moment.to_sun, 0.5 * moment.earth_turn
    return Sky(
        (sun[0], sun[1], sun[2]), (down[0], down[1], down[2]), math.asin(min(1.0, EQUATOR_M / r)), r,
        (math.cos(half), 0.0, 0.0, math.sin(half)), moment.sunlit,
    )  # fmt: skip


def _body_of(spec: Mounted) -> int:
    return CHASER if spec.on == "chaser" else TARGET


def orbit_client(scenery: Scenery, cell: Cell | None) -> Mesh:
    """In the target's frame. ``cell``: of the hall, if there is one."""
    if scenery.client in SHIPPED:
        return shipped_craft(scenery.client, scenery.client_scale)
    if scenery.client:
        return craft_mesh(Path(scenery.client), scenery.client_scale).mesh
    return mockup_mesh(cell, 1).mesh if cell else shipped_craft(CLIENT, scenery.client_scale)
