"""The pieces of the tick, per call from Python, and the share of a 4 ms cycle that each takes."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.lab.any_cell import load_cell
from proxops.lab.coordinates import POV_AT_LAB, axes_from_values, values_from_axes
from proxops.lab.kinematics import forward, inverse
from proxops.lab.links.virtual import VirtualHall
from proxops.lab.observation import observe
from proxops.safety.guard import Guard

CALLS = 20_000


def _microseconds(call: Callable[[], object]) -> float:
    """Best of five: what the work itself costs, without what else the machine does."""
    call()
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        for _ in range(CALLS // 5):
            call()
        best = min(best, (time.perf_counter() - began) / (CALLS // 5))
    return best * 1e6


def run() -> dict[str, float]:
    """Microseconds per call."""
    cell = load_cell()
    q = cell.home.copy()
    q[[5, 11]] += 0.4
    lengths, branches, values, axes = cell.hall["lengths2"][0], np.empty((8, 6)), np.empty(22), np.empty(13)
    T = forward(lengths, q[7:13])
    values_from_axes(cell.hall, 1, q, POV_AT_LAB, values)
    guard, link = Guard(cell, np.zeros(6)), VirtualHall(cell, np.random.default_rng(0), q)
    guard.stand(q)
    ports, answer = np.empty(28), np.empty(22)
    rows = {
        "forward_us": _microseconds(lambda: forward(lengths, q[7:13])),
        "inverse_eight_branches_us": _microseconds(lambda: inverse(lengths, T, 0.0, branches)),
        "clw_command_to_axes_us": _microseconds(lambda: axes_from_values(cell.hall, 1, values, q, False, axes)),
        "guard_us": _microseconds(lambda: guard.judge(q)),
        "virtual_controllers_us": _microseconds(lambda: link.write(q)),
        "observe_us": _microseconds(lambda: observe(cell.hall, q, q, 1, POV_AT_LAB, ports, answer)),
    }
    return {**rows, "share_of_a_cycle": sum(rows.values()) * 1e-6 / PERIOD_S}
