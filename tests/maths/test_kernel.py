"""Compiled kernels are kept on disk. What is kept must not outlive the source it was made from."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import proxops

SOURCE = Path(proxops.__file__).parent
MISSES = "from proxops.maths.pose import pose_from_abc as f; f(0.0, 0.0, 0.0, 0.5, 0.0, 0.0); print(f.stats.cache_misses.total())"
PROGRAM = "from proxops.maths.pose import pose_from_abc; print(pose_from_abc(0.0, 0.0, 0.0, 0.5, 0.0, 0.0)[1, 0])"


def started(folder: Path, program: str) -> subprocess.Popen[str]:
    """A fresh interpreter with the package in ``folder``."""
    hidden = {key: value for key, value in os.environ.items() if not key.startswith("NUMBA_")}
    environment = {**hidden, "PYTHONPATH": str(folder)}
    return subprocess.Popen(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, cwd=folder, env=environment
    )


def told(process: subprocess.Popen[str]) -> float:
    out, _ = process.communicate()
    assert process.returncode == 0
    return float(out)


def run(folder: Path) -> float:
    """The sine of A."""
    return told(started(folder, PROGRAM))


def copy_of_maths(folder: Path) -> None:
    """A package of its own with our kernels of mathematics, and nothing compiled."""
    shutil.copytree(SOURCE / "maths", folder / "proxops" / "maths", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(SOURCE / "__init__.py", folder / "proxops" / "__init__.py")


def test_a_kernel_follows_a_change_in_another_file(tmp_path: Path) -> None:
    """pose.py calls rotation.py. Numba looks at the caller's file only: after an edit, an upgrade or a checkout the old
    machine code of the callee would live on inside the caller, and every test would be passed by code that is gone."""
    copy_of_maths(tmp_path)
    assert abs(run(tmp_path) - 0.479425538604203) < 1e-15
    assert abs(run(tmp_path) - 0.479425538604203) < 1e-15  # from the cache
    rotation = tmp_path / "proxops" / "maths" / "rotation.py"
    text = rotation.read_text()
    assert "R[1, 0] = sa * cb" in text
    rotation.write_text(text.replace("R[1, 0] = sa * cb", "R[1, 0] = 7.0"))
    assert run(tmp_path) == 7.0


def test_a_comment_compiles_nothing(tmp_path: Path) -> None:
    """Comments, docstrings and the lines on which functions stand do not end up in machine code."""
    copy_of_maths(tmp_path)
    run(tmp_path)
    kernels = tmp_path / "proxops" / "maths" / "__pycache__" / "kernels"
    before = {path: path.stat().st_mtime_ns for path in kernels.rglob("*.nb?")}
    assert before
    rotation = tmp_path / "proxops" / "maths" / "rotation.py"
    rotation.write_text("# A remark.\n" + rotation.read_text())
    run(tmp_path)
    assert {path: path.stat().st_mtime_ns for path in kernels.rglob("*.nb?")} == before


def test_processes_that_start_together_compile_a_kernel_once(tmp_path: Path) -> None:
    """A facility is several processes, a test run many."""
    copy_of_maths(tmp_path)
    assert sum(told(one) for one in [started(tmp_path, MISSES) for _ in range(3)]) == 1
