"""One of the four task-space laws on an arm: gains checked, memory laid out, one ``step`` each cycle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.core.joint_table import JointsTable
from proxops.core.task_law_table import LawTable
from proxops.onboard.damped_inverse import prepare, pull
from proxops.onboard.pose_path import PoseDemand
from proxops.onboard.rate_loop import rate_loop
from proxops.onboard.task_laws import KD, KDS, KP, KPS, acceleration_law, force_law, velocity_law

TASK: Final = 6  # directions
LAWS: Final = {
    1: "velocity-based",
    2: "acceleration-based, null space with inertia",
    3: "acceleration-based, null space without inertia",
    4: "force-based",
}


@dataclass(frozen=True, eq=False)
class TaskGains:
    """Numbers, or one for each of the six task directions or n joints.

    kp: 1/s in law 1, else 1/s², six directions. kd: N m s/rad of the n joints in law 1, else 1/s, six directions. Posture:
    law 1 has no damping and 1/s; law 2 1/s² and 1/s; laws 3 and 4 N m/rad and N m s/rad."""

    kp: Floats | float
    kd: Floats | float
    posture_kp: Floats | float
    posture_kd: Floats | float = 0.0
    alpha: float = 1.0  # law 1 only: of the posture term
    pushes: bool = False  # law 1 only: with eq. 17's printed sign, away from the posture

    @classmethod
    def of(cls, table: LawTable) -> TaskGains:
        """As a scenario has them."""
        damping = 0.0 if table.posture_kd is None else np.array(table.posture_kd)
        return cls(
            np.array(table.kp), np.array(table.kd), np.array(table.posture_kp), damping, table.alpha, table.pushes
        )


class TaskController:
    """``step`` gives the torques. Its ``model`` is what the flight software believes, not the craft."""

    def __init__(self, model: ArmModel, law: int, gains: TaskGains, posture: Floats, dt: float) -> None:
        if law not in LAWS:
            raise BadInput("no such law", value=law, bound=", ".join(map(str, LAWS)))
        check_joints_enough(model)
        model.check_joints(posture, "posture")
        self.model, self.law, self.dt = model, law, dt
        self.dynamics = Dynamics(model)
        self.gains = gains_table(gains, law, model.n)
        self.posture = np.ascontiguousarray(posture, dtype=np.float64)
        self.sigma = np.inf  # smallest singular value of the generalised Jacobian at the last step
        self._u = np.zeros(6)
        self._torques = np.zeros(model.n)

    def step(self, q: Floats, v: Floats, demand: PoseDemand, forces: Floats | None = None) -> Floats:
        """(n) torques; memory is used again. ``forces``: (6 + n) known ones besides the torques (τ_grav of eq. 8, and what
        wheels or thrusters do to the base, in its frame)."""
        dynamics, out = self.dynamics, self._torques
        g, tool, flat, gains, posture, u = dynamics.parts, dynamics.tool, demand.flat, self.gains, self.posture, self._u
        if self.law == 1:
            dynamics.update_with_rate(q, v, forces)
            self.sigma = velocity_law(g, dynamics.rate, tool, flat, q, v, gains, posture, u, out)
            return out
        dynamics.update(q, v, forces)
        if self.law == 4:
            self.sigma = force_law(g, tool, flat, q, v, gains, posture, u, out)
        else:
            self.sigma = acceleration_law(g, tool, flat, q, v, gains, posture, self.law == 2, u, out)
        return out

    def demanded_rates(self, demand: PoseDemand) -> Floats:
        """(n) joint rates with which the tool would have the demanded twist, least in size, at the state of the last step."""
        g, L, out = self.dynamics.generalised, np.empty((6, 6)), np.empty(self.model.n)
        prepare(g.jacobian, self._u.copy(), L)
        pull(g.jacobian, L, demand.flat[12:18] - g.carried, out)
        return out


def check_joints_enough(model: ArmModel) -> None:
    """BadInput for an arm that cannot do a task in six directions."""
    if model.n < TASK:
        raise BadInput(
            f"{model.name}: too few joints for place and attitude of {model.tool}",
            value=model.n,
            bound=f"{TASK} or more",
        )


def gains_table(gains: TaskGains, law: int, n: int) -> Floats:
    """(4, max(6, n)) as the kernels read it."""
    out = np.zeros((4, max(6, n)))
    joints_of_kd = n if law == 1 else 6
    out[KP, :6] = _row(gains.kp, 6, "kp", least=0.0, strict=True)
    out[KD, :joints_of_kd] = _row(gains.kd, joints_of_kd, "kd", least=0.0, strict=True)
    out[KPS, :n] = _row(gains.posture_kp, n, "posture_kp", least=0.0, strict=True)
    out[KDS, :n] = _row(gains.posture_kd, n, "posture_kd", least=0.0, strict=law != 1)
    if law == 1:
        out[KPS] *= float(_row(gains.alpha, 1, "alpha", least=0.0, strict=True)[0])
        out[KPS] *= -1.0 if gains.pushes else 1.0
    return out


def _row(value: Floats | float, size: int, name: str, least: float, *, strict: bool) -> Floats:
    given = np.asarray(value, dtype=np.float64)
    if given.shape not in ((), (size,)):
        raise BadInput(f"{name}: gains of the wrong shape", value=given.shape, bound=f"one number, or {size}")
    row = np.broadcast_to(given, (size,))
    if not np.isfinite(row).all() or np.any(row <= least if strict else row < least):
        raise BadInput(f"{name}: gains", value=given.tolist(), bound="positive" if strict else "not negative")
    return row


def damping_bound(inertia: Floats, dt: float, most: float = 2.0) -> float:
    """2 λ_min(M*) / dt, N m s/rad: a joint damping above it, held over a step, throws the lightest motion over its own stop.
    ``most``: less than 2 where the rate is measured late (``rate_loop``)."""
    return most * float(np.linalg.eigvalsh(inertia)[0]) / dt


def check_damping(
    controller: TaskController, inertia: Floats, joints: JointsTable | None = None
) -> tuple[float, float]:
    """(largest damping, its bound). BadInput if a damping of the law is unstable with this M* at the controller's rate.
    ``joints``: how late rates are measured and torques act."""
    loop = rate_loop(joints, controller.dt)
    factor = f"{loop.most:.4g}"
    law, dt, n = controller.law, controller.dt, controller.model.n
    task = float(controller.gains[KD, :6].max()) if law != 1 else 0.0
    if task * dt >= loop.most:
        raise BadInput(
            f"law {law}: kd unstable at this rate", value=f"{task:g} 1/s", bound=f"below {loop.most / dt:g} 1/s"
        )
    stiff, most = float(controller.gains[KP, :6].max()), 2.0 / dt if law == 1 else 2.0 * task / dt
    if stiff >= most:
        raise BadInput(
            f"law {law}: kp unstable at this rate",
            value=f"{stiff:g}",
            bound=f"below {'2/dt' if law == 1 else '2 kd/dt'} = {most:g}",
        )
    row, name = (KD, "kd") if law == 1 else (KDS, "posture_kd")
    largest = float(controller.gains[row, :n].max())
    # Law 2 divides by the inertia itself.
    bound = loop.most / dt if law == 2 else damping_bound(inertia, dt, loop.most)
    if largest >= bound:
        raise BadInput(
            f"law {law}: {name} unstable at this rate", value=f"{largest:g} {unit_of_damping(law)}",
            bound=f"below {factor}{'/dt' if law == 2 else ' λ_min(M*)/dt'} = {bound:.4g}",
            way_out="lower it, or raise rate_hz" if joints is None else "lower it, raise rate_hz, or make [joints] less late",
        )  # fmt: skip
    return largest, bound


def unit_of_damping(law: int) -> str:
    return "1/s" if law == 2 else "N m s/rad"
