"""The estimator on another computer answers what it is asked, picture and scan, and ends with its client."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import numpy as np

from proxops.core.images import CameraImage, PointScan
from proxops.core.imaging_table import CameraSensor, LidarSensor
from proxops.core.vision import PosePrediction
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.own.remote import RemoteEstimator
from proxops.onboard.vision.sight import Sight

SERVER = Path(__file__).parents[2] / "examples" / "pose_server.py"
EXPECTED = PosePrediction(np.array([0.0, 0.0, 6.0, 1.0, 0.0, 0.0, 0.0]), 0.01 * np.eye(6), np.zeros(6))


def test_it_answers_with_poses_and_doubts() -> None:
    with subprocess.Popen([sys.executable, str(SERVER), "0", "--once"], stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        name = "tcp://" + server.stdout.readline().split()[-1]
        eye = CameraSensor(kind="camera", name="eye", width=64, height=48)
        estimator = RemoteEstimator(name, eye, 20.0)
        pixels = np.zeros((48, 64), np.uint8)
        pixels[20:28, 40:50] = 200
        seen = estimator.estimate(Sight(CameraImage("eye", 1, 0.0, 1e-3, 0.0, 255, pixels), EXPECTED))
        assert seen.trusted and seen.T_sensor_target is not None
        np.testing.assert_allclose(seen.T_sensor_target[0], 6.0 * (44.5 - eye.lens.cx) / eye.lens.fx)
        assert (
            estimator.estimate(Sight(CameraImage("eye", 2, 0.1, 1e-3, 0.0, 255, 0 * pixels), EXPECTED)).doubt
            is Doubt.DARK
        )
        estimator._sensor = LidarSensor(kind="lidar", name="scan")
        points = np.full((30, 3), [0.1, 0.2, 5.8], np.float32)
        scan = PointScan("scan", 3, 0.2, points, np.ones(30, np.float32), np.zeros(30, np.float32))
        near = estimator.estimate(Sight(scan, EXPECTED))
        assert near.trusted and near.T_sensor_target is not None
        np.testing.assert_allclose(near.T_sensor_target[:3], [0.1, 0.2, 5.8], atol=1e-6)
        estimator.close()
        assert server.wait(20.0) == 0
