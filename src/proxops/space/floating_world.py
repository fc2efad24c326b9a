"""Objects that float weightless in a virtual room, bounce and rub: MuJoCo's contacts, our friction. World axes, SI.

After a step MuJoCo's derived quantities belong to the last stage of its Runge-Kutta; what is told here comes from the state."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.errors import BadInput, ProxopsError
from proxops.core.floating_object import FloatingScene
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.maths.small_matrix import applied
from proxops.space.bounce_law import LARGEST_OMEGA_DT, OMEGA_DT
from proxops.space.contact_friction import FREE_Q, FREE_V, Numbers, rub
from proxops.space.floating_model import FloatingModel, floating_model
from proxops.space.mujoco_timers import stop_timers
from proxops.space.separation import Numbers as Indices
from proxops.space.separation import Separation, stay_apart
from proxops.space.turn_limit import packed_limit, turn_back

STEP_S: Final = 5e-4
NO_WRENCH: Final = np.zeros(6)
NO_PUSH, NEAR, APART = range(
    3
)  # how steps begin: not at all, as their push is no number; something may touch; nothing can


@dataclass(frozen=True)
class Contact:
    """Two surfaces, a point between them, the unit normal from one to two, and the force along it on the second (N)."""

    one: str
    two: str
    point: tuple[float, float, float]
    normal: tuple[float, float, float]
    force: float


class FloatingWorld:
    """``pose``, ``velocity``, pushes: of the first object; ``poses``, ``velocities``: one row for each.

    ``omega`` (rad/s): how hard contacts are, as hard as the step allows unless given: a bounce takes π/ω, the objects give way
    by v/ω, and accelerate by v ω."""

    def __init__(self, scene: FloatingScene, dt: float = STEP_S, omega: float | None = None) -> None:
        import mujoco

        stop_timers()
        self._mujoco = mujoco
        self.scene, self.dt, self.omega = scene, dt, OMEGA_DT / dt if omega is None else omega
        if not 0.0 < self.omega * dt <= LARGEST_OMEGA_DT * (1.0 + 1e-9):
            raise BadInput(
                "omega of the contacts: too fast for the steps", value=omega, bound=f"up to {LARGEST_OMEGA_DT / dt:g}"
            )
        self.model: FloatingModel = floating_model(scene, dt, self.omega)
        self._m = self.model.compiled
        self.data = mujoco.MjData(self._m)
        self._inverse_mass: Array = 1.0 / self.model.mass
        self._inverse_inertia: Array = np.array(np.linalg.inv(self.model.inertia), dtype=np.float64)
        self._separation = Separation(self._m, self.model.mass, self.model.inertia, self.model.object_of_geom)
        self._option, self._looks = self._m.opt, True  # for contacts
        self._rough = bool(self.model.friction.any())
        self._limit = None if scene.turn_limit is None else packed_limit(scene.turn_limit)
        self.turned_back = False  # by the limit of its turning, in the last call of ``step``
        self._integration = mujoco.mjtState.mjSTATE_INTEGRATION
        self.state_size = int(mujoco.mj_stateSize(self._m, self._integration))
        self._before = np.zeros(self.state_size)  # steps that are taken back
        n = len(scene.objects)
        self.poses, self.velocities = np.zeros((n, 7)), np.zeros((n, 6))
        self._first = self._m.body("object 0").id
        # MuJoCo's own memory, seen once.
        self._push = self.data.xfrc_applied[self._first]
        self._qpos, self._qvel = self.data.qpos, self.data.qvel
        self._turning = self._qpos[3:FREE_Q], self._qvel[3:FREE_V]  # of the first object: attitude, rate
        for i, table in enumerate(scene.objects):
            R = matrix_from_quat(self.data.qpos[FREE_Q * i + 3 : FREE_Q * i + 7])
            self.data.qvel[FREE_V * i : FREE_V * i + 3] = table.speed_m_s
            self.data.qvel[FREE_V * i + 3 : FREE_V * i + 6] = R.T @ np.radians(table.turn_rate_deg_s)
        self._observe()

    @property
    def t(self) -> float:
        return float(self.data.time)

    @property
    def pose(self) -> Array:
        """Position of the body's frame and quaternion q_world_body, scalar first (7)."""
        pose: Array = self.poses[0]
        return pose

    @property
    def velocity(self) -> Array:
        """Of the mass centre, then the angular one (6)."""
        velocity: Array = self.velocities[0]
        return velocity

    def step(self, wrench: Array = NO_WRENCH, steps: int = 1) -> None:
        """Some physics steps under a constant wrench on the first object: force (N) at its mass centre, torque (N m)."""
        self._go(wrench, steps, None)
        self._demand_numbers(self._observe())

    def step_into(
        self, wrench: Array, steps: int, saved: Array, slot: int, poses: Array, velocities: Array, energies: Array
    ) -> None:  # fmt: skip
        """The same from a state that is ``saved``, and then ``put_moment``."""
        self._go(wrench, steps, saved)
        model = self.model
        self._demand_numbers(
            _observe_and_put(
                self._qpos, self._qvel, model.mass_centre, self.poses, self.velocities, model.mass, model.inertia, slot, poses,
                velocities, energies,
            )
        )  # fmt: skip

    def _go(self, wrench: Array, steps: int, saved: Array | None) -> None:
        """``saved``: the state, where it has been saved."""
        answer = begin_under_push(wrench, self._push, self._qpos, self._qvel, steps * self.dt, *self._separation.parts)
        if answer == NO_PUSH:
            raise BadInput("push on the floating object: not a number", value=wrench.tolist())
        self.turned_back = False
        apart = self._look_unless(answer == APART)
        if not self._untouched(steps, saved, apart):
            self._push[:] = wrench
            for _ in range(steps):
                self._step()

    def _demand_numbers(self, sound: bool) -> None:
        if not sound:
            raise ProxopsError(f"physics of the floating objects: no longer a number at {self.t:.4f} s")

    def _look_unless(self, apart: bool) -> bool:
        """Can nothing touch in the next steps? Then MuJoCo does not look for it."""
        if apart is self._looks:
            self._option.disableflags ^= self._mujoco.mjtDisableBit.mjDSBL_CONSTRAINT
            self._looks = not apart
        return apart

    def _untouched(self, steps: int, saved: Array | None, apart: bool) -> bool:
        """All steps in one call, if after none of them there is anything to do; else the state is what it was before."""
        data = self.data
        if self._limit is not None:
            return False
        if apart:
            self._mujoco.mj_step(self._m, data, steps)
            return True
        if steps == 1 or (self._rough and data.ncon):
            return False
        if saved is None:
            saved = self._before
            self.save(saved)
        data.maxuse_con = 0  # MuJoCo keeps the largest number of contacts of all its steps
        self._mujoco.mj_step(self._m, data, steps)
        if not self._rough or data.maxuse_con == 0:
            return True
        self.restore(saved)
        return False

    def _step(self) -> None:
        """MuJoCo's step, and what it leaves to us."""
        self._mujoco.mj_step(self._m, self.data)
        if self._rough and self.data.ncon:
            self._rub()
        if self._limit is not None:
            self.turned_back |= turn_back(*self._turning, self._inverse_inertia[0], self._limit)

    def _rub(self) -> None:
        """Friction for the normal forces that the step ended with."""
        data, model, contact = self.data, self.model, self.data.contact
        # MuJoCo's views have strides, unless there is a single contact: the kernels would be compiled for both, in flight.
        geoms, address, pos, frame = map(
            np.ascontiguousarray, (contact.geom, contact.efc_address, contact.pos, contact.frame)
        )
        _rub_within_limits(
            self._qpos, self._qvel, self._inverse_mass, self._inverse_inertia, model.object_of_geom, geoms, pos, frame, address,
            data.efc_force, model.friction, self.dt,
        )  # fmt: skip

    def _observe(self) -> bool:
        """Poses and velocities; are all of them numbers?"""
        return _observe(self._qpos, self._qvel, self.model.mass_centre, self.poses, self.velocities)

    @property
    def energy(self) -> float:
        """Kinetic, of all objects (J). What springs of contacts hold for a moment is missing."""
        return float(_energy(self.poses, self.velocities, self.model.mass, self.model.inertia))

    def put_moment(self, slot: int, poses: Array, velocities: Array, energies: Array) -> None:
        """Poses and velocities of all objects and their energy, into a slot of each (slots, …)."""
        _put_moment(self.poses, self.velocities, self.model.mass, self.model.inertia, slot, poses, velocities, energies)

    @property
    def momentum(self) -> Array:
        """Linear (N s) and angular about the world's origin (N m s), of all objects."""
        model = self.model
        momentum: Array = _momentum(self.poses, self.velocities, model.mass, model.inertia, model.mass_centre)
        return momentum

    @property
    def touching(self) -> bool:
        """In the last step."""
        return bool(self.data.ncon)

    @property
    def contacts(self) -> tuple[Contact, ...]:
        """Of the end of the last step, for displays."""
        names, contact, found = self.model.names, self.data.contact, []
        for k in range(self.data.ncon):
            one, two = (names[g] for g in contact.geom[k])
            address = int(contact.efc_address[k])
            force = float(self.data.efc_force[address]) if address >= 0 else 0.0
            point, normal = contact.pos[k].tolist(), contact.frame[k, :3].tolist()
            found.append(Contact(one, two, tuple(point), tuple(normal), force))
        return tuple(found)

    # --- to go back ---
    def save(self, state: Array) -> None:
        """All that the future depends on, into an array of ``state_size``: also the solver's warm start."""
        self._mujoco.mj_getState(self._m, self.data, state, self._integration)

    def restore(self, state: Array) -> None:
        """Go on from there: the same to the bit."""
        self._mujoco.mj_setState(self._m, self.data, state, self._integration)
        self._observe()


@kernel
def _rub_within_limits(
    qpos: Array, qvel: Array, inverse_mass: Array, inverse_inertia: Array, object_of_geom: Numbers, geoms: Numbers, point: Array,
    frame: Array, address: Numbers, force: Array, friction: Array, dt: float,
) -> None:  # fmt: skip
    """``rub`` within the ``_impulse_limits`` of a step."""
    limit = _impulse_limits(geoms, address, force, friction, dt)
    rub(qpos, qvel, inverse_mass, inverse_inertia, object_of_geom, geoms, point, frame, limit)


@kernel
def _impulse_limits(geoms: Numbers, address: Numbers, force: Array, friction: Array, dt: float) -> Array:
    """Of each contact: Coulomb's coefficient times its normal impulse (N s); a contact that has no row bears nothing."""
    limit = np.zeros(geoms.shape[0])
    for k in range(geoms.shape[0]):
        if address[k] >= 0:
            limit[k] = friction[geoms[k, 0], geoms[k, 1]] * force[address[k]] * dt
    return limit


@kernel
def begin_under_push(
    wrench: Array, push: Array, qpos: Array, qvel: Array, seconds: float, margin: float, bodies: Array, inertia: Array,
    owner: Indices, T_body_geom: Array, half: Array, pairs: Indices, T_world_geom: Array, ways: Array,
) -> int:  # fmt: skip
    """``_put_push``, and whether all ``stay_apart`` under it."""
    if not _put_push(wrench, push):
        return NO_PUSH
    apart = stay_apart(
        qpos, qvel, wrench, seconds, margin, bodies, inertia, owner, T_body_geom, half, pairs, T_world_geom, ways
    )  # fmt: skip
    return APART if apart else NEAR


@kernel
def _put_push(wrench: Array, push: Array) -> bool:
    """``push`` := ``wrench``, unless it is no number."""
    for i in range(6):
        if not math.isfinite(wrench[i]):
            return False
        push[i] = wrench[i]
    return True


@kernel
def _observe(qpos: Array, qvel: Array, mass_centre: Array, poses: Array, velocities: Array) -> bool:
    for i in range(poses.shape[0]):
        q, v = qpos[FREE_Q * i : FREE_Q * i + FREE_Q], qvel[FREE_V * i : FREE_V * i + FREE_V]
        R = matrix_from_quat(q[3:7])
        poses[i, :3] = q[:3] - applied(R, mass_centre[i])
        poses[i, 3:] = q[3:]
        velocities[i, :3] = v[:3]
        velocities[i, 3:] = applied(R, v[3:])
    sound = True
    for k in range(qvel.shape[0]):
        sound = sound and math.isfinite(qvel[k])
    return sound


@kernel
def _energy(poses: Array, velocities: Array, mass: Array, inertia: Array) -> float:
    total = 0.0
    for i in range(mass.shape[0]):
        v, w = velocities[i, :3], applied(matrix_from_quat(poses[i, 3:]).T, velocities[i, 3:])
        total += 0.5 * mass[i] * (v * v).sum() + 0.5 * (w * applied(inertia[i], w)).sum()
    return total


@kernel
def _put_moment(
    poses: Array, velocities: Array, mass: Array, inertia: Array, slot: int, kept_poses: Array, kept_velocities: Array,
    energies: Array,
) -> None:  # fmt: skip
    for i in range(mass.shape[0]):
        for k in range(7):
            kept_poses[slot, i, k] = poses[i, k]
        for k in range(6):
            kept_velocities[slot, i, k] = velocities[i, k]
    energies[slot] = _energy(poses, velocities, mass, inertia)


@kernel
def _observe_and_put(
    qpos: Array, qvel: Array, mass_centre: Array, poses: Array, velocities: Array, mass: Array, inertia: Array, slot: int,
    kept_poses: Array, kept_velocities: Array, energies: Array,
) -> bool:  # fmt: skip
    """``_observe``, and ``_put_moment`` of what are numbers."""
    sound = _observe(qpos, qvel, mass_centre, poses, velocities)
    if sound:
        _put_moment(poses, velocities, mass, inertia, slot, kept_poses, kept_velocities, energies)
    return sound


@kernel
def _momentum(poses: Array, velocities: Array, mass: Array, inertia: Array, mass_centre: Array) -> Array:
    out = np.zeros(6)
    for i in range(mass.shape[0]):
        R = matrix_from_quat(poses[i, 3:])
        linear = mass[i] * velocities[i, :3]
        spin = applied(R, applied(inertia[i], applied(R.T, velocities[i, 3:])))
        out[:3] += linear
        out[3:] += spin + cross(poses[i, :3] + applied(R, mass_centre[i]), linear)
    return out
