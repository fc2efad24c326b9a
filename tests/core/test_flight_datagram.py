"""Datagrams of the on-board computer: they come back as they were, lie as described, and whatever is wrong is refused by name."""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import fields, replace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxops.core.datagram import Malformed, Refusal
from proxops.core.flight import Commands, Estimate, Measurements, RelativeMeasurement, Telemetry
from proxops.core.flight_datagram import (
    COMMANDS_SIZE,
    MEASUREMENTS_SIZE,
    pack_commands,
    pack_failure,
    pack_measurements,
    unpack_commands,
    unpack_measurements,
)
from proxops.core.vocabulary import AbortCause, MissionPhase

QUIET = settings(max_examples=200, deadline=None, derandomize=True)
RNG = np.random.default_rng(7)


def symmetric() -> Any:
    root = RNG.normal(size=(6, 6))
    return root + root.T


def measurements(relative: int = 2, thrusters: int = 24, wheels: int = 4) -> Measurements:
    seen = tuple(
        RelativeMeasurement(10.0 + k, RNG.normal(size=3), RNG.normal(size=4), symmetric() if k % 2 else None, k)
        for k in range(relative)
    )
    return Measurements(
        12.5, seen, RNG.normal(size=4), RNG.normal(size=3), RNG.normal(size=3) * 7e6, RNG.normal(size=3) * 7e3,
        RNG.normal(size=wheels), RNG.uniform(0, 0.1, thrusters), 39.5,
    )  # fmt: skip


def estimate() -> Estimate:
    sigma = np.arange(1.0, 13.0)  # whole numbers: their squares' roots are exact
    covariance = np.diag(sigma**2)
    covariance[0, 1] = covariance[1, 0] = 0.5  # correlations do not travel
    return Estimate(*(RNG.normal(size=n) for n in (3, 3, 4, 3)), covariance)  # type: ignore[call-arg]


FULL = Commands(
    RNG.uniform(0, 0.1, 24), RNG.normal(size=4), np.arange(24) % 5 == 0,
    Telemetry(MissionPhase.FINAL, AbortCause.CORRIDOR, 6, estimate(), np.array([1.0, 2.0, 3.0]), 0.25, 3, 2**32 - 1),
)  # fmt: skip
SENT = measurements()
ANSWER = pack_commands(2**40 + 5, FULL)
QUESTION = pack_measurements(2**40 + 5, SENT, start=True)


def same(a: Any, b: Any) -> bool:
    """Equal to the bit, through dataclasses and tuples."""
    if isinstance(a, np.ndarray):
        return a.dtype == b.dtype and a.shape == b.shape and bool(np.array_equal(a, b, equal_nan=a.dtype != bool))
    if isinstance(a, tuple):
        return len(a) == len(b) and all(map(same, a, b))
    if hasattr(a, "__dataclass_fields__"):
        return type(a) is type(b) and all(same(getattr(a, f.name), getattr(b, f.name)) for f in fields(a))
    return bool(a == b)


def spoilt(data: bytes, at: int, code: str, *values: float) -> bytes:
    """The datagram with something else written at an offset, well sealed."""
    body = bytearray(data[:-4])
    struct.pack_into("<" + code, body, at, *values)
    return bytes(body) + struct.pack("<I", zlib.crc32(body))


def refusal(data: bytes, of: Any = unpack_commands) -> Refusal:
    with pytest.raises(Malformed) as caught:
        of(data)
    return caught.value.refusal


# --- there and back


@pytest.mark.parametrize("relative", range(5))
@pytest.mark.parametrize(("thrusters", "wheels"), [(24, 4), (12, 3), (0, 0), (1, 4)])
def test_measurements_come_back(relative: int, thrusters: int, wheels: int) -> None:
    sent = measurements(relative, thrusters, wheels)
    got = unpack_measurements(pack_measurements(9, sent))
    assert same(got.measurements, sent)
    assert (got.sequence, got.start, got.end, got.left_out) == (9, False, False, 0)


@pytest.mark.parametrize(("start", "end"), [(True, False), (False, True), (True, True)])
def test_beginning_and_end_of_a_flight_come_back(start: bool, end: bool) -> None:
    got = unpack_measurements(pack_measurements(1, SENT, start=start, end=end))
    assert (got.start, got.end) == (start, end)


def test_of_many_relative_measurements_the_newest_go_and_the_rest_are_counted() -> None:
    sent = measurements(relative=25)
    got = unpack_measurements(pack_measurements(1, sent))
    assert got.left_out == 21
    assert same(got.measurements, replace(sent, relative=sent.relative[-4:]))


def test_commands_come_back() -> None:
    got = unpack_commands(ANSWER)
    told = FULL.telemetry.estimate
    assert told is not None
    diagonal = replace(told, covariance=np.diag(np.diagonal(told.covariance)))
    assert same(got.commands, replace(FULL, telemetry=replace(FULL.telemetry, estimate=diagonal)))
    assert (got.sequence, got.failure) == (2**40 + 5, None)


@pytest.mark.parametrize(("thrusters", "wheels"), [(24, 4), (12, 3), (0, 0)])
def test_commands_without_anything_optional_come_back(thrusters: int, wheels: int) -> None:
    plain = Commands(RNG.uniform(0, 0.1, thrusters), RNG.normal(size=wheels))
    assert same(unpack_commands(pack_commands(3, plain)).commands, plain)


def test_what_is_not_finite_travels_and_is_judged_where_it_is_used() -> None:
    spoilt_one = replace(FULL, on_time_s=np.full(24, math.nan))
    assert np.isnan(unpack_commands(pack_commands(1, spoilt_one)).commands.on_time_s).all()


def test_a_negative_variance_is_not_a_number_and_no_crash() -> None:
    bad = replace(estimate(), covariance=-np.eye(12))
    told = unpack_commands(pack_commands(1, replace(FULL, telemetry=Telemetry(estimate=bad)))).commands.telemetry
    assert told.estimate is not None
    assert np.isnan(np.diagonal(told.estimate.covariance)).all()


@pytest.mark.parametrize("cause", ["", "ValueError: no", "ä" * 200, "x" * 96, "€" * 40])
def test_a_failure_comes_back_cut_between_letters(cause: str) -> None:
    got = unpack_commands(pack_failure(4, cause))
    assert got.failure is not None
    assert cause.startswith(got.failure)
    assert len(got.failure.encode()) > min(len(cause.encode()), 96) - 4
    assert got.sequence == 4


@pytest.mark.parametrize(
    "bad",
    [
        Commands(np.zeros(25), np.zeros(4)),
        Commands(np.zeros(24), np.zeros(5)),
        Commands(np.zeros(24), np.zeros(4), np.zeros(25, bool)),
        Commands(np.zeros(24), np.zeros(4), telemetry=Telemetry(goal=np.zeros(2))),
        Commands(np.zeros(24), np.zeros(4), telemetry=Telemetry(estimate=replace(estimate(), position=np.zeros(4)))),
    ],
)
def test_what_has_no_room_is_not_packed(bad: Commands) -> None:
    with pytest.raises(ValueError, match=r"a datagram holds|numbers where"):
        pack_commands(1, bad)


# --- byte by byte, from the description and not from the code


def test_measurements_lie_as_described() -> None:
    assert len(QUESTION) == MEASUREMENTS_SIZE == 1300
    assert QUESTION[:8] == b"PXFM\x02\x01\x18\x04"
    assert struct.unpack_from("<Qd", QUESTION, 8) == (2**40 + 5, 12.5)
    assert QUESTION[24:32] == b"\x02\0" + b"\0\x01\0\0" + b"\x02\0"
    m = SENT
    blocks = ((32, m.q_eci_chaser), (64, m.w_eci_chaser), (88, m.p_eci_chaser), (112, m.v_eci_chaser))
    for at, block in (*blocks, (144, m.wheel_rate), (176, m.thruster_on_s), (376, m.relative[0].p_sensor_target)):
        assert struct.unpack_from(f"<{len(block)}d", QUESTION, at) == tuple(block)
    assert struct.unpack_from("<d", QUESTION, 136) == (39.5,)
    assert struct.unpack_from("<d", QUESTION, 432) == (m.relative[1].t,)
    assert struct.unpack_from("<4d", QUESTION, 464) == tuple(m.relative[1].q_sensor_target)
    assert QUESTION[496:792] == bytes(296)
    P = m.relative[1].covariance
    assert P is not None
    assert struct.unpack_from("<21d", QUESTION, 792) == tuple(P[i, j] for i in range(6) for j in range(i + 1))
    assert QUESTION[960:1296] == bytes(336)
    assert int.from_bytes(QUESTION[1296:], "little") == zlib.crc32(QUESTION[:1296])


def test_a_datagram_of_measurements_travels_in_one_frame_of_a_network() -> None:
    assert MEASUREMENTS_SIZE <= 1472


def test_commands_lie_as_described() -> None:
    assert len(ANSWER) == COMMANDS_SIZE == 588
    assert ANSWER[:8] == b"PXFC\x02\x07\x18\x04"
    assert struct.unpack_from("<QIBBBBIId", ANSWER, 8) == (
        2**40 + 5, sum(1 << k for k in range(0, 24, 5)), 5, 1, 6, 0, 3, 2**32 - 1, 0.25,
    )  # fmt: skip
    e = FULL.telemetry.estimate
    assert e is not None
    blocks = (
        (40, FULL.on_time_s),
        (232, FULL.wheel_torque),
        (264, (1.0, 2.0, 3.0)),
        (288, e.position),
        (312, e.velocity),
    )
    for at, block in (*blocks, (336, e.q_eci_target), (368, e.w_eci_target), (392, range(1, 13))):
        assert struct.unpack_from(f"<{len(block)}d", ANSWER, at) == tuple(block)
    assert ANSWER[488:584] == bytes(96)
    assert int.from_bytes(ANSWER[584:], "little") == zlib.crc32(ANSWER[:584])


# --- what is wrong


def test_every_corrupted_byte_of_commands_is_refused() -> None:
    for at in range(COMMANDS_SIZE):
        for mask in (0x01, 0x80, 0xFF):
            data = bytearray(ANSWER)
            data[at] ^= mask
            assert refusal(bytes(data)) is (Refusal.MAGIC if at < 4 else Refusal.CRC), (at, mask)


def test_every_corrupted_byte_of_measurements_is_refused() -> None:
    for at in range(MEASUREMENTS_SIZE):
        for mask in (0x01, 0x80, 0xFF):
            data = bytearray(QUESTION)
            data[at] ^= mask
            assert refusal(bytes(data), unpack_measurements) is (Refusal.MAGIC if at < 4 else Refusal.CRC), (at, mask)


def test_every_wrong_length_is_refused() -> None:
    for size in range(COMMANDS_SIZE):
        assert refusal(ANSWER[:size]) in (Refusal.MAGIC, Refusal.CRC)
    assert refusal(ANSWER + b"\0") is Refusal.CRC
    longer = ANSWER[:-4] + bytes(8)
    assert refusal(longer + struct.pack("<I", zlib.crc32(longer))) is Refusal.SIZE


@pytest.mark.parametrize(
    ("at", "code", "value", "why"),
    [
        (4, "B", 3, Refusal.VERSION),
        (5, "B", 0x10, Refusal.FLAGS),
        (6, "B", 25, Refusal.ABSURD),
        (7, "B", 5, Refusal.ABSURD),
        (8, "Q", 2**63, Refusal.SEQUENCE),
        (16, "I", 1 << 24, Refusal.ABSURD),
        (20, "B", len(MissionPhase), Refusal.ABSURD),
        (21, "B", len(AbortCause), Refusal.ABSURD),
        (23, "B", 1, Refusal.ABSURD),
    ],
)
def test_a_well_sealed_answer_with_something_wrong_is_refused_by_name(
    at: int, code: str, value: int, why: Refusal
) -> None:
    assert refusal(spoilt(ANSWER, at, code, value)) is why


@pytest.mark.parametrize(
    ("at", "code", "value", "why"),
    [
        (4, "B", 0, Refusal.VERSION),
        (5, "B", 0x04, Refusal.FLAGS),
        (6, "B", 25, Refusal.ABSURD),
        (7, "B", 5, Refusal.ABSURD),
        (24, "B", 5, Refusal.ABSURD),
        (30, "B", 4, Refusal.ABSURD),
        (31, "B", 1, Refusal.ABSURD),
    ],
)
def test_well_sealed_measurements_with_something_wrong_are_refused_by_name(
    at: int, code: str, value: int, why: Refusal
) -> None:
    assert refusal(spoilt(QUESTION, at, code, value), unpack_measurements) is why


def test_another_version_is_named_even_when_its_size_differs() -> None:
    body = b"PXFC\x01" + bytes(30)
    assert refusal(body + struct.pack("<I", zlib.crc32(body))) is Refusal.VERSION


def test_measurements_are_no_commands_and_the_other_way_round() -> None:
    assert refusal(QUESTION) is Refusal.MAGIC
    assert refusal(ANSWER, unpack_measurements) is Refusal.MAGIC


@QUIET
@given(st.binary(max_size=700))
def test_any_bytes_are_refused_and_raise_nothing_else(data: bytes) -> None:
    for sealed in (data, b"PXFC" + data, b"PXFM" + data):
        for unpack in (unpack_commands, unpack_measurements):
            refusal(sealed, unpack)


@QUIET
@given(st.binary(min_size=COMMANDS_SIZE - 9, max_size=COMMANDS_SIZE - 9))
def test_any_well_sealed_commands_are_read_or_refused(rest: bytes) -> None:
    body = b"PXFC\x02" + rest
    data = body + struct.pack("<I", zlib.crc32(body))
    try:
        assert unpack_commands(data).sequence >= 0
    except Malformed as wrong:
        assert wrong.refusal is not Refusal.CRC
