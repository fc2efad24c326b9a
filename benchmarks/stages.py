"""Where a cycle of the closed loop goes: time of each stage, by itself, over all cycles of the flagship near its goal.

Every stage is a call that is timed while it runs; what it calls and is a stage too is taken off. The clock costs about 0.1 us a
call, which falls on whoever calls: the sum is larger than a cycle without clocks (``python -m benchmarks mission``). The recorder
is another process; its time is Linux's count of it meanwhile.
"""

from __future__ import annotations

import os
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from benchmarks.mission import Loop, nearby
from proxops.bridge import cruise
from proxops.core.messages import PERIOD_S
from proxops.lab.any_cell import load_cell

SECONDS: Final = 60.0
WARM_S: Final = 4.0


class Stopwatch:
    """Times calls by themselves, nested ones taken off."""

    def __init__(self) -> None:
        self.own_ns: dict[str, int] = {}
        self._inner_ns = [0]

    def time(self, owner: Any, name: str, stage: str) -> None:
        """From now on ``owner.name`` counts for ``stage``."""
        call: Callable[..., Any] = getattr(owner, name)
        self.own_ns.setdefault(stage, 0)

        def timed(*given: Any, **named: Any) -> Any:
            self._inner_ns.append(0)
            began = time.perf_counter_ns()
            try:
                return call(*given, **named)
            finally:
                taken = time.perf_counter_ns() - began
                self.own_ns[stage] += taken - self._inner_ns.pop()
                self._inner_ns[-1] += taken

        setattr(owner, name, timed)


def processor_s(pid: int) -> float:
    """Processor's time of a process so far, as Linux counts it."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def run() -> dict[str, float]:
    """Microseconds of a cycle, stage by stage."""
    with tempfile.TemporaryDirectory() as folder:
        loop, watch = Loop(load_cell(), nearby(), Path(folder) / "run.mcap"), Stopwatch()
        loop.fly(WARM_S)
        facility, application = loop.hall.facility, loop.application
        kernel = cruise.follow_usual
        for owner, name, stage in (
            (facility, "tick", "everything else: loop, watches, cycles that are not usual"),
            (application._host, "step", "flight software"),
            (application, "look_ahead", "mission: sensor, instruments, orbit, record"),
            (application, "advance", "mission: sensor, instruments, orbit, record"),
            (loop.runner._client, "foretell", "packets"),
            (facility._usual, "move", "bridge: what is heard, and the way into the kernel"),
            (cruise, "follow_usual", "hall: estimate, clutch, mapping, zones, guard, robots, record (one kernel)"),
            (facility, "publish", "telling the last cycle"),
            (facility.ring, "push_all", "ring"),
        ):
            watch.time(owner, name, stage)
        recorder = loop.hall.recorder
        assert recorder is not None
        before, spent_s = loop.clock.tick, processor_s(recorder.pid)
        try:
            loop.fly(SECONDS)
        finally:
            cruise.follow_usual = kernel
        cycles = loop.clock.tick - before
        recorder_us = 1e6 * (processor_s(recorder.pid) - spent_s) / cycles
        loop.close()
    figures = {stage: 1e-3 * ns / cycles for stage, ns in watch.own_ns.items()}
    figures["recorder (its own process)"] = recorder_us
    total = sum(figures.values())
    return {**figures, "sum_us": total, "times_real_time_of_the_sum": PERIOD_S * 1e6 / total}
