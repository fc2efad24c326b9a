"""The navigation of a mission: what it is told of sensors, hall and client."""

from __future__ import annotations

import math
from dataclasses import replace

from proxops.core.flight import OnboardData
from proxops.core.mission import MissionFile
from proxops.core.sensor_table import Sensor
from proxops.core.strict_table import Triple
from proxops.onboard.image_measurements import LASTS_S, ImageMeasurements, image_measurements
from proxops.onboard.navigation import Navigation
from proxops.onboard.relative_model import NO_HALL, SlowErrors, Walks
from proxops.onboard.surface_force import surface_force_of


def navigation_of(file: MissionFile, data: OnboardData) -> Navigation:
    """For a mission: with the slow errors of the hall, if it goes through it; of a client that tumbles, or one that is held;
    turned by the gravity gradient where the mission has it, and by air and sunlight."""
    measured_in_hall = not file.vision.sensors or file.vision.pose_sensor or file.scenery.see != "orbit"
    hall = SlowErrors() if file.hall.use and measured_in_hall else NO_HALL
    images = image_measurements(file)
    sensor = file.sensor
    if images is not None:
        hall = with_images(hall, images)
        sensor = sensor if file.vision.pose_sensor else without_bias(sensor)
    held, pulled = file.target.control == "lvlh", file.environment.gravity_gradient
    return Navigation(
        data, sensor, file.avionics, hall, file.knowledge, held, pulled, surface_force_of(file), images
    )  # fmt: skip


def with_images(hall: SlowErrors, images: ImageMeasurements) -> SlowErrors:
    """Beside those of the hall what errors of the client's model leave in every pose from an image, as long as the view lasts."""
    place_m, turn_deg = (images.lasting_m,) * 3, (math.degrees(images.lasting_rad),) * 3

    def more(walks: Walks) -> Walks:
        position_m = both(walks.position_m, walking(place_m))
        return Walks(position_m, walks.chaser_deg, both(walks.target_deg, walking(turn_deg)))

    return replace(
        hall, position_m=both(hall.position_m, place_m), target_deg=both(hall.target_deg, turn_deg),
        range_share=images.range_share, way=more(hall.way), near=more(hall.near), far=more(hall.far),
    )  # fmt: skip


def without_bias(sensor: Sensor) -> Sensor:
    """Nobody measures with it: its own errors are in nothing."""
    return sensor.model_copy(update={"bias_m": 0.0, "boresight_deg": 0.0, "attitude_bias_deg": 0.0})


def walking(sigma: Triple) -> Triple:
    """Per square root of a second, of what keeps its size and is another after ``LASTS_S``."""
    x, y, z = (one * math.sqrt(2.0 / LASTS_S) for one in sigma)
    return x, y, z


def both(one: Triple, other: Triple) -> Triple:
    x, y, z = (math.hypot(a, b) for a, b in zip(one, other, strict=True))
    return x, y, z
