"""Flight software of a catch: measurements in, torques and finger commands out, phase by phase. Sees no truth.

On the way it follows the intercept's path by a task-space law. From the moment the bar is held (or lost, or too much force is
felt) the joints are only damped, τ = −M* q̇ / T: that takes energy out whatever hangs on the hand, and brings arm and handle to
rest against each other. While the bar is held M* is that of the arm with the handle: without it a light wrist would hardly brake
a heavy load. Torques pass from one phase to the next in ``BLEND_S``.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.grasp_measurement import GraspCommand, GraspMeasurement
from proxops.maths.pose import compose, pose
from proxops.maths.rotation import matrix_from_quat
from proxops.onboard.grasp_phases import FINGERS_CLOSE, FOLLOWS_PATH, HOLDS, GraspEvent, GraspPhase, next_phase
from proxops.onboard.intercept import Intercept
from proxops.onboard.task_controller import TaskController

BLEND_S: Final = 0.05
STALL_S: Final = 0.03  # fingers that pull this long without moving have something between them
STALL_SHARE: Final = 0.7  # of the fingers' force
EMPTY_SHARE: Final = 0.5  # of the bar's thickness: an opening below it holds no bar


@dataclass(frozen=True)
class CatchSettings:
    close_s: float
    hold_s: float
    bar_m: float  # thickness
    jaw_n: float  # of each finger
    force_n: float  # limits at the wrist
    torque_n_m: float
    damping_s: float
    soft_s: float


class GraspController:
    """``step`` each cycle. ``cause``: why it halted, stopped or missed."""

    def __init__(
        self, settings: CatchSettings, controller: TaskController, intercept: Intercept, loaded: ArmModel
    ) -> None:
        """``loaded``: the arm with the handle in its hand, as far as it is known."""
        self._loaded = Dynamics(loaded)
        self.settings, self.controller, self.intercept = settings, controller, intercept
        self.phase, self.since_s, self.cause = GraspPhase.LOOK, 0.0, ""
        self.phases: list[tuple[float, GraspPhase]] = [(0.0, GraspPhase.LOOK)]
        self._pulling_s = np.inf  # since when the fingers pull with most of their force
        model = controller.model
        self._q, self._v = np.zeros(model.pin.nq), np.zeros(model.pin.nv)
        self._last, self._from = np.zeros(model.n), np.zeros(model.n)

    def step(self, m: GraspMeasurement) -> GraspCommand:
        fault = m.fault()
        if fault:
            self._happen(m.t_s, GraspEvent.BAD_MEASUREMENT, f"measurement is no number: {fault}")
        if self.phase is GraspPhase.HALTED:
            return GraspCommand(np.zeros_like(self._last), False, brake=True)
        self._take(m)
        for event, cause in self._events(m):
            self._happen(m.t_s, event, cause)
        demand = self.intercept.at(m.t_s) if self.phase in FOLLOWS_PATH else None
        torques = self._damped() if demand is None else self.controller.step(self._q, self._v, demand)
        self._last = self._blended(m.t_s, torques)
        return GraspCommand(self._last, self.phase in FINGERS_CLOSE)

    def _take(self, m: GraspMeasurement) -> None:
        q, v = self._q, self._v
        q[:3], q[3:6], q[6], q[N_BASE_Q:] = m.base[:3], m.base[4:], m.base[3], m.joints
        v[:N_BASE], v[N_BASE:] = m.base_speed, m.rates
        if m.sighting is not None and self.phase in FOLLOWS_PATH:
            T_inertial_base = pose(matrix_from_quat(m.base[3:].copy()), m.base[:3])
            self.intercept.see(m.t_s, compose(T_inertial_base, m.sighting))
        pulls = self.phase in FINGERS_CLOSE and m.jaw_force >= STALL_SHARE * self.settings.jaw_n
        self._pulling_s = min(self._pulling_s, m.t_s) if pulls else np.inf

    def _events(self, m: GraspMeasurement) -> list[tuple[GraspEvent, str]]:
        s, out = self.settings, []
        force, torque = float(np.linalg.norm(m.wrist[:3])), float(np.linalg.norm(m.wrist[3:]))
        if force > s.force_n:
            out.append((GraspEvent.OVERLOAD, f"contact force {force:.1f} N above {s.force_n:g} N"))
        if torque > s.torque_n_m:
            out.append((GraspEvent.OVERLOAD, f"contact torque {torque:.2f} N m above {s.torque_n_m:g} N m"))
        if self.phase is GraspPhase.LOOK and self.intercept.ready(m.t_s):
            out.append((GraspEvent.SEEN, ""))
        if m.t_s >= s.close_s - 1e-9:
            out.append((GraspEvent.CLOSE_DUE, ""))
        if self.phase in FINGERS_CLOSE and m.opening < EMPTY_SHARE * s.bar_m:
            out.append((GraspEvent.EMPTY, f"nothing between the fingers: opening {1e3 * m.opening:.1f} mm"))
        elif m.t_s - self._pulling_s >= STALL_S:
            out.append((GraspEvent.GRIPPED, ""))
        if self.phase is GraspPhase.HOLD and m.t_s - self.since_s >= s.hold_s:
            out.append((GraspEvent.FIRM, ""))
        return out

    def _happen(self, t: float, event: GraspEvent, cause: str) -> None:
        to = next_phase(self.phase, event)
        if to is self.phase:
            return
        self.phase, self.since_s, self._from = to, t, self._last.copy()
        self.cause = cause or self.cause
        self.phases.append((t, to))

    def _damped(self) -> Floats:
        s, dynamics = self.settings, self._loaded if self.phase in HOLDS else self.controller.dynamics
        dynamics.update(self._q, self._v)
        time_s = s.soft_s if self.phase is GraspPhase.HOLD else s.damping_s
        out: Floats = -dynamics.generalised.inertia @ self._v[N_BASE:] / time_s
        return out

    def _blended(self, t: float, torques: Floats) -> Floats:
        share = min(1.0, (t - self.since_s) / BLEND_S) if len(self.phases) > 1 else 1.0
        out: Floats = share * torques + (1.0 - share) * self._from
        return out
