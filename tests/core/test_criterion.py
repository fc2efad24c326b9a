"""One criterion for every kind of run: what meets its bound, how JSON keeps it, and that rows of older summaries are read."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest

from proxops.core.criterion import Criterion


@pytest.mark.parametrize(
    ("value", "bound", "kind", "passed"),
    [
        (1.0, 1.0, "at most", True),
        (1.1, 1.0, "at most", False),
        (1.0, 1.0, "at least", True),
        (0.9, 1.0, "at least", False),
        (math.nan, 1.0, "at most", False),
        (math.nan, 1.0, "at least", False),
        (None, 1.0, "at most", False),
        (-math.inf, 1.0, "at most", False),
        (1.0, None, "at most", False),
        ("finished", "finished", "equal", True),
        (None, True, "equal", False),
    ],
)
def test_only_a_number_can_keep_a_bound(value: Any, bound: Any, kind: str, passed: bool) -> None:
    assert Criterion("any", value, bound, kind).passed is passed


def test_json_gives_it_back_and_says_all() -> None:
    row = Criterion("error_rms_m", 0.0015, 0.002, unit="m", label="error rms", shown_in="mm")
    plain = json.loads(json.dumps(row.plain()))
    assert Criterion.of(plain) == row
    assert plain == {
        "name": "error_rms_m", "label": "error rms", "value": 0.0015, "bound": 0.002, "kind": "at most", "unit": "m",
        "shown_in": "mm", "passed": True,
    }  # fmt: skip
    bare = Criterion("stops", 0, 0).plain()
    assert (bare["label"], bare["shown_in"]) == ("stops", "")


def test_rows_of_older_summaries_are_read() -> None:
    """Of the hall: no unit, no label. Of experiments: no label."""
    hall = {"name": "red_cycles", "value": 3, "bound": 0, "kind": "at most", "passed": False}
    arm = {"name": "tool turned", "value": 0.01, "bound": 0.1, "kind": "at most", "unit": "deg", "passed": True}
    assert not Criterion.of(hall).passed
    assert Criterion.of(arm) == Criterion("tool turned", 0.01, 0.1, unit="deg")
