"""A bound and what was measured against it: what makes a run good, in the same form for every kind of run."""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Any


@dataclass(frozen=True)
class Criterion:
    """``kind``: at most, at least, equal. ``unit``: of value and bound. For people: ``label`` where the name is a key,
    ``shown_in`` where another unit reads better (``ground/words.py`` has the scales)."""

    name: str
    value: Any
    bound: Any
    kind: str = "at most"
    unit: str = ""
    label: str = ""
    shown_in: str = ""

    @property
    def passed(self) -> bool:
        """What is missing or no number meets no bound, and nothing meets such a bound."""
        if self.kind == "equal":
            return bool(self.value == self.bound)
        if any(each is None or not math.isfinite(each) for each in (self.value, self.bound)):
            return False
        return bool(self.value <= self.bound if self.kind == "at most" else self.value >= self.bound)

    def plain(self) -> dict[str, Any]:
        """For JSON."""
        return {
            "name": self.name, "label": self.label or self.name, "value": self.value, "bound": self.bound, "kind": self.kind,
            "unit": self.unit, "shown_in": self.shown_in or self.unit, "passed": self.passed,
        }  # fmt: skip

    @classmethod
    def of(cls, plain: dict[str, Any]) -> Criterion:
        """Of a summary or a log. Those before 0.8 have no label, and those of the hall no unit."""
        return cls(**{field.name: plain[field.name] for field in fields(cls) if field.name in plain})
