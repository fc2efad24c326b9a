"""The bridge's datagrams: they lie as the page says, come back as they were, and whatever is wrong is refused by name."""

from __future__ import annotations

import math
import re
import struct
import zlib
from dataclasses import replace
from enum import IntEnum
from pathlib import Path

import pytest
from flipped_bits import flipped_bits
from hypothesis import example, given, settings
from hypothesis import strategies as st

from proxops.core.bridge_datagram import (
    COMMAND_LAYOUT,
    COMMAND_SIZE,
    STATUS_LAYOUT,
    STATUS_SIZE,
    BridgeCommand,
    BridgeStatus,
    pack_command,
    pack_status,
    unpack_command,
    unpack_status,
)
from proxops.core.datagram import Malformed, Refusal
from proxops.core.vocabulary import InputState, Mode, Phase, Standstill, Zone

PAGE = (Path(__file__).parents[2] / "docs" / "bridge_interface.md").read_text()
QUIET = settings(max_examples=200, deadline=None, derandomize=True)
HALF = math.sqrt(0.5)
CHASER = (6_999_999.5, -20.25, 1e-3, 0.0, HALF, 0.0, HALF)
TARGET = (7e6, 0.0, 0.0, 0.5, -0.5, 0.5, 0.5)
SPEEDS = (0.0, 7546.0, 1.0, 1e-3, 0.0, -2e-3), (0.05, 7546.0, 1.0, 0.0, 0.0, 0.0)
COMMAND = BridgeCommand(77, -5, CHASER, TARGET, *SPEEDS, (0.0, 0.6, 0.8))
GOOD = pack_command(COMMAND)
STATUS = BridgeStatus(
    Phase.CONVERGING, InputState.BUFFERED, Zone.GREEN, Zone.YELLOW, Standstill.LIMIT, Mode.BRIDGED, 14, Refusal.ABSURD,
    78, -4, 1_700_000_000_123_456_789, 2**40 + 1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, CHASER, TARGET,
    1, 2, 3, 4, 5, 2**32 - 1, converged=True, moving=False, master=True, velocities_used=True,
)  # fmt: skip
ANSWER = pack_status(STATUS)


def sealed(body: bytes) -> bytes:
    """A body with the right CRC, for everything that is wrong inside."""
    return body + struct.pack("<I", zlib.crc32(body))


def spoilt(data: bytes, at: int, code: str, *values: float) -> bytes:
    """The datagram with something else written at an offset, well sealed."""
    body = bytearray(data[:-4])
    struct.pack_into("<" + code, body, at, *values)
    return sealed(bytes(body))


def refused(data: bytes) -> Malformed:
    with pytest.raises(Malformed) as caught:
        unpack_command(data)
    return caught.value


# --- the page ---

TYPES = {"s": "bytes", "B": "uint8", "H": "uint16", "I": "uint32", "Q": "uint64", "q": "int64", "d": "float64"}


def written(layout: tuple[tuple[str, str], ...]) -> list[tuple[int, int, str]]:
    """Rows (offset, bytes, type) that a layout would have on the page, with the CRC that ends it."""
    rows, at = [], 0
    for _, code in (*layout, ("crc", "I")):
        count, size = code[:-1], struct.calcsize("<" + code)
        rows.append((at, size, f"{count} {TYPES[code[-1]]}" if count and code[-1] != "s" else TYPES[code[-1]]))
        at += size
    return rows


@pytest.mark.parametrize(
    ("name", "size", "layout"), [("Command", COMMAND_SIZE, COMMAND_LAYOUT), ("Status", STATUS_SIZE, STATUS_LAYOUT)]
)
def test_the_page_shows_the_layout_without_gaps(name: str, size: int, layout: tuple[tuple[str, str], ...]) -> None:
    table = PAGE.split(f"**{name}, {size} bytes**", 1)[1].split("\n\n", 2)[1]
    rows = re.findall(r"^\| (\d+) \| (\d+) \| ([^|]+) \|", table, re.MULTILINE)
    told = [(int(offset), int(length), kind) for offset, length, kind in rows]
    assert told == written(layout)
    assert sum(length for _, length, _ in told) == size


@pytest.mark.parametrize(
    ("heading", "words"), [("Phases", Phase), ("Causes", Standstill), ("State of the input", InputState)]
)
def test_the_page_explains_every_number(heading: str, words: type[IntEnum]) -> None:
    part = PAGE.split(f"### {heading}\n", 1)[1].split("\n#", 1)[0]
    assert re.findall(r"^\| (\d+) (\w+) \|", part, re.MULTILINE) == [(str(int(w)), w.name) for w in words]


def test_the_page_explains_zones_and_every_refusal_of_the_bridge() -> None:
    assert ", ".join(f"{int(z)} {z.name}" for z in Zone) in PAGE
    told = re.findall(r"\b(\d+) ([A-Z_]+)\b", PAGE.split("### Refusals\n", 1)[1].split("\n## ", 1)[0])
    known = [(str(int(r)), r.name) for r in Refusal if r not in (Refusal.NONE, Refusal.MODE_WORD)]
    assert sorted(told) == sorted(known)


# --- layout, byte by byte, from the description and not from the code ---


def test_a_command_lies_as_described() -> None:
    assert len(GOOD) == COMMAND_SIZE == 260
    assert GOOD[:8] == b"PXBC\x01\x03\x00\x00"
    assert GOOD[8:16] == (77).to_bytes(8, "little")
    assert GOOD[16:24] == (-5).to_bytes(8, "little", signed=True)
    doubles = (*CHASER, *TARGET, *SPEEDS[0], *SPEEDS[1], 0.0, 0.6, 0.8)
    assert GOOD[24:256] == b"".join(struct.pack("<d", v) for v in doubles)
    assert int.from_bytes(GOOD[256:], "little") == zlib.crc32(GOOD[:256])


def test_a_command_without_velocities_and_sun_has_no_flags_and_zeros() -> None:
    data = pack_command(BridgeCommand(1, 2, CHASER, TARGET))
    assert data[5] == 0
    assert data[136:256] == bytes(120)


def test_a_status_lies_as_described() -> None:
    assert len(ANSWER) == STATUS_SIZE == 236
    assert ANSWER[:4] == b"PXBS"
    assert list(ANSWER[4:16]) == [1, 0b1101, 5, 2, 0, 1, 9, 12, 14, 13, 0, 0]
    assert ANSWER[16:24] == (78).to_bytes(8, "little")
    assert ANSWER[24:32] == (-4).to_bytes(8, "little", signed=True)
    assert ANSWER[32:40] == (1_700_000_000_123_456_789).to_bytes(8, "little")
    assert ANSWER[40:48] == (2**40 + 1).to_bytes(8, "little")
    doubles = (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, *CHASER, *TARGET)
    assert ANSWER[48:208] == b"".join(struct.pack("<d", v) for v in doubles)
    assert ANSWER[208:232] == b"".join(n.to_bytes(4, "little") for n in (1, 2, 3, 4, 5, 2**32 - 1))
    assert int.from_bytes(ANSWER[232:], "little") == zlib.crc32(ANSWER[:232])


@pytest.mark.parametrize(
    ("flag", "bit"), [("converged", 1), ("moving", 2), ("master", 4), ("velocities_used", 8)]
)  # fmt: skip
def test_each_flag_of_a_status_is_one_bit(flag: str, bit: int) -> None:
    alone = replace(STATUS, **{f: f == flag for f in ("converged", "moving", "master", "velocities_used")})  # type: ignore[arg-type]
    data = pack_status(alone)
    assert data[5] == bit
    assert unpack_status(data) == alone


# --- there and back ---

within = {bound: st.floats(-bound, bound) for bound in (1e12, 1e9, 1e6)}
directions = st.tuples(*[st.floats(-1.0, 1.0)] * 4).filter(lambda q: math.hypot(*q) > 1e-3)
units = directions.map(lambda q: tuple(v / math.hypot(*q) for v in q))
suns = directions.filter(lambda q: math.hypot(*q[:3]) > 1e-3).map(
    lambda q: tuple(v / math.hypot(*q[:3]) for v in q[:3])
)
poses = st.tuples(st.tuples(*[within[1e12]] * 3), units).map(lambda p: (*p[0], *p[1]))
velocities = st.tuples(*[within[1e9]] * 3, *[within[1e6]] * 3)
sequences, times = st.integers(0, 2**62), st.integers(-(2**62), 2**62)


@given(sequences, times, poses, poses, st.none() | st.tuples(velocities, velocities), st.none() | suns)
@QUIET
def test_commands_come_back(sequence, sent, chaser, target, speeds, sun) -> None:  # type: ignore[no-untyped-def]
    """All but what is normalised to the last bit; that to its rounding."""
    sent_command = BridgeCommand(sequence, sent, chaser, target, *(speeds or (None, None)), sun)
    back = unpack_command(pack_command(sent_command))
    assert replace(back, chaser=chaser, target=target, sun=sun) == sent_command
    for got, was in ((back.chaser, chaser), (back.target, target)):
        assert got[:3] == was[:3]
        assert got[3:] == pytest.approx(was[3:], abs=4e-16)
    assert (back.sun is None) == (sun is None)
    if sun is not None:
        assert back.sun == pytest.approx(sun, abs=4e-16)


u8, u32, u64 = st.integers(0, 255), st.integers(0, 2**32 - 1), st.integers(0, 2**64 - 1)
seven = st.tuples(*[st.floats()] * 7)
statuses = st.builds(
    BridgeStatus, st.sampled_from(Phase), st.sampled_from(InputState), st.sampled_from(Zone), st.sampled_from(Zone),
    st.sampled_from(Standstill), st.sampled_from(Mode), u8, st.sampled_from(Refusal), u64, times, times, u64,
    *[st.floats()] * 6, seven, seven, *[u32] * 6, *[st.booleans()] * 4,
)  # fmt: skip


@given(statuses)
@QUIET
def test_statuses_come_back(status: BridgeStatus) -> None:
    """NaN compares unequal to itself, so what is on the wire is compared, and the text of the rest."""
    back = unpack_status(pack_status(status))
    assert pack_status(back) == pack_status(status)
    assert repr(back) == repr(status)


def test_counters_wrap() -> None:
    assert unpack_status(pack_status(replace(STATUS, taken=2**32 + 3))).taken == 3


def test_velocities_are_packed_for_both_or_for_none() -> None:
    with pytest.raises(ValueError, match="both"):
        pack_command(BridgeCommand(1, 2, CHASER, TARGET, chaser_velocity=SPEEDS[0]))


# --- damage on the way ---


def test_every_flipped_bit_of_a_command_is_refused() -> None:
    for at, damaged in flipped_bits(GOOD):
        expected = Refusal.MAGIC if at < 4 else Refusal.VERSION if at == 4 else Refusal.CRC
        assert refused(damaged).refusal is expected, at


def test_every_flipped_bit_of_a_status_is_refused() -> None:
    for _, damaged in flipped_bits(ANSWER):
        with pytest.raises(Malformed):
            unpack_status(damaged)


def test_every_wrong_length_is_refused() -> None:
    for size in (*range(COMMAND_SIZE), COMMAND_SIZE + 1, 1472, 65507):
        found = refused((GOOD + bytes(65507))[:size])
        assert found.refusal is (Refusal.MAGIC if size < 4 else Refusal.SIZE)
        assert found.sequence == (77 if size >= 16 else -1)
        if size >= 4:
            assert f"{size} bytes, expected 260" in str(found)


@given(st.binary(max_size=400))
@example(b"")
@example(b"PXBC")
@example(b"PXBS")
@example(b"PXBC\x01")
@QUIET
def test_any_bytes_are_refused_and_raise_nothing_else(data: bytes) -> None:
    assert str(refused(data))
    with pytest.raises(Malformed):
        unpack_status(data)


@given(st.binary(min_size=251, max_size=251), st.integers(0, 3))
@QUIET
def test_any_well_sealed_command_is_read_or_refused(rest: bytes, flags: int) -> None:
    """Random bytes are hardly ever a unit quaternion: whatever they are, the refusal is one of those for contents."""
    data = sealed(b"PXBC\x01" + bytes([flags, 0, 0]) + rest[3:])
    assert refused(data).refusal in (
        Refusal.SEQUENCE, Refusal.TIME, Refusal.NOT_FINITE, Refusal.NOT_UNIT, Refusal.ABSURD,
    )  # fmt: skip


@given(st.binary(min_size=227, max_size=227))
@QUIET
def test_any_well_sealed_status_is_read_or_refused(rest: bytes) -> None:
    data = sealed(b"PXBS\x01" + rest)
    kinds = zip((Phase, InputState, Zone, Zone, Standstill, Mode), data[6:12], strict=True)
    if all(number in list(kind) for kind, number in kinds) and data[13] in list(Refusal):
        assert unpack_status(data).tick == int.from_bytes(data[40:48], "little")
    else:
        with pytest.raises(Malformed, match="newer than this client"):
            unpack_status(data)


# --- what is wrong is named with value and bound ---


def test_another_version_is_named_even_when_its_size_differs() -> None:
    for data in (spoilt(GOOD, 4, "B", 2), sealed(GOOD[:4] + b"\x02" + GOOD[5:-4] + bytes(8))):
        found = refused(data)
        assert found.refusal is Refusal.VERSION
        assert found.sequence == 77
        assert "version 2, expected 1" in str(found)


def test_wrong_crc() -> None:
    found = refused(GOOD[:-4] + b"\xde\xad\xbe\xef")
    assert found.refusal is Refusal.CRC
    for word in ("seq 77", "0xefbeadde", f"{zlib.crc32(GOOD[:-4]):#010x}"):
        assert word in str(found)


@pytest.mark.parametrize("bit", range(2, 8))
def test_unknown_flags(bit: int) -> None:
    assert refused(spoilt(GOOD, 5, "B", 1 << bit)).refusal is Refusal.FLAGS
    assert f"{3 | 1 << bit:#04x}" in str(refused(spoilt(GOOD, 5, "B", 3 | 1 << bit)))


@pytest.mark.parametrize("bit", range(16))
def test_reserved_bits(bit: int) -> None:
    assert refused(spoilt(GOOD, 6, "H", 1 << bit)).refusal is Refusal.FLAGS


def test_sequence_numbers_end_where_the_log_ends() -> None:
    assert unpack_command(spoilt(GOOD, 8, "Q", 2**62)).sequence == 2**62
    found = refused(spoilt(GOOD, 8, "Q", 2**62 + 1))
    assert (found.refusal, found.sequence) == (Refusal.SEQUENCE, 2**62 + 1)


DOUBLES = range(24, 256, 8)


@pytest.mark.parametrize("at", DOUBLES)
@pytest.mark.parametrize("value", [math.nan, math.inf, -math.inf])
def test_what_is_not_finite(at: int, value: float) -> None:
    found = refused(spoilt(GOOD, at, "d", value))
    assert found.refusal is Refusal.NOT_FINITE
    assert str(value) in str(found)
    assert found.sequence == 77


@pytest.mark.parametrize("at", range(136, 256, 8))
@pytest.mark.parametrize("value", [math.nan, math.inf, 1e300])
def test_what_is_not_valid_may_hold_anything(at: int, value: float) -> None:
    back = unpack_command(spoilt(spoilt(GOOD, 5, "B", 0), at, "d", value))
    assert back.chaser_velocity is back.target_velocity is back.sun is None
    one_flag = unpack_command(spoilt(spoilt(GOOD, 5, "B", 2 if at < 232 else 1), at, "d", value))
    assert (one_flag.sun is None) == (at >= 232)


BOUNDS = {24: 1e12, 32: 1e12, 40: 1e12, 80: 1e12, 88: 1e12, 96: 1e12}
BOUNDS |= {at + 8 * i: bound for at in (136, 184) for i, bound in enumerate([1e9] * 3 + [1e6] * 3)}


@pytest.mark.parametrize(("at", "bound"), BOUNDS.items())
@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_what_is_absurd(at: int, bound: float, sign: float) -> None:
    unpack_command(spoilt(GOOD, at, "d", sign * bound))
    for value in (math.nextafter(bound, math.inf), 1e300):
        found = refused(spoilt(GOOD, at, "d", sign * value))
        assert found.refusal is Refusal.ABSURD
        assert f"{bound:.0e}" in str(found)


@pytest.mark.parametrize(("at", "count"), [(48, 4), (104, 4), (232, 3)])
def test_what_is_not_of_unit_length(at: int, count: int) -> None:
    """To 1e-6 it is normalised, further off refused; so is a vector of zeros and one whose square overflows."""
    vector = struct.unpack_from(f"<{count}d", GOOD, at)
    for scale in (1.0 - 0.99e-6, 1.0 + 0.99e-6):
        back = unpack_command(spoilt(GOOD, at, f"{count}d", *(scale * v for v in vector)))
        got = {48: back.chaser[3:], 104: back.target[3:], 232: back.sun}[at]
        assert got == pytest.approx(vector, abs=4e-16)
    for scale in (1.0 - 1.01e-6, 1.0 + 1.01e-6, 0.0, 1e200, -2.0):
        found = refused(spoilt(GOOD, at, f"{count}d", *(scale * v for v in vector)))
        assert found.refusal is Refusal.NOT_UNIT
        assert "length" in str(found)


@pytest.mark.parametrize("at", [6, 7, 8, 9, 10, 11, 13])
def test_a_status_with_an_unknown_number_names_it(at: int) -> None:
    with pytest.raises(Malformed, match="250"):
        unpack_status(spoilt(ANSWER, at, "B", 250))


def test_a_status_is_no_command_and_the_other_way_round() -> None:
    assert refused(ANSWER).refusal is Refusal.MAGIC
    with pytest.raises(Malformed):
        unpack_status(GOOD)
