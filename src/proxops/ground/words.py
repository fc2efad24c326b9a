"""Numbers as people read them: scaled to mm, deg or ms, rounded, with their unit."""

from __future__ import annotations

import math
from typing import Final

DEG: Final = 180.0 / math.pi
MISSING: Final = "–"


def told(value: float | None, scale: float = 1.0, unit: str = "", decimals: int = 2) -> str:
    """A figure with its unit; a dash when it does not exist."""
    if value is None:
        return MISSING
    text = f"{value * scale:,.{decimals}f}".replace(",", " ")
    if not text.strip("-0."):
        text = text.removeprefix("-")
    return f"{text} {unit}".rstrip().replace("-", "−")


def count(value: int | None) -> str:
    """A whole number."""
    return told(value, decimals=0)
