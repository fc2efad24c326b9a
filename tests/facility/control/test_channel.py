"""The control channel takes anything: whatever arrives is answered, nothing breaks the tick, a safe stop always gets through."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from proxops.core.clock import LockstepClock, monotonic_ns
from proxops.core.messages import POOL_DTYPE
from proxops.core.ring import Ring
from proxops.core.vocabulary import Hardware, Mode
from proxops.facility.build import build
from proxops.facility.control.requests import Asker, Requests
from proxops.facility.control.roles import Role
from proxops.facility.desk import WITH_FILE, desk_verbs
from proxops.facility.installation import Installation
from proxops.lab.any_cell import load_cell
from proxops.safety.rules import Rule

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
        "amplitude", "frequency_hz", "cycles", "path", "hold_ms", "step", "press", "age_ms"]  # fmt: skip
WORDS = ["sync", "async", "manual", "sine", "none", "rail,robot1,robot2", "GLC", "IJT", "robot1", "a1", "x", "rail", "door_main",
         "/dev/zero", "/etc/passwd", "\ud800", "", "real"]  # fmt: skip
ODD = st.one_of(
    st.none(), st.booleans(), st.integers(), st.sampled_from([10**400, -(10**400), 2**63, 1e308, 0, 1, -1]),
    st.floats(allow_nan=True, allow_infinity=True), st.sampled_from(WORDS), st.text(max_size=20),
    st.lists(st.integers(), max_size=2),
)  # fmt: skip


@pytest.fixture(scope="module")
def hall() -> Iterator[Installation]:
    made = build(load_cell(), LockstepClock(), seed=0, record=None)
    yield made
    made.close()


@pytest.fixture
def untouched() -> Iterator[Installation]:
    """Nobody has asked anything of it: random requests leave the other one in any state."""
    made = build(load_cell(), LockstepClock(), seed=0, record=None)
    yield made
    made.close()


@pytest.fixture
def port(hall: Installation) -> Port:
    return Port(hall)


class Port:
    """Requests to a hall's desk, each answered at once."""

    def __init__(self, hall: Installation) -> None:
        self.requests = Requests(hall.desk, desk_verbs(hall.desk, lambda: None), WITH_FILE)
        self.asker = Asker("a test", Role.MAINTAIN)

    def reply(self, data: bytes, asker: Asker | None = None) -> dict:
        self.requests.begin_cycle()
        return json.loads(self.requests.answer(data, asker or Asker("somebody", Role.MAINTAIN)))


def request(verb: object, arguments: object, **changes: object) -> bytes:
    base = {"proxops": 2, "sequence": 1, "sent_ns": monotonic_ns(), "ttl_ms": 1000}
    return json.dumps({**base, "do": verb, "with": arguments, **changes}).encode()


@given(st.sampled_from(VERBS), st.dictionaries(st.sampled_from(KEYS), ODD, max_size=6))
@settings(max_examples=400, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_request_is_answered_and_the_tick_goes_on(
    hall: Installation, port: Port, verb: str, arguments: dict
) -> None:
    reply = port.reply(request(verb, arguments))
    assert isinstance(reply["ok"], bool)
    assert "internal error" not in reply.get("error", "")
    hall.facility.tick()


@given(
    st.one_of(
        st.binary(max_size=200),
        st.recursive(ODD, lambda x: st.lists(x, max_size=3)).map(lambda v: json.dumps(v).encode()),
    )
)
@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_bytes_are_answered(port: Port, data: bytes) -> None:
    assert port.reply(data)["ok"] is False


@pytest.mark.parametrize("key", ["sequence", "sent_ns", "ttl_ms", "do", "with", "proxops"])
@given(value=ODD)
@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_envelope_is_answered(port: Port, key: str, value: object) -> None:
    assert isinstance(port.reply(request("status", {}, **{key: value}))["ok"], bool)


def test_a_safe_stop_is_never_too_old_or_of_another_version(hall: Installation, port: Port) -> None:
    if hall.facility.mode is Mode.STOPPED:
        hall.desk.reset()
    assert port.reply(b'{"do": "safe_stop"}')["ok"]
    assert hall.facility.stop is not None


def test_inputs_can_be_set_only_in_simulation(hall: Installation, port: Port) -> None:
    hall.facility.hardware = Hardware.REAL
    try:
        told = port.reply(request("interlock", {"name": "estop", "healthy": True}))
        assert told["error"] == "interlock: inputs can be set only in simulation, this is real"
    finally:
        hall.facility.hardware = Hardware.SIMULATION


def test_an_error_of_ours_is_a_stop_with_its_name(untouched: Installation) -> None:
    hall = untouched
    requests = Requests(hall.desk, {"status": lambda a: 1 // 0})
    told = json.loads(requests.answer(request("status", {}), Asker("somebody", Role.MAINTAIN)))
    assert "internal error: ZeroDivisionError" in told["error"]
    assert hall.facility.stop is not None and hall.facility.stop.rule is Rule.INTERNAL_ERROR
    hall.facility.tick()
    hall.desk.reset()


RAIL = {"system": "IJT", "robot": "rail", "component": "rail", "direction": 1, "speed": 0.1, "hold_ms": 60}


@pytest.fixture
def manual() -> Iterator[tuple[Installation, Port]]:
    """A hall of its own in manual mode, and its port."""
    hall = build(load_cell(), LockstepClock(), seed=0, record=None)
    port = Port(hall)
    hall.desk.drives(True)
    while hall.facility.mode is not Mode.READY:
        tick(hall)
    hall.desk.select("manual")
    yield hall, port
    hall.close()


def tick(hall: Installation, count: int = 1) -> None:
    for _ in range(count):
        hall.facility.tick()


@pytest.mark.parametrize("number", [{}, {"press": 3}])
def test_heartbeats_that_come_after_their_release_do_nothing(manual: tuple[Installation, Port], number: dict) -> None:
    hall, port = manual
    jog = {**RAIL, **number}
    for sequence in range(1, 11):
        assert port.reply(request("jog", jog, sequence=sequence), port.asker)["result"] is True
        tick(hall)
    assert hall.facility.guard.moving
    assert port.reply(request("release", {}, sequence=20), port.asker)["ok"]
    late = [port.reply(request("jog", jog, sequence=sequence), port.asker) for sequence in range(11, 20)]
    assert not any(reply["ok"] for reply in late)
    tick(hall, 8)  # a tenth of full speed fades in 7.5 cycles
    assert not hall.facility.guard.moving


def test_a_queue_of_old_heartbeats_does_not_prolong_the_motion(manual: tuple[Installation, Port]) -> None:
    """A stalled console lets go of two hundred heartbeats at once, the newest long run out; one is served each cycle."""
    hall, port = manual
    now = monotonic_ns()
    start = hall.facility.guard.setpoint.copy()
    for sequence in range(200):
        sent = now - (130 + 4 * (199 - sequence)) * 1_000_000
        port.reply(request("jog", RAIL, sequence=sequence, sent_ns=sent), port.asker)
        tick(hall)
    assert (hall.facility.guard.setpoint == start).all()


def test_an_age_that_the_sender_claims_is_not_believed(manual: tuple[Installation, Port]) -> None:
    _, port = manual
    old = monotonic_ns() - 100_000_000
    assert port.reply(request("jog", {**RAIL, "age_ms": 0}, sent_ns=old))["result"] is False
    assert port.reply(request("jog", {**RAIL, "age_ms": 1e6}))["result"] is True


def test_a_held_button_that_is_refused_is_told_once(manual: tuple[Installation, Port]) -> None:
    hall, port = manual
    hall.desk.interlock("door_main", False)
    told = hall.rings[1].head
    replies = [port.reply(request("jog", {**RAIL, "press": 1})) for _ in range(20)]
    assert [reply["ok"] for reply in replies] == [False] + [True] * 19
    assert not any(reply["result"] for reply in replies[1:])
    assert hall.rings[1].head == told + 1


def test_building_a_hall_removes_what_killed_ones_left() -> None:
    """A ring without anybody who maps it, as a SIGKILL leaves it (tests/core/test_abandoned_rings.py kills one)."""
    ring = Ring.create("pool", POOL_DTYPE, 2)
    left = ring.path.with_name(f"{ring.path.name}x")
    left.write_bytes(ring.path.read_bytes())
    hall = build(load_cell(), LockstepClock(), seed=0, record=None)
    try:
        assert not left.exists() and ring.path.exists()
    finally:
        left.unlink(missing_ok=True)
        ring.close()
        hall.close()
