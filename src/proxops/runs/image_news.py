"""What is wrong with images, from the process that has them into the log of the facility: a line for each, in a pipe."""

from __future__ import annotations

import json
import os
import subprocess
from contextlib import suppress
from typing import Final

from proxops.core.vocabulary import Severity
from proxops.facility.events import EventLog

LINE_BYTES: Final = 1000  # less than what a pipe takes as a whole
PIPE_BYTES: Final = 65_536
ENDED: Final = "images_process"
SAID: Final = frozenset(
    {"operator.designate", "designated"}
)  # that an operator points into a picture, and what came of it


def severity_of(name: str) -> Severity:
    """What is told of images is a warning, but for what was asked for."""
    return Severity.INFO if name in SAID else Severity.WARNING


class ImageNews:
    """The writer's end. Nobody waits: what a full pipe does not take is lost."""

    def __init__(self, fd: int) -> None:
        self._fd = fd
        os.set_blocking(fd, False)

    def tell(self, name: str, words: str) -> None:
        line = json.dumps([name, words[:500]]).encode()[:LINE_BYTES] + b"\n"
        with suppress(OSError):  # full, or nobody reads it any more
            os.write(self._fd, line)


class ImageNewsWatch:
    """The facility's end; ``look`` now and then. ``process``: whose end is told as well, once."""

    def __init__(self, fd: int, events: EventLog, process: subprocess.Popen[bytes] | None = None) -> None:
        self._fd, self._events, self._process = fd, events, process
        self._waiting = b""
        os.set_blocking(fd, False)

    def look(self) -> None:
        with suppress(BlockingIOError):
            self._waiting += os.read(self._fd, PIPE_BYTES)
        *lines, rest = self._waiting.split(b"\n")
        self._waiting = rest[:LINE_BYTES]
        for line in lines:
            with suppress(ValueError):  # one that was cut
                name, words = json.loads(line)
                self._events.tell(severity_of(str(name)), str(name), str(words))
        if self._process is not None and (code := self._process.poll()) is not None:
            self._process = None
            words = f"the process that looks into the hall has ended (exit code {code}): there are no more images"
            self._events.tell(Severity.WARNING, ENDED, words)

    def close(self) -> None:
        os.close(self._fd)
