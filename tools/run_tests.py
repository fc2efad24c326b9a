"""All tests, on two cores, in two steps. ``make test`` calls this; exit code 1 if anything failed.

First what needs no facility and no long run (alone: ``fast``, for daily work, ``make test-fast``); in a fresh clone this compiles
most kernels. Then the rest: two processes share it file by file and give way to a third: it runs the tests that keep wall-clock
time (marked "live" in tests/conftest.py) and mostly waits."""

import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parents[1]
FAST = (
    "arms", "core", "house", "lab", "maths", "safety", "sensors", "space",
    *(f"bridge/test_{part}.py" for part in ("clutch", "estimate", "feasibility", "input_filter")),
)  # fmt: skip
# In the order of collection, which puts the longest files first; xdist's own would begin with those of most tests.
SHARED = ("-n", "2", "--dist", "loadfile", "--no-loadscope-reorder", "-m", "not live")
# By how much they are nicer; some of their processes step further back, to 10, and a test looks whether they do.
GIVE_WAY = 5


def pytest(*words: str, **more: Any) -> subprocess.Popen[bytes]:
    """Keeps bytecode, whatever the user's shell says: hundreds of processes import the same files."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.Popen([sys.executable, "-m", "pytest", *words], cwd=ROOT, env=environment, **more)


def fast() -> int:
    return pytest(*SHARED, *(f"tests/{part}" for part in FAST)).wait()


def rest() -> int:
    """The live tests' words come last, in one piece."""
    ignored = [f"--ignore=tests/{part}" for part in FAST]
    with tempfile.TemporaryFile() as said:
        live = pytest("-m", "live", stdout=said, stderr=subprocess.STDOUT)
        shared = pytest(*SHARED, *ignored, preexec_fn=lambda: os.nice(GIVE_WAY))
        codes = shared.wait(), live.wait()
        said.seek(0)
        print(said.read().decode(errors="replace"))
    return int(any(codes))


def main() -> int:
    return fast() if sys.argv[1:] == ["fast"] else fast() | rest()


if __name__ == "__main__":
    sys.exit(main())
