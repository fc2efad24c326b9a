"""Numba, made lighter to begin with: for every process that loads a kernel, and for every kernel that is compiled.

Some things it does by itself cost more than they bring. To find out whether there is a BLAS it imports ``scipy.linalg``, a
quarter of a second in each process; no kernel of ours calls one. An assignment to a slice brings the code that words its error,
both shapes as text, into every kernel that has one: a tenth of all compiling, a sixth of all machine code. And a kernel that
others call with arrays of their own, with fields of a record and with written numbers is compiled for each of these.
While it compiles it compares its flags, fifty of them, a thousand times for each kernel, looks for the meaning of every ``a + b``
among all that can be added, and tells listeners, of which there are none, of every call of LLVM: a seventh of all compiling.
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
from numba.core.targetconfig import ConfigStack, TargetConfig
from numba.core.types.functions import BaseFunction
from numba.core.types.misc import unliteral
from numba.np import arrayobj, linalg

SHORT: Final = (types.int8, types.int16, types.int32, types.uint8, types.uint16, types.uint32)


@cache
def lighten() -> None:
    """Once, before the first kernel is loaded or compiled."""
    arrayobj.raise_with_shape_context = _refuse_slice
    for owner, name, better in (
        (TargetConfig, "__hash__", _hash_flags), (TargetConfig, "__eq__", _same_flags(TargetConfig.__eq__)),
        (BaseFunction, "get_call_type", _remembered(BaseFunction.get_call_type)),
    ):  # fmt: skip
        setattr(owner, name, better)
    ffi.lib._lock._cblist.clear()
    asked = linalg.ensure_blas
    linalg.ensure_blas = _look_for_scipy
    try:
        import numba.np.arraymath  # noqa: F401  # asks here, once
    finally:
        linalg.ensure_blas = asked


def _hash_flags(flags: Any) -> int:
    """Numba's own is of the names alone, so that all have the same, too."""
    return hash(type(flags))


def _same_flags(same: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    def quickly(one: Any, other: Any) -> Any:
        return True if one is other or getattr(other, "_values", None) == one._values else same(one, other)

    return quickly


def _remembered(found: Callable[..., Any]) -> Callable[..., Any]:
    """The meaning of an operator for the same types, in the same context and with the same flags, does not change."""
    known: dict[Any, Any] = {}

    def remember(function: Any, context: Any, types_given: Any, named: Any) -> Any:
        if named or getattr(function.typing_key, "__module__", None) != "_operator":
            return found(function, context, types_given, named)
        flags = ConfigStack.top_or_none()
        key = function, context, types_given, flags and flags.copy()  # the compiler may change its own
        if key not in known:
            known[key] = found(function, context, types_given, named)
        return known[key]

    return remember


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
