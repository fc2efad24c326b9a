"""The craft of one run as it is: dynamics, friction, gravity, actuators of the base; and gravity as it is fed forward."""

from __future__ import annotations

import numpy as np
import pinocchio

from proxops.applications.tracking.tables import BaseTable, TrackingFile
from proxops.arms.model import ArmModel, Floats
from proxops.space.base_actuators import BaseActuator, ReactionWheels, ThrusterPairs
from proxops.space.free_floating import FreeFloating
from proxops.space.joint_motors import hardware_by
from proxops.space.link_gravity import CircularOrbit, HeldGravity, LinkGravity


def plant_of(file: TrackingFile, craft: ArmModel, q: Floats) -> FreeFloating:
    """At rest in ``q``."""
    gravity = None
    if file.orbit is not None:
        orbit = CircularOrbit(1000.0 * file.orbit.radius_km)
        gravity = HeldGravity(craft, orbit, file.orbit.begin_s, 1.0 / file.rate_hz)
    return FreeFloating(craft, q, None, hardware_by(craft, file.arm.friction, file.joints), gravity)


def feed_of(file: TrackingFile, model: ArmModel) -> GravityFeed | None:
    """None if nobody feeds gravity forward."""
    if file.orbit is None or not file.orbit.feed_forward:
        return None
    return GravityFeed(model, CircularOrbit(1000.0 * file.orbit.radius_km), file.orbit.begin_s)


class GravityFeed:
    """τ_grav of eq. 8 and what the base feels, from the controller's own model: (6 + n) generalised forces."""

    def __init__(self, model: ArmModel, orbit: CircularOrbit, begin_s: float) -> None:
        self._pin, self._data = model.pin, model.pin.createData()
        self._gravity, self._still = LinkGravity(model, orbit, begin_s), np.zeros(model.pin.nv)

    def at(self, t: float, q: Floats) -> Floats:
        pinocchio.forwardKinematics(self._pin, self._data, q)
        forces = self._gravity.at(t, self._data)
        out: Floats = -pinocchio.rnea(self._pin, self._data, q, self._still, self._still, forces)
        return out


def actuator_of(base: BaseTable) -> BaseActuator | None:
    if base.control == "wheels":
        return ReactionWheels(base.wheels.torque_n_m, base.wheels.momentum_n_m_s)
    if base.control == "thrusters":
        return ThrusterPairs(base.thrusters.torque_n_m, base.thrusters.min_on_s, base.thrusters.period_s)
    return None
