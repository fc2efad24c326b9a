"""Base motion when the joints follow a given course: from the momentum, not from the dynamics.

The momentum (linear and angular about the inertial origin, inertial axes) is a state of its own, constant without forces from
outside; the base's velocity follows from it and the joint rates. A step in the joint rates then costs no accuracy as long as it
falls on the border of two integration steps: ``advance`` sees to that.
"""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
import pinocchio

from proxops.arms.dynamics import Dynamics
from proxops.arms.generalised import base_velocity
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.maths.kernel import kernel
from proxops.space.free_floating import put_rate
from proxops.space.link_gravity import LinkGravity

Course = Callable[[float, bool], tuple[Floats, Floats]]  # (t, as before a step at t) → joint angles and rates


class PrescribedArm:
    """``q`` and ``momentum`` at ``t``."""

    def __init__(
        self, model: ArmModel, course: Course, q: Floats, momentum: Floats | None = None, t: float = 0.0,
        gravity: LinkGravity | None = None,
    ) -> None:  # fmt: skip
        self.model, self.t = model, t
        self._course, self._gravity = course, gravity
        self.dynamics = Dynamics(model)
        self.q: Floats = q.copy()
        self.momentum: Floats = np.zeros(6) if momentum is None else momentum.copy()

    def advance(self, until: float, dt: float, nodes: tuple[float, ...] = ()) -> None:
        """To ``until`` in steps of at most ``dt`` that end at every one of ``nodes``."""
        stops = sorted({self.t, *(t for t in nodes if self.t < t < until), until})
        for begin, end in pairwise(stops):
            count = max(1, int(np.ceil((end - begin) / dt - 1e-9)))
            # The last one ends at the node itself: by a rounding beyond it the course's rates would be those of the next stretch.
            marks = [*(begin + i * (end - begin) / count for i in range(count)), end]
            for t, next_t in pairwise(marks):
                self._step(t, next_t)
            self.t = end

    def velocity(self) -> Floats:
        """(6 + n) now."""
        return self._velocity(self.q, self.momentum, self._course(self.t, False)[1])

    def _step(self, t: float, end: float) -> None:
        h = end - t
        x = np.concatenate([self.q[:N_BASE_Q], self.momentum])
        k1 = self._rate(t, False, x)
        k2 = self._rate(t + 0.5 * h, False, x + 0.5 * h * k1)
        k3 = self._rate(t + 0.5 * h, False, x + 0.5 * h * k2)
        k4 = self._rate(end, True, x + h * k3)
        x = x + h / 6.0 * (k1 + 2.0 * k2 + 2.0 * k3 + k4)
        self.q[:N_BASE_Q], self.momentum = x[:N_BASE_Q], x[N_BASE_Q:]
        self.q[3:7] /= np.linalg.norm(self.q[3:7])
        self.q[N_BASE_Q:] = self._course(end, True)[0]

    def _rate(self, t: float, before: bool, x: Floats) -> Floats:
        joints, rates = self._course(t, before)
        q = np.concatenate([x[:N_BASE_Q], joints])
        q[3:7] /= np.linalg.norm(q[3:7])
        v = self._velocity(q, x[N_BASE_Q:], rates)
        whole = np.concatenate([q, v])
        moved = np.zeros(whole.size)
        put_rate(whole, np.zeros(v.size), q.size, moved)
        out = np.zeros(x.size)
        out[:N_BASE_Q] = moved[:N_BASE_Q]
        if self._gravity is not None:
            data = self.dynamics.data
            pinocchio.forwardKinematics(self.model.pin, data, q)
            out[N_BASE_Q:] = self._gravity.total(t, data)
        return out

    def _velocity(self, q: Floats, momentum: Floats, rates: Floats) -> Floats:
        v = np.zeros(N_BASE + rates.size)
        in_base = np.zeros(6)
        into_base(q, momentum, in_base)
        base_velocity(self.dynamics.mass_matrix(q), in_base, rates, v[:N_BASE])
        v[N_BASE:] = rates
        return v


@kernel
def into_base(q: Floats, momentum: Floats, out: Floats) -> None:
    """Momentum about the inertial origin in inertial axes → about the base's origin in its axes."""
    x, y, z, w = q[3], q[4], q[5], q[6]
    R = np.array(
        [
            [1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y - z * w), 2.0 * (x * z + y * w)],
            [2.0 * (x * y + z * w), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - x * w)],
            [2.0 * (x * z - y * w), 2.0 * (y * z + x * w), 1.0 - 2.0 * (x * x + y * y)],
        ]
    )
    about = np.empty(3)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        about[i] = momentum[3 + i] - (q[j] * momentum[k] - q[k] * momentum[j])
    for i in range(3):
        out[i] = R[0, i] * momentum[0] + R[1, i] * momentum[1] + R[2, i] * momentum[2]
        out[3 + i] = R[0, i] * about[0] + R[1, i] * about[1] + R[2, i] * about[2]
