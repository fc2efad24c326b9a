"""Errors that say what is wrong, where, the value, the bound and the way out; and the exit codes that follow."""

from __future__ import annotations

from pathlib import Path
from typing import Final

EXIT_DONE = 0
EXIT_STOPPED = 1  # the run ended in a stop, failed its criteria or its log is not whole
EXIT_BAD_INPUT = 2
SHOWN: Final = 200  # characters of a value that a message shows: a file may hold a million of them


class ProxopsError(Exception):
    """Base of everything we raise on purpose. The message is meant for the person at the terminal."""

    exit_code = EXIT_STOPPED


class BadInput(ProxopsError):
    """Something handed to us cannot be used: a file, an option, a datagram. Nothing has moved."""

    exit_code = EXIT_BAD_INPUT

    def __init__(self, what: str, *, where: str = "", value: object = None, bound: str = "", way_out: str = "") -> None:
        self.what, self.where, self.value, self.bound, self.way_out = what, where, value, bound, way_out
        parts = [f"{where}: {what}" if where else what]
        if value is not None:
            parts.append(f"got {_shown(value)}")
        if bound:
            parts.append(f"allowed: {bound}")
        if way_out:
            parts.append(way_out)
        super().__init__("; ".join(parts))


class Refused(ProxopsError):
    """The facility is in a state that does not allow what was asked; the message names the rule."""


def _shown(value: object) -> str:
    """What a person can read of a value; a bad one may be of any size and depth."""
    try:
        text = str(value)
    except (ValueError, RecursionError):  # a number of thousands of digits, lists in lists
        return f"a {type(value).__name__} that is too large to show"
    return text if len(text) <= SHOWN else f"{text[:SHOWN]}… ({len(text)} characters)"


def refuse_overwriting(out: Path, *inputs: Path) -> None:
    """A result may not take the place of what it is made from."""
    for path in inputs:
        if out.exists() and path.exists() and out.samefile(path):
            raise BadInput("the result would overwrite its own source", where=str(out), way_out="choose another --out")
