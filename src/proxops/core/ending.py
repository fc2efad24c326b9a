"""How a recording ended: the last event of every log of a hall, written by the facility or, for a facility that is gone, by the
recorder itself."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from proxops.core.errors import ProxopsError
from proxops.core.vocabulary import Severity

ENDED: Final = "ended"  # name of the event
NO_END: Final = "no end: the recorder itself was killed, or had no room left to say more"
NOT_TOLD: Final = "not told: a log of an experiment, or of a version before 0.7"


class EndReason(StrEnum):
    """One word for programs; ``Ending.detail`` is for people."""

    DONE = "done"  # all that was to do, or the time was over
    OPERATOR = "operator"  # shut-down or a signal: the detail names it
    STOPPED = "stopped"  # by a rule: the detail names it
    REFUSED = "refused"  # the run could not go on, on purpose: the detail is what was said
    INTERNAL_ERROR = "internal_error"  # the detail names the exception
    FACILITY_KILLED = "facility_killed"  # its process is gone without a word
    DISK_FULL = "disk_full"  # the rest of the run is not in the log


SEVERITY: Final = {
    EndReason.DONE: Severity.INFO,
    EndReason.OPERATOR: Severity.INFO,
    EndReason.STOPPED: Severity.WARNING,
    EndReason.REFUSED: Severity.WARNING,
    EndReason.INTERNAL_ERROR: Severity.ERROR,
    EndReason.FACILITY_KILLED: Severity.ERROR,
    EndReason.DISK_FULL: Severity.ERROR,
}


@dataclass(frozen=True)
class Ending:
    """``str`` gives the event's text, ``parse`` reads it back."""

    reason: EndReason
    detail: str = ""

    def __str__(self) -> str:
        return f"{self.reason}: {self.detail}" if self.detail else str(self.reason)

    @property
    def severity(self) -> Severity:
        return SEVERITY[self.reason]

    @property
    def plain(self) -> dict[str, str]:
        """For JSON."""
        return {"reason": str(self.reason), "detail": self.detail}

    @classmethod
    def parse(cls, text: str) -> Ending | None:
        """None when the text is no ending."""
        word, _, detail = text.partition(": ")
        return cls(EndReason(word), detail) if word in set(EndReason) else None

    @classmethod
    def of_error(cls, error: BaseException) -> Ending:
        """What was raised out of a run: by the keyboard, on purpose, or an error of ours."""
        if isinstance(error, KeyboardInterrupt):
            return cls(EndReason.OPERATOR, "SIGINT")
        if isinstance(error, ProxopsError):
            return cls(EndReason.REFUSED, str(error))
        return cls(EndReason.INTERNAL_ERROR, f"{type(error).__name__}: {error}")


DONE: Final = Ending(EndReason.DONE)
