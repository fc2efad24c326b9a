"""Compiling before the first cycle: a kernel that is compiled when an abort first calls it would be late by seconds."""

from __future__ import annotations

import numpy as np

from proxops.core.flight import Estimate, OnboardData
from proxops.core.mission import ApproachStep, FinalStep, FlyAroundStep
from proxops.onboard.actuation import Actuation
from proxops.onboard.allocation import pushes_all_ways
from proxops.onboard.approach_logic import uncertainty
from proxops.onboard.attitude_reference import Slew
from proxops.onboard.guidance import Guidance
from proxops.onboard.local_orbit import local_orbit
from proxops.onboard.retreat import retreat_burn
from proxops.onboard.situation import Situation

PLAN = (
    ApproachStep(kind="approach", to_m=5.0, speed_m_s=0.05),
    FlyAroundStep(kind="fly_around", to="docking_axis", rate_deg_s=0.5),
    FinalStep(kind="final", speed_m_s=0.01),
)


def compile_kernels(data: OnboardData) -> None:
    """Call each of them once, on a made-up state that nobody keeps."""
    p, v, zero, q = np.array([7e6, 0.0, 0.0]), np.array([0.0, 7500.0, 0.0]), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    away = np.array([0.0, 10.0, 0.0])
    estimate = Estimate(away, zero, q, zero, np.eye(12) * 1e-6)
    uncertainty(away, estimate.covariance)
    local_orbit(p, v)
    now, guidance, actuation, slew = Situation(data), Guidance(PLAN, data), Actuation(data), Slew(q, zero, data)
    now.look(p, v, q, estimate, None)
    slew.steady(zero, data.period_s)
    guidance.start(now.orbit, estimate, now.turning)
    for _ in PLAN:
        reference = guidance.step(now.orbit, estimate, now.turning, slew)
        guidance.advance(now.orbit, estimate, now.turning)
    for acceleration in (None, actuation.control.acceleration(reference, estimate)):
        still, _ = actuation.act(acceleration, data.mass_kg, np.zeros(len(data.wheel_axes)), q, zero, slew, 10.0)
    pushes_all_ways(actuation.wrench, actuation.watch.healthy)
    actuation.impulse(still)
    actuation.acceleration(still, data.mass_kg)
    actuation.watch.remember(still)
    actuation.watch.look(still)
    retreat_burn(p, v, estimate, 4.0, 0.1)
