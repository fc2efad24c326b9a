"""Small arrays that live as long as the kernel that asks for them: on the stack, so they cost nothing.

One of the heap costs 50 ns, and makes its kernel count who uses every array that it is handed (``called_kernel``). The compiler
keeps what is on the stack in registers where it can. Such an array begins with anything in it, as ``np.empty``'s; a kernel hands
it on to those that it calls and must not return it, nor a part of it: a kernel that returns an array may have none (``of`` of
``called_kernel.CalledKernel`` refuses it).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    def vector(n: int) -> NDArray[np.float64]:
        """(n,), with ``n`` written in the call or a constant."""

    def matrix(rows: int, columns: int) -> NDArray[np.float64]:
        """(rows, columns), likewise."""

    def record_like(records: NDArray[np.void]) -> NDArray[np.void]:
        """Room for one record of the same kind (1,)."""

else:

    class StackArray:
        """Known to the compiler when it meets it: most processes load kernels that are compiled."""

        def __init__(self, name: str) -> None:
            self._name = name

        @property
        def _numba_type_(self) -> Any:
            from proxops.maths.stack_arrays import type_of

            return type_of(self._name)

    vector, matrix, record_like = StackArray("vector"), StackArray("matrix"), StackArray("record_like")
