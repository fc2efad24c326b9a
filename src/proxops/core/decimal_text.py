"""Numbers in text files: plain decimals only. Python's float() also takes 1_000, which no other tool of the field writes."""

from __future__ import annotations

import re
from typing import Final

NUMBER: Final = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z", re.ASCII)
NOT_FINITE: Final = re.compile(r"[+-]?(nan|inf|infinity)\Z", re.ASCII | re.IGNORECASE)


def read_decimal(text: str) -> float | None:
    """The number, NaN and infinity included (the caller refuses them by name), or None when it is none."""
    return float(text) if NUMBER.match(text) or NOT_FINITE.match(text) else None
