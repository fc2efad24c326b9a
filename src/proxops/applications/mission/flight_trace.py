"""Where in the user's own code a flight software was when it failed: file, line and function, for the one who has to mend it."""

from __future__ import annotations

import re
import sysconfig
import traceback
from collections.abc import Sequence
from pathlib import Path
from types import TracebackType
from typing import Final

import proxops

_LIBRARIES: Final = tuple(sysconfig.get_path(kind) for kind in ("stdlib", "purelib", "platlib"))
_FOREIGN: Final = ("<", *(f"{folder}/" for folder in (Path(proxops.__file__).parent, *_LIBRARIES)))
_CALLERS: Final = str(Path(__file__).with_name("flight_"))  # flight_host.py and others that call the software
_DUMPED: Final = re.compile(r'^  File "(.+)", line (\d+) in (.+)$', re.MULTILINE)  # as faulthandler writes
LAST_FRAME: Final = b"_run_module_as_main"  # where the main thread of ``python -m`` began

Place = tuple[str, int | None, str]  # file, line, function


def where(trail: TracebackType | None) -> str:
    """Of an exception."""
    return _deepest([(f.filename, f.lineno, f.name) for f in traceback.extract_tb(trail)])


def where_dumped(text: str) -> str:
    """Of the stacks that ``faulthandler`` wrote, the deepest call first: the main thread's, or else the first."""
    stacks = [part for part in text.split("\n\n") if _DUMPED.search(part)] or [""]
    stack = next((part for part in stacks if LAST_FRAME.decode() in part), stacks[0])
    return _deepest([(file, int(line), name) for file, line, name in reversed(_DUMPED.findall(stack))])


def _deepest(places: Sequence[Place]) -> str:
    """The deepest that is neither ours nor a library's, or else the deepest."""
    called = [p for p in places if not p[0].startswith(_CALLERS)]
    own = [p for p in called if not p[0].startswith(_FOREIGN)]
    if not called:
        return ""
    file, line, function = (own or called)[-1]
    return f" ({file}:{line} in {function})"
