"""One way to compile: cached on disk, strict IEEE arithmetic (a run must be the same bit for bit)."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar, cast

from numba import njit

F = TypeVar("F", bound=Callable[..., object])


def kernel(function: F) -> F:
    """Compile ``function`` with Numba, keeping its Python signature for the type checker."""
    return cast(F, njit(cache=True, error_model="numpy", fastmath=False)(function))
