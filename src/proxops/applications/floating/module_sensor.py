"""The force sensor between flange and module, as the scenario states it: its errors, its stream, and the load believed on it."""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np

from proxops.applications.floating.compliant_arm import judge_joint_torques
from proxops.applications.floating.tables import FloatFile
from proxops.arms.model import ArmModel
from proxops.core.force_source import wrench_of
from proxops.maths.rotation import Array
from proxops.sensors.force_torque import SensorTraits
from proxops.sensors.virtual_force_sensor import TORQUE_SHARE_M, sensor_traits
from proxops.touch.force_limits import ForceLimits
from proxops.touch.force_watch import StreamTraits, stream_traits
from proxops.touch.outside_force import OutsideForce
from proxops.touch.tool_load import load_of


@dataclass(frozen=True, eq=False)
class ModuleSensor:
    """``load``: believed parameters of what hangs on it; its frame is the flange's. ``stated_errors``: largest offset (6),
    largest drift (6, per second) and noise (6)."""

    load: Array
    traits: SensorTraits
    stream: StreamTraits
    stated_errors: tuple[Array, Array, Array]
    limits: ForceLimits

    def outside(self) -> OutsideForce:
        """What acts from outside, and whether it is too much."""
        return OutsideForce(self.limits, *self.stated_errors)


def module_sensor(file: FloatFile, model: ArmModel, joints: Array, rng: np.random.Generator) -> ModuleSensor:
    """With traits drawn from ``rng``; of an arm that begins at ``joints``."""
    s = file.sensor
    judge_joint_torques(file, model, joints)
    drift = wrench_of(s.drift_N_s, TORQUE_SHARE_M * s.drift_N_s)
    stated = wrench_of(s.offset_N, s.offset_Nm), drift, wrench_of(s.noise_N, s.noise_Nm)
    stream = replace(stream_traits(s), rate_hz=s.rate_hz)
    limits = ForceLimits(s.stop_N, s.stop_N, s.stop_Nm, s.stop_Nm)
    traits = sensor_traits(s, rng)
    if file.joint_torques is not None:  # noise and offset come from the joints
        traits = replace(traits, noise=np.zeros(6), offset=np.zeros(6), drift=np.zeros(6))
    return ModuleSensor(load_of(file.mock_up, "mock_up").parameters, traits, stream, stated, limits)
