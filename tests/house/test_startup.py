"""Heavy imports are late: the command line answers before anything that takes long to load is touched."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

import proxops

HEAVY = {"numba", "llvmlite", "mujoco", "matplotlib", "pinocchio", "coal", "ruckig", "scipy", "cv2"}
SRC = str(Path(proxops.__file__).parent.parent)


def loaded_after(program: str, *arguments: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after ``program``."""
    report = "import atexit, json, sys; atexit.register(lambda: print('\\n@' + json.dumps(sorted(sys.modules))));"
    done = subprocess.run(
        [sys.executable, "-c", report + program, *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": SRC},
    )  # fmt: skip
    assert "\n@" in done.stdout, done.stderr
    return {name.partition(".")[0] for name in json.loads(done.stdout.rpartition("\n@")[2])}


def test_importing_the_command_line_is_light() -> None:
    loaded = loaded_after("import proxops.cli")
    assert "proxops" in loaded
    assert not loaded & HEAVY


@pytest.mark.parametrize(
    "arguments",
    [
        ("--help",),
        ("play", "--help"),
        ("convert", "--help"),
        ("serve", "--help"),
        ("log", "--help"),
        ("run", "--help"),
        ("check", "--help"),
        ("orbit", "--help"),
        ("ft", "--help"),
        ("report", "--help"),
        ("list",),
    ],
)
def test_help_is_light(arguments: tuple[str, ...]) -> None:
    loaded = loaded_after("from proxops.cli import main; main()", *arguments)
    assert not loaded & HEAVY


def test_importing_the_package_is_light() -> None:
    assert not loaded_after("import proxops") & (HEAVY | {"numpy", "pydantic", "typer", "rich"})


def test_the_log_viewers_worker_is_light() -> None:
    assert not loaded_after("import proxops.console.log_desk") & HEAVY


def test_the_checker_sees_what_is_loaded() -> None:
    assert "numba" in loaded_after("import proxops.maths.rotation")
