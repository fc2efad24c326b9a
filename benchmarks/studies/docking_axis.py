"""LiDAR poses before the docking port, on a model that an inspection has made: how far they may be trusted to mating."""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from benchmarks.vision_catalogue import MeshGenerator
from proxops.core.imaging_table import RenderedSensor
from proxops.core.vision import PosePrediction
from proxops.maths.pose import compose, pose, pose_from_packed
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.onboard.vision.depth_estimator import depth_estimator
from proxops.onboard.vision.expectation import difference
from proxops.onboard.vision.sight import Sight
from proxops.optics.scene.mesh import Mesh
from proxops.sensors.moment import Moment, OrbitMoment, PictureOrder, fixed_exposure_s
from proxops.sensors.staging import packed

Floats = NDArray[np.float64]
EXPECTED: Final = (0.01, 0.005)  # m, rad: of a filter's prediction
ASIDE: Final = (0.02, 0.03)  # m, rad: of the chaser
LEVEL: Final = np.array([1.0, 0.0, 0.0, 0.0])


def poses_on(
    model: Mesh, part_m: float, client: Mesh, spec: RenderedSensor, far_m: float, count: int, seed: int
) -> Floats:
    """(n, 3) of what is trusted, ``far_m`` between the ports' frames: m and rad off, normalised square of both."""
    rng, generator = np.random.default_rng((seed, 5)), MeshGenerator(spec, client, seed=seed)
    estimator, out = depth_estimator(spec, model, part_m), []
    for number in range(count):
        T_target_chaser = pose(_turned(rng, ASIDE[1]), np.array([far_m, *ASIDE[0] * rng.standard_normal(2)]))
        image, true = generator.take(_order(T_target_chaser, spec, number))
        off = compose(
            pose_from_packed(true.copy()), pose(_turned(rng, EXPECTED[1]), EXPECTED[0] * rng.standard_normal(3))
        )
        believed = PosePrediction(packed(off), np.diag(np.repeat(np.square(EXPECTED), 3)), np.zeros(6))
        found = estimator.estimate(Sight(image=image, prediction=believed))
        if found.trusted and found.T_sensor_target is not None and found.covariance is not None:
            e = difference(found.T_sensor_target, true)
            out.append((np.linalg.norm(e[:3]), np.linalg.norm(e[3:]), e @ np.linalg.solve(found.covariance, e)))
    return np.array(out).reshape(-1, 3)


def _turned(rng: np.random.Generator, rad: float) -> Floats:
    return np.ascontiguousarray(matrix_from_rotation_vector(rad * rng.standard_normal(3)))


def _order(T_target_chaser: Floats, spec: RenderedSensor, number: int) -> PictureOrder:
    """Nothing moves."""
    long = fixed_exposure_s(spec)
    still = OrbitMoment(packed(T_target_chaser), LEVEL, np.array([7e6, 0.0, 0.0]), np.array([1.0, 0.0, 0.0]), 1.0, 0.0)
    moments = tuple(Moment(t, still, None) for t in (0.0, 0.5 * long, long))
    return PictureOrder(0, number, 0.0, long, 0.0, moments)
