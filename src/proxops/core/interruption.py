"""What a user can type, or a system send, to end a run that must not be torn: noted as often as it comes, obeyed where the run
can stop. Nothing of it ends the process while robots move.

Ctrl-C (SIGINT) and Ctrl-\\ (SIGQUIT) at the terminal, its closing (SIGHUP) and a polite end (SIGTERM) ask for the same. Ctrl-Z
(SIGTSTP) would freeze a process that robots depend on: it asks for the end as well.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final

ENDS: Final = tuple(
    number
    for name in ("SIGINT", "SIGTERM", "SIGHUP", "SIGQUIT", "SIGTSTP")
    if (number := getattr(signal, name, None)) is not None
)

_asked: list[str] = []  # signals that were noted and not come to yet; they belong to the process, and so does this


def end_is_asked_for() -> bool:
    """Whether a signal has been noted by who has not come to the end yet: nobody should wait for anything any more."""
    return bool(_asked)


@contextmanager
def ends_asked_for(on_ask: Callable[[str], None]) -> Iterator[None]:
    """``on_ask`` is called with the signal's name, each time, and nothing else happens. In threads other than the main one
    signals never arrive: the caller looks after them."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ask(number: int, frame: FrameType | None) -> None:
        _asked.append(signal.Signals(number).name)
        on_ask(_asked[-1])

    noted, before = len(_asked), {number: signal.signal(number, ask) for number in ENDS}
    try:
        yield
    finally:
        del _asked[noted:]
        for number, handler in before.items():
            signal.signal(number, handler)


@contextmanager
def noted_interrupt() -> Iterator[Callable[[], bool]]:
    """Gives what tells whether the end has been asked for."""
    asked = threading.Event()
    with ends_asked_for(lambda name: asked.set()):
        yield asked.is_set
