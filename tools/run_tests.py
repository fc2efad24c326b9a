"""All tests, under ten minutes on two cores: two processes share those that do not mind, then those that keep wall-clock time
(marked "live" in tests/conftest.py) run alone. ``make test`` calls this; exit code 1 if anything failed."""

import subprocess
import sys
import tempfile
from pathlib import Path

TESTS = Path(__file__).parents[1] / "tests"
FIRST = {  # about half of the time
    "against", "arms", "bridge", "core", "ground", "lab", "laws", "maths", "onboard", "replay", "safety", "sensors",
    "space", "touch",
}  # fmt: skip


def main() -> int:
    folders = sorted({path.parent for path in TESTS.glob("*/test_*.py")})
    halves = [[f for f in folders if (f.name in FIRST) == first] for first in (True, False)]
    with tempfile.TemporaryDirectory() as name:
        logs = [Path(name) / str(k) for k in range(2)]
        running = [pytest("not live", half, log) for half, log in zip(halves, logs, strict=True)]
        codes = []
        for process, log in zip(running, logs, strict=True):
            codes.append(process.wait())
            print(log.read_text(), flush=True)
    codes.append(pytest("live", folders, None).wait())
    return int(any(codes))


def pytest(mark: str, folders: list[Path], log: Path | None) -> "subprocess.Popen[bytes]":
    command = [sys.executable, "-m", "pytest", "-m", mark, *map(str, folders)]
    return subprocess.Popen(command, cwd=TESTS.parent, stdout=log.open("wb") if log else None, stderr=subprocess.STDOUT)


if __name__ == "__main__":
    sys.exit(main())
