"""The control channel takes anything: whatever arrives is answered, nothing breaks the tick, a safe stop always gets through."""

from __future__ import annotations

import json
import socket
import time
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxops.core.clock import LockstepClock
from proxops.core.vocabulary import Mode
from proxops.facility.build import Hall, build
from proxops.facility.control import ControlPort
from proxops.facility.desk_verbs import desk_verbs
from proxops.lab.cell import load_cell

VERBS = [
    "status",
    "drives",
    "select",
    "hardware",
    "move_to_start",
    "confirm",
    "reset",
    "interlock",
    "jog",
    "release",
    "sine",
    "load",
]
KEYS = ["on", "source", "kind", "order", "name", "healthy", "system", "robot", "component", "direction", "speed", "axis",
        "amplitude", "frequency_hz", "cycles", "path"]  # fmt: skip
WORDS = ["sync", "async", "manual", "sine", "none", "rail,robot1,robot2", "GLC", "IJT", "robot1", "a1", "x", "rail", "door_main",
         "/dev/zero", "/etc/passwd", "\ud800", "", "real"]  # fmt: skip
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from([10**400, -(10**400), 2**63, 1e308, 0, 1, -1]),
    st.floats(allow_nan=True, allow_infinity=True), st.sampled_from(WORDS), st.text(max_size=20),
    st.lists(st.integers(), max_size=2),
)  # fmt: skip


@pytest.fixture(scope="module")
def hall() -> Iterator[Hall]:
    made = build(load_cell(), LockstepClock(), seed=0, record=None)
    yield made
    made.close()


@pytest.fixture
def port(hall: Hall) -> Iterator[ControlPort]:
    made = ControlPort(("127.0.0.1", 0), hall.desk, desk_verbs(hall.desk, lambda: None))
    yield made
    made.close()


def request(verb: object, arguments: object, **changes: object) -> bytes:
    base = {"proxops": 1, "client": str(time.time_ns()), "sequence": 1, "sent_utc_ns": time.time_ns(), "ttl_ms": 1000}
    return json.dumps({**base, "do": verb, "with": arguments, **changes}).encode()


@given(st.sampled_from(VERBS), st.dictionaries(st.sampled_from(KEYS), ODD, max_size=6))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_request_is_answered_and_the_tick_goes_on(
    hall: Hall, port: ControlPort, verb: str, arguments: dict
) -> None:
    reply = port._reply(request(verb, arguments))
    assert isinstance(reply["ok"], bool)
    json.dumps(reply)
    hall.facility.clock.advance()
    hall.facility.tick()


@given(
    st.one_of(
        st.binary(max_size=200),
        st.recursive(ODD, lambda x: st.lists(x, max_size=3)).map(lambda v: json.dumps(v).encode()),
    )
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_answered(port: ControlPort, data: bytes) -> None:
    assert port._reply(data)["ok"] is False


@pytest.mark.parametrize("key", ["sequence", "sent_utc_ns", "ttl_ms", "client", "do", "with", "proxops"])
@given(value=ODD)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_envelope_is_answered(port: ControlPort, key: str, value: object) -> None:
    assert isinstance(port._reply(request("status", {}, **{key: value}))["ok"], bool)


def test_a_safe_stop_overtakes_everything_and_is_never_too_old(hall: Hall, port: ControlPort) -> None:
    if hall.facility.mode is Mode.STOPPED:
        hall.desk.reset()
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    for _ in range(200):
        sender.sendto(request("status", {}), port.address)
    sender.sendto(b'{"do": "safe_stop"}', port.address)
    time.sleep(0.05)
    port.serve()
    sender.close()
    assert hall.facility.stop is not None


def test_a_pipe_is_never_opened(port: ControlPort) -> None:
    """Opening it would block the tick for ever."""
    import os

    from proxops.core.ring import shared_folder

    path = shared_folder() / f"proxops-load-pipe-{os.getpid()}"
    for suffix in (".systems.npy", ".values.npy"):
        os.mkfifo(path.with_suffix(suffix))
    try:
        assert "plain file" in port._reply(request("load", {"path": str(path), "source": "x"}))["error"]
    finally:
        for suffix in (".systems.npy", ".values.npy"):
            path.with_suffix(suffix).unlink()
