"""What a change costs in the tick: CPU time of a cycle in lockstep, of this checkout and another, run turn by turn.

    git archive v0.7.0 | tar -x -C /tmp/before        # or any other checkout
    python tools/compare_ticks.py /tmp/before         # a file, without recording
    python tools/compare_ticks.py /tmp/before bridge  # the benchmark's tumbling target, following

Each side is a process of its own that compiles first and then runs when it is asked to. Turn by turn, and by the time of the
process and not of the wall, other people's load falls on both alike. Believe the median of the ratios, to about 2 %.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

HERE = Path(__file__).parents[1]
ROUNDS = 12


def _file_tick() -> Callable[[], float]:
    from benchmarks.lockstep import demo_trajectory

    from proxops.facility.play import play
    from proxops.lab.any_cell import load_cell

    with tempfile.TemporaryDirectory() as folder:
        cell, trajectory = load_cell(), demo_trajectory(Path(folder))

    def once() -> float:
        began = time.process_time()
        cycles = play(cell, trajectory, None).cycles
        return 1e6 * (time.process_time() - began) / cycles

    return once


def _bridge_tick() -> Callable[[], float]:
    from benchmarks import bridge

    from proxops.core.messages import PERIOD_S
    from proxops.core.scenario import parse_scenario
    from proxops.lab.any_cell import load_cell

    cell, scenario = load_cell(), parse_scenario(bridge.SCENARIO, Path("bench.toml"))
    bridge.time.perf_counter = time.process_time  # the benchmark counts what the process has spent, not the wall
    return lambda: 1e6 * PERIOD_S / bridge._times_real_time(cell, scenario, None, False)


def _serve(kind: str) -> None:
    """One side: microseconds of a cycle for every line that comes."""
    once = {"file": _file_tick, "bridge": _bridge_tick}[kind]()
    once()  # compiles
    for _ in sys.stdin:
        print(once(), flush=True)


def _start(checkout: Path, kind: str) -> subprocess.Popen[str]:
    environment = {**os.environ, "PYTHONPATH": f"{checkout / 'src'}:{checkout}", "OPENBLAS_NUM_THREADS": "1"}
    command = [sys.executable, str(Path(__file__).resolve()), "--serve", kind]
    return subprocess.Popen(
        command, cwd=checkout, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )


def _ask(side: subprocess.Popen[str]) -> float:
    assert side.stdin is not None and side.stdout is not None
    side.stdin.write("\n")
    side.stdin.flush()
    return float(side.stdout.readline())


def compare(other: Path, kind: str) -> None:
    """Print the medians of both, and of the ratios."""
    before, now = (_start(checkout, kind) for checkout in (other, HERE))
    rows = [(_ask(before), _ask(now)) if k % 2 else tuple(reversed((_ask(now), _ask(before)))) for k in range(ROUNDS)]
    for side in (before, now):
        side.communicate()
    ratio = statistics.median(b / a for a, b in rows)
    medians = [statistics.median(column) for column in zip(*rows, strict=True)]
    print(f"{kind}: {medians[0]:.1f} us before, {medians[1]:.1f} us now, ratio {ratio:.4f} (median of {ROUNDS})")


if __name__ == "__main__":
    if sys.argv[1] == "--serve":
        _serve(sys.argv[2])
    else:
        compare(Path(sys.argv[1]).resolve(), sys.argv[2] if len(sys.argv) > 2 else "file")
