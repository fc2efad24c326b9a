"""Compiled kernels are kept on disk. What is kept must not outlive the source it was made from."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

import proxops

SOURCE = Path(proxops.__file__).parent
PROGRAM = """
from proxops.maths.pose import pose_from_abc as f
print(f(0.0, 0.0, 0.0, 0.5, 0.0, 0.0)[1, 0], f.stats.cache_misses.total())
"""
SINE = 0.479425538604203  # of A
EDITED = Path("proxops", "maths", "rotation.py")


def started(folder: Path) -> subprocess.Popen[str]:
    """A fresh interpreter with the package in ``folder``."""
    hidden = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    environment = {**hidden, "PYTHONPATH": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", PROGRAM], stdout=subprocess.PIPE, text=True, cwd=folder, env=environment
    )


def told(process: subprocess.Popen[str]) -> tuple[float, int]:
    """The sine of A, and how many kernels had to be compiled for it."""
    out, _ = process.communicate()
    assert process.returncode == 0
    sine, misses = out.split()
    return float(sine), int(misses)


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, list[tuple[float, int]]]:
    """A package of its own with our kernels of mathematics and nothing compiled, and what processes said that started
    together there."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(SOURCE / "maths", folder / "proxops" / "maths", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(SOURCE / "__init__.py", folder / "proxops" / "__init__.py")
    return folder, [told(one) for one in [started(folder) for _ in range(3)]]


@pytest.fixture
def package(together: tuple[Path, list[tuple[float, int]]]) -> Iterator[Path]:
    """Compiled; a test may edit ``EDITED``."""
    text = (together[0] / EDITED).read_text()
    yield together[0]
    (together[0] / EDITED).write_text(text)


def test_processes_that_start_together_compile_a_kernel_once(together: tuple[Path, list[tuple[float, int]]]) -> None:
    """A facility is several processes, a test run many."""
    sines, misses = zip(*together[1], strict=True)
    assert sum(misses) == 1
    assert all(abs(sine - SINE) < 1e-15 for sine in sines)


def test_a_kernel_follows_a_change_in_another_file(package: Path) -> None:
    """pose.py calls rotation.py. Numba looks at the caller's file only: after an edit, an upgrade or a checkout the old
    machine code of the callee would live on inside the caller, and every test would be passed by code that is gone."""
    text = (package / EDITED).read_text()
    assert "R[1, 0] = sa * cb" in text
    (package / EDITED).write_text(text.replace("R[1, 0] = sa * cb", "R[1, 0] = 7.0"))
    assert told(started(package)) == (7.0, 1)


def test_a_comment_compiles_nothing(package: Path) -> None:
    """Comments, docstrings and the lines on which functions stand do not end up in machine code."""
    kernels = package / "proxops" / "maths" / "__pycache__" / "kernels"
    before = {path: path.stat().st_mtime_ns for path in kernels.rglob("*.nb?")}
    assert before
    (package / EDITED).write_text("# A remark.\n" + (package / EDITED).read_text())
    sine, misses = told(started(package))
    assert abs(sine - SINE) < 1e-15 and misses == 0
    assert {path: path.stat().st_mtime_ns for path in kernels.rglob("*.nb?")} == before
