"""From the arguments of a call to machine code that is kept on disk, without Numba's compiler.

Numba's dispatchers find out the types of arguments and the code for them in C. This one does it by the same C; where it has no
code yet, it looks on disk, and asks Numba's own dispatcher, with its compiler, only if there is none.
"""

from __future__ import annotations

import sys
from functools import cache
from typing import TYPE_CHECKING, Any

import numba._dispatcher as _dispatcher
import numpy as np
from numba.core import types
from numba.core.errors import NumbaValueError
from numba.core.typeconv.rules import default_type_manager
from numba.core.typing.typeof import Purpose, typeof
from numba.np.numpy_support import from_dtype, map_layout

from proxops.maths.machine_code import SUFFIX, CodeFile, code_loader

if TYPE_CHECKING:
    from proxops.maths.kernel import Kernel


class Omitted:
    """The type of arguments that are left to their default: no kernel has any."""

    value: object


@cache
def _know_numbers() -> None:
    """Numba's C learns the numbers of the types of numbers. Its own dispatchers tell it the same when they are imported."""
    if "numba.core.dispatcher" not in sys.modules:
        _dispatcher.typeof_init(Omitted, {str(kind): _number(kind) for kind in types.number_domain})


def _number(kind: Any) -> int:
    """By which C knows a type, in this process."""
    number: int = kind._code
    return number


class KeptDispatcher(_dispatcher.Dispatcher):
    """Of one kernel."""

    def __init__(self, kernel: Kernel) -> None:
        _know_numbers()
        code = kernel.py_func.__code__
        names = code.co_varnames[: code.co_argcount]
        # as Numba's: arguments may be named, none has a default, none is left over, no object mode, types may be converted
        super().__init__(default_type_manager.get_pointer(), len(names), True, names, (), False, False, False)
        self._kernel, self.__code__ = kernel, code
        self._file = code_file(kernel)
        self._entries: dict[tuple[Any, ...], Any] = {}
        self._types: set[Any] = set()  # C knows types by numbers, which are good as long as they live

    @property
    def signatures(self) -> list[Any]:
        return list(self._entries)

    def typeof_pyval(self, value: object) -> Any:
        """The type of an argument that C does not know by itself."""
        kind = _type_of(value)
        self._types.add(kind)
        return kind

    def _compile_for_args(self, *given: object) -> Any:
        """Called from C when there is no code for what is ``given``: the code, as a function."""
        kinds = tuple(map(self.typeof_pyval, given))
        if kinds not in self._entries:
            kept = self._file.found(kinds)
            entry = (
                code_loader().entry_point(kept) if kept is not None else self._kernel.numba._compile_for_args(*given)
            )
            self._insert(list(map(_number, kinds)), entry, False)  # type: ignore[attr-defined]  # of C
            self._entries[kinds] = entry
        return self._entries[kinds]


def code_file(kernel: Kernel) -> CodeFile:
    """Where its machine code is kept."""
    function = kernel.py_func
    return CodeFile(kernel.folder / f"{function.__module__.rpartition('.')[2]}.{function.__qualname__}{SUFFIX}")


def _type_of(value: object) -> Any:
    if type(value) is np.ndarray and value.dtype.fields is not None:
        record = _record(value.dtype, value.dtype.isalignedstruct)
        return types.Array(record, value.ndim, map_layout(value), readonly=not value.flags.writeable)
    try:
        kind = typeof(value, Purpose.argument)
    except (NumbaValueError, ValueError):
        kind = None
    return types.pyobject if kind is None else kind


@cache
def _record(dtype: np.dtype[Any], aligned: bool) -> Any:
    """Numba puts the type of a record together anew for every array; ours have up to a hundred fields. ``aligned`` is no part of
    what makes two data types equal."""
    return from_dtype(dtype)
