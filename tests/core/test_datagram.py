"""Datagrams: what is packed comes back; whatever else arrives is refused with its reason, never with another exception."""

import math
import struct
import zlib

import pytest
from flipped_bits import flipped_bits
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proxops.core.datagram import (
    ANSWER_SIZE,
    COMMAND_SIZE,
    SEQUENCE_MAX,
    TIME_MAX_NS,
    Answer,
    Command,
    Malformed,
    Refusal,
    pack_answer,
    pack_command,
    unpack_answer,
    unpack_command,
)

QUIET = settings(max_examples=300, deadline=None, derandomize=True)
u16, u64 = st.integers(0, 2**16 - 1), st.integers(0, 2**64 - 1)
values = st.lists(st.floats(), min_size=22, max_size=22).map(tuple)
commands = st.builds(
    Command, st.integers(1, 4), st.integers(0, SEQUENCE_MAX), st.integers(0, TIME_MAX_NS), values, st.booleans()
)
answers = st.builds(Answer, st.integers(0, 15), st.booleans(), st.booleans(), u64, u64, values, u64, u16, u16, u16)
GOOD = pack_command(Command(1, 77, 123456789, tuple(float(k) for k in range(22))))
REPLY = pack_answer(Answer(1, True, False, 77, 5, tuple(float(k) for k in range(22)), 4, 7, 0, 0))


def bits(numbers: tuple[float, ...]) -> bytes:
    """NaN compares unequal to itself: compare what is on the wire."""
    return struct.pack(f"<{len(numbers)}d", *numbers)


def refused(data: bytes) -> Malformed:
    with pytest.raises(Malformed) as caught:
        unpack_command(data)
    return caught.value


def sealed(body: bytes) -> bytes:
    """A body with the right CRC, for everything that is wrong inside."""
    return body + struct.pack("<I", zlib.crc32(body))


# --- layout, byte by byte, from the description and not from the code ---


def test_a_command_lies_as_documented() -> None:
    """magic 4, version u16, mode word u16, sequence u64, UTC ns u64, 22 doubles, CRC-32 u32: little-endian, 204 bytes."""
    numbers = tuple(0.1 * k - 1.0 for k in range(22))
    data = pack_command(Command(4, 0x0102030405060708, 1_700_000_000_123_456_789, numbers))
    assert len(data) == COMMAND_SIZE == 4 + 2 + 2 + 8 + 8 + 22 * 8 + 4
    assert data[:4] == b"PXOC"
    assert data[4:6] == b"\x01\x00"
    assert data[6:8] == b"\x04\x40"  # IDC and bit 14: alive
    assert data[8:16] == bytes(range(8, 0, -1))
    assert int.from_bytes(data[16:24], "little") == 1_700_000_000_123_456_789
    assert data[24:200] == bits(numbers)
    assert int.from_bytes(data[200:], "little") == zlib.crc32(data[:200])


def test_an_answer_lies_as_documented() -> None:
    """As a command, then the command's time u64, mode, rule, refusal, reserved u16 each, CRC."""
    answer = Answer(3, True, True, 9, 10, tuple(float(k) for k in range(22)), 11, 12, 13, 14)
    data = pack_answer(answer)
    assert len(data) == ANSWER_SIZE == 24 + 22 * 8 + 8 + 4 * 2 + 4
    assert data[:4] == b"PXOA"
    assert data[6:8] == b"\x03\xc0"  # IJT, bits 14 and 15
    assert struct.unpack_from("<QHHHH", data, 200) == (11, 12, 13, 14, 0)
    assert int.from_bytes(data[-4:], "little") == zlib.crc32(data[:-4])


# --- there and back ---


@given(commands)
@QUIET
def test_commands_come_back(command: Command) -> None:
    back = unpack_command(pack_command(command))
    assert (back.system, back.sequence, back.sent_utc_ns, back.alive) == (
        command.system, command.sequence, command.sent_utc_ns, command.alive,
    )  # fmt: skip
    assert bits(back.values) == bits(command.values)


@given(answers)
@QUIET
def test_answers_come_back(answer: Answer) -> None:
    back = unpack_answer(pack_answer(answer))
    assert bits(back.values) == bits(answer.values)
    assert (back.system, back.alive, back.moving_to_start, back.sequence, back.utc_ns) == (
        answer.system, answer.alive, answer.moving_to_start, answer.sequence, answer.utc_ns,
    )  # fmt: skip
    assert (back.command_sent_utc_ns, back.mode, back.rule, back.refusal) == (
        answer.command_sent_utc_ns, answer.mode, answer.rule, answer.refusal,
    )  # fmt: skip


# --- damage on the way ---


def test_every_flipped_bit_of_a_command_is_refused() -> None:
    for at, damaged in flipped_bits(GOOD):
        expected = Refusal.MAGIC if at < 4 else Refusal.VERSION if at < 6 else Refusal.CRC
        assert refused(damaged).refusal is expected, at


def test_every_flipped_bit_of_an_answer_is_refused() -> None:
    for _, damaged in flipped_bits(REPLY):
        with pytest.raises(Malformed):
            unpack_answer(damaged)


@given(commands, st.integers(0, COMMAND_SIZE - 1), st.integers(1, 255))
@QUIET
def test_any_changed_byte_of_any_command_is_refused(command: Command, at: int, mask: int) -> None:
    damaged = bytearray(pack_command(command))
    damaged[at] ^= mask
    assert refused(bytes(damaged)).refusal is not Refusal.NONE


def test_every_wrong_length_is_refused() -> None:
    for size in (*range(COMMAND_SIZE), COMMAND_SIZE + 1, COMMAND_SIZE + 8, 1472, 65507):
        found = refused((GOOD + bytes(65507))[:size])
        assert found.refusal is (Refusal.MAGIC if size < 4 else Refusal.SIZE)
        if size >= 4:
            assert f"{size} bytes" in str(found)
            assert str(COMMAND_SIZE) in str(found)
        assert found.sequence == (77 if size >= 16 else -1)


@given(st.binary(max_size=400))
@example(b"")
@example(b"PXOC")
@example(b"PXOC\x01")
@QUIET
def test_any_bytes_are_refused_and_raise_nothing_else(data: bytes) -> None:
    assert str(refused(data))
    with pytest.raises(Malformed):
        unpack_answer(data)


@given(st.binary(min_size=COMMAND_SIZE - 10, max_size=COMMAND_SIZE - 10))
@QUIET
def test_any_well_sealed_bytes_are_read_or_refused(rest: bytes) -> None:
    """Right magic, version, size and CRC: what is left is the sequence number, the time and the mode word."""
    data = sealed(b"PXOC\x01\x00" + rest)
    word = int.from_bytes(data[6:8], "little")
    if int.from_bytes(data[8:16], "little") > SEQUENCE_MAX:
        assert refused(data).refusal is Refusal.SEQUENCE
    elif int.from_bytes(data[16:24], "little") > TIME_MAX_NS:
        assert refused(data).refusal is Refusal.TIME
    elif (word & 0xF) in (1, 2, 3, 4) and not word & 0x3FF0:
        assert unpack_command(data).system == word & 0xF
    else:
        assert refused(data).refusal is Refusal.MODE_WORD


# --- what is wrong is named with value and bound ---


@pytest.mark.parametrize("version", [0, 2, 255, 256, 65535])
def test_other_versions(version: int) -> None:
    found = refused(sealed(GOOD[:4] + struct.pack("<H", version) + GOOD[6:-4]))
    assert found.refusal is Refusal.VERSION
    assert found.sequence == 77
    for word in ("seq 77", str(version), "expected 1"):
        assert word in str(found)


def test_another_version_is_named_even_when_its_size_differs() -> None:
    """A newer client learns that its version is the trouble, not that its datagram is too long."""
    assert refused(sealed(GOOD[:4] + b"\x02\x00" + GOOD[6:-4] + bytes(8))).refusal is Refusal.VERSION


def test_wrong_crc() -> None:
    found = refused(GOOD[:-4] + b"\xde\xad\xbe\xef")
    assert found.refusal is Refusal.CRC
    for word in ("seq 77", "0xefbeadde", f"{zlib.crc32(GOOD[:-4]):#010x}"):
        assert word in str(found)


@pytest.mark.parametrize("word", [0, 5, 15, 1 << 4 | 1, 1 << 13 | 2, 0x7FFF, 0x4000])
def test_mode_words(word: int) -> None:
    found = refused(sealed(GOOD[:6] + struct.pack("<H", word) + GOOD[8:-4]))
    assert found.refusal is Refusal.MODE_WORD
    assert found.sequence == 77
    assert f"{word:#06x}" in str(found)
    assert "1 (CLW), 2 (GLC), 3 (IJT) or 4 (IDC)" in str(found)


def test_an_answer_is_no_command_and_the_other_way_round() -> None:
    assert refused(REPLY).refusal is Refusal.MAGIC
    with pytest.raises(Malformed):
        unpack_answer(GOOD)


def test_numbers_that_are_none_pass_here_and_are_judged_with_the_motion() -> None:
    data = pack_command(Command(1, 1, 1, (math.nan,) * 22))
    assert all(math.isnan(v) for v in unpack_command(data).values)


def test_refusals_keep_their_numbers() -> None:
    """They stand in other people's programs."""
    assert [r.name for r in Refusal] == [
        "NONE", "SIZE", "MAGIC", "VERSION", "CRC", "MODE_WORD", "OLD_SEQUENCE", "NOT_MASTER", "NOT_FINITE",
        "NOT_UNIT", "NOT_SELECTED", "SEQUENCE", "FLAGS", "ABSURD", "TIME", "LEAP", "KEY", "CODE", "CHALLENGE",
    ]  # fmt: skip
    assert [int(r) for r in Refusal] == list(range(19))
