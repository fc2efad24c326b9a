"""One way to compile: cached on disk, strict IEEE arithmetic (a run must be the same bit for bit).

Numba looks only at a function's own file to decide whether its cached code is still good, and would go on using a kernel
whose callee in another file has changed. So the cache lives in a folder named after the contents of all kernel sources.
"""

from __future__ import annotations

import hashlib
import os
import shutil
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Final, TypeVar, cast

from numba import config, njit

F = TypeVar("F", bound=Callable[..., object])
PACKAGE: Final = Path(__file__).parents[1]
# Kernels and the constants that are compiled into them.
SOURCES: Final = ("maths", "core", "arms", "lab", "safety", "bridge", "touch", "space", "sensors", "onboard")
KEPT: Final = 4  # caches of earlier versions that stay


def source_digest() -> str:
    """Number of this version of the kernels: changes with any byte of a file that can end up in compiled code."""
    digest = hashlib.sha256()
    for path in sorted(PACKAGE.rglob("*.py")):
        content = path.read_bytes()
        if path.relative_to(PACKAGE).parts[0] in SOURCES or b"@kernel" in content:
            digest.update(str(path.relative_to(PACKAGE)).encode() + b"\0" + content)
    return digest.hexdigest()[:16]


@cache
def cache_folder() -> str:
    """Where this version's compiled kernels are kept: beside the sources, or in the user's cache if those are read-only."""
    beside = Path(__file__).parent / "__pycache__"
    try:
        beside.mkdir(exist_ok=True)
        root = beside if os.access(beside, os.W_OK) else None
    except OSError:
        root = None
    if root is None:
        root = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "proxops"
    others = sorted(root.glob("kernels-*"), key=lambda path: path.stat().st_mtime)
    for old in others[:-KEPT]:
        shutil.rmtree(old, ignore_errors=True)
    return str(root / f"kernels-{source_digest()}")


def kernel(function: F) -> F:
    """Compile ``function`` with Numba, keeping its Python signature for the type checker."""
    before = config.CACHE_DIR
    config.CACHE_DIR = before or cache_folder()  # a folder that the user has chosen for Numba comes first
    try:
        return cast(F, njit(cache=True, error_model="numpy", fastmath=False)(function))
    finally:
        config.CACHE_DIR = before
