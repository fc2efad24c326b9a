"""The cure of the delay in a contact: find the law while touching, replay the contact without the delay, correct in retrospect.

Each tick the newest force sample is paired with the own command a delay earlier, the law is fitted to all pairs of this
contact (``contact_fit``), and the simulated mass is carried again from before its first touch to now and one tick ahead,
under that law and without any delay (``space/contact_law.state_after_touch``). So a sample corrects the whole past, not only
what follows it, until the hardware has come apart and the last sample is in: a delay and three ticks after the mass has.

The command is the mass plus an offset that keeps the commanded position and rate continuous through every correction; the
offset dies away like a critically damped spring within a small part of the contact. Without a declared stiffness the mass
flies on freely until the first samples are significant, so the hardware goes deeper than it should (``fidelity``).
Damping is never below zero and the guard of ``passivity`` stands behind it: no contact returns more energy than it took.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.space.contact_law import contact_omega, state_after_touch
from proxops.touch.command_path import NODES, placed, put_node, straight_path
from proxops.touch.contact_samples import FELT as FELT_BY
from proxops.touch.contact_samples import Fit, Sensed, add_sample, empty_fit, felt
from proxops.touch.law_regression import solve_fit
from proxops.touch.passivity import kept_rate

FIRST_BLEND: Final = 10  # ticks, before there is a law
BLEND: Final = 0.15  # rad of omega t: time constant in which the command comes back to the mass, a tick at least
SILENCE: Final = 10  # ticks after which a touch that has led to no contact is forgotten
# Ticks beyond a delay after separation in which the past is corrected: 3 are allowed, and the last correction may move the
# separation itself.
AFTERWARDS: Final = 2


class Phase(IntEnum):
    """Where a contact stands."""

    FREE = 0
    FELT = 1  # something was felt, there is no law yet
    FITTED = 2
    FINISHED = 3  # apart, and the last correction is in
    FAULT = 4  # a reading was no number, or its stamp in the future or too old: the command stands still


FREE, FELT, FITTED, FINISHED, FAULT = (int(phase) for phase in Phase)
LOOP_DTYPE = np.dtype(
    [
        ("mass", "f8"), ("dt", "f8"), ("tau", "f8"),  # kg, s, ticks as believed
        ("x0", "f8"), ("v0", "f8"),  # incoming: position at node 0 and rate (m, m/s)
        ("tick", "i8"), ("phase", "i8"),
        ("x", "f8"), ("v", "f8"),  # the mass at the newest node
        ("command", "f8"), ("command_rate", "f8"), ("blend", "f8"),  # s, time constant of their difference
        ("silent", "i8"),  # ticks since something was felt
        ("left", "f8"),  # s, when the mass came apart
        ("largest_offset", "f8"), ("largest_rate_step", "f8"),
    ]
)  # fmt: skip
Loop = NDArray[np.void]


@kernel
def _reference(loop: Loop, fit: Fit, t: float) -> tuple[float, float, float]:
    """Position and rate of the mass at ``t`` (s), and when it came apart: its whole way under the newest law."""
    s, f = loop[0], fit[0]
    if f.valid == 0:
        return s.x0 + s.v0 * t, s.v0, math.inf
    touch = (f.d0 - s.x0) / s.v0
    d, v, left, _ = state_after_touch(t - touch, s.mass, s.v0, f.k, f.c, f.n)
    return f.d0 + d, v, touch + left


@kernel
def _disown(loop: Loop, fit: Fit, x: float, t: float) -> None:
    """Takes back a declared law that the hardware, at ``x`` (m) at ``t`` (s), knows nothing of: a force should be felt by now,
    however late the contact point, or the mass has turned at nothing. The flight goes on as if there had been no law."""
    s, f = loop[0], fit[0]
    turned = t > (f.d0 - s.x0) / s.v0 + 0.5 * math.pi / contact_omega(s.mass, s.v0, f.k, f.n)
    if turned or f.k * (x - f.d0 - 3.0 * f.prior_d0_sd) > 3.0 * (f.dead + FELT_BY * f.noise):
        f.valid, f.prior_k, f.prior_d0_sd = 0, 0.0, math.inf


@kernel
def _take(loop: Loop, fit: Fit, path: Array, force: float, stamp: float) -> None:
    """One force sample, stamped in ticks, into the fit; back to free flight if what was felt has led to nothing."""
    s, f = loop[0], fit[0]
    x, step = placed(path, stamp - s.tau)
    touching = felt(fit, force)
    s.silent = 0 if touching else s.silent + 1
    if s.phase == FREE and not touching:
        if f.valid == 1:
            _disown(loop, fit, x, (stamp - s.tau) * s.dt)
        return
    s.phase = max(s.phase, FELT)
    add_sample(fit, x, step / s.dt, force, stamp * s.dt)
    if solve_fit(fit):
        s.phase = FITTED
    if s.silent > SILENCE and (f.valid == 0 or (step > 0.0 and x < f.d0)):
        s.phase, f.count, f.largest = FREE, 0, 0.0


@kernel
def _follow(loop: Loop, fit: Fit, path: Array) -> None:
    """The next node: the mass one tick ahead, and the offset between command and mass on its way to nothing."""
    s, f = loop[0], fit[0]
    now = s.tick * s.dt
    x, v, _ = _reference(loop, fit, now)
    offset, offset_rate = s.command - x, s.command_rate - v
    s.x, s.v, s.left = _reference(loop, fit, now + s.dt)
    s.v = kept_rate(s.v0, s.v)
    if f.valid == 1:
        s.blend = max(s.dt, BLEND / contact_omega(s.mass, s.v0, f.k, f.n))
    T = s.blend
    slope = offset_rate + offset / T
    fade = math.exp(-s.dt / T)
    rate = s.v + (slope - (offset + slope * s.dt) / T) * fade
    s.largest_offset = max(s.largest_offset, abs(offset))
    s.largest_rate_step = max(s.largest_rate_step, abs(rate - s.command_rate))
    s.command, s.command_rate = s.x + (offset + slope * s.dt) * fade, rate
    put_node(path, s.tick + 1, s.command, rate * s.dt)


@kernel
def advance(loop: Loop, fit: Fit, path: Array, force: float, stamp: float) -> int:
    """One tick: the newest sample (N, outward; stamped in ticks), then state and command of the next node. The phase."""
    s = loop[0]
    known = s.tick - NODES + 2 <= stamp - s.tau <= s.tick and stamp <= s.tick  # within the path; NaN is not
    if s.phase == FAULT or not (known and math.isfinite(force)):
        s.phase, s.command_rate = FAULT, 0.0
        put_node(path, s.tick + 1, s.command, 0.0)
        s.tick += 1
        return FAULT
    if s.phase != FINISHED:
        _take(loop, fit, path, force, stamp)
    _follow(loop, fit, path)
    over = s.phase == FITTED and s.silent > 0 and s.tick + 1 > s.left / s.dt + s.tau + AFTERWARDS
    if over:
        s.phase = FINISHED
    s.tick += 1
    return int(s.phase)


def begun(sensed: Sensed, x_m: float, speed: float, tau_s: float, dt: float = PERIOD_S) -> tuple[Loop, Fit, Array]:
    """Arrays of a loop whose mass is at ``x_m`` (inward positive) and comes in with ``speed`` (m/s)."""
    if not speed > 0.0:
        raise BadInput("a contact begins with an approach", where="contact loop", value=speed, bound="> 0 m/s")
    if not 0.0 <= tau_s <= (NODES - 2) * dt:
        raise BadInput(
            "delay of the contact loop", value=f"{tau_s} s", bound=f"0 to {(NODES - 2) * dt:.3f} s",
            way_out="a robot as slow as that cannot be in a contact loop",
        )  # fmt: skip
    loop = np.zeros(1, LOOP_DTYPE)
    s = loop[0]
    s["mass"], s["dt"], s["tau"], s["x0"], s["v0"] = sensed.mass_kg, dt, tau_s / dt, x_m, speed
    s["x"] = s["command"] = x_m
    s["v"] = s["command_rate"] = speed
    s["left"], s["blend"] = math.inf, FIRST_BLEND * dt
    return loop, empty_fit(sensed), straight_path(x_m, speed * dt)


@dataclass(frozen=True)
class MassState:
    """The simulated mass at the coming tick, and what the robot is told: positions along the normal, inward positive."""

    x_m: float
    v: float  # m/s
    command_m: float
    phase: Phase


class ContactLoop:
    """One contact in one dimension, tick by tick."""

    def __init__(self, sensed: Sensed, x_m: float, speed: float, tau_s: float, dt: float = PERIOD_S) -> None:
        self.loop, self.fit, self.path = begun(sensed, x_m, speed, tau_s, dt)

    def tick(self, force_n: float, stamp_s: float | None = None) -> MassState:
        """Takes the newest sample (N, outward positive; taken now if not stamped) and gives the state at the next tick."""
        s = self.loop[0]
        stamp = float(s["tick"]) if stamp_s is None else stamp_s / float(s["dt"])
        phase = Phase(advance(self.loop, self.fit, self.path, force_n, stamp))
        return MassState(float(s["x"]), float(s["v"]), float(s["command"]), phase)

    @property
    def restitution(self) -> float:
        """Speed after over speed before; NaN until the mass is on its way out."""
        s = self.loop[0]
        return -float(s["v"]) / float(s["v0"]) if s["v"] < 0.0 else math.nan

    @property
    def energies_j(self) -> tuple[float, float]:
        """Kinetic energy before the contact and now."""
        s = self.loop[0]
        return 0.5 * float(s["mass"]) * float(s["v0"]) ** 2, 0.5 * float(s["mass"]) * float(s["v"]) ** 2
