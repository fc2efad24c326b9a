"""Compiled kernels are kept on disk. What is kept must not outlive the source it was made from."""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from warm_interpreter import WarmInterpreter, WarmProcess

import proxops

SOURCE = Path(proxops.__file__).parent
PROGRAM = """
from proxops.maths.pose import pose_from_abc as f
print(f(0.0, 0.0, 0.0, 0.5, 0.0, 0.0)[1, 0], f.stats.cache_misses.total())
"""
SINE = 0.479425538604203  # of A
EDITED = Path("proxops", "maths", "rotation.py")


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmInterpreter]:
    interpreter = WarmInterpreter(tmp_path_factory.mktemp("said"))
    yield interpreter
    interpreter.end()


def environment(folder: Path) -> dict[str, str]:
    """In which a process uses the package in ``folder``."""
    return {
        **{key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}, "PYTHONPATH": str(folder)
    }  # fmt: skip


def started(folder: Path, warm: WarmInterpreter) -> WarmProcess:
    """A fresh process with the package in ``folder``."""
    return warm.begin(PROGRAM, environment=environment(folder), cwd=folder)


def told(said: str) -> tuple[float, int]:
    """The sine of A, and how many kernels had to be compiled for it."""
    sine, misses = said.split()
    return float(sine), int(misses)


@pytest.fixture(scope="module")
def together(tmp_path_factory: pytest.TempPathFactory, warm: WarmInterpreter) -> tuple[Path, list[tuple[float, int]]]:
    """A package of its own with our kernels of mathematics and nothing compiled, and what processes said that started
    together there."""
    folder = tmp_path_factory.mktemp("package")
    shutil.copytree(SOURCE / "maths", folder / "proxops" / "maths", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(SOURCE / "__init__.py", folder / "proxops" / "__init__.py")
    return folder, [told(one.told()) for one in [started(folder, warm) for _ in range(3)]]


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


def test_a_kernel_follows_a_change_in_another_file(package: Path, warm: WarmInterpreter) -> None:
    """pose.py calls rotation.py. Numba looks at the caller's file only: after an edit, an upgrade or a checkout the old
    machine code of the callee would live on inside the caller, and every test would be passed by code that is gone."""
    text = (package / EDITED).read_text()
    assert "R[1, 0] = sa * cb" in text
    (package / EDITED).write_text(text.replace("R[1, 0] = sa * cb", "R[1, 0] = 7.0"))
    assert told(started(package, warm).told()) == (7.0, 1)


def test_a_comment_compiles_nothing(package: Path) -> None:
    """Comments, docstrings and the lines on which functions stand do not end up in machine code."""
    kernels = package / "proxops" / "maths" / "__pycache__" / "kernels"
    before = {path: path.stat().st_mtime_ns for path in kernels.rglob("*.nb?")}
    assert before
    (package / EDITED).write_text("# A remark.\n" + (package / EDITED).read_text())
    program = [sys.executable, "-c", PROGRAM]  # in an interpreter that has loaded nothing before
    said = subprocess.run(
        program, stdout=subprocess.PIPE, text=True, cwd=package, env=environment(package), check=True
    ).stdout
    sine, misses = told(said)
    assert abs(sine - SINE) < 1e-15 and misses == 0
    assert {path: path.stat().st_mtime_ns for path in kernels.rglob("*.nb?")} == before
