"""Distances of a client on whose docking axis the chaser stands: all that it has in view is flat, or hidden, or too near."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import lru_cache

import numpy as np
import pytest
from benchmarks.vision_catalogue import MeshGenerator, PredictionError, pose_error, predicted
from numpy.typing import NDArray

from proxops.applications.mission.dataset.exposing import take
from proxops.applications.mission.dataset.lights import CATALOGUE
from proxops.applications.mission.dataset.poses import drawn
from proxops.applications.mission.vision.image_faults import with_ghosts
from proxops.core.imaging_table import LidarSensor, RenderedSensor, TofSensor
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.depth.covariance import deviations
from proxops.onboard.vision.depth_estimator import depth_estimator
from proxops.onboard.vision.sight import Sight
from proxops.optics.scene.mesh import Mesh, joined
from proxops.optics.scene.orbit_surroundings import CLIENT, shipped_craft
from proxops.optics.scene.palette import GREY_PAINT
from proxops.optics.scene.primitives import box

SCANNER = LidarSensor(kind="lidar", name="scan", field_of_view_deg=(30.0, 30.0), lines=240, points=240)
TOF = TofSensor(kind="tof", name="depth", width=176, height=144, modulation_mhz=5.0, noise_m=5e-6, least_intensity=3e-4)
ALREADY = PredictionError(0.002, 0.003, 0.3)


@lru_cache(maxsize=4)
def generator(spec: RenderedSensor, plate_x_m: float | None = None) -> MeshGenerator:
    """Of the shipped client; with a plate of 1 m square to its axis, if one is there."""
    client = shipped_craft(CLIENT)
    return MeshGenerator(spec, client if plate_x_m is None else joined([client, _plate(plate_x_m)]))


def _plate(x_m: float) -> Mesh:
    at = np.eye(4)
    at[0, 3] = x_m
    return box((0.02, 1.0, 1.0), GREY_PAINT).moved(at)


def seen(
    spec: RenderedSensor, distance_m: float, seed: int, plate_x_m: float | None = None, ghosts: bool = False
) -> tuple[PoseFound, NDArray[np.float64]]:
    """What is found from ``distance_m`` between the craft's frames, and the truth."""
    rng = np.random.default_rng(seed)
    view = drawn(spec, "usual", CATALOGUE["usual"], (distance_m, distance_m * 1.000001), rng, 0.1)
    orbit = view.moment.orbit
    assert orbit is not None
    T_target_chaser = np.array([distance_m, 0.01, -0.01, 1.0, 0.002, -0.002, 0.001])
    T_target_chaser[3:] /= np.linalg.norm(T_target_chaser[3:])
    view = replace(view, moment=replace(view.moment, orbit=replace(orbit, T_target_chaser=T_target_chaser)))
    image, T = take(generator(spec, plate_x_m), spec, 0, seed, view, 1)
    sight = Sight(with_ghosts(image) if ghosts else image, predicted(T, ALREADY, rng))
    return depth_estimator(spec, shipped_craft(CLIENT)).estimate(sight), T


def off(found: PoseFound, T: NDArray[np.float64]) -> tuple[float, float]:
    """mm, deg."""
    assert found.T_sensor_target is not None
    error = pose_error(found.T_sensor_target, T)
    return 1e3 * float(np.linalg.norm(error[:3])), math.degrees(np.linalg.norm(error[3:]))


@pytest.mark.parametrize("spec", [SCANNER, TOF], ids=["lidar", "tof"])
@pytest.mark.parametrize("distance_m", [3.7, 2.4, 1.3])
def test_its_roll_is_known_by_its_outline(spec: RenderedSensor, distance_m: float) -> None:
    for seed in range(2):
        found, T = seen(spec, distance_m, seed)
        assert found.trusted and found.covariance is not None
        place_mm, turn_deg = off(found, T)
        claimed_deg = math.degrees(deviations(found.covariance)[1])
        assert place_mm < 15.0 and turn_deg < 1.0
        assert turn_deg < 4.0 * claimed_deg < 2.0


def test_a_mast_that_is_too_near_to_be_measured_is_not_missed() -> None:
    found, T = seen(SCANNER.model_copy(update={"field_of_view_deg": (50.0, 50.0)}), 1.4, 0)
    assert found.trusted and off(found, T)[1] < 0.6


def test_what_it_is_fixed_to_is_not_held_against_it() -> None:
    """The plate of a robot at its back; one that stands in its middle is another thing."""
    found, T = seen(SCANNER, 6.0, 0, plate_x_m=-0.46)
    assert found.trusted and off(found, T)[0] < 15.0
    found, _ = seen(SCANNER, 6.0, 0, plate_x_m=-0.1)
    assert found.doubt is Doubt.SUPPORT


@pytest.mark.parametrize("spec", [SCANNER, TOF], ids=["lidar", "tof"])
def test_ghosts_beside_it_mislead_nobody(spec: RenderedSensor) -> None:
    for seed, distance_m in enumerate((12.0, 6.0, 3.0)):
        found, T = seen(spec, distance_m, seed, ghosts=True)
        assert not found.trusted or (off(found, T)[0] < 10.0 * distance_m and off(found, T)[1] < 1.5)
