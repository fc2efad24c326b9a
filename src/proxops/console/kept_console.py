"""The facility's handle on the console's keeper: its process, its pulse, and the socket that outlives both."""

from __future__ import annotations

import socket
import subprocess
import sys
from typing import Final

from proxops.core.pulse import Pulse

HANGS_S: Final = 3.0  # a keeper beats every 0.2 s
FIRST_BEAT_S: Final = 60.0


class KeptConsole:
    """``words`` are the keeper's, after the numbers of socket, parent and pulse. ``close`` once the process has ended."""

    def __init__(self, listening: socket.socket, words: list[str], environment: dict[str, str], parent: int) -> None:
        self._listening, self._environment = listening, environment
        self._pulse = Pulse(HANGS_S, FIRST_BEAT_S)
        numbers = [listening.fileno(), parent, self._pulse.writing]
        self._command = [sys.executable, "-P", "-m", "proxops.console.keeper", *map(str, numbers), *words]
        self.process = self._started()

    def _started(self) -> subprocess.Popen[bytes]:
        fds = [self._listening.fileno(), self._pulse.writing]
        return subprocess.Popen(self._command, pass_fds=fds, env=self._environment, start_new_session=True)

    @property
    def answers(self) -> bool:
        return self._pulse.heard

    @property
    def hangs(self) -> bool:
        return self._pulse.stopped

    def alive(self) -> bool:
        return self.process.poll() is None

    def listen(self, now_s: float) -> list[str]:
        return self._pulse.listen(now_s)

    def start_again(self, now_s: float) -> None:
        """The console of the one before sees that its keeper is gone, and ends."""
        self.process.kill()
        self._pulse.begin(now_s)
        self.process = self._started()

    def close(self) -> None:
        self._pulse.close()
        self._listening.close()
