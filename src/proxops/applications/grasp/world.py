"""An arm that catches a floating handle, as it really moves: MuJoCo with RK4, joint torques and finger forces held over a cycle.

Held forces do the work f·Δq exactly, so the energy's ledger needs no quadrature. What the contact does to the handle is the
change of its momentum over a cycle, exact as well; what it does to the craft is told from the craft's momentum, and both must be
opposite. Momentum is linear, and angular about the inertial origin; inertial axes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from proxops.applications.grasp.scene import (
    BAR,
    BASE,
    BODY,
    FINGERS,
    GRASP_SITE,
    PALM,
    build_scene,
    check_apart,
    joint_addresses,
    mujoco_module,
)
from proxops.applications.grasp.tables import HandleTable
from proxops.arms.dynamics import Dynamics
from proxops.arms.gripper import Gripper
from proxops.arms.model import N_BASE, ArmModel, Floats
from proxops.maths.pose import pose
from proxops.maths.quaternion import cross
from proxops.maths.rotation import matrix_from_quat
from proxops.space.free_floating import RUNAWAY, Diverged, too_much
from proxops.space.gripper_drive import GripperDrive

LEAST_N: Final = 1e-6  # of a contact
SETTLED_S: Final = 0.05  # contacts that stay the same this long are steady
BRAKE_S: Final = 0.1  # in which the joints' brakes stop the lightest motion of the arm


@dataclass(frozen=True, eq=False)
class WorldSnapshot:
    """The world at one moment: truth. Poses (4, 4) and twists (6, linear before angular) in inertial axes."""

    T_hand: Floats  # grasp frame of the gripper
    hand_twist: Floats
    T_bar: Floats  # z along the approach, y along the bar
    bar_twist: Floats  # of the bar's middle
    handle_momentum: Floats  # (6) about the inertial origin
    craft_momentum: Floats  # (6)
    base_momentum: Floats  # (6) of the base alone, its angular part about its own mass centre
    energy_j: float  # kinetic, of everything
    touch_n: Floats  # (4) normal forces: finger 1, finger 2, palm, anything else of the craft
    depth_m: float  # deepest penetration

    @property
    def momentum(self) -> Floats:
        out: Floats = self.handle_momentum + self.craft_momentum
        return out


class GraspWorld:
    """``step`` moves it on by one cycle of the drives; ``survey`` looks without disturbing."""

    def __init__(
        self, craft: ArmModel, gripper: Gripper, drive: GripperDrive, handle: HandleTable, joints: Floats, cycle_s: float,
        steps_s: tuple[float, float],
    ) -> None:  # fmt: skip
        """``craft``: the arm without its gripper, base at rest in the inertial origin. ``steps_s``: of the physics at most, in
        steady motion and while contacts come and go."""
        self._mujoco, self.craft, self._drive, self.cycle_s = mujoco_module(), craft, drive, cycle_s
        self._counts = [max(1, math.ceil(cycle_s / step - 1e-9)) for step in steps_s]
        self.model: Any = build_scene(craft, gripper, handle, cycle_s / self._counts[0])
        self.data: Any = self._mujoco.MjData(self.model)
        self._look: Any = self._mujoco.MjData(self.model)  # for surveys
        self._q, self._v = joint_addresses(self.model, craft)
        self._fingers = [int(self.model.joint(name).qposadr[0]) for name in FINGERS]
        self._finger_v = [int(self.model.joint(name).dofadr[0]) for name in FINGERS]
        self._handle_v = int(self.model.joint(BODY).dofadr[0])
        self._handle_q = int(self.model.joint(BODY).qposadr[0])
        self._mass, self._inertia = handle.mass_kg, handle.inertia
        self._grasp = int(self.model.site(GRASP_SITE).id)
        self._place(gripper, handle, joints)
        check_apart(self._mujoco, self.model, self.data)
        self._brakes, self._momentum = self._brake_damping(), self._handle_momentum()
        self._contacts, self._changed_s = (0, 0), -math.inf
        self.steps = self._cycles = 0  # of the physics, of the drives
        self.t, self.work_j, self.saturated, self.braked = 0.0, 0.0, 0, False
        self.touching = False  # in the last cycle
        self.on_handle = np.zeros(6)  # mean force and torque (about its mass centre) on the handle in the last cycle

    def _place(self, gripper: Gripper, handle: HandleTable, joints: Floats) -> None:
        d, m = self.data, self.model
        d.qpos[self._q] = joints
        d.qpos[self._fingers] = 0.5 * gripper.opening_m
        turn = matrix_from_quat(d.qpos[self._handle_q + 3 : self._handle_q + 7].copy())
        d.qvel[self._handle_v : self._handle_v + 3] = handle.speed_m_s
        d.qvel[self._handle_v + 3 : self._handle_v + 6] = turn.T @ np.radians(handle.turn_rate_deg_s)  # its own axes
        self._mujoco.mj_forward(m, d)

    @property
    def q(self) -> Floats:
        """As ``proxops.arms`` has it: place, quaternion with the scalar last, joints."""
        d = self.data
        return np.concatenate([d.qpos[:3], d.qpos[4:7], d.qpos[3:4], d.qpos[self._q]])

    @property
    def v(self) -> Floats:
        """Of the base in its own axes, and of the joints."""
        d = self.data
        R = matrix_from_quat(d.qpos[3:7].copy())
        return np.concatenate([R.T @ d.qvel[:3], d.qvel[3:N_BASE], d.qvel[self._v]])

    @property
    def joints(self) -> Floats:
        out: Floats = self.data.qpos[self._q]
        return out

    @property
    def rates(self) -> Floats:
        out: Floats = self.data.qvel[self._v]
        return out

    @property
    def jaw_force(self) -> float:
        """Of each finger's drive, N; positive closes."""
        return self._drive.closing_n

    @property
    def opening(self) -> float:
        return float(self.data.qpos[self._fingers[0]] + self.data.qpos[self._fingers[1]])

    def handle_pose(self) -> Floats:
        """T_inertial_handle (4, 4)."""
        place = self.data.qpos[self._handle_q : self._handle_q + 7].copy()
        return pose(matrix_from_quat(place[3:]), place[:3])

    def step(self, torques: Floats, close: bool, brake: bool = False) -> None:
        """One cycle. Motors give no more than their most."""
        d = self.data
        if brake and not self.braked:
            self.braked = True
            self.model.dof_damping[self._v] = self._brakes
        given = np.zeros(self.craft.n) if self.braked else np.clip(torques, -self.craft.effort, self.craft.effort)
        self.saturated += int(not self.braked and too_much(torques, self.craft.effort))
        push = self._drive.step(d.qpos[self._fingers], d.qvel[self._finger_v], close)
        d.qfrc_applied[self._v], d.qfrc_applied[self._finger_v] = given, push
        joints, fingers, handle = d.qpos[self._q], d.qpos[self._fingers], self._momentum
        count = self._counts[self._unsettled()]
        self.model.opt.timestep = self.cycle_s / count
        self._mujoco.mj_step(self.model, d, count)
        self._check()
        self.steps += count
        self._cycles += 1
        self.t = self._cycles * self.cycle_s
        self.work_j += float(given @ (d.qpos[self._q] - joints) + push @ (d.qpos[self._fingers] - fingers))
        self._momentum = self._handle_momentum()
        self.on_handle = (self._momentum - handle) / self.cycle_s
        # Without contact a free body's momentum changes by rounding only, far below this.
        self.touching = bool(np.abs(self.on_handle[:3]).max() > LEAST_N)

    def survey(self) -> WorldSnapshot:
        mujoco, m, d, look = self._mujoco, self.model, self.data, self._look
        look.qpos[:], look.qvel[:], look.qfrc_applied[:] = d.qpos, d.qvel, d.qfrc_applied
        look.qacc_warmstart[:] = d.qacc_warmstart
        mujoco.mj_forward(m, look)
        mujoco.mj_subtreeVel(m, look)
        T_hand, hand_twist = self._site(GRASP_SITE)
        T_bar, bar_twist = self._site(BAR)
        touch, depth = self._touch()
        return WorldSnapshot(
            T_hand, hand_twist, T_bar, bar_twist, self._subtree(BODY), self._subtree(BASE), self._base_momentum(),
            float(look.energy[1]), touch, depth,
        )  # fmt: skip

    def wrist(self) -> Floats:
        """(6) mean contact force and torque ON the gripper in the last cycle, about its grasp frame, in its axes."""
        if not self.touching:
            return np.zeros(6)
        d, force = self.data, self.on_handle[:3]
        R = d.site_xmat[self._grasp].reshape(3, 3)
        lever = d.qpos[self._handle_q : self._handle_q + 3] - d.site_xpos[self._grasp]
        torque = self.on_handle[3:] + cross(lever, force)
        return np.concatenate([R.T @ -force, R.T @ -torque])

    def _handle_momentum(self) -> Floats:
        """(6) linear, and angular about the handle's own mass centre; inertial axes."""
        d, at = self.data, self._handle_v
        R = matrix_from_quat(d.qpos[self._handle_q + 3 : self._handle_q + 7].copy())
        return np.concatenate([self._mass * d.qvel[at : at + 3], R @ (self._inertia @ d.qvel[at + 3 : at + 6])])

    def _site(self, name: str) -> tuple[Floats, Floats]:
        mujoco, look = self._mujoco, self._look
        site, T, out = look.site(name), np.eye(4), np.zeros(6)
        T[:3, :3], T[:3, 3] = site.xmat.reshape(3, 3), site.xpos
        mujoco.mj_objectVelocity(self.model, look, mujoco.mjtObj.mjOBJ_SITE, site.id, out, 0)
        return T, np.concatenate([out[3:], out[:3]])  # MuJoCo has the angular part first

    def _subtree(self, name: str) -> Floats:
        look, number = self._look, self.model.body(name).id
        linear = self.model.body_subtreemass[number] * look.subtree_linvel[number]
        return np.concatenate([linear, look.subtree_angmom[number] + cross(look.subtree_com[number], linear)])

    def _base_momentum(self) -> Floats:
        mujoco, look, number, out = self._mujoco, self._look, self.model.body(BASE).id, np.zeros(6)
        mujoco.mj_objectVelocity(self.model, look, mujoco.mjtObj.mjOBJ_BODY, number, out, 0)  # at the mass centre
        R = look.ximat[number].reshape(3, 3)
        angular = R @ (self.model.body_inertia[number] * (R.T @ out[:3]))
        return np.concatenate([self.model.body_mass[number] * out[3:], angular])

    def _touch(self) -> tuple[Floats, float]:
        mujoco, m, look = self._mujoco, self.model, self._look
        out, force, depth = np.zeros(4), np.zeros(6), 0.0
        parts = {m.geom(name).id: place for place, name in enumerate((*FINGERS, PALM))}
        for number in range(look.ncon):
            contact = look.contact[number]
            mujoco.mj_contactForce(m, look, number, force)
            place = min(parts.get(int(geom), 3) for geom in contact.geom)
            out[place] += force[0]
            depth = max(depth, -float(contact.dist))
        return out, depth

    def _brake_damping(self) -> Floats:
        """N m s/rad: each joint's share of the arm's inertia over the braking time."""
        dynamics = Dynamics(self.craft)
        dynamics.update(self.q, np.zeros(self.craft.pin.nv))
        light = float(np.linalg.eigvalsh(dynamics.generalised.inertia)[0])
        return np.maximum(np.diag(dynamics.generalised.inertia), light) / BRAKE_S

    def _unsettled(self) -> bool:
        """Whether contacts come and go. A force that sets in within a step costs Runge-Kutta its order, and momentum with it:
        such times get small steps. Contacts are listed before they touch (``NEAR_M``)."""
        contacts = (self.data.ncon, self.data.nefc)
        if contacts != self._contacts:
            self._contacts, self._changed_s = contacts, self.t
        about_to = contacts[0] > 0 and contacts[1] == 0  # near, but nothing pushes yet
        return about_to or (contacts[0] > 0 and self.t - self._changed_s < SETTLED_S)

    def _check(self) -> None:
        d = self.data
        if not np.isfinite(d.qpos.sum() + d.qvel.sum()):
            raise Diverged(f"the motion diverged at {self.t:.3f} s: it is no number any more")
        if too_much(d.qvel[self._v], RUNAWAY * self.craft.speed):
            name = self.craft.joints[int(np.argmax(np.abs(d.qvel[self._v]) / self.craft.speed))]
            raise Diverged(f"the motion diverged at {self.t:.3f} s: {name} turns {RUNAWAY:g} times its limit")
