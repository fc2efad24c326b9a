"""Ctrl-C while something must not be torn: it is noted, as often as it comes, and asked for where one can stop."""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType


@contextmanager
def noted_interrupt() -> Iterator[Callable[[], bool]]:
    """Gives what tells whether Ctrl-C has come. Launchers pass it on, so it often comes twice: neither breaks in anywhere. In
    threads other than the main one signals never arrive."""
    asked = threading.Event()

    def note(number: int, frame: FrameType | None) -> None:
        asked.set()

    if threading.current_thread() is not threading.main_thread():
        yield asked.is_set
        return
    before = signal.signal(signal.SIGINT, note)
    try:
        yield asked.is_set
    finally:
        signal.signal(signal.SIGINT, before)
