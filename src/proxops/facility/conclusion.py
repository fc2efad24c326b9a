"""How a run of the hall ended, in the words of its log."""

from __future__ import annotations

from typing import Final

from proxops.core.ending import Ending, EndReason
from proxops.safety.rules import Rule, Stop

LEFT: Final = Ending(EndReason.INTERNAL_ERROR, "left without a word")
"""Until a run says better: something that is no ``Exception`` has gone through it."""


def how_it_ended(stop: Stop | None, asked: str, done: str = "") -> Ending:
    """``stop``: the one that stands at the end. ``asked``: who or what has asked for the end, if somebody has. ``done`` says
    what was done."""
    if asked:
        cause = "" if stop is None or (stop.rule is Rule.OPERATOR and stop.detail in ("", asked)) else f" after {stop}"
        return Ending(EndReason.OPERATOR, asked + cause)
    return Ending(EndReason.STOPPED, str(stop)) if stop else Ending(EndReason.DONE, done)
