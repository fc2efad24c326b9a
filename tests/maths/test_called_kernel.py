"""A kernel that only other kernels call gets no machine code of its own; as soon as Python calls it, it has."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

NAMES = ("zero", "eins", "two")


@kernel
def _checked(value: float) -> float:
    if value < 0.0:
        raise ValueError("below zero")
    return np.sqrt(value)


@kernel
def _roots(values: Array, name: int) -> tuple[Array, str]:
    out = np.empty_like(values)
    for i in range(values.shape[0]):
        out[i] = _checked(values[i])
    return out, NAMES[name]


def test_called_by_a_kernel_first_and_by_python_later() -> None:
    values = np.array([2.0, 3.0, 5.0])
    roots, name = _roots(values, 1)
    assert name == "eins" and roots.tolist() == np.sqrt(values).tolist()
    assert len(_checked.called.signatures) == 1 and not _checked.signatures  # type: ignore[attr-defined]
    assert [_checked(value) for value in values] == roots.tolist()
    assert len(_checked.called.signatures) == len(_checked.signatures) == 1  # type: ignore[attr-defined]


def test_an_error_comes_through_both_forms() -> None:
    with pytest.raises(ValueError, match="below zero"):
        _roots(np.array([1.0, -1.0]), 0)
    with pytest.raises(ValueError, match="below zero"):
        _checked(-1.0)


PROGRAM = """
import sys
import numpy as np
import test_called_kernel as here
roots, name = here._roots(np.array([2.0, 3.0, 5.0]), 2)
assert name == "two" and roots.tolist() == np.sqrt([2.0, 3.0, 5.0]).tolist()
try:
    here._roots(np.array([-1.0]), 0)
except ValueError as wrong:
    assert str(wrong) == "below zero"
else:
    raise SystemExit("no error")
if sys.argv[1:]:
    assert here._checked(4.0) == 2.0
print(here._roots.stats.cache_misses.total(), here._checked.stats.cache_misses.total(), len(here._checked.called.signatures))
"""


def test_both_forms_are_kept_on_disk_each_by_itself(tmp_path: Path) -> None:
    """A process that finds machine code does not even load what it was made of; one that needs the machine code of a callee
    makes it from what a caller has left."""
    environment = {**os.environ, "NUMBA_CACHE_DIR": str(tmp_path)}
    environment["PYTHONPATH"] = os.pathsep.join([str(Path(__file__).parent), *sys.path])

    def told(*words: str) -> list[str]:
        done = subprocess.run(
            [sys.executable, "-c", PROGRAM, *words], capture_output=True, text=True, check=True, env=environment
        )
        return done.stdout.split()

    def kept() -> set[str]:
        return {path.name for path in tmp_path.rglob("*.nbc")}

    assert told() == ["1", "0", "1"]
    assert not any(name.startswith("test_called_kernel._checked") for name in kept())
    assert told() == ["0", "0", "0"]
    before = kept()
    assert told("both") == ["0", "1", "1"]
    assert {name.split("-")[0] for name in kept() - before} == {"test_called_kernel._checked"}
    assert told("both") == ["0", "0", "0"]
