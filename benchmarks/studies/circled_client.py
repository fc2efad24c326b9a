"""Scans of a client that is circled, drawn by the sensors' own code, and beside each what the craft knows of itself: for
benchmarks and tests of the reconstruction. The client turns at a constant rate about an axis of its own choice; the chaser flies
half circles round it, looks at it and is a little off.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.vision_catalogue import MeshGenerator
from proxops.core.images import CameraImage
from proxops.core.imaging_table import LidarSensor, RenderedSensor
from proxops.maths.pose import compose, inverse_pose, pose, pose_from_packed
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.vision.inspection.look import InspectionLook
from proxops.optics.scene.mesh import Mesh
from proxops.sensors.moment import Moment, OrbitMoment, PictureOrder, fixed_exposure_s
from proxops.sensors.mount import T_craft_sensor
from proxops.sensors.staging import packed

Floats = NDArray[np.float64]
SCANNER: Final = LidarSensor(
    kind="lidar", name="scan", rate_hz=1.0, field_of_view_deg=(14.0, 14.0), lines=100, points=100
)
STAR_TRACKER_RAD: Final = math.radians(0.01)
POINTING_RAD: Final = math.radians(0.3)
MOMENTS: Final = 9  # of an exposure


@dataclass(frozen=True)
class Circling:
    """``turns``: how far the chaser flies round, about the first axis and then about one across it."""

    range_m: float = 12.0
    rate_deg_s: float = 0.3  # of the chaser round the client
    spin_deg_s: tuple[float, float, float] = (0.5, 0.3, -0.4)  # of the client, inertial
    every_s: float = 5.0  # between two looks
    half_circles: int = 2

    @property
    def duration_s(self) -> float:
        return 180.0 * self.half_circles / self.rate_deg_s

    def to_chaser(self, t: float) -> Floats:
        """(3) inertial, of length one: half circles, each across the one before."""
        angle = math.radians(self.rate_deg_s * t)
        c, s = math.cos(angle), math.sin(angle)
        return np.array([c, s, 0.0]) if angle < math.pi else np.array([c, 0.0, -s])

    def R_eci_target(self, t: float) -> Floats:
        first = matrix_from_rotation_vector(np.array([0.3, -0.5, 0.9]))
        return np.asarray(matrix_from_rotation_vector(np.radians(self.spin_deg_s) * t) @ first)


@dataclass(frozen=True, eq=False)
class CircledClient:
    """``truth`` (n, 7): T_sensor_target of each look."""

    looks: tuple[InspectionLook, ...]
    truth: Floats


def circled(client: Mesh, way: Circling, spec: RenderedSensor = SCANNER, seed: int = 1) -> CircledClient:
    generator, rng = MeshGenerator(spec, client, seed=seed), np.random.default_rng((seed, 77))
    looks, truth = [], []
    for number, t in enumerate(np.arange(0.0, way.duration_s, way.every_s)):
        off = POINTING_RAD * rng.standard_normal(3)
        image, T = generator.take(_order(way, spec, number, float(t), off))
        assert not isinstance(image, CameraImage)
        known = matrix_from_rotation_vector(STAR_TRACKER_RAD * rng.standard_normal(3)) @ _R_eci_sensor(
            way, image.t, off
        )
        looks.append(
            InspectionLook(
                image, np.asarray(quat_from_matrix(np.ascontiguousarray(known))), _rate(way, image.t, off), pose_from_packed(T)
            )
        )  # fmt: skip
        truth.append(T)
    return CircledClient(tuple(looks), np.array(truth))


def _order(way: Circling, spec: RenderedSensor, number: int, t: float, off: Floats) -> PictureOrder:
    long = fixed_exposure_s(spec)
    times = np.linspace(t, t + long, MOMENTS)
    moments = tuple(Moment(float(now), _moment(way, spec, float(now), off), None) for now in times)
    return PictureOrder(0, number, t, long, 0.0, moments)


def _moment(way: Circling, spec: RenderedSensor, t: float, off: Floats) -> OrbitMoment:
    R_eci_target = way.R_eci_target(t)
    T_eci_target = pose(np.ascontiguousarray(R_eci_target), np.zeros(3))
    T_eci_sensor = pose(np.ascontiguousarray(_R_eci_sensor(way, t, off)), way.range_m * way.to_chaser(t))
    T_eci_chaser = compose(T_eci_sensor, inverse_pose(T_craft_sensor(spec)))
    T_target_chaser = compose(inverse_pose(T_eci_target), T_eci_chaser)
    return OrbitMoment(
        packed(T_target_chaser), quat_from_matrix(R_eci_target), np.array([7e6, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 1.0, 0.0
    )  # fmt: skip


def _R_eci_sensor(way: Circling, t: float, off: Floats) -> Floats:
    """Looking at the client's origin, ``off`` (rad)."""
    z = -way.to_chaser(t)
    x = np.cross(z, [0.2, 0.3, 0.93])
    x /= np.linalg.norm(x)
    return np.asarray(np.stack([x, np.cross(z, x), z], axis=1) @ matrix_from_rotation_vector(off))


def _rate(way: Circling, t: float, off: Floats) -> Floats:
    """(3) rad/s of the sensor, in its own axes: what a gyro says."""
    step, turn = 0.01, np.empty(3)
    R = np.ascontiguousarray(_R_eci_sensor(way, t, off).T @ _R_eci_sensor(way, t + step, off))
    rotation_vector(quat_from_matrix(R), turn)
    return turn / step
