"""A seeded study of contact through a delay: how often each method brings back the true restitution.

The cure is the loop that flies in every docking (``docking_loop``): two bodies of 2 m each, which is a mass m between them, a
ball that meets a plate in line with both mass centres, in a hall that is nothing but late (``late_hall``). For comparison the
same contact in one dimension with the force as it comes, led, or watched (``ticked_bounce``). Pure: a seed in, numbers out.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from benchmarks.studies.contact_case import Case, drawn, undeclared
from benchmarks.studies.delayed_bounce import LEAD, NONE, PASSIVITY, hardware, straight_path, ticked_bounce
from benchmarks.studies.late_hall import LateHall
from proxops.core.messages import PERIOD_S
from proxops.space.contact_pair import BODY, PAIR_DTYPE, SIZE, P, Pair, Q, V
from proxops.space.drogue import Drogue
from proxops.touch.contact_fit import ContactFit, Sensed
from proxops.touch.docking_loop import DockingLoop
from proxops.touch.fidelity import LEAST_ERROR

METHODS: Final = {NONE: "none", LEAD: "phase lead", PASSIVITY: "passivity"}  # to compare with
BINS: Final = (0.0, 0.08, 0.2, 0.35, 0.5, 0.7)  # of omega tau
UNDECLARED_ERROR: Final = 0.01  # of the restitution, allowed for laws that are not declared
LONGEST_S: Final = 6.0
PLATE: Final = Drogue("plate", ball_m=0.02, seat_m=0.7)
ARM_M: Final = 0.9  # from the chaser's mass centre to its ball
INERTIA: Final = 0.3  # kg m^2 per kg, about every axis: nothing turns here
ALLOWED: Final = 3.0  # ticks beyond the delay, after separation, in which the past may be corrected


@dataclass(frozen=True)
class Outcome:
    """What came back through the docking loop; NaN if the contact has not ended."""

    restitution: float
    overload: float = math.nan  # greatest force over the ideal one
    energy_share: float = math.nan  # relative kinetic energy after, of that before
    bend_m: float = math.nan  # greatest second difference of the commanded position
    bend_share: float = math.nan  # the same, of what is flown in a tick
    # Restitution as it was when the last correction is allowed: a delay and three ticks after separation.
    in_time: float = math.nan
    touches: int = 0


def bodies(case: Case) -> tuple[Pair, np.ndarray]:
    """Two craft and the true law between them, and their state: the chaser comes in along the client's axis."""
    pair, y = np.zeros(1, PAIR_DTYPE), np.zeros(SIZE)
    r, mass = pair[0], 2.0 * case.mass
    for name in ("chaser", "client"):
        r[name]["mass"], r[name]["inertia"] = mass, INERTIA * mass * np.eye(3)
        r[name]["inverse"] = np.eye(3) / (INERTIA * mass)
    r["tip"], r["drogue"] = (-ARM_M, 0.0, 0.0), PLATE.record
    r["law"] = (case.k, case.c, case.exponent, 0.0, 0.0, 1e-3)
    y[Q] = y[BODY + Q] = 1.0
    y[P], y[V] = PLATE.seat_m + case.gap + ARM_M, -case.speed
    return pair, y


def docked(case: Case, exponent_free: bool = False, declared: bool = False) -> Outcome:
    """One case through the docking loop; ``declared``: its stiffness is believed to be a fifth more than it is."""
    true, y = bodies(case)
    pair = true.copy()
    pair[0]["law"] = (1.2 * case.stiffness if declared else 0.0, 0.0, 1.0, 0.0, 0.0, 1e-3)
    sensed = Sensed(
        case.mass, case.noise, case.dead, exponent_free=exponent_free, stiffness=1.2 * case.stiffness if declared else None,
        contact_point_m=0.0,
    )  # fmt: skip
    loop = DockingLoop(pair, y, case.tau, sensed.threshold_n, lambda law: ContactFit(sensed))
    rng, velocity = np.random.default_rng(case.seed), np.array([-case.speed, 0.0, 0.0])
    hall = LateHall(true, case.tau, loop.command, velocity, case.noise, case.dead, case.tau_error, rng)
    course = _flown(loop, hall)
    return _told(case, loop, hall, course) if course is not None else Outcome(math.nan)


def _flown(loop: DockingLoop, hall: LateHall) -> np.ndarray | None:
    """(ticks, 2): commanded position and relative speed along the axis, until everything is apart; None if it never is."""
    course = []
    for _ in range(int(LONGEST_S / PERIOD_S)):
        course.append((loop.command[0], loop.y[V] - loop.y[BODY + V]))
        loop.step(hall.feel(loop.command))
        ended = loop.touches and loop.touches[-1].ended >= 0
        if ended and loop.cycle > loop.touches[-1].ended + 2 * loop.late and not hall.wrench.any():
            return np.array([*course, (loop.command[0], loop.y[V] - loop.y[BODY + V])])
    return None


def _told(case: Case, loop: DockingLoop, hall: LateHall, course: np.ndarray) -> Outcome:
    _, duration, _, force = case.ideal
    apart = (case.gap / case.speed + duration + case.tau) / PERIOD_S + ALLOWED
    speeds, bend = course[:, 1], float(np.abs(np.diff(course[:, 0], 2)).max())
    energy = loop.touches[-1].energy_after / loop.touches[0].energy_before
    in_time = float(speeds[min(math.floor(apart), len(speeds) - 1)])
    return Outcome(
        float(speeds[-1]) / case.speed, hall.peak_n / force, energy, bend, bend / (case.speed * PERIOD_S), in_time / case.speed,
        len(loop.touches),
    )  # fmt: skip


def fed_back(case: Case, method: int) -> float:
    """Restitution of one case by one of ``METHODS``."""
    device = hardware(case.k, case.c, case.tau / PERIOD_S, case.exponent, 0.0, case.noise, case.dead)
    gauss = np.random.default_rng(case.seed).standard_normal(int(LONGEST_S / PERIOD_S))
    path, believed = straight_path(-case.gap, case.speed * PERIOD_S), (case.tau + case.tau_error) / PERIOD_S
    return ticked_bounce(device, path, -case.gap, case.speed, case.mass, PERIOD_S, believed, method, gauss)


def within(case: Case, restitution: float, linear: bool = True) -> bool:
    """Is the restitution as true as it has to be? Not if there is none."""
    return abs(restitution - case.truth) <= (max(LEAST_ERROR, case.bound) if linear else UNDECLARED_ERROR)


def cases(seed: int, runs: int, omega_tau: tuple[float, float], linear: bool = True) -> list[Case]:
    rng = np.random.default_rng(seed)
    return [drawn(rng, omega_tau) if linear else undeclared(rng, omega_tau) for _ in range(runs)]
