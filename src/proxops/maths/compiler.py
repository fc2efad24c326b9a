"""Numba, made lighter to begin with: for every process that loads a kernel, and for every kernel that is compiled.

Some things it does by itself cost more than they bring. To find out whether there is a BLAS it imports ``scipy.linalg``, a
quarter of a second in each process; no kernel of ours calls one. An assignment to a slice brings the code that words its error,
both shapes as text, into every kernel that has one: a tenth of all compiling, a sixth of all machine code. And a kernel that
others call with arrays of their own, with fields of a record and with written numbers is compiled for each of these. It tells
listeners, of which there are none, of every call of LLVM. What it looks for too often is in ``compiler_shortcuts``.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from typing import Any, Final

from llvmlite.binding import ffi
from numba.core import types
from numba.core.extending import overload
from numba.core.imputils import lower_cast
from numba.core.types.misc import unliteral
from numba.np import arrayobj, linalg

from proxops.maths.compiler_shortcuts import take_shortcuts

SHORT: Final = (types.int8, types.int16, types.int32, types.uint8, types.uint16, types.uint32)


@cache
def lighten() -> None:
    """Once, before the first kernel is loaded or compiled."""
    arrayobj.raise_with_shape_context = _refuse_slice
    take_shortcuts()
    ffi.lib._lock._cblist.clear()
    asked = linalg.ensure_blas
    linalg.ensure_blas = _look_for_scipy
    try:
        import numba.np.arraymath  # noqa: F401  # asks here, once
    finally:
        linalg.ensure_blas = asked


def _look_for_scipy() -> None:
    """Numba's own answer, without the import: whoever compiles code that calls BLAS still gets it."""
    if find_spec("scipy") is None:
        raise ImportError("no SciPy, so no BLAS")


def _refuse_slice(source: Any, index: Any) -> None:
    """Only its name is needed: compiled code calls what stands below."""
    raise NotImplementedError


@overload(_refuse_slice)
def _refused_slice(source: Any, index: Any) -> Callable[[Any, Any], None]:
    def refuse(source: Any, index: Any) -> None:
        raise ValueError("cannot assign an array to a slice of another shape")

    return refuse


def plain_type(given: Any) -> Any:
    """The type that a kernel called from another is compiled for: a field of a record is an array like any other, whatever its
    shape; a number that is written in the call is a number; a short integer fits into a long one."""
    if isinstance(given, types.NestedArray):
        return types.Array(given.dtype, given.ndim, "C")
    plain: Any = unliteral(given)
    return types.int64 if plain in SHORT else plain


@lower_cast(types.NestedArray, types.Array)  # type: ignore[untyped-decorator]  # Numba has no types
def _field_as_array(context: Any, builder: Any, field: Any, array: Any, value: Any) -> Any:
    """Nothing to do: both are a pointer with shape and strides."""
    return value
