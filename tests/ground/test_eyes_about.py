"""What a facility tells of its sensors, there and back; what a stranger might write is refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.core.imaging_table import CameraSensor, LidarSensor, TofSensor
from proxops.ground.eyes_about import EyesAbout, eyes_about
from proxops.ground.sensor_log import FACTS_PART, SensorLog

SENSORS = (
    CameraSensor(kind="camera", name="near"),
    CameraSensor(kind="camera", name="unseen", log_hz=0.0),
    TofSensor(kind="tof", name="tof", log_hz=30.0),
    LidarSensor(kind="lidar", name="scan", lines=20),
)


def told() -> EyesAbout:
    log = SensorLog(SENSORS, {sensor.name: np.eye(4) for sensor in SENSORS})
    return eyes_about(Path("ring"), SENSORS, log.channels)


def test_what_is_recorded_is_told() -> None:
    near, tof, scan = told().sensors
    assert set(near.channels.values()) == {"image", FACTS_PART}
    assert set(tof.channels.values()) == {"depth", "intensity", FACTS_PART}
    assert set(scan.channels.values()) == {"points", FACTS_PART}
    assert (near.width, near.height, scan.width, scan.height) == (640, 480, 100, 20)
    assert (near.rate_hz, tof.rate_hz, scan.rate_hz) == (2.0, 5.0, 1.0)  # as seldom as they are recorded, or made


def test_there_and_back() -> None:
    assert EyesAbout.of(json.loads(json.dumps(told().plain()))) == told()
    assert EyesAbout.of(None) is None


@pytest.mark.parametrize(
    "wrong",
    [
        {"kind": "nose"}, {"channels": {"12": "smell"}}, {"channels": {"x": "image"}}, {"channels": ["image"]},
        {"width": None}, {"rate_hz": "often"}, {"name": "tof"}, {"rate_hz": 0.0}, {"rate_hz": float("nan")},
    ],
    ids=str,
)  # fmt: skip
def test_nonsense_is_refused(wrong: dict[str, Any]) -> None:
    plain = told().plain()
    plain["sensors"][0].update(wrong)
    with pytest.raises((ValueError, KeyError, TypeError, AttributeError)):
        EyesAbout.of(plain)
