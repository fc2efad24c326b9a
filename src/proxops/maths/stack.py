"""Small arrays that live as long as the kernel that asks for them: on the stack, so they cost nothing.

One of the heap costs 50 ns, and makes its kernel count who uses every array that it is handed (``called_kernel``). The compiler
keeps what is on the stack in registers where it can. Such an array begins with anything in it, as ``np.empty``'s; a kernel hands
it on to those that it calls and must not return it, nor a part of it: a kernel that returns an array may have none (``of`` of
``called_kernel.CalledKernel`` refuses it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import numpy as np
from numba.core import cgutils, types
from numba.core.errors import RequireLiteralValue
from numba.extending import intrinsic
from numba.np.arrayobj import make_array, populate_array
from numpy.typing import NDArray

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
        array, data=cgutils.alloca_once(builder, item, size=count), meminfo=None, itemsize=number(types.intp, size),
        shape=cgutils.pack_array(builder, [number(types.intp, n) for n in shape]),
        strides=cgutils.pack_array(builder, [number(types.intp, n) for n in strides]),
    )  # fmt: skip
    return array._getvalue()


def _typed(kind: Any, *given: Any) -> tuple[Any, Any]:
    """Numba's answer: the signature and the code."""
    shape = tuple(n.literal_value for n in given)
    return kind(*given), lambda context, builder, signature, arguments: _array(context, builder, kind, shape)


if TYPE_CHECKING:

    def vector(n: int) -> NDArray[np.float64]:
        """(n,), with ``n`` written in the call or a constant."""

    def matrix(rows: int, columns: int) -> NDArray[np.float64]:
        """(rows, columns), likewise."""

    def record_like(records: NDArray[np.void]) -> NDArray[np.void]:
        """Room for one record of the same kind (1,)."""

else:

    @intrinsic(prefer_literal=True)
    def vector(typingctx, n):
        if not isinstance(n, types.IntegerLiteral):
            raise RequireLiteralValue("a constant number of elements")
        return _typed(types.Array(types.float64, 1, "C"), n)

    @intrinsic(prefer_literal=True)
    def matrix(typingctx, rows, columns):
        if not (isinstance(rows, types.IntegerLiteral) and isinstance(columns, types.IntegerLiteral)):
            raise RequireLiteralValue("constant numbers of rows and columns")
        return _typed(types.Array(types.float64, 2, "C"), rows, columns)

    @intrinsic
    def record_like(typingctx, records):
        kind = types.Array(records.dtype, 1, "C")
        return kind(records), lambda context, builder, signature, arguments: _array(context, builder, kind, (1,))
