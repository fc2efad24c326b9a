"""Flies every shipped scenario through the hall twice, cycle by cycle and up to 25 cycles at once, and compares what was told.

    python tools/compare_cycles.py                    # all scripts and missions: some minutes
    python tools/compare_cycles.py straight approach

Records and events of both runs must be the same to the bit. The short form of this is ``tests/runs/test_usual_cycles.py``.
"""

from __future__ import annotations

import hashlib
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

import proxops.facility.loop
import proxops.runs.bridged_run
from proxops.applications.catalogue import shelf
from proxops.applications.mission.run import run_mission
from proxops.applications.scripted.run import run_lockstep
from proxops.core.mission import Mission
from proxops.core.ring import Ring
from proxops.core.scenario import Scenario
from proxops.facility.usual_cycles import UsualCycles
from proxops.lab.any_cell import load_cell
from proxops.safety.guarded_cycle import MOST


def told(flight: Callable[[], Any], most: int) -> tuple[str, int, int]:
    """Hash of all that a flight pushes into its rings, how much that was, and how many cycles passed unasked."""
    digest, push, push_all, move, counts = hashlib.sha256(), Ring.push, Ring.push_all, UsualCycles.move, [0, 0]

    def heard(ring: Ring, record: memoryview) -> None:
        digest.update(record)
        counts[0] += 1
        push(ring, record)

    def all_heard(ring: Ring, rows: NDArray[np.uint8]) -> None:
        digest.update(rows.tobytes())
        counts[0] += len(rows)
        push_all(ring, rows)

    def moved(usual: UsualCycles, count: int) -> int:
        counts[1] += (done := move(usual, count))
        return done

    Ring.push, Ring.push_all, UsualCycles.move = heard, all_heard, moved  # type: ignore[method-assign, assignment]
    proxops.runs.bridged_run.MOST = proxops.facility.loop.MOST = most  # type: ignore[attr-defined]
    try:
        flight()
    finally:
        Ring.push, Ring.push_all, UsualCycles.move = push, push_all, move  # type: ignore[method-assign]
    return digest.hexdigest(), counts[0], counts[1]


def main() -> int:
    cell, different = load_cell(), 0
    for item in shelf():
        name = item.name
        if (sys.argv[1:] and name not in sys.argv[1:]) or not isinstance(item, Mission | Scenario):
            continue

        def flight(item: Mission | Scenario = item) -> object:
            return run_mission(cell, item, None) if isinstance(item, Mission) else run_lockstep(cell, item, None)

        one, many = told(flight, 1), told(flight, MOST)
        same = one[:2] == many[:2]
        different += not same
        print(
            f"{name}: {'the same' if same else 'DIFFERENT'}, {one[1]} records and events, {many[2]} cycles unasked",
            flush=True,
        )
    return int(different > 0)


if __name__ == "__main__":
    sys.exit(main())
