"""Numba without what our kernels do not need: shapes are still judged, and what makes it lean is really left out."""

import subprocess
import sys

import numpy as np
import pytest
from numba import njit

from proxops.maths.kernel import kernel
from proxops.maths.lean_numba import make_lean

LOADED = "from proxops.maths.pose import pose_from_abc as f; f(0.0, 0.0, 0.0, 0.5, 0.0, 0.0); import sys; print(*sys.modules)"


@kernel
def put(part: np.ndarray, whole: np.ndarray) -> None:
    whole[1:3] = part


def test_a_slice_that_does_not_fit_is_refused() -> None:
    whole = np.zeros(5)
    put(np.array([1.0, 2.0]), whole)
    assert whole.tolist() == [0.0, 1.0, 2.0, 0.0, 0.0]
    with pytest.raises(ValueError, match="cannot assign slice from input of different size"):
        put(np.ones(4), whole)


def test_no_text_is_built_in_a_kernel() -> None:
    make_lean()
    compiled = njit(put.py_func)  # of kept machine code Numba does not show the text
    compiled(np.ones(2), np.zeros(5))
    (code,) = compiled.inspect_llvm().values()
    assert "put" in code and "unicode" not in code


def test_kernels_are_loaded_without_scipy() -> None:
    said = subprocess.run([sys.executable, "-c", LOADED], capture_output=True, text=True, check=True).stdout.split()
    assert "numba.np.arraymath" in said and "scipy.linalg" not in said
