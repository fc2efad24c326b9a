"""What sees the orbit beside a sensor that sees the hall."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from proxops.applications.mission.seen_by import beside_hall
from proxops.core.imaging_table import LidarSensor
from proxops.core.vision_table import Vision
from proxops.sensors.moment import fixed_exposure_s


def test_a_scan_lasts_as_long_as_the_halls_though_there_are_fewer() -> None:
    """Else what the client moves meanwhile would be told as what the hall costs."""
    scanner = LidarSensor(kind="lidar", name="scan", rate_hz=2.0)
    beside = beside_hall(scanner, Vision(sensors=("scan",)))
    assert beside.rate_hz < 0.5
    assert fixed_exposure_s(beside) == fixed_exposure_s(scanner) == 0.5


def test_a_scan_ends_before_the_next_begins() -> None:
    with pytest.raises(ValidationError, match="longer than the sensor's period"):
        LidarSensor(kind="lidar", name="scan", rate_hz=2.0, scan_s=0.6)
