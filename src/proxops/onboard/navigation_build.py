"""The navigation of a mission: what it is told of sensors, hall and client."""

from __future__ import annotations

from proxops.core.flight import OnboardData
from proxops.core.mission import MissionFile
from proxops.onboard.image_measurements import image_measurements
from proxops.onboard.navigation import Navigation
from proxops.onboard.relative_model import NO_HALL, SlowErrors
from proxops.onboard.surface_force import surface_force_of


def navigation_of(file: MissionFile, data: OnboardData) -> Navigation:
    """For a mission: with the slow errors of the hall, if it goes through it; of a client that tumbles, or one that is held;
    turned by the gravity gradient where the mission has it, and by air and sunlight."""
    measured_in_hall = not file.vision.sensors or file.vision.pose_sensor or file.scenery.see != "orbit"
    hall = SlowErrors() if file.hall.use and measured_in_hall else NO_HALL
    held, pulled = file.target.control == "lvlh", file.environment.gravity_gradient
    return Navigation(
        data, file.sensor, file.avionics, hall, file.knowledge, held, pulled, surface_force_of(file), image_measurements(file)
    )  # fmt: skip
