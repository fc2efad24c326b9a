"""Marks over a depth image: which beams fit, and on which plane of the client they lie."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.images import DepthImage
from proxops.core.imaging_table import TofSensor
from proxops.core.vision import PosePrediction
from proxops.onboard.vision.depth_estimator import depth_estimator
from proxops.onboard.vision.sight import Sight
from proxops.optics.render.distortion import lines_of_sight
from proxops.optics.scene.palette import WHITE_PAINT
from proxops.optics.scene.primitives import box
from proxops.sensors.tof import INTENSITY_OF_WHITE

SPEC = TofSensor(kind="tof", name="depth", width=80, height=80, unwrapped=True, wiggle_m=0.0, multipath_share=0.0)
HALF, FAR_M = 0.5, 2.0
TURN = np.deg2rad(35.0)  # about the sensor's y: two sides of the box are seen


def test_each_side_of_a_box_is_a_group_and_what_does_not_fit_is_none() -> None:
    """A cube of 1 m at 2 m; a row of pixels before its middle is 10 cm too near."""
    R = np.array([[np.cos(TURN), 0.0, np.sin(TURN)], [0.0, 1.0, 0.0], [-np.sin(TURN), 0.0, np.cos(TURN)]])
    p = np.array([0.0, 0.0, FAR_M])
    x, y = lines_of_sight(SPEC.lens)
    sight = np.stack([x, y, np.ones_like(x)], -1)
    sight /= np.linalg.norm(sight, axis=-1, keepdims=True)
    ways, start = sight @ R, -p @ R  # in the cube's frame
    with np.errstate(divide="ignore"):
        one, other = (-HALF - start) / ways, (HALF - start) / ways
    into, out = np.minimum(one, other), np.maximum(one, other)
    ranges, side = into.max(axis=-1), into.argmax(axis=-1)
    hit = ranges < out.min(axis=-1)
    spoiled = np.zeros_like(hit)
    spoiled[38:42] = hit[38:42]
    ranges = np.where(hit, ranges - 0.1 * spoiled, np.nan).astype(np.float32)
    intensity = np.where(hit, 0.2 * INTENSITY_OF_WHITE, 0).astype(np.uint16)
    q = np.array([np.cos(0.5 * TURN), 0.0, np.sin(0.5 * TURN), 0.0])
    expected = PosePrediction(np.concatenate([p, q]), np.diag([1e-6] * 6), np.zeros(6))
    estimator = depth_estimator(SPEC, box((2 * HALF,) * 3, WHITE_PAINT))
    found = estimator.estimate(Sight(DepthImage("depth", 1, 0.0, ranges, intensity), expected))
    assert found.marks is not None and found.T_sensor_target is not None
    u, v = np.rint(found.marks.points).astype(int).T
    group = found.marks.group
    whole = ~spoiled[v, u] & (np.abs(found.marks.points - np.rint(found.marks.points)).max(axis=1) < 0.01)
    for number in (1, 2):
        sides = side[v, u][whole & (group == number)]
        assert len(sides) > 30 and np.mean(sides == sides[0]) > 0.97
    assert side[v, u][whole & (group == 1)][0] != side[v, u][whole & (group == 2)][0]
    assert np.mean(group[spoiled[v, u]] == 0) == pytest.approx(1.0, abs=0.1)
