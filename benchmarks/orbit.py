"""Orbit and attitude of two craft against real time on ONE core, everything on, RK4 at 4 ms.

"compiled loop": nothing but the equations of motion. "one call per step": the same, asked for from Python step by step, as the
application does. "pair": ``SpacecraftPair.advance``, which adds thrusters, sky, air and shadow. Everything on: J2 to J6, gravity
gradient, drag, sunlight, Sun and Moon, wheels running and thrusters firing.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.core.mission import MissionFile, load_mission
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.space.pair import SpacecraftPair
from proxops.space.two_craft import World, step

STEPS: Final = 50_000  # 200 s of flight
REPEATS: Final = 5


@kernel
def fly(y: Array, world: World, dt: float, steps: int) -> None:
    """Many steps with the actuators as they are."""
    for _ in range(steps):
        step(y, world, dt)


def flagship() -> MissionFile:
    """The library's approach: an integrated orbit with the whole environment."""
    return load_mission("approach").file


def busy_pair() -> SpacecraftPair:
    """In the light, wheels accelerating, one thruster stuck open: every branch of the equations is taken."""
    pair = SpacecraftPair(flagship(), np.random.default_rng(1))
    pair.set_wheels(np.array([1e-3, -1e-3, 1e-3, -1e-3]))
    pair.bank.stuck_open[0] = True
    pair.advance()
    w = pair.world[0]
    assert w["degree"] == 6 and w["gradient"] and w["density"] > 0.0 and w["thrust"] > 0.0 and w["pressure"]
    assert w["third"].all() and not w["prescribed"]
    w["sunlight"] = 1.0
    return pair


def times_real_time(work: Callable[[], None], steps: int) -> float:
    """Best of several, by the processor's time of this process: others on the machine do not count."""
    best = float("inf")
    for _ in range(REPEATS):
        began = time.process_time()
        work()
        best = min(best, time.process_time() - began)
    return steps * PERIOD_S / best


def run() -> dict[str, float]:
    """Multiples of real time, and microseconds per step."""
    pair = busy_pair()
    y, world = pair.y.copy(), pair.world
    fly(y, world, PERIOD_S, 1)  # compile
    cores = os.sched_getaffinity(0)
    os.sched_setaffinity(0, {max(cores)})
    try:
        loop = times_real_time(lambda: fly(y, world, PERIOD_S, STEPS), STEPS)
        calls = times_real_time(lambda: _steps(y, world), STEPS)
        whole = times_real_time(lambda: _advance(pair), STEPS // 5)
    finally:
        os.sched_setaffinity(0, cores)
    return {
        "times_real_time_compiled_loop": loop,
        "times_real_time_one_call_per_step": calls,
        "times_real_time_pair": whole,
        "required": 2000.0,
        "compiled_step_us": PERIOD_S / loop * 1e6,
        "called_step_us": PERIOD_S / calls * 1e6,
        "pair_step_us": PERIOD_S / whole * 1e6,
    }


def _steps(y: Array, world: World) -> None:
    for _ in range(STEPS):
        step(y, world, PERIOD_S)


def _advance(pair: SpacecraftPair) -> None:
    for _ in range(STEPS // 5):
        pair.advance()
