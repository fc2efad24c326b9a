"""One way to compile: cached on disk, strict IEEE arithmetic (a run must be the same bit for bit).

Numba looks only at a function's own file to decide whether its cached code is still good, and would go on using a kernel
whose callee in another file has changed. So the kernels of a module are kept in a folder named after what that module and
all that it imports *say* (``source_digest``): an edit compiles again what it can have changed, and nothing else.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar, cast

from numba import config, njit
from numba.core.caching import _CacheLocator

from proxops.maths.source_digest import kernel_folder

F = TypeVar("F", bound=Callable[..., object])


class ClosureLocator(_CacheLocator):  # type: ignore[misc]  # Numba has no types
    """Where Numba keeps the machine code of one function, and what tells it that it is still good: the folder's name."""

    def __init__(self, source: Path) -> None:
        self._folder = kernel_folder(source)

    @classmethod
    def from_function(cls, py_func: Any, py_file: str) -> ClosureLocator:
        return cls(Path(inspect.getfile(py_func)))

    def get_cache_path(self) -> str:
        return str(self._folder)

    def get_source_stamp(self) -> str:
        return self._folder.name

    def get_disambiguator(self) -> str:
        return "kernel"  # a module has one function of a name; the line on which it stands says nothing


def kernel(function: F) -> F:
    """Compile ``function`` with Numba, keeping its Python signature for the type checker."""
    before = config.CACHE_LOCATOR_CLASSES
    config.CACHE_LOCATOR_CLASSES = f"{__name__}.{ClosureLocator.__name__}"
    try:
        return cast(F, njit(cache=True, error_model="numpy", fastmath=False)(function))
    finally:
        config.CACHE_LOCATOR_CLASSES = before
