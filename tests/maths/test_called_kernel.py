"""A kernel that only other kernels call gets no machine code of its own; as soon as Python calls it, it has."""

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from small_kernels import checked, roots
from warm_interpreter import WarmInterpreter

HEAD = "import sys; import numpy as np; import small_kernels as here\n"


@pytest.fixture(scope="module")
def warm(tmp_path_factory: pytest.TempPathFactory) -> Iterator[WarmInterpreter]:
    interpreter = WarmInterpreter(tmp_path_factory.mktemp("said"))
    yield interpreter
    interpreter.end()


def test_called_by_a_kernel_first_and_by_python_later() -> None:
    values = np.array([2.0, 3.0, 5.0])
    found, name = roots(values, 1)
    assert name == "eins" and found.tolist() == np.sqrt(values).tolist()
    assert [checked(value) for value in values] == found.tolist()


def test_an_error_comes_through_both_forms() -> None:
    with pytest.raises(ValueError, match="below zero"):
        roots(np.array([1.0, -1.0]), 0)
    with pytest.raises(ValueError, match="below zero"):
        checked(-1.0)


def test_whichever_form_is_loaded_first(tmp_path: Path, warm: WarmInterpreter) -> None:
    """An array that is handed to Python needs its data type, which only the wrapper knows of."""
    calls = ("twice(x).tolist() == [2.0, 4.0]", "sum_of_twice(x) == 6.0")
    for program in (calls[:1], calls[1:], calls, calls[::-1], calls):  # the second leaves a callee without its caller
        text = "; ".join(["x = np.array([1.0, 2.0])", *(f"assert here.{call}" for call in program)])
        told_of(tmp_path, text, warm=warm)
        for path in tmp_path.rglob("*sum_of_twice*"):
            path.unlink()  # compiled anew each time, with what is kept of the other


def told_of(folder: Path, program: str, *words: str, warm: WarmInterpreter | None) -> list[str]:
    """What a fresh process says that keeps its kernels in ``folder``; without ``warm`` it begins with nothing at all."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(folder), "PYTHONPATH": os.pathsep.join(sys.path)}
    if warm:
        return warm.begin(HEAD + program, *words, environment=environment, cwd=folder).told().split()
    done = subprocess.run(
        [sys.executable, "-c", HEAD + program, *words], capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.split()


PROGRAM = """
roots, name = here.roots(np.array([2.0, 3.0, 5.0]), 2)
assert name == "two" and roots.tolist() == np.sqrt([2.0, 3.0, 5.0]).tolist()
try:
    here.roots(np.array([-1.0]), 0)
except ValueError as wrong:
    assert str(wrong) == "below zero"
else:
    raise SystemExit("no error")
if sys.argv[1:]:
    assert here.checked(4.0) == 2.0
print(here.roots.stats.cache_misses.total(), here.checked.stats.cache_misses.total(), len(here.checked.called.signatures))
"""


def test_both_forms_are_kept_on_disk_each_by_itself(tmp_path: Path, warm: WarmInterpreter) -> None:
    """A process that finds machine code does not even load what it was made of; one that needs the machine code of a callee
    makes it from what a caller has left."""

    def told(*words: str, begun: WarmInterpreter | None = warm) -> list[str]:
        return told_of(tmp_path, PROGRAM, *words, warm=begun)

    def kept() -> set[str]:
        return {path.name for path in tmp_path.rglob("*.nb[cm]")}

    assert told() == ["1", "0", "1"]
    assert not any(name.startswith("small_kernels.checked") for name in kept())
    assert told() == ["0", "0", "0"]
    before = kept()
    assert told("both") == ["0", "1", "1"]
    assert {name.split(".py")[0] for name in kept() - before} == {"small_kernels.checked"}
    assert told("both", begun=None) == ["0", "0", "0"]
