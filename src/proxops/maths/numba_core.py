"""Numba without its compiler, for processes that only load what is compiled.

``import numba`` loads the compiler with all that it can compile, a third of the time in which a run begins, and most processes
compile nothing. Here the package is entered without its first file being run, and those of its parts are imported that find
and call machine code. Whoever asks for anything else of Numba gets the whole, loaded then.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from importlib import _bootstrap, import_module
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any, Final

PARTS: Final = (
    "_version", "core.types", "core.typing.typeof", "core.typeconv.rules", "core.codegen", "core.compiler_lock",
    "core.intrinsics", "core.runtime._nrt_python", "_dispatcher", "_dynfunc", "_helperlib",
    "core.serialize",  # what a kernel raises is packed
)  # fmt: skip
# Of Intel: where there is one, Numba sets LLVM up for it before anything else is loaded.
VECTOR_LIBRARY: Final = "libsvml.so"


class NumbaPackage(ModuleType):
    """The package, its first file not run yet."""

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):  # somebody looks what this is
            raise AttributeError(name)
        if find_spec(f"{self.__name__}.{name}"):
            return import_module(f"{self.__name__}.{name}")
        load_whole()
        return getattr(self, name)


class RestOfNumba(MetaPathFinder):
    """Where Python looks for a module first: one of Numba's that is not loaded yet needs the whole."""

    def find_spec(self, name: str, path: Sequence[str] | None, target: ModuleType | None = None) -> ModuleSpec | None:
        if not name.startswith("numba."):
            return None
        load_whole()
        loaded = sys.modules.get(name)
        return None if loaded is None else ModuleSpec(name, Present(loaded))


class Present(Loader):
    """What the whole has brought."""

    def __init__(self, module: ModuleType) -> None:
        self._module, self._spec = module, module.__spec__

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        return self._module

    def exec_module(self, module: ModuleType) -> None:
        module.__spec__ = self._spec


def enter_numba() -> None:
    """Before the first import of a part. If somebody has imported Numba, it is there."""
    if "numba" in sys.modules and not _being_loaded():
        return
    with _alone():
        if "numba" in sys.modules or _has_vector_library():
            return
        spec = find_spec("numba")
        assert spec is not None, "Numba is not installed"
        package = module_from_spec(spec)
        package.__class__ = NumbaPackage
        with _loading(package):
            sys.modules["numba"] = package
            try:
                for name in PARTS:
                    part = import_module(f"numba.{name}")
                    if name == "_version":
                        package.__version__ = part.get_versions()["version"]  # type: ignore[attr-defined]
            except BaseException:  # Ctrl-C as well: whoever calls next begins again
                for name in [name for name in sys.modules if name.partition(".")[0] == "numba"]:
                    del sys.modules[name]
                raise
            sys.meta_path.insert(0, RestOfNumba())


def load_whole() -> None:
    """Numba as ``import numba`` gives it."""
    with _alone():
        package = import_module("numba")
        if not isinstance(package, NumbaPackage):
            return
        sys.meta_path[:] = [finder for finder in sys.meta_path if not isinstance(finder, RestOfNumba)]
        package.__class__ = ModuleType  # type: ignore[assignment]  # the first file makes it one like any other
        assert package.__spec__ is not None and package.__spec__.loader is not None
        with _loading(package):
            try:
                package.__spec__.loader.exec_module(package)
            except BaseException:
                package.__class__ = NumbaPackage
                sys.meta_path.insert(0, RestOfNumba())
                raise


@contextmanager
def _alone() -> Iterator[None]:
    """Python's own lock of the package: another thread that imports it meanwhile waits."""
    with _bootstrap._ModuleLockManager("numba"):  # type: ignore[attr-defined]  # not told of, there since 3.3
        yield


@contextmanager
def _loading(package: ModuleType) -> Iterator[None]:
    """As Python marks a module whose file is being run: another thread that finds it waits for the lock."""
    spec: Any = package.__spec__
    spec._initializing = True
    try:
        yield
    finally:
        spec._initializing = False


def _being_loaded() -> bool:
    return bool(getattr(sys.modules["numba"].__spec__, "_initializing", False))


def _has_vector_library() -> bool:
    from llvmlite import binding

    try:
        binding.load_library_permanently(VECTOR_LIBRARY)
    except RuntimeError:
        return False
    return True
