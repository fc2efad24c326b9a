"""All tests, on two cores. ``make test`` calls this; exit code 1 if anything failed.

Three workers share them file by file, since pages and processes have to be waited for, and give way to a fourth: it runs the
tests that keep wall-clock time (marked "live" in tests/conftest.py) and mostly waits. In a fresh clone all of them compile; a
kernel is compiled by one of them and waited for by the others. ``fast`` alone, for daily work: ``make test-fast``."""

import os
import sys
from pathlib import Path

import pytest
from test_workers import Workers

ROOT = Path(__file__).parents[1]
FAST = (
    "arms", "core", "house", "lab", "maths", "safety", "sensors", "space",
    *(f"bridge/test_{part}.py" for part in ("clutch", "estimate", "feasibility", "input_filter")),
)  # fmt: skip
SHARED = 3
# By how much they are nicer; some of their processes step further back, to 10, and a test looks whether they do.
GIVE_WAY = 5


def main() -> int:
    os.chdir(ROOT)
    sys.path.insert(0, str(ROOT))  # tests import from benchmarks/, as they can under `python -m pytest`
    # Bytecode is kept, whatever the user's shell says: hundreds of processes import the same files.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    fast = sys.argv[1:] == ["fast"]
    words = ["-m", "not live", *(f"tests/{part}" for part in FAST)] if fast else sys.argv[1:]
    return int(pytest.main(words, plugins=[Workers(SHARED, GIVE_WAY)]))


if __name__ == "__main__":
    sys.exit(main())
