"""How Numba makes an array on the stack: what a kernel's call of ``stack`` is compiled to."""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numba.core import cgutils, types
from numba.core.errors import RequireLiteralValue
from numba.core.typing.templates import builtin_registry
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array

USERS: Final[set[str]] = set()  # kernels, by the compiler's names, that have arrays on their stack


def _array(context: Any, builder: Any, kind: Any, shape: tuple[int, ...]) -> Any:
    """An array of ``kind`` without an owner."""
    USERS.add(builder.function.name)
    item = context.get_data_type(kind.dtype)
    size, count = context.get_abi_sizeof(item), int(np.prod(shape))
    strides = [size * int(np.prod(shape[i + 1 :])) for i in range(len(shape))]
    array = make_array(kind)(context, builder)
    number = context.get_constant
    populate_array(
        array, data=_room(context, builder, kind.dtype, count), meminfo=None, itemsize=number(types.intp, size),
        shape=cgutils.pack_array(builder, [number(types.intp, n) for n in shape]),
        strides=cgutils.pack_array(builder, [number(types.intp, n) for n in strides]),
    )  # fmt: skip
    return array._getvalue()


def _room(context: Any, builder: Any, kind: Any, count: int) -> Any:
    """Numba begins with a zero in the first element. Of a record it would store one for each byte, and LLVM then copies the whole
    byte by byte: three quarters of the time in which the machine code of a kernel that keeps five records was made."""
    item = context.get_data_type(kind)
    if not isinstance(kind, types.Record):
        return cgutils.alloca_once(builder, item, size=count)
    with builder.goto_entry_block():
        place = builder.alloca(item, size=context.get_constant(types.intp, count))
        cgutils.memset(builder, place, context.get_constant(types.intp, kind.size), 0)
    return place


def _typed(kind: Any, *given: Any) -> tuple[Any, Any]:
    """Numba's answer: the signature and the code."""
    shape = tuple(n.literal_value for n in given)
    return kind(*given), lambda context, builder, signature, arguments: _array(context, builder, kind, shape)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]  # Numba has no types
def vector(typingctx: Any, n: Any) -> Any:
    if not isinstance(n, types.IntegerLiteral):
        raise RequireLiteralValue("a constant number of elements")
    return _typed(types.Array(types.float64, 1, "C"), n)


@intrinsic(prefer_literal=True)  # type: ignore[untyped-decorator]  # Numba has no types
def matrix(typingctx: Any, rows: Any, columns: Any) -> Any:
    if not (isinstance(rows, types.IntegerLiteral) and isinstance(columns, types.IntegerLiteral)):
        raise RequireLiteralValue("constant numbers of rows and columns")
    return _typed(types.Array(types.float64, 2, "C"), rows, columns)


@intrinsic  # type: ignore[untyped-decorator]  # Numba has no types
def record_like(typingctx: Any, records: Any) -> Any:
    kind = types.Array(records.dtype, 1, "C")
    return kind(records), lambda context, builder, signature, arguments: _array(context, builder, kind, (1,))


def type_of(name: str) -> Any:
    """By which the compiler knows one of the functions above."""
    function = {"vector": vector, "matrix": matrix, "record_like": record_like}[name]
    return next(kind for value, kind in builtin_registry.globals if value is function)
