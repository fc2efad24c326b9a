"""The libraries that an inspection needs and a flight does not: the extra ``inspection``."""

from __future__ import annotations

from importlib import import_module
from typing import Any, Final

from proxops.core.errors import BadInput

EXTRA: Final = "pip install 'proxops[inspection]'"
REGISTRATION: Final = "small_gicp"
MARCHING_CUBES: Final = "skimage.measure"
FEWER_TRIANGLES: Final = "fast_simplification"


def inspection_library(module: str) -> Any:
    try:
        return import_module(module)
    except ImportError as reason:
        raise BadInput("inspection needs libraries that are not installed", value=str(reason), way_out=EXTRA) from None


def demand_libraries() -> None:
    """Before the work, not after minutes of it."""
    for module in (REGISTRATION, MARCHING_CUBES, FEWER_TRIANGLES):
        inspection_library(module)
