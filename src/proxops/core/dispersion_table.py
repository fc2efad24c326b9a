"""What is not as planned in a mission, and how well the flight software knows the craft."""

from __future__ import annotations

from typing import Annotated

from proxops.core.strict_table import Finite, Strict, within

Percent = Annotated[Finite, within(0, 50)]


class Dispersion(Strict):
    """What is not as planned: one standard deviation of each, drawn from the run's seed."""

    position_share: Percent = 0.0  # % of the first distance, each component
    velocity_m_s: Annotated[Finite, within(0, 1)] = 0.0
    target_attitude_deg: Annotated[Finite, within(0, 180)] = 0.0
    target_rate_deg_s: Annotated[Finite, within(0, 5)] = 0.0
    chaser_attitude_deg: Annotated[Finite, within(0, 30)] = 0.0
    mass: Percent = 0.0  # %, both craft
    inertia: Percent = 0.0  # %, principal moments, both craft
    mass_centre_m: Annotated[Finite, within(0, 0.1)] = 0.0
    thrust: Percent = 0.0  # %, each thruster
    sensor_noise: Percent = 0.0  # %, of the noise's size


class Knowledge(Strict):
    """How well the flight software knows the craft: one standard deviation of what it is told of them. The filter is consistent
    if this is true; ``dispersion`` says what is really the case."""

    mass_centre_m: Annotated[Finite, within(0, 0.1)] = 0.005  # both craft, each component
    inertia: Percent = 3.0  # %, of the target's principal moments
    thrust: Percent = 3.0  # %, thrust over mass, along each axis
