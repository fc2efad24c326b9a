"""What Numba does for every program and our kernels have no use for. Without it they compile a quarter to a half sooner.

A slice that does not fit raises ``ValueError``. For its words Numba names both shapes, and compiles its handling of text into
every kernel that assigns a slice; on other targets it says only that the sizes differ, and that is enough for us.

BLAS comes from SciPy, which Numba imports where it is installed; no kernel uses either (``tests/house/test_kernels.py``).
"""

from __future__ import annotations

import sys
from functools import cache
from typing import Final

BLAS: Final = "scipy.linalg"


@cache
def make_lean() -> None:
    """To be called before the first kernel is loaded or compiled."""
    _import_without_blas()
    from numba.np import arrayobj

    ours, plain = (f"ol_raise_with_shape_context_{target}" for target in ("cpu", "generic"))
    if hasattr(arrayobj, ours) and hasattr(arrayobj, plain):  # another version of Numba takes longer, nothing else
        getattr(arrayobj, ours).__code__ = getattr(arrayobj, plain).__code__


def _import_without_blas() -> None:
    """What Numba knows of arrays; while it is imported, SciPy cannot be found."""
    if BLAS in sys.modules:  # somebody else needs it, so it costs nothing
        return
    sys.modules[BLAS] = None  # type: ignore[assignment]  # which makes its import fail
    try:
        import numba.np.arraymath  # noqa: F401
    finally:
        del sys.modules[BLAS]
