"""What every surrounding does with an order: poses at the times of the exposure, the sensor's own, the lamp on the chaser."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.imaging_table import FiducialSensor, RenderedSensor
from proxops.core.mounted_table import Mounted
from proxops.core.scenery_table import Illuminator, Scenery
from proxops.maths.pose import compose, inverse_pose, pack_pose, pose_from_packed
from proxops.optics.exposure import Exposure, Sky
from proxops.optics.scene.inside import turns_round
from proxops.optics.scene.light import Light, NearLight
from proxops.optics.scene.marker_mesh import marker_mesh
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.model_error import altered
from proxops.optics.scene.scene import Scene
from proxops.sensors.moment import Floats, PictureOrder, resampled
from proxops.sensors.mount import T_craft_sensor

LAMP_RADIUS_M = 0.03  # of the shipped servicer's lamp
MODEL_ERROR = 20  # stream of random numbers


def staged(
    order: PictureOrder, T_scene_body: Floats, T_body_craft: Floats, body: int, spec: Mounted, lights: tuple[Light, ...],
    sky: Sky | None,
) -> Exposure:  # fmt: skip
    """``T_scene_body`` (k, bodies, 7) at the order's moments; the sensor is fitted to the craft whose frame is ``T_body_craft``
    (4, 4) on ``body``."""
    times = order.times
    poses = resampled(np.array([moment.t for moment in order.moments]), T_scene_body, times)
    T_body_sensor = compose(T_body_craft, T_craft_sensor(spec))
    sensor = np.array([packed(compose(unpacked(row[body]), T_body_sensor)) for row in poses])
    return Exposure(order.sensor, order.number, order.t, order.duration_s, order.gain_db, poses, sensor, lights, sky)


def in_the_middle(order: PictureOrder, T_scene_body: Floats) -> Floats:
    """(bodies, 7) in the middle of the exposure, of poses (k, bodies, 7) at the order's moments."""
    times = np.array([moment.t for moment in order.moments])
    return np.asarray(resampled(times, T_scene_body, np.array([order.t + 0.5 * order.duration_s]))[0])


def judge_place(scene: Scene, body: int, T_body_craft: Floats, spec: Mounted) -> None:
    """A sensor inside a body sees nothing but that body from within."""
    p_body = (T_body_craft @ np.array([*spec.place_m, 1.0]))[:3]
    if turns_round(scene, body, p_body) > 0.5:
        raise BadInput(
            f"sensor {spec.name} is inside the {spec.on}", where="place_m", value=list(spec.place_m),
            bound="outside of what is drawn", way_out="before the lens: the shipped servicer's is at (-0.333, 0, -0.25)",
        )  # fmt: skip


def true_pose(exposure: Exposure, body: int, T_body_craft: Floats, share: float) -> Floats:
    """T_sensor_craft (7), packed, when this share of the exposure has passed."""
    ends, at = np.linspace(0.0, 1.0, len(exposure.T_scene_body)), np.array([share])
    T_scene_body = unpacked(resampled(ends, exposure.T_scene_body, at)[0, body])
    T_scene_sensor = unpacked(resampled(ends, exposure.T_scene_sensor[:, None], at)[0, 0])
    return packed(compose(inverse_pose(T_scene_sensor), compose(T_scene_body, T_body_craft)))


def lamp_on_chaser(lamp: Illuminator, T_scene_chaser: Floats) -> tuple[Light, ...]:
    """Along -x of the chaser; none if it has no light. (4, 4)."""
    if lamp.intensity_w_sr <= 0.0:
        return ()
    R, p = T_scene_chaser[:3, :3], T_scene_chaser[:3, 3]
    place, direction = p + R @ np.array(lamp.place_m), -R[:, 0]
    return (
        NearLight(
            (place[0], place[1], place[2]), (direction[0], direction[1], direction[2]), lamp.intensity_w_sr,
            math.radians(lamp.half_angle_deg), LAMP_RADIUS_M,
        ),
    )  # fmt: skip


def as_it_is(client: Mesh, scenery: Scenery, seed: int) -> Mesh:
    """The client, with what its model does not have: the same in hall and orbit."""
    error = scenery.model_error
    if error.albedo == 1.0 and error.part_m == 0.0:
        return client
    return altered(client, np.random.default_rng([seed, MODEL_ERROR]), error.albedo, error.part_m)


def markers_on(craft: str, sensors: Sequence[RenderedSensor]) -> list[Mesh]:
    """Of the fiducial sensors on the other craft, in the frame of this one."""
    return [
        marker_mesh(one.marker).moved(one.T_craft_marker)
        for one in sensors
        if isinstance(one, FiducialSensor) and one.on != craft
    ]


def packed(T: Floats) -> Floats:
    """Of a pose (4, 4)."""
    out = np.empty(7)
    pack_pose(np.ascontiguousarray(T), out)
    return out


def unpacked(pose: Floats) -> Floats:
    return np.asarray(pose_from_packed(np.ascontiguousarray(pose)))
