"""Time until `proxops --help` answers, against the bare interpreter; and until `proxops run approach` is at its first cycle."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time

FIRST_CYCLE = """
import json, os, sys, time
began = time.perf_counter()
from proxops.facility.facility import Facility

def first(facility, most=1):
    print(json.dumps({"cpu_s": time.process_time(), "wall_s": time.perf_counter() - began}), flush=True)
    os._exit(0)

Facility.tick = first
sys.argv = ["proxops", "run", "approach", "--no-report", "--out", sys.argv[1]]
from proxops.cli import main
main()
"""

# A start is warm if bytecode is kept, whatever the user's shell says.
WITH_BYTECODE = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _seconds(*command: str) -> float:
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, time.perf_counter() - began)
    return best


def _first_cycle() -> dict[str, float]:
    """Processor's time and the wall's, best of five; the interpreter's own start counts for the first only."""
    found = []
    for _ in range(5):
        with tempfile.TemporaryDirectory() as folder:
            command = [sys.executable, "-c", FIRST_CYCLE, folder]
            done = subprocess.run(command, check=True, capture_output=True, env=WITH_BYTECODE)
            found.append(json.loads(done.stdout))
    return {f"first_cycle_{name}": min(one[name] for one in found) for name in found[0]}


def run() -> dict[str, float]:
    """Best of five."""
    bare, answered = (
        _seconds(sys.executable, "-c", "pass"),
        _seconds(sys.executable, "-m", "proxops.cli", "--help"),
    )
    help_figures = {"help_s": answered, "bare_interpreter_s": bare, "ratio": answered / bare, "required_help_s": 0.5}
    return {**help_figures, **_first_cycle(), "wanted_first_cycle_s": 0.8}
