"""Real-time behaviour of the live process: scheduling, locked memory, no garbage collection; and what was granted."""

from __future__ import annotations

import ctypes
import gc
import os
import resource
import sys
from dataclasses import dataclass
from typing import Final

FIFO_PRIORITY: Final = 80  # the tick's
WATCHDOG_PRIORITY: Final = FIFO_PRIORITY + 1  # who watches the tick must not wait for it
_MCL_CURRENT, _MCL_FUTURE, _MCL_ONFAULT = 1, 2, 4


@dataclass(frozen=True)
class RealTime:
    """What the operating system granted."""

    fifo: bool
    memory_locked: bool
    note: str

    def leave(self) -> None:
        """Back to an ordinary process."""
        if self.fifo:
            os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
        if self.memory_locked:
            ctypes.CDLL(None).munlockall()
        gc.enable()
        gc.unfreeze()

    def __str__(self) -> str:
        granted = [
            f"SCHED_FIFO {'granted' if self.fifo else 'refused'}",
            f"memory {'locked' if self.memory_locked else 'not locked'}",
        ]
        return ", ".join(granted) + (f" ({self.note})" if self.note else "")


def _fifo(priority: int) -> str:
    """Ask for SCHED_FIFO; the reason when refused."""
    if not sys.platform.startswith("linux"):
        return "not Linux"
    try:
        os.sched_setscheduler(0, os.SCHED_FIFO | os.SCHED_RESET_ON_FORK, os.sched_param(priority))
    except OSError as error:
        return f"SCHED_FIFO: {error.strerror}"
    return ""


def _lock_memory() -> str:
    """Lock all pages, present and future; the reason when refused."""
    if not sys.platform.startswith("linux"):
        return "not Linux"
    try:
        _, hard = resource.getrlimit(resource.RLIMIT_MEMLOCK)
        resource.setrlimit(resource.RLIMIT_MEMLOCK, (hard, hard))
    except (OSError, ValueError):
        pass  # root may lock without it; mlockall below gives the verdict
    libc = ctypes.CDLL(None, use_errno=True)
    # On fault: a large file that is mapped later is locked page by page as it is read, not all at once.
    if libc.mlockall(_MCL_CURRENT | _MCL_FUTURE | _MCL_ONFAULT) and libc.mlockall(_MCL_CURRENT | _MCL_FUTURE):
        return f"mlockall: {os.strerror(ctypes.get_errno())}"
    return ""


def enter_real_time(priority: int = FIFO_PRIORITY) -> RealTime:
    """Take what the machine gives; what it refuses is named, and the run goes on."""
    gc.collect()
    gc.freeze()
    gc.disable()
    memory, fifo = _lock_memory(), _fifo(priority)
    return RealTime(not fifo, not memory, "; ".join(reason for reason in (fifo, memory) if reason))
