"""The facility's handle on the console: its starter and keeper, their pulse, and the socket that outlives them."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
from typing import Final

from proxops.console.starter import END, GONE, START
from proxops.core.child import child_command
from proxops.core.pulse import Pulse

HANGS_S: Final = 3.0  # a keeper beats every 0.2 s
FIRST_BEAT_S: Final = 60.0


class KeptConsole:
    """``words`` are the console's options. Nothing here waits; ``close`` once ``process``, the starter's, has ended."""

    def __init__(self, listening: socket.socket, words: list[str], environment: dict[str, str]) -> None:
        self._listening, self._pulse = listening, Pulse(HANGS_S, FIRST_BEAT_S)
        fds = [listening.fileno(), self._pulse.writing]
        command = child_command("proxops.console.starter", *fds, *words)
        self.process = subprocess.Popen(
            command, pass_fds=fds, env=environment, start_new_session=True, stdin=subprocess.PIPE, bufsize=0
        )
        assert self.process.stdin is not None
        self._orders = self.process.stdin
        os.set_blocking(self._orders.fileno(), False)
        self._gone = False  # the keeper, as the starter tells

    @property
    def answers(self) -> bool:
        return self._pulse.heard and not self._gone

    @property
    def hangs(self) -> bool:
        return self._pulse.stopped

    def alive(self) -> bool:
        return not self._gone and self.process.poll() is None

    def listen(self, now_s: float) -> list[str]:
        told = self._pulse.listen(now_s)
        self._gone |= GONE in told
        return [text for text in told if text != GONE]

    def start_again(self, now_s: float) -> None:
        self._pulse.begin(now_s)
        self._gone = False
        self._order(START)

    def finish(self) -> None:
        """The facility ends: so may they, each once what it keeps has ended."""
        self._order(END)

    def _order(self, word: bytes) -> None:
        # A starter that is gone starts nothing: ``alive`` tells.
        with contextlib.suppress(BrokenPipeError, BlockingIOError):
            self._orders.write(word)

    def close(self) -> None:
        self._orders.close()
        self._pulse.close()
        self._listening.close()
