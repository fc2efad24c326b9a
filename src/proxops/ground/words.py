"""Numbers as people read them: scaled to mm, deg or ms, rounded, with their unit."""

from __future__ import annotations

import math
from typing import Any, Final

from proxops.core.criterion import Criterion

DEG: Final = 180.0 / math.pi
MISSING: Final = "–"
SCALES: Final = {
    ("", "%"): 100.0,
    ("", "· 10⁻¹²"): 1e12,
    ("m", "mm"): 1e3,
    ("m", "nm"): 1e9,
    ("m/s", "mm/s"): 1e3,
    ("rad", "deg"): DEG,
    ("rad", "nrad"): 1e9,
    ("rad/s", "deg/s"): DEG,
}
"""(unit, unit that reads better) of a criterion: how many of the latter make one."""


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


def criterion_row(c: Criterion) -> tuple[str, str, str, bool]:
    """Label, value, bound and whether it is met."""
    unit = c.shown_in or c.unit
    scale = 1.0 if unit == c.unit else SCALES[c.unit, unit]
    sign = {"at most": "≤ ", "at least": "≥ ", "equal": ""}[c.kind]
    return c.label or c.name, _shown(c.value, scale, unit), sign + _shown(c.bound, scale, unit), c.passed


def _shown(value: Any, scale: float, unit: str) -> str:
    """Yes or no, words, a whole number, or four digits."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        number = value * scale
        text = told(number, decimals=0) if 1e4 <= abs(number) < 1e9 else f"{number + 0.0:.4g}".replace("-", "−")
    else:
        text = count(value) if isinstance(value, int) else str(value or MISSING)
    return f"{text} {unit}".rstrip() if text != MISSING else text
