"""What an operator can ask for in a mode, for whoever asks for something else."""

from __future__ import annotations

from typing import Protocol

from proxops.core.errors import Refused
from proxops.core.vocabulary import Mode
from proxops.lab.any_cell import AnyCell
from proxops.safety.modes import allowed
from proxops.safety.rules import Stop


class RecordedFacility(Protocol):
    """A facility whose motions must be recorded."""

    @property
    def not_recorded(self) -> str: ...


class InMode(Protocol):
    """A facility in its mode, stopped or not."""

    mode: Mode
    stop: Stop | None
    cell: AnyCell


def possible(of: InMode) -> list[str]:
    """What an operator can ask for now, beside a safe stop."""
    return allowed(of.mode, hall=of.cell.hall is not None)


def refusal(what: str, of: InMode) -> Refused:
    """``what`` with the cause, where there is one, and the way out."""
    why = f" ({of.stop})" if of.stop else ""
    return Refused(f"{what}{why}; possible now: {', '.join([*possible(of), 'safe stop'])}")


def demand_mode(mode: Mode, what: str, of: InMode) -> None:
    """Refuse ``what`` outside of ``mode``."""
    if of.mode is not mode:
        raise refusal(f"{what} needs {mode.name}, this is {of.mode.name}", of)


def demand_evidence(of: RecordedFacility, what: str) -> None:
    """No new motion while the recorder does not keep up with what there is."""
    if of.not_recorded:
        raise Refused(f"{what}: {of.not_recorded}")


def forbid(stop: Stop | None) -> None:
    """Refuse what would be stopped at once."""
    if stop:
        raise Refused(str(stop))
