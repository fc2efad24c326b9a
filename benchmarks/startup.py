"""Time until `proxops --help` answers, against the bare interpreter."""

from __future__ import annotations

import subprocess
import sys
import time


def _seconds(*command: str) -> float:
    best = float("inf")
    for _ in range(5):
        began = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True)
        best = min(best, time.perf_counter() - began)
    return best


def run() -> dict[str, float]:
    """Best of five."""
    bare, answered = (
        _seconds(sys.executable, "-c", "pass"),
        _seconds(sys.executable, "-m", "proxops.cli", "--help"),
    )
    return {"help_s": answered, "bare_interpreter_s": bare, "ratio": answered / bare, "required_help_s": 0.5}
