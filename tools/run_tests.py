"""All tests, on two cores. ``make test`` calls this; exit code 1 if anything failed.

Three processes share them file by file, since pages and processes have to be waited for, and give way to a fourth: it runs the
tests that keep wall-clock time (marked "live" in tests/conftest.py) and mostly waits. In a fresh clone all of them compile; a
kernel is compiled by one of them and waited for by the others. ``fast`` alone, for daily work: ``make test-fast``."""

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
SHARED = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder", "-m", "not live")
# By how much they are nicer; some of their processes step further back, to 10, and a test looks whether they do.
GIVE_WAY = 5


def pytest(*words: str, **more: Any) -> subprocess.Popen[bytes]:
    """Keeps bytecode, whatever the user's shell says: hundreds of processes import the same files."""
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.Popen([sys.executable, "-m", "pytest", *words], cwd=ROOT, env=environment, **more)


def fast() -> int:
    return pytest(*SHARED, *(f"tests/{part}" for part in FAST)).wait()


def write_bytecode() -> None:
    """In a fresh clone: of the tests, by two processes, each for its half. Else all of them would write all of it at once."""
    files = sorted(map(str, (ROOT / "tests").rglob("test_*.py")))
    halves = [pytest("--collect-only", "-qq", *files[half::2], stdout=subprocess.DEVNULL) for half in (0, 1)]
    for half in halves:
        half.wait()  # what cannot be imported is told by the tests themselves


def everything() -> int:
    """The live tests' words come last, in one piece."""
    if not any((ROOT / "tests").rglob("*.pyc")):
        write_bytecode()
    with tempfile.TemporaryFile() as said:
        live = pytest("-m", "live", stdout=said, stderr=subprocess.STDOUT)
        shared = pytest(*SHARED, preexec_fn=lambda: os.nice(GIVE_WAY))
        codes = shared.wait(), live.wait()
        said.seek(0)
        print(said.read().decode(errors="replace"))
    return int(any(codes))


def main() -> int:
    return fast() if sys.argv[1:] == ["fast"] else everything()


if __name__ == "__main__":
    sys.exit(main())
