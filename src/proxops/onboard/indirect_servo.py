"""The indirect position-based visual servo: joint velocities from sightings, a velocity drive in each joint; no dynamics.

    q̇_c = J_arm⁺ K e          τ_i = m_i (ω² (q_c − q) + 2 ω (q̇_c − q̇))_i,   q_c = ∫ q̇_c dt

e is the hand's error (position; rotation vector) against the planned path, both in the frame of the base, as the last
sightings put it; J_arm the Jacobian of the arm as if the base stood still; m_i the arm's inertia about joint i in the
start posture, so that the drives of all joints have one bandwidth. Nothing compensates for the base's motion, the
coupling of the joints or the path's own speed: what paper 003 (end of section 2) calls indirect, a velocity for the robot
"without considering the system dynamics". Its own law is that of the paper's reference 39, which paper 003 does not
print. The path is planned as for the direct servo, but in the base's frame.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
import pinocchio

from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.onboard.damped_inverse import prepare, pull
from proxops.onboard.task_laws import task_error
from proxops.onboard.visual_guidance import Seen, VisualGuidance

_WORLD: Any = pinocchio.ReferenceFrame.LOCAL_WORLD_ALIGNED
HERE: Final = np.eye(4)


class IndirectServo:
    """``step`` every cycle. Local frame of ``guidance``: the base."""

    def __init__(
        self, model: ArmModel, guidance: VisualGuidance, joints: Floats, dt: float, *, gain: float, drive_rad_s: float
    ) -> None:
        """``gain``: K, 1/s. ``drive_rad_s``: ω of the joint drives."""
        if not (0.0 < gain < 1.0 / dt and 0.0 < drive_rad_s < 0.5 / dt):
            bound = f"gain below {1.0 / dt:g} 1/s, drive below {0.5 / dt:g} rad/s, both positive"
            raise BadInput("indirect servo", value=(gain, drive_rad_s), bound=bound)
        self.guidance, self._model, self._dt = guidance, model, dt
        self._gain, self._drive = gain, drive_rad_s
        self._data: Any = model.pin.createData()
        self._q = model.configuration(joints)
        self._inertia = np.diag(pinocchio.crba(model.pin, self._data, self._q))[N_BASE:].copy()
        self._u, self._L, self._error = np.zeros(6), np.zeros((6, 6)), np.zeros(6)
        self._wish, self._angles = np.zeros(model.n), np.array(joints, dtype=np.float64)  # q̇_c, q_c
        self.tool: Floats = np.zeros(24)  # of the hand, as the direct servo has it
        self.sigma = np.inf
        self.demand = guidance.path.at(0.0)

    def step(self, t: float, joints: Floats, rates: Floats, seen: Seen | None = None) -> Floats:
        """(n) torques."""
        self._q[N_BASE_Q:] = joints
        J = self._look()
        self.demand = self.guidance.step(t, HERE, seen)
        task_error(self.tool, self.demand.flat, self._error)
        self.sigma = prepare(J, self._u, self._L)
        pull(J, self._L, self._gain * self._error, self._wish)
        behind, w = self._angles - joints, self._drive
        self._angles += self._dt * self._wish
        out: Floats = self._inertia * (w * w * behind + 2.0 * w * (self._wish - rates))
        return out

    def demanded_rates(self) -> Floats:
        """(n) joint rates that the drives were told at the last step."""
        return self._wish

    def _look(self) -> Floats:
        """(6, n) Jacobian of the arm; the hand's place on the way."""
        pin, data, tool = self._model.pin, self._data, self._model.tool_id
        J = pinocchio.computeFrameJacobian(pin, data, self._q, tool, _WORLD)
        place = pinocchio.updateFramePlacement(pin, data, tool)
        self.tool[:3], self.tool[3:12] = place.translation, place.rotation.ravel()
        return np.ascontiguousarray(J[:, N_BASE:])
