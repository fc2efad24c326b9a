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


COMMANDS = (
    ("--help",), ("play", "--help"), ("convert", "--help"), ("serve", "--help"), ("log", "--help"), ("run", "--help"),
    ("check", "--help"), ("orbit", "--help"), ("ft", "--help"), ("report", "--help"), ("pose", "--help"), ("list",),
)  # fmt: skip
PROGRAM = """
import contextlib, io, json, sys
from proxops.cli import main
told = {}
for words in json.loads(sys.argv[1]):
    sys.argv = ["proxops", *words]
    with contextlib.redirect_stdout(io.StringIO()) as said, contextlib.suppress(SystemExit):
        main()
    told[" ".join(words)] = [said.getvalue(), sorted(sys.modules)]
print(json.dumps(told))
"""


def started(program: str, *arguments: str) -> str:
    """What a fresh interpreter says."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        capture_output=True, text=True, check=False, env={**os.environ, "PYTHONPATH": SRC},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    return done.stdout


def loaded_after(program: str) -> set[str]:
    """Top-level modules that a fresh interpreter holds after ``program``."""
    return top_levels(json.loads(started(f"{program}; import json, sys; print(json.dumps(sorted(sys.modules)))")))


def top_levels(names: list[str]) -> set[str]:
    return {name.partition(".")[0] for name in names}


def test_importing_the_command_line_is_light() -> None:
    loaded = loaded_after("import proxops.cli")
    assert "proxops" in loaded
    assert not loaded & HEAVY


@pytest.fixture(scope="module")
def answered() -> dict[str, tuple[str, list[str]]]:
    """What each command says, and the modules that are loaded then: one process for all, which only ever loads more."""
    found: dict[str, tuple[str, list[str]]] = json.loads(started(PROGRAM, json.dumps(COMMANDS)))
    return found


@pytest.mark.parametrize("arguments", COMMANDS)
def test_help_is_light(answered: dict[str, tuple[str, list[str]]], arguments: tuple[str, ...]) -> None:
    said, loaded = answered[" ".join(arguments)]
    assert ("Usage" if "--help" in arguments else "extepos") in said
    assert not top_levels(loaded) & HEAVY


def test_importing_the_package_is_light() -> None:
    assert not loaded_after("import proxops") & (HEAVY | {"numpy", "pydantic", "typer", "rich"})


def test_the_log_viewers_worker_is_light() -> None:
    assert not loaded_after("import proxops.console.log_desk") & HEAVY


def test_the_checker_sees_what_is_loaded() -> None:
    assert "numba" in loaded_after("import proxops.maths.kept_dispatcher")


def test_a_module_with_kernels_is_light() -> None:
    """Numba is for processes that call one."""
    assert not loaded_after("import proxops.facility.facility, proxops.runs.serve_session") & {
        "numba",
        "llvmlite",
        "scipy",
    }
