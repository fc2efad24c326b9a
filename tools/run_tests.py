"""All tests, on two cores: two processes share those that do not mind, file by file, then those that keep
wall-clock time (marked "live" in tests/conftest.py) run alone. ``make test`` calls this; exit code 1 if anything failed.

``fast``: for daily work, what needs no facility and no long run (``make test-fast``)."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[1]
SHARED = ("-n", "2", "--dist", "loadfile", "-m", "not live")
ALONE = ("-m", "live")
FAST = tuple(
    f"tests/{part}" for part in ("arms", "bridge", "core", "house", "lab", "maths", "safety", "sensors", "space")
)


def main() -> int:
    groups = [(*SHARED, *FAST)] if sys.argv[1:] == ["fast"] else [SHARED, ALONE]
    codes = [subprocess.call([sys.executable, "-m", "pytest", *words], cwd=ROOT) for words in groups]
    return int(any(codes))


if __name__ == "__main__":
    sys.exit(main())
