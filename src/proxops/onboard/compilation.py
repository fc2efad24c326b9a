"""Compiling before the first cycle: a kernel that is compiled when an abort first calls it would be late by seconds."""

from __future__ import annotations

import numpy as np

from proxops.core.flight import Estimate, OnboardData
from proxops.onboard.allocation import Allocation, pushes_all_ways
from proxops.onboard.attitude_reference import Pointing, Slew
from proxops.onboard.control import Control
from proxops.onboard.course import SphereCourse
from proxops.onboard.docking_axis import DockingAxis
from proxops.onboard.local_orbit import local_orbit, seen_inertially
from proxops.onboard.retreat import retreat_burn
from proxops.onboard.thruster_watch import ThrusterWatch
from proxops.onboard.wheels import Wheels


def compile_kernels(data: OnboardData) -> None:
    """Call each of them once, on a made-up state that nobody keeps."""
    p, v, zero, q = np.array([7e6, 0.0, 0.0]), np.array([0.0, 7500.0, 0.0]), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0])
    away = np.array([0.0, 10.0, 0.0])
    estimate = Estimate(away, zero, q, zero, np.eye(12) * 1e-6)
    orbit = local_orbit(p, v)
    seen_inertially(orbit.R_eci_lvlh, orbit.w, orbit.w_dot, away, zero, zero, np.empty((3, 3)))
    Pointing(away / 10.0).look(away, zero, orbit, data.period_s)
    SphereCourse(np.array([0.0, 1.0, 0.0]), 0.01, 1e-4, 0.0).step(np.array([1.0, 0.0, 0.0]), zero, zero, data.period_s)
    Slew(q, zero, data).steady(zero, data.period_s)
    DockingAxis(data).between_interfaces(estimate, q)
    control, allocation = Control(data), Allocation(data)
    control.torque(q, zero, q, zero, zero, zero)
    usable = np.ones(allocation.wrench.shape[1], dtype=np.bool_)
    allocation.pulses(control.force(away, data.mass_kg, q), zero, usable)
    pushes_all_ways(allocation.wrench, usable)
    watch, still = ThrusterWatch(allocation.wrench, data), np.zeros(usable.size)
    watch.remember(still)
    watch.look(still)
    Wheels(data).command(zero, np.zeros(len(data.wheel_axes)))
    retreat_burn(p, v, estimate, 4.0, 0.1)
