"""The suite's own workers: what is told of tests that pass, fail, or take their worker along."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
RUN = (
    "import sys, pytest; from test_workers import Workers; sys.exit(pytest.main(sys.argv[1:], plugins=[Workers(2, 1)]))"
)
FILES = {
    "test_fine.py": (
        "import os, pytest\n\n@pytest.mark.parametrize('k', range(20))\n"
        "def test_fine(k): assert os.nice(0) == int(os.environ['NICE']) + 1\n"
    ),
    "test_wrong.py": "def test_wrong(tmp_path): print('some words'); assert 1 == 2\n",
    "test_timed.py": "import os, pytest\n\n@pytest.mark.live\ndef test_timed(): assert os.nice(0) == int(os.environ['NICE'])\n",
}
DEADLY = {"test_deadly.py": "import os\n\ndef test_deadly(): os._exit(7)\n"}
CONFIG = "[pytest]\nmarkers =\n    live: keeps time\n"


def told(folder: Path, files: dict[str, str]) -> str:
    """What a run of these files, which fails, says."""
    for name, text in {"pytest.ini": CONFIG, **files}.items():
        (folder / name).write_text(text)
    command = [sys.executable, "-c", RUN, "-q", "-p", "no:cacheprovider", f"--basetemp={folder / 'base'}"]
    environment = {"PYTHONPATH": str(ROOT / "tools"), "NICE": str(os.nice(0))}
    done = subprocess.run(command, cwd=folder, env=environment, capture_output=True, text=True, timeout=60)
    assert done.returncode == 1
    return done.stdout


def test_every_test_is_told_once(tmp_path: Path) -> None:
    said = told(tmp_path, FILES)
    assert "1 failed, 21 passed" in said and "some words" in said and "assert 1 == 2" in said


def test_a_test_that_takes_its_worker_along_is_named(tmp_path: Path) -> None:
    assert "FAILED test_deadly.py::test_deadly - the worker ended with status 7" in told(tmp_path, DEADLY | FILES)
