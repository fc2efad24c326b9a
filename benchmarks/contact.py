"""Contact through a robot's delay: how often the docking loop, and simpler methods, bring back the true restitution.

Shares of seeded random contacts within max(0.005, B) (linear laws) or 0.01 (exponent 1 to 1.5, not declared), by bins of
omega tau, and what such a share stands for: the least that it can be with 95 % confidence (Clopper and Pearson, one-sided).
A run of the docking loop is good if the restitution is within its bound at last, and was when tau and three ticks had gone by
since separation. Besides, of all its runs: the largest energy after a contact of that before, the largest second difference
of the commanded position, the largest correction after that time, and how far the predicted overload was off. At last the
time of a fit of a full buffer, median.
"""

from __future__ import annotations

import math
import time
from itertools import pairwise
from typing import Final

import numpy as np

from benchmarks.studies.contact_case import Case
from benchmarks.studies.contact_study import BINS, METHODS, Outcome, cases, docked, fed_back, within
from proxops.core.messages import PERIOD_S
from proxops.space.contact_law import contact_force, state_after_touch
from proxops.touch.contact_fit import ContactFit, Sensed
from proxops.touch.contact_samples import CAPACITY, contact_threshold_n
from proxops.touch.fidelity import MOST_OVERLOAD
from proxops.touch.overload import predicted_overload

RUNS: Final = 120  # of the docking loop, per bin
PLAIN_RUNS: Final = 400
SEED: Final = 6
REPEATS: Final = 300
Flown = list[tuple[Case, Outcome]]


def run() -> dict[str, float | str]:
    return {**_compared(), **_cured(True), **_cured(False), "required": 0.99, **costs()}


def _compared() -> dict[str, float | str]:
    out: dict[str, float | str] = {}
    for bin_ in pairwise(BINS):
        drawn = cases(SEED, PLAIN_RUNS, bin_)
        for method, name in METHODS.items():
            good = sum(within(case, fed_back(case, method)) for case in drawn)
            out[f"linear, {name}, {_named(bin_)}"] = good / PLAIN_RUNS
    return out


def _cured(linear: bool) -> dict[str, float | str]:
    kind, out, everything = "linear" if linear else "undeclared", {}, []
    for bin_ in pairwise(BINS):
        if linear or bin_[1] <= 0.5:
            flown = [(case, docked(case, not linear)) for case in cases(SEED, RUNS, bin_, linear)]
            out[f"{kind}, docking loop, {_named(bin_)}"] = _share(flown, linear)
            everything += flown
    return {**out, f"{kind}, docking loop, all": _share(everything, linear), **_besides(everything, kind)}


def _named(bin_: tuple[float, float]) -> str:
    return f"omega tau {bin_[0]:g} to {bin_[1]:g}"


def _share(flown: Flown, linear: bool) -> str:
    good = sum(within(case, found.restitution, linear) and within(case, found.in_time, linear) for case, found in flown)
    return f"{good / len(flown):.4f} ({good} of {len(flown)}; with 95 % confidence at least {assured(good, len(flown)):.4f})"


def assured(good: int, runs: int) -> float:
    """The least share that gives ``good`` or more of ``runs`` with a chance of 5 %."""
    low, high = 0.0, 1.0
    for _ in range(50):
        p = 0.5 * (low + high)
        chance = sum(math.comb(runs, i) * p**i * (1.0 - p) ** (runs - i) for i in range(good, runs + 1))
        low, high = (p, high) if chance < 0.05 else (low, p)
    return low


def _besides(flown: Flown, kind: str) -> dict[str, float | str]:
    over = [predicted(case) - found.overload for case, found in flown]
    kept = [found.overload for case, found in flown if predicted(case) <= MOST_OVERLOAD]
    return {
        f"{kind}: median error": float(np.median([abs(found.restitution - case.truth) for case, found in flown])),
        f"{kind}: energy after, of before, at most": max(found.energy_share for _, found in flown),
        f"{kind}: second difference of the command, um, at most": 1e6 * max(found.bend_m for _, found in flown),
        f"{kind}: the same, of the way in a tick": max(found.bend_share for _, found in flown),
        f"{kind}: corrected later than that, share, at most": max(abs(f.in_time - f.restitution) for _, f in flown),
        f"{kind}: contacts of one approach, at most": float(max(found.touches for _, found in flown)),
        f"{kind}: overload, at most": max(found.overload for _, found in flown),
        f"{kind}: overload of those admitted by it, at most": max(kept),
        f"{kind}: predicted less observed overload, least, median, most": " ".join(
            f"{x:.3f}" for x in (min(over), float(np.median(over)), max(over))
        ),
    }


def predicted(case: Case) -> float:
    threshold = contact_threshold_n(case.noise, case.dead) / case.peak
    return predicted_overload(case.omega, case.tau, PERIOD_S, threshold, case.noise / case.peak, 1.0)


def costs() -> dict[str, float | str]:
    """Microseconds."""
    mass, k, c, n, speed, noise = 3000.0, 4e4, 400.0, 1.3, 0.02, 1.0
    rng, fit, solves = np.random.default_rng(SEED), ContactFit(Sensed(mass, noise, exponent_free=True)), []
    for i in range(CAPACITY):
        d, rate, _, _ = state_after_touch(i * PERIOD_S, mass, speed, k, c, n)
        fit.add(d, rate, contact_force(d, rate, k, c, n) + noise * rng.standard_normal(), i * PERIOD_S)
    for _ in range(REPEATS):
        began = time.perf_counter_ns()
        fit.solve()
        solves.append((time.perf_counter_ns() - began) * 1e-3)
    return {"fit_median_us": float(np.median(solves)), "required_fit_us": 200.0}
