"""What is not finite is null, wherever it stands; nothing that is told ends the console."""

from __future__ import annotations

import json
import math

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proxops.console.json_text import JsonAnswer, json_text
from proxops.console.packed import pack
from proxops.console.viewer import MESSAGE, packed_message
from proxops.facility.desk.status import _rounded

ANY = st.recursive(
    st.none() | st.booleans() | st.floats() | st.integers() | st.text(st.characters()),
    lambda s: st.lists(s) | st.dictionaries(st.text(), s) | st.tuples(s, s),
)


def test_what_is_not_finite_is_null() -> None:
    told = {"a": math.nan, "b": [1.5, math.inf, {"c": (-math.inf, 2)}], "d": "nan"}
    expected = {"a": None, "b": [1.5, None, {"c": [None, 2]}], "d": "nan"}
    assert json.loads(json_text(told)) == expected
    data = packed_message({"kind": "status", **told})
    assert data[0] == MESSAGE and json.loads(data[1:]) == {"kind": "status", **expected}
    assert json.loads(bytes(JsonAnswer(told).body)) == expected
    assert b'"scale": null' in pack({"scale": math.nan}, {"t": np.array([math.nan])})


@given(ANY)
def test_anything_can_be_told(value: object) -> None:
    json.loads(packed_message({"kind": "x", "value": value})[1:], parse_constant=lambda word: 1 / 0)


def test_the_facility_s_own_status_has_no_nan() -> None:
    assert _rounded(np.array([1.0, math.nan, math.inf, 0.1234567890123])) == [1.0, None, None, 0.123456789]
