"""A process of ours beside the one that starts it: ``python -m proxops.core.child MODULE WORDS…``.

What such a process loads, some hundred thousand objects, stays for its life. To look through them for garbage again and again
while they are made took up to a fifth of the processor's time of one that does little.
"""

from __future__ import annotations

import atexit
import gc
import os
import sys
from importlib import import_module
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[2]  # the folder in which the package lies
ITSELF: Final = "proxops.core.child"


def child_command(module: str, *words: object) -> list[str]:
    """Starts ``main`` of one of our modules in a new interpreter. ``-P``: nothing in the working folder is taken for a module."""
    return [sys.executable, "-P", "-m", ITSELF, module, *map(str, words)]


def child_environment() -> dict[str, str]:
    """Ours, and where this very package lies, installed or not."""
    paths = [str(ROOT), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(path for path in paths if path)}


def main() -> None:
    """The whole life of such a process."""
    gc.disable()
    sys.argv = sys.argv[1:]
    work = import_module(sys.argv[0]).main
    gc.freeze()
    gc.enable()
    atexit.register(gc.unfreeze)  # it ends as any other: a file of a user's software may wait for its last lines
    sys.exit(work())


if __name__ == "__main__":
    main()
