"""A chain that moves in one plane, in closed form: how far its base turns when the joints move one after another.

With all vectors of the plane as complex numbers, bodies k = 0 (base) … n at the angles φk = θ + q1 + … + qk, and
r_ij the vector from body i's mass centre to body j's, r_ij = Σ κ_ijk e^{iφk}. The angular momentum about the common
mass centre is

    L = Σ (Ik + Re Σ_l N_lk e^{i(φk − φl)}) φ̇k,        N_lk = Σ_{i<j} (mi mj / M) κ̄_ijl κ_ijk

so L = h0 θ̇ + Σ hj q̇j, and at L = 0 dθ = −Σ hj dqj / h0. While only joint j moves

    h0 = A + 2 Re(ρ e^{iqj}),   hj = α + Re(ρ e^{iqj}),   hj / h0 = 1/2 + (α − A/2) / (A + 2 |ρ| cos(qj + arg ρ))

whose integral is elementary. Derivation: docs/arms.md, "Planar cases".
"""

from __future__ import annotations

import cmath
import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from proxops.arms.model import ArmModel, Floats
from proxops.core.errors import BadInput

Complex = NDArray[np.complex128]


@dataclass(frozen=True, eq=False)
class PlanarChain:
    """``own``: (n + 1) moments of inertia, kg m2; ``cross``: (n + 1, n + 1) N, kg m2, hermitian."""

    own: Floats
    cross: Complex

    def momenta(self, joints: Floats) -> Floats:
        """(1 + n) h0, h1, … hn at these joint angles, kg m2."""
        phase = np.exp(1j * np.concatenate([[0.0], np.cumsum(joints)]))
        per_body = self.own + (np.conj(phase)[:, None] * self.cross * phase).real.sum(axis=0)
        return np.cumsum(per_body[::-1])[::-1]

    def turn(self, joints: Floats, joint: int, to: float) -> float:
        """rad by which the base turns when this joint (from 0) moves from where it is in ``joints`` to ``to``; no momentum."""
        k = joint + 1  # bodies from here on turn with it
        at_zero = np.array(joints, float)
        begin, at_zero[joint] = float(at_zero[joint]), 0.0
        phase = np.exp(1j * np.concatenate([[0.0], np.cumsum(at_zero)]))
        pairs = np.conj(phase)[:, None] * self.cross * phase
        rho = complex(pairs[:k, k:].sum())
        outer = float(self.own[k:].sum() + pairs[k:, k:].sum().real)  # α
        whole = float(self.own.sum() + pairs[:k, :k].sum().real + pairs[k:, k:].sum().real)  # A
        lead, swing = cmath.phase(rho), 2.0 * abs(rho)
        share = _over_cosine(whole, swing, to + lead) - _over_cosine(whole, swing, begin + lead)
        return -(0.5 * (to - begin) + (outer - 0.5 * whole) * share)

    def turn_along(self, path: Floats) -> float:
        """rad along (nodes, n) joint angles; from node to node one joint moves."""
        total = 0.0
        for begin, end in pairwise(path):
            moving = np.flatnonzero(end != begin)
            if len(moving) != 1:
                raise BadInput("closed form: one joint at a time", value=f"{len(moving)} joints between two nodes")
            total += self.turn(begin, int(moving[0]), float(end[moving[0]]))
        return total


def _over_cosine(a: float, b: float, x: float) -> float:
    """∫ dx / (a + b cos x) from 0, a > b ≥ 0: continuous over all turns."""
    turns = math.floor(x / (2.0 * math.pi) + 0.5)
    rest = x - 2.0 * math.pi * turns
    angle = math.atan2(math.sqrt(a - b) * math.sin(0.5 * rest), math.sqrt(a + b) * math.cos(0.5 * rest))
    return 2.0 * (angle + math.pi * turns) / math.sqrt((a - b) * (a + b))


def planar_chain(model: ArmModel) -> PlanarChain:
    """From a model whose joints all turn about z, one after another, with all mass centres in the plane z = 0."""
    pin, n = model.pin, model.n
    if list(pin.parents)[1:] != list(range(n + 1)):
        raise BadInput("not one chain of links", where=str(model.source))
    hinges = [pin.jointPlacements[2 + k] for k in range(n)]
    bodies = [pin.inertias[1 + k] for k in range(n + 1)]
    flat = all(np.allclose(hinge.rotation, np.eye(3)) and abs(hinge.translation[2]) < 1e-12 for hinge in hinges)
    turning = all(pin.joints[2 + k].shortname() == "JointModelRZ" for k in range(n))
    if not (flat and turning and all(abs(body.lever[2]) < 1e-12 for body in bodies)):
        raise BadInput("not a planar chain", where=str(model.source), bound="joints about z, mass centres at z = 0")
    return chain_of(
        np.array([body.mass for body in bodies]), np.array([body.inertia[2, 2] for body in bodies]),
        np.array([complex(*body.lever[:2]) for body in bodies]),
        np.array([complex(*hinge.translation[:2]) for hinge in hinges]),
    )  # fmt: skip


def chain_of(masses: Floats, inertias: Floats, centres: Complex, hinges: Complex) -> PlanarChain:
    """``centres``: of mass, from each body's own hinge (of the base: from its origin); ``hinges``: of the next body, likewise."""
    count = len(masses)
    # [j, k]: mass centre of j from the base's origin, its part that turns with k.
    place = np.zeros((count, count), complex)
    for j in range(count):
        place[j, :j] = hinges[:j]
        place[j, j] = centres[j]
    cross = np.zeros((count, count), complex)
    for i in range(count):
        for j in range(i + 1, count):
            apart = place[j] - place[i]
            cross += masses[i] * masses[j] / masses.sum() * np.outer(np.conj(apart), apart)
    return PlanarChain(np.asarray(inertias, float), cross)
