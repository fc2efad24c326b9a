"""One way to compile: cached on disk, strict IEEE arithmetic (a run must be the same bit for bit).

Numba looks only at a function's own file to decide whether its cached code is still good, and would go on using a kernel
whose callee in another file has changed. So the kernels of a module are kept in a folder named after what that module and
all that it imports *say* (``source_digest``): an edit compiles again what it can have changed, and nothing else.

Processes of a facility, or of a test run, start together and need the same kernels. One compiles, the others wait for what it
keeps: each kernel has a lock beside its machine code. What only other kernels call gets none (``called_kernel``).
"""

from __future__ import annotations

import fcntl
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import config, njit
from numba.core.caching import _CacheLocator
from numba.core.compiler_lock import global_compiler_lock

from proxops.maths.called_kernel import CalledKernel
from proxops.maths.compiler import lighten, plain_type
from proxops.maths.source_digest import kernel_folder, make_folder

F = TypeVar("F", bound=Callable[..., object])


class ClosureLocator(_CacheLocator):  # type: ignore[misc]  # Numba has no types
    """Where Numba keeps the machine code of one function, and what tells it that it is still good: the folder's name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> ClosureLocator:
        return cls(_folder(py_func.__code__.co_filename))

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return "kernel"  # a module has one function of a name; the line on which it stands says nothing


def kernel(function: F) -> F:
    """Compile ``function`` with Numba, keeping its Python signature for the type checker. Nobody calls it from C."""
    lighten()
    made = njit(error_model="numpy", fastmath=False, no_cfunc_wrapper=True)(function)
    folder = _folder(function.__code__.co_filename)  # now: what the file says may change before the first call
    called = CalledKernel(made, lambda: _alone(folder / f"{function.__name__}.called.lock"))
    made.called, made.get_overload, made._compiler.compile = called, called.overload, called.for_python
    made.get_call_template = _plainly(called.call_template)
    made.compile = _once(made, folder / f"{function.__name__}.lock")
    return cast(F, made)


@cache
def _folder(file: str) -> Path:
    return kernel_folder(Path(file))


def _plainly(called: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``called`` (what a call in another kernel leads to) for as few types as will do."""

    def plain(arguments: Any, named: Any) -> Any:
        return called(tuple(map(plain_type, arguments)), {name: plain_type(given) for name, given in named.items()})

    return plain


def _once(dispatcher: Any, lock: Path) -> Callable[[Any], Any]:
    """Its ``compile`` (which looks for kept machine code first) in one process at a time. Where code is kept is made ready here:
    most kernels are never called from Python."""
    compiled, keep = dispatcher.compile, cache(dispatcher.enable_caching)

    def once(signature: Any) -> Any:
        with _alone(lock):
            keep()
            return compiled(signature)

    return once


@contextmanager
def _alone(lock: Path) -> Iterator[None]:
    # Threads first: one that waits for the file must not bar another of ours.
    with global_compiler_lock, _held(lock), _our_locator(), _no_sweeping():
        yield


@contextmanager
def _our_locator() -> Iterator[None]:
    before = config.CACHE_LOCATOR_CLASSES
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{ClosureLocator.__name__}"
    try:
        yield
    finally:
        config.CACHE_LOCATOR_CLASSES = before


@contextmanager
def _held(path: Path) -> Iterator[None]:
    """The lock of one kernel. Kernels that call each other cannot wait for each other: calls have no circles."""
    try:
        make_folder(path.parent)
        file = path.open("a")
    except OSError:  # nothing can be kept here, so there is nothing to wait for
        yield
        return
    with file:
        fcntl.flock(file, fcntl.LOCK_EX)  # the system lets go of it if the process dies
        yield


@contextmanager
def _no_sweeping() -> Iterator[None]:
    """The compiler makes objects by the hundred thousand and drops them without help; to look for those that it does not takes
    an eighth of its time, more where much else is loaded. They are found afterwards."""
    swept = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if swept:
            gc.enable()
