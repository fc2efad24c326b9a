"""Differential gravity on the links of an arm in orbit.

In a frame with inertial axes that falls with the reference orbit a link of mass m at r feels m G r (tidal force) and the torque
3 μ/R³ e × I e about its centre, G = μ/R³ (3 eeᵀ − 1), e up. Linear in r/R: off by 1.5 r/R of itself, 1e-6 for metres. No Coriolis
or centrifugal terms: those belong to the rotating frame (paper 003, eqs. 4 to 6), and these axes do not turn.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import StrEnum
from itertools import pairwise
from typing import Any

import numpy as np
import pinocchio

from proxops.arms.model import ArmModel, Floats
from proxops.core.earth import MU_M3_S2
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross
from proxops.maths.small_matrix import applied


@dataclass(frozen=True)
class CircularOrbit:
    """Where up is: at t = 0 ``up``, then turning about ``normal`` with the mean motion. Inertial axes."""

    radius_m: float
    up: tuple[float, float, float] = (1.0, 0.0, 0.0)
    normal: tuple[float, float, float] = (0.0, 0.0, 1.0)
    turns: bool = True  # False: up stays where it is, as in a simulation whose local frame is not moved

    @property
    def rate(self) -> float:
        return math.sqrt(MU_M3_S2 / self.radius_m**3)

    def up_at(self, t: float) -> Floats:
        if not self.turns:
            return np.array(self.up)
        (a, b, c), (x, y, z) = self.up, self.normal
        cosine, sine = math.cos(self.rate * t), math.sin(self.rate * t)
        along = (y * c - z * b, z * a - x * c, x * b - y * a)  # normal × up
        return np.array([cosine * u + sine * w for u, w in zip(self.up, along, strict=True)])


class Pull(StrEnum):
    """What of it acts."""

    ALL = "all"  # on every link the tidal force, and the torque about its own centre
    TORQUES = "torques"  # those torques alone (paper 003, eq. 3): of the whole body's torque, the links' own share
    # Those of OnOrbitROS's published code: the radial direction turned by R_world_link instead of its transpose (eq. 2 read the
    # other way), and the product, of a tensor in the link's axes, applied in the world's.
    PUBLISHED = "published"


class LinkGravity:
    """Pinocchio's external forces. From ``begin_s`` on; before, none."""

    def __init__(
        self, model: ArmModel, orbit: CircularOrbit, begin_s: float = 0.0, pull: Pull = Pull.ALL
    ) -> None:  # fmt: skip
        self._orbit, self._begin, self._pull = orbit, begin_s, pull
        bodies = model.pin.inertias
        self._masses = np.array([body.mass for body in bodies])
        self._centres = np.array([body.lever for body in bodies])
        self._inertias = np.array([body.inertia for body in bodies])  # about the centre of mass, body axes
        self._forces = pinocchio.StdVec_Force()
        for _ in bodies:
            self._forces.append(pinocchio.Force.Zero())
        # Pinocchio's own memory, as the places and turns below: nothing is copied.
        self._wrenches = in_a_row([force.vector for force in self._forces])
        self._data: Any = None
        self._places, self._turns = np.zeros((len(self._masses), 3)), np.zeros((len(self._masses), 3, 3))

    def due(self, t: float) -> bool:
        return True

    def at(self, t: float, data: Any) -> Any:
        self.wrenches(t, data)
        return self._forces

    def wrenches(self, t: float, data: Any) -> Floats:
        """(bodies, 6) force and torque about each body's own frame, in that frame."""
        if t < self._begin:
            self._wrenches[:] = 0.0
            return self._wrenches
        if data is not self._data:
            self._data = data
            self._places = in_a_row([place.translation for place in data.oMi])
            self._turns = in_a_row([place.rotation for place in data.oMi])
        up = self._orbit.up_at(t)
        share = MU_M3_S2 / self._orbit.radius_m**3
        if self._pull is Pull.ALL:
            tide(self._places, self._turns, self._masses, self._centres, self._inertias, up, share, self._wrenches)
        else:
            couples(self._turns, self._inertias, up, share, self._pull is Pull.PUBLISHED, self._wrenches)
        return self._wrenches

    def total(self, t: float, data: Any) -> Floats:
        """(6) of all links: force, and torque about the inertial origin; inertial axes."""
        out, wrenches = np.zeros(6), self.wrenches(t, data)
        add_up(self._places, self._turns, wrenches, out)
        return out


def in_a_row(pieces: list[Floats]) -> Floats:
    """One array over pieces of memory that lie at equal distances, as the elements of Pinocchio's vectors do."""
    first, places = pieces[0], [piece.__array_interface__["data"][0] for piece in pieces]
    apart = places[1] - places[0]
    if any(after - before != apart for before, after in pairwise(places)):
        raise RuntimeError("Pinocchio keeps its bodies otherwise than in a row")
    return np.lib.stride_tricks.as_strided(first, (len(pieces), *first.shape), (apart, *first.strides))


@kernel
def add_up(p: Floats, R: Floats, wrench: Floats, out: Floats) -> None:
    """Wrenches about the bodies' own frames, in those, into one about the inertial origin in inertial axes."""
    f = np.zeros(3)
    for b in range(p.shape[0]):
        for i in range(3):
            f[i] = 0.0
            for j in range(3):
                f[i] += R[b, i, j] * wrench[b, j]
                out[3 + i] += R[b, i, j] * wrench[b, 3 + j]
            out[i] += f[i]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out[3 + i] += p[b, j] * f[k] - p[b, k] * f[j]


@kernel
def tide(
    p: Floats, R: Floats, mass: Floats, centre: Floats, inertia: Floats, up: Floats, share: float, out: Floats
) -> None:
    """``share``: μ/R³. ``p``, ``R``: the bodies' frames in inertial axes."""
    for b in range(mass.shape[0]):
        if mass[b] == 0.0:
            continue
        e = np.zeros(3)  # up, and the mass centre's place, in body axes
        r = np.zeros(3)
        for i in range(3):
            for j in range(3):
                e[i] += R[b, j, i] * up[j]
                r[i] += R[b, j, i] * p[b, j]
            r[i] += centre[b, i]
        along = 3.0 * (e[0] * r[0] + e[1] * r[1] + e[2] * r[2])
        f = mass[b] * share * (along * e - r)
        Ie = np.zeros(3)
        for i in range(3):
            for j in range(3):
                Ie[i] += inertia[b, i, j] * e[j]
        c = centre[b]
        for i in range(3):
            j, k = (i + 1) % 3, (i + 2) % 3
            out[b, i] = f[i]
            out[b, 3 + i] = 3.0 * share * (e[j] * Ie[k] - e[k] * Ie[j]) + c[j] * f[k] - c[k] * f[j]


@kernel
def couples(R: Floats, inertia: Floats, up: Floats, share: float, published: bool, out: Floats) -> None:
    """Torques 3 μ/R³ e × I e alone, each in its link's frame; see ``Pull``."""
    for b in range(R.shape[0]):
        e = applied(R[b], up) if published else applied(R[b].T, up)
        couple = 3.0 * share * cross(e, applied(inertia[b], e))
        out[b, :3] = 0.0
        out[b, 3:] = applied(R[b].T, couple) if published else couple


class HeldGravity:
    """Differential gravity on the links, computed once for each control cycle: within a millisecond it changes by 1e-4 of
    itself."""

    def __init__(self, model: ArmModel, orbit: CircularOrbit, begin_s: float, dt: float) -> None:
        self._gravity, self._dt, self._until, self._forces = LinkGravity(model, orbit, begin_s), dt, 0.0, None

    def due(self, t: float) -> bool:
        return self._forces is None or t >= self._until

    def at(self, t: float, data: Any) -> Any:
        if self.due(t):
            self._forces, self._until = self._gravity.at(t, data), t + (1.0 - 1e-6) * self._dt
        return self._forces
