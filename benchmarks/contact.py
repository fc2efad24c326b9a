"""Contact through a robot's delay: how often each method brings back the true restitution, and what a tick of it costs.

Shares of seeded random contacts within max(0.005, B) (linear laws) or 0.01 (exponent 1 to 1.5, not declared), by bins of
omega tau; the times are medians of the fit of a full buffer and of a whole tick of the loop.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from functools import partial
from itertools import pairwise
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.space.contact_law import contact_force, state_after_touch
from proxops.touch.contact_fit import ContactFit, Sensed
from proxops.touch.contact_loop import ContactLoop
from proxops.touch.contact_samples import CAPACITY
from proxops.touch.contact_study import BINS, IDENTIFIED, METHODS, share

RUNS: Final = 400
SEED: Final = 6
REPEATS: Final = 300


def run() -> dict[str, float | str]:
    out: dict[str, float | str] = {}
    bins = [*pairwise(BINS), (BINS[0], BINS[-1])]
    for low, high in bins:
        for method, name in enumerate(METHODS):
            out[f"linear, {name}, omega tau {low:g} to {high:g}"] = share(SEED, RUNS, method, (low, high))
        if high <= 0.5:
            name = f"undeclared, {METHODS[IDENTIFIED]}, omega tau {low:g} to {high:g}"
            out[name] = share(SEED, RUNS, IDENTIFIED, (low, high), linear=False)
    return {**out, "required": 0.99, **costs()}


def costs() -> dict[str, float]:
    """Microseconds."""
    mass, k, c, n, speed, noise = 3000.0, 4e4, 400.0, 1.3, 0.02, 1.0
    rng = np.random.default_rng(SEED)
    sensed = Sensed(mass, noise, exponent_free=True)
    fit, loop, ticks = ContactFit(sensed), ContactLoop(sensed, 0.0, speed, 0.02), []
    for i in range(CAPACITY):
        d, rate, _, _ = state_after_touch(i * PERIOD_S, mass, speed, k, c, n)
        force = contact_force(d, rate, k, c, n) + noise * rng.standard_normal()
        fit.add(d, rate, force, i * PERIOD_S)
        ticks.append(_timed(partial(loop.tick, force)))
    solves = [_timed(fit.solve) for _ in range(REPEATS)]
    return {
        "fit_median_us": float(np.median(solves)),
        "tick_median_us": float(np.median(ticks)),
        "required_fit_us": 200.0,
    }


def _timed(call: Callable[[], object]) -> float:
    began = time.perf_counter_ns()
    call()
    return (time.perf_counter_ns() - began) * 1e-3
