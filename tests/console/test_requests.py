"""Whatever a page may send is one of a few messages; everything else is an error, never an exception of another kind."""

import contextlib
import json
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxops.console.requests import FrameSeen, Greeting, Ping, Request, SensorLooks, SightSeen, understood
from proxops.core.errors import BadInput

ASKED = {"kind": "do", "sequence": 3, "sent_ms": 12.5, "ttl_ms": 500, "do": "reset", "with": {}}


def test_what_pages_say() -> None:
    assert isinstance(understood(json.dumps({"kind": "hello", "version": 1, "name": "Anna"})), Greeting)
    assert isinstance(understood('{"kind": "ping", "at": 1.5}'), Ping)
    assert isinstance(understood('{"kind": "seen", "frame": 7}'), FrameSeen)
    assert isinstance(understood('{"kind": "look", "at": {"near": 10, "tof": 0.5}}'), SensorLooks)
    assert isinstance(understood('{"kind": "sighted", "serial": 7}'), SightSeen)
    asked = understood(json.dumps(ASKED))
    assert isinstance(asked, Request) and asked.arguments == {}


@pytest.mark.parametrize(
    "at", [None, [], {"near": "often"}, {"near": -1}, {"near": 1e3}, {"x" * 50: 1}, {str(k): 1 for k in range(33)}]
)
def test_nonsensical_looks_are_refused(at: object) -> None:
    with pytest.raises(BadInput):
        understood(json.dumps({"kind": "look", "at": at}))


@pytest.mark.parametrize(
    "change",
    [
        {"sequence": 0}, {"sequence": "3"}, {"sequence": True}, {"sent_ms": math.nan}, {"sent_ms": math.inf}, {"ttl_ms": 0},
        {"ttl_ms": 1e9}, {"ttl_ms": -5}, {"do": 7}, {"do": "x" * 100}, {"with": []}, {"with": None}, {"kind": "done"},
        {"extra": 1}, {"with": {str(k): k for k in range(50)}},
    ],
)  # fmt: skip
def test_nonsense_is_named(change: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="cannot be understood"):
        understood(json.dumps(ASKED | change))


@pytest.mark.parametrize(
    "text", ["", "{}", "[]", "null", "7", '"do"', "{", "\x00", "[" * 5000, '{"kind": "do"}', "NaN"]
)
def test_garbage_is_named(text: str) -> None:
    with pytest.raises(BadInput):
        understood(text)


def test_long_messages_are_not_even_read() -> None:
    with pytest.raises(BadInput, match="too long"):
        understood(json.dumps(ASKED | {"do": "x" * 20_000}))


@given(
    st.recursive(
        st.none() | st.booleans() | st.floats() | st.integers() | st.text(),
        lambda s: st.lists(s) | st.dictionaries(st.text(), s),
    )
)
def test_any_json_is_understood_or_refused(value: object) -> None:
    with contextlib.suppress(BadInput):
        understood(json.dumps(value))


@given(st.text() | st.binary())
def test_any_bytes_are_understood_or_refused(data: str | bytes) -> None:
    with contextlib.suppress(BadInput):
        understood(data)
