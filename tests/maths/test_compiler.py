"""What Numba leaves out for us, and that it still does what it is asked for."""

import subprocess
import sys

import numpy as np
import pytest

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

LOADED = """
import sys
import numpy as np
from proxops.maths.quaternion import quat_inverse
quat_inverse(np.array([1.0, 0.0, 0.0, 0.0]))
assert "scipy.linalg" not in sys.modules
from numba.np import arraymath, linalg
assert arraymath._HAVE_BLAS  # whoever wants it
linalg.ensure_blas()
assert "scipy.linalg" in sys.modules
"""


@kernel
def _put(out: Array, values: Array) -> None:
    out[1:4] = values


def test_a_kernel_is_loaded_without_scipy() -> None:
    pytest.importorskip("scipy")
    subprocess.run([sys.executable, "-c", LOADED], check=True)


def test_a_slice_of_another_size_is_refused() -> None:
    out = np.zeros(5)
    _put(out, np.ones(3))
    assert out.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]
    with pytest.raises(ValueError, match="slice of another shape"):
        _put(out, np.ones(4))
    assert out.tolist() == [0.0, 1.0, 1.0, 1.0, 0.0]
