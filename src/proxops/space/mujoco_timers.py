"""MuJoCo's stopwatch: it reads the clock for every stage of a step, a third of a small world's step. Nobody looks at it.

Its Python package hands MuJoCo a clock when it is loaded, and the same again whenever it is told to have none
(``set_mjcb_time(None)``); so the pointer is cleared in the library itself."""

from __future__ import annotations

import ctypes
from contextlib import suppress
from functools import cache
from pathlib import Path


@cache
def stop_timers() -> None:
    """In this process, for every model: ``MjData.timer`` stands still. Where the library is not found it runs on."""
    import mujoco

    for library in Path(mujoco.__file__).parent.glob("libmujoco.*"):
        with suppress(OSError, ValueError):  # another build of it
            ctypes.c_void_p.in_dll(ctypes.CDLL(str(library)), "mjcb_time").value = None
