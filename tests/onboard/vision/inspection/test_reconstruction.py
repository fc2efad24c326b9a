"""An unknown client's shape and spin out of scans that the sensors' own code draws: some looks at a client that turns."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from benchmarks.studies.circled_client import CircledClient, Circling, circled

from proxops.applications.mission.inspection.shape_difference import shape_difference
from proxops.core.errors import BadInput
from proxops.core.imaging_table import LidarSensor
from proxops.onboard.vision.inspection.fusion import Fineness
from proxops.onboard.vision.inspection.model_file import write_obj
from proxops.onboard.vision.inspection.reconstruction import Reconstruction, reconstructed
from proxops.optics.scene.orbit_surroundings import CLIENT, craft_mesh, shipped_craft

SCANNER = LidarSensor(kind="lidar", name="scan", rate_hz=4.0, field_of_view_deg=(12.0, 12.0), lines=90, points=90)
WAY = Circling(range_m=9.0, rate_deg_s=2.5, spin_deg_s=(1.5, -1.0, 2.0), every_s=3.6)
COARSE = Fineness(radius_m=0.05, voxel_m=0.02, triangles=3000)


@cache
def seen() -> CircledClient:
    return circled(shipped_craft(CLIENT), WAY, SCANNER)


@cache
def found() -> Reconstruction:
    return reconstructed(SCANNER, seen().looks, COARSE)


def test_the_surface_is_the_clients() -> None:
    difference = shape_difference(found().surface, shipped_craft(CLIENT), per_m2=2_000.0)
    assert found().lost == 0
    assert difference.median_m < 0.006
    assert difference.p95_m < 0.03
    assert difference.complete > 0.7
    assert difference.frame_m < 0.006
    assert difference.frame_deg < 0.5


def test_the_spin_is_the_clients() -> None:
    off = np.degrees(found().spin.w_eci) - np.array(WAY.spin_deg_s)
    assert np.linalg.norm(off) < 0.02
    assert found().spin.left_rad < math.radians(1.5)


def test_without_a_name_the_frame_is_the_first_looks() -> None:
    few = reconstructed(SCANNER, [replace(look, named=None) for look in seen().looks[:12]], COARSE)
    T = few.track.T_sensor_client[0]
    assert np.degrees(np.arccos(0.5 * (np.trace(T[:3, :3]) - 1.0))) < 2.0
    assert np.linalg.norm(few.surface.vertices.mean(axis=0)) < 0.5


def test_the_model_can_be_read(tmp_path: Path) -> None:
    path = tmp_path / "client.obj"
    write_obj(path, found().surface, "of a test")
    read = craft_mesh(path).mesh
    assert len(read.triangles) == pytest.approx(len(found().surface.triangles), rel=0.01)
    assert np.allclose(read.vertices.min(axis=0), found().surface.vertices.min(axis=0), atol=1e-3)


def test_too_few_looks_are_told() -> None:
    with pytest.raises(BadInput, match="too few looks"):
        reconstructed(SCANNER, seen().looks[:4], COARSE)
