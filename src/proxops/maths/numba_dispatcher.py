"""Numba's own dispatcher of a kernel: what compiles it and keeps the result.

Processes of a facility, or of a test run, start together and need the same kernels. One compiles, the others wait for what it
keeps: each kernel has a lock beside its machine code. What only other kernels call gets none (``called_kernel``).
"""

from __future__ import annotations

import fcntl
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any

from numba import config, njit, types
from numba.core.caching import NullCache, _CacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.core.serialize import dumps

from proxops.maths.called_kernel import CalledKernel
from proxops.maths.compiler import lighten, plain_type
from proxops.maths.kept_dispatcher import code_file
from proxops.maths.machine_code import CodeFile, KeptCode, KeptObjects, code_loader
from proxops.maths.source_digest import kernel_folder, make_folder

if TYPE_CHECKING:
    from proxops.maths.kernel import Kernel


class ClosureLocator(_CacheLocator):  # type: ignore[misc]  # Numba has no types
    """Where Numba keeps the machine code of one function, and what tells it that it is still good: the folder's name."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> ClosureLocator:
        return cls(kernel_folder(Path(py_func.__code__.co_filename)))

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return "kernel"  # a module has one function of a name; the line on which it stands says nothing


class MachineCodeKeeper(NullCache):  # type: ignore[misc]  # Numba has no types
    """Where Numba's dispatcher puts what it has compiled. It does not look there: who asks it to compile has looked."""

    def __init__(self, file: CodeFile) -> None:
        self._file = file

    def save_overload(self, kinds: tuple[Any, ...], result: Any) -> None:
        """A kernel that is handed to a kernel is known by its place in this process' memory."""
        functions = any(isinstance(kind, types.Callable) for kind in kinds)
        if functions or result.library.has_dynamic_globals or result.library.unknown():
            return  # only this process can call it
        with suppress(OSError):  # a folder that takes nothing costs time, nothing else
            self._file.keep(kinds, dumps(_kept(result)))


def _kept(result: Any) -> KeptCode:
    fndesc, code = result.fndesc, result.library.object_file()
    others = [one for one in result._find_referenced_environments() if one is not result.environment]
    return KeptCode(
        fndesc.modname, fndesc.qualname.split(".")[-1], code, fndesc.llvm_cpython_wrapper_name,
        _objects(fndesc.env_name, result.environment), tuple(_objects(one.env_name, one) for one in others),
        tuple(result.reload_init),
    )  # fmt: skip


def _objects(symbol: str, environment: Any) -> KeptObjects:
    return KeptObjects(symbol, environment.globals["__name__"], environment.consts)


def numba_dispatcher(kernel: Kernel) -> Any:
    """Nobody calls the kernel from C."""
    lighten()
    function, folder = kernel.py_func, kernel.folder
    made = njit(error_model="numpy", fastmath=False, no_cfunc_wrapper=True)(function)
    called = CalledKernel(made, lambda: _alone(folder / f"{function.__name__}.called.lock"))
    made.called, made.get_overload, made._compiler.compile = called, called.overload, called.for_python
    made.get_call_template = _plainly(called.call_template)
    file = code_file(kernel)
    made._cache = MachineCodeKeeper(file)
    made.compile = _once(made.compile, file, folder / f"{function.__name__}.lock")
    return made


def _plainly(called: Callable[[Any, Any], Any]) -> Callable[[Any, Any], Any]:
    """``called`` (what a call in another kernel leads to) for as few types as will do."""

    def plain(arguments: Any, named: Any) -> Any:
        return called(tuple(map(plain_type, arguments)), {name: plain_type(given) for name, given in named.items()})

    return plain


def _once(compiled: Callable[[Any], Any], file: CodeFile, lock: Path) -> Callable[[Any], Any]:
    """``compiled`` in one process at a time, unless another has done it meanwhile."""

    def once(kinds: Any) -> Any:
        with _alone(lock):
            kept = file.found(kinds)
            return compiled(kinds) if kept is None else code_loader().entry_point(kept)

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
