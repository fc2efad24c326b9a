"""How long to wait for a process that owes an answer: one that works is slow, one that does nothing at all is frozen."""

from __future__ import annotations

import os
import time
from pathlib import Path
from typing import Final

MOST_AT_ONCE_S: Final = 2.0  # of silence that one look can find: who was held himself has not waited
JUDGE_S: Final = 1.0  # between looks at what it has used


class ChildPatience:
    """``ended`` is asked again and again while an answer is owed; ``heard`` when one has come."""

    def __init__(self, pid: int) -> None:
        self._pid = pid
        self.heard()

    def heard(self) -> None:
        """It has answered, or owes nothing."""
        self._silent_s, self._looked_s, self._used_s = 0.0, time.monotonic(), self._processor_s()
        self._judged_s = self._looked_s

    def ended(self, limit_s: float) -> bool:
        """It has neither answered nor worked for so long."""
        now_s = time.monotonic()
        self._silent_s += min(now_s - self._looked_s, MOST_AT_ONCE_S)
        self._looked_s = now_s
        if self._silent_s < limit_s and now_s < self._judged_s + JUDGE_S:
            return False
        self._judged_s = now_s
        used_s, before_s = self._processor_s(), self._used_s
        if used_s > before_s:
            self._silent_s, self._used_s = 0.0, used_s
            return False
        return self._silent_s >= limit_s

    def _processor_s(self) -> float:
        """What it has used so far; 0 of one that is gone."""
        try:
            words = Path(f"/proc/{self._pid}/stat").read_text().rpartition(")")[2].split()
        except OSError:
            return 0.0
        return (int(words[11]) + int(words[12])) / os.sysconf("SC_CLK_TCK")  # user and system, of the whole process
