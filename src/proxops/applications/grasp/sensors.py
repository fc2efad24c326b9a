"""What a catching arm's sensors tell: truth with noise, and a fault that a scenario may want."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from proxops.applications.grasp.tables import FaultTable, SensorTable, SightTable
from proxops.applications.grasp.world import GraspWorld
from proxops.core.grasp_measurement import GraspMeasurement
from proxops.maths.pose import compose, inverse_pose, pose
from proxops.maths.quaternion import turn
from proxops.maths.rotation import matrix_from_quat, matrix_from_rotation_vector

Floats = NDArray[np.float64]


class GraspSensors:
    """``read`` once each cycle."""

    def __init__(
        self, sensors: SensorTable, sight: SightTable, fault: FaultTable | None, blind_from_s: float,
        rng: np.random.Generator,
    ) -> None:  # fmt: skip
        """``blind_from_s``: from then on the hand hides the handle."""
        self._s, self._sight, self._fault, self._blind_s, self._rng = sensors, sight, fault, blind_from_s, rng
        self._next_s, self._sigma = 0.0, np.zeros(0)

    def read(self, world: GraspWorld) -> GraspMeasurement:
        t, n, q, v = world.t, world.craft.n, world.q, world.v
        if len(self._sigma) != 19 + 2 * n:
            self._sigma = deviations(self._s, n)
        e = self._sigma * self._rng.standard_normal(19 + 2 * n)
        base = np.concatenate([q[:3] + e[:3], q[6:7], q[3:6]])
        turn(base[3:], e[3:6])
        out = GraspMeasurement(
            t, base, v[:6] + e[6:12], q[7:] + e[19 : 19 + n], v[6:] + e[19 + n :], world.opening + float(e[12]), world.jaw_force,
            world.wrist() + e[13:19], self._look(t, world),
        )  # fmt: skip
        return out if self._fault is None or t < self._fault.begin_s else spoiled(out, self._fault.of)

    def _look(self, t: float, world: GraspWorld) -> Floats | None:
        """T_base_handle, of the handle's mass centre and axes."""
        if t >= self._blind_s or t < self._next_s - 1e-9:
            return None
        self._next_s += 1.0 / self._sight.rate_hz
        q = world.q
        T_inertial_base = pose(matrix_from_quat(np.array([q[6], q[3], q[4], q[5]])), q[:3])
        out = compose(inverse_pose(T_inertial_base), world.handle_pose())
        wobble = matrix_from_rotation_vector(np.radians(self._sight.noise_deg) * self._rng.standard_normal(3))
        out[:3, :3] = wobble @ out[:3, :3]
        out[:3, 3] += self._sight.noise_m * self._rng.standard_normal(3)
        return out


def deviations(s: SensorTable, n: int) -> Floats:
    """(19 + 2 n) of base (place, turn, speed, turn rate), opening, wrist (force, torque), joints, rates; SI."""
    base = 1e-6 * np.repeat([s.base_um, s.base_urad, s.base_um_s, s.base_urad_s], 3)
    wrist = np.repeat([s.wrist_n, s.wrist_n_m], 3)
    arm = 1e-6 * np.repeat([s.joint_urad, s.rate_urad_s], n)
    return np.concatenate([base, [1e-6 * s.opening_um], wrist, arm])


def spoiled(measured: GraspMeasurement, name: str) -> GraspMeasurement:
    """One of its values, as far as there is one, no number any more."""
    value = getattr(measured, name)
    if value is None:
        return measured
    return replace(measured, **{name: value + np.nan})
