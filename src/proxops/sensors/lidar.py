"""A scanning LiDAR: a mirror draws lines, one point after the other, while everything moves.

Sensor frame as a camera's: z along the line of sight, x to the right, y down. Of each shot comes back the share reflectance ·
cos / R² of what a white wall at 1 m returns (the beam's spot lies on the surface as a whole: a shot has one range). A white
wall at normal incidence and ``range_m`` returns just what is needed; a shot is lost if it and some noise of the receiver are
less. Points stand where the sensor believes them: along the nominal direction, in its frame at their own time.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.images import PointScan
from proxops.core.imaging_table import LidarSensor
from proxops.maths.rotation import Array
from proxops.optics.exposure import Exposure
from proxops.optics.scene.cast import Hits, cast
from proxops.optics.scene.pose_course import poses_at
from proxops.optics.scene.rays import judge_poses
from proxops.optics.scene.scene import Scene
from proxops.optics.scene.tree import Tree

FLYBACK: Final = 0.2  # of a line's time in which a raster's mirror returns. ASSUMED
RECEIVER_NOISE: Final = 0.1  # of the least signal, one standard deviation: how soft the threshold is. ASSUMED


@dataclass(frozen=True)
class Lidar:
    """``index``: which of the run's imaging sensors. An exposure of it is one scan."""

    spec: LidarSensor
    index: int
    seed: int

    def scan(self, scene: Scene, tree: Tree, exposure: Exposure) -> PointScan:
        """What the exposure gives; the same in any process and any order."""
        if exposure.sensor != self.index:
            raise BadInput("an exposure of another sensor", where=self.spec.name, value=exposure.sensor)
        normal, uniform = self._draws(exposure)
        hits = self._shots(scene, tree, exposure, normal[:2])
        range_m, signal = self._received(hits, normal[2:], uniform)
        seen = np.isfinite(range_m)
        points = range_m[seen, None] * self.directions[seen]
        return PointScan(
            self.spec.name, exposure.number, exposure.t, points.astype(np.float32), signal[seen].astype(np.float32),
            (self.shares[seen] * exposure.duration_s).astype(np.float32),
        )  # fmt: skip

    @cached_property
    def shares(self) -> Array:
        """(n) of the scan's time, when each point is shot."""
        lines, points = self.spec.lines, self.spec.points
        return ((np.arange(lines)[:, None] + self._within_line * np.arange(points) / points) / lines).ravel()

    @property
    def _within_line(self) -> float:
        return 1.0 - FLYBACK if self.spec.pattern == "raster" else 1.0

    @cached_property
    def angles(self) -> Array:
        """(n, 2) rad: right and down. A raster's lines are level; a zigzag's slant, for its slow mirror never rests."""
        lines, points = self.spec.lines, self.spec.points
        across = np.tile((np.arange(points) + 0.5) / points - 0.5, (lines, 1))
        down = np.repeat((np.arange(lines) + 0.5) / lines - 0.5, points)
        if self.spec.pattern == "zigzag":
            across[1::2] = across[1::2, ::-1]
            down = self.shares + 0.5 / (lines * points) - 0.5
        return np.stack([across.ravel(), down], axis=1) * np.radians(self.spec.field_of_view_deg)

    @cached_property
    def directions(self) -> Array:
        """(n, 3), nominal, in the sensor's frame."""
        return directions_of(self.angles)

    def _draws(self, exposure: Exposure) -> tuple[Array, Array]:
        """The same count for every exposure: (4, n) normal, (3, n) uniform."""
        rng, n = exposure.rng(self.seed), len(self.shares)
        return rng.standard_normal((4, n)), rng.random((3, n))

    def _shots(self, scene: Scene, tree: Tree, exposure: Exposure, aim: Array) -> Hits:
        """What the beams truly meet, each at its own time."""
        angles = self.angles + np.radians(self.spec.angle_noise_deg) * aim.T
        judge_poses(exposure.T_scene_sensor[:, None], 1, f"pose of {self.spec.name}")
        moving = len(exposure.T_scene_body) > 1 or len(exposure.T_scene_sensor) > 1
        shares = self.shares if moving else np.zeros(1)
        bodies = poses_at(exposure.T_scene_body, shares)
        sensor = np.broadcast_to(poses_at(exposure.T_scene_sensor[:, None], shares)[:, 0], (len(angles), 7))
        group = np.arange(len(angles)) if moving else np.zeros(len(angles), np.int64)
        return cast(scene, tree, bodies, sensor[:, :3], _turned(sensor[:, 3:], directions_of(angles)), group)

    def _received(self, hits: Hits, normal: Array, uniform: Array) -> tuple[Array, Array]:
        """Measured range (NaN: none) and signal."""
        spec, least = self.spec, 1.0 / self.spec.range_m**2
        with np.errstate(divide="ignore"):  # at no distance at all; below ``least_range_m`` nothing is measured
            signal = np.nan_to_num(hits.infrared * hits.cosine / hits.range_m**2)
        range_m = hits.range_m + spec.noise_m * normal[0]
        lost = (signal + RECEIVER_NOISE * least * normal[1] < least) | (uniform[0] < spec.dropout_share)
        lost |= ~np.isfinite(hits.range_m) | (range_m < spec.least_range_m)
        ghost = uniform[1] < spec.ghost_share
        nowhere = spec.least_range_m + uniform[2] * (spec.range_m - spec.least_range_m)
        return np.where(ghost, nowhere, np.where(lost, np.nan, range_m)), np.where(ghost, least, signal)


def directions_of(angles: Array) -> Array:
    """(n, 3) of angles to the right and down."""
    right, down = angles[:, 0], angles[:, 1]
    return np.stack([np.sin(right) * np.cos(down), np.sin(down), np.cos(right) * np.cos(down)], axis=1)


def _turned(q_a_b: NDArray[np.float64], v_b: Array) -> Array:
    """v_a, row by row, of length one."""
    w, xyz = q_a_b[:, :1], q_a_b[:, 1:]
    twice = 2.0 * np.cross(xyz, v_b)
    v_a = v_b + w * twice + np.cross(xyz, twice)
    unit: Array = v_a / np.linalg.norm(v_a, axis=1, keepdims=True)
    return unit
