"""One way to compile: cached on disk, strict IEEE arithmetic (a run must be the same bit for bit).

Numba looks only at a function's own file to decide whether its cached code is still good, and would go on using a kernel
whose callee in another file has changed. So the kernels of a module are kept in a folder named after what that module and
all that it imports *say* (``source_digest``): an edit compiles again what it can have changed, and nothing else.

A program has hundreds of kernels; a process calls some fifty of them, most find their machine code on disk, and some
processes call none. So a kernel takes nothing of Numba before its first call, then what loads machine code
(``kept_dispatcher``), and the compiler only where there is none (``numba_dispatcher``).
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache, cached_property, partial, update_wrapper
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar, cast

from proxops.maths.numba_core import enter_numba, load_whole
from proxops.maths.source_digest import kernel_folder

if TYPE_CHECKING:
    from proxops.maths.kept_dispatcher import KeptDispatcher

F = TypeVar("F", bound=Callable[..., object])


class Kernel(partial[Any]):
    """A compiled function. Whoever calls it calls its dispatcher, which is made by the first call: a ``partial`` passes calls on
    without a step of the interpreter's (30 ns, where a call of a kernel takes 300 or more), and what it calls can be set."""

    def __new__(cls, function: Callable[..., object], folder: Path) -> Kernel:
        made = super().__new__(cls, function)
        update_wrapper(made, function)
        made.py_func, made.folder = function, folder
        made._opening = made._first_call  # kept: a partial does not hold what it calls while it calls it
        made._lead_to(made._opening)
        return made

    if TYPE_CHECKING:
        py_func: Callable[..., object]
        folder: Path  # where its machine code is kept
        _opening: Callable[..., object]

    def _lead_to(self, called: Callable[..., object]) -> None:
        self.__setstate__((called, (), {}, self.__dict__))

    def _first_call(self, *given: object, **named: object) -> object:
        self._lead_to(self.dispatcher)
        return self.dispatcher(*given, **named)

    @cached_property
    def dispatcher(self) -> KeptDispatcher:
        """What finds the machine code for the arguments of a call."""
        enter_numba()
        from proxops.maths.kept_dispatcher import KeptDispatcher

        return KeptDispatcher(self)

    @cached_property
    def numba(self) -> Any:
        """Numba's own dispatcher: the compiler."""
        load_whole()
        from proxops.maths.numba_dispatcher import numba_dispatcher

        return numba_dispatcher(self)

    @property
    def _numba_type_(self) -> Any:
        """By which the compiler knows a kernel that another one calls."""
        return self.numba._numba_type_

    @property
    def signatures(self) -> list[Any]:
        """The argument types for which there is machine code in this process."""
        return self.dispatcher.signatures

    def __getattr__(self, name: str) -> Any:
        """What else Numba's dispatchers have."""
        if name.startswith("__"):  # somebody looks what this is: no reason to load the compiler
            raise AttributeError(name)
        return getattr(self.numba, name)

    def __reduce__(self) -> str:  # pickled by its name, as functions are
        return self.py_func.__qualname__

    def __repr__(self) -> str:
        return f"<kernel {self.py_func.__module__}.{self.py_func.__qualname__}>"


def kernel(function: F) -> F:
    """``function``, to be compiled with Numba when it is first called. It stands by itself in its module, and all its arguments
    are given by whoever calls it."""
    if function.__defaults__ or function.__closure__:
        raise TypeError(
            f"{function.__qualname__}: a kernel has neither default arguments nor variables of a function around it"
        )
    folder = _folder(function.__code__.co_filename)  # now: what the file says may change before the first call
    return cast(F, Kernel(function, folder))


@cache
def _folder(file: str) -> Path:
    return kernel_folder(Path(file))
