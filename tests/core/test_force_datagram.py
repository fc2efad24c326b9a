"""The force datagram: it lies as its page says, comes back as it was, and whatever is wrong is refused by name."""

from __future__ import annotations

import math
import re
import struct
import zlib

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxops.core import force_datagram
from proxops.core.datagram import SEQUENCE_MAX, TIME_MAX_NS, Malformed, Refusal
from proxops.core.force_datagram import LAYOUT, SIZE, ForceReading, pack_force, unpack_force

QUIET = settings(max_examples=300, deadline=None, derandomize=True)
READING = ForceReading(77, 1_700_000_000_123_456_789, (1.5, -2.5, 40.0, 0.1, -0.2, 0.3))
GOOD = pack_force(READING)


def sealed(body: bytes) -> bytes:
    return body + struct.pack("<I", zlib.crc32(body))


def test_it_lies_as_the_docstring_says() -> None:
    rows = re.findall(r"^\| (\d+) \|", force_datagram.__doc__ or "", re.M)
    at, starts = 0, []
    for _, code in LAYOUT:
        starts.append(at)
        at += struct.calcsize("<" + code)
    assert [int(row) for row in rows] == [*starts, at]
    assert at + 4 == SIZE == 76 == len(GOOD)
    assert GOOD[:8] == b"PXFT\x01\x00\x00\x00"
    assert struct.unpack_from("<Qq6d", GOOD, 8) == (READING.sequence, READING.measured_ns, *READING.wrench)


@QUIET
@given(
    st.integers(0, SEQUENCE_MAX), st.integers(-TIME_MAX_NS, TIME_MAX_NS),
    st.tuples(*(st.floats(allow_nan=False, width=64),) * 6),
)  # fmt: skip
def test_there_and_back(sequence: int, measured_ns: int, wrench: tuple[float, ...]) -> None:
    reading = ForceReading(sequence, measured_ns, wrench)
    assert unpack_force(pack_force(reading)) == reading


def test_nan_is_the_sensors_word_and_comes_through() -> None:
    assert math.isnan(unpack_force(pack_force(ForceReading(1, 0, (math.nan,) * 6))).wrench[3])


@pytest.mark.parametrize(
    ("data", "refusal"),
    [
        (b"", Refusal.MAGIC), (b"PXF", Refusal.MAGIC), (b"PXFT", Refusal.SIZE), (b"PXFT\x02", Refusal.VERSION),
        (GOOD[:-1], Refusal.SIZE), (GOOD + b"\0", Refusal.SIZE), (b"PXBC" + GOOD[4:], Refusal.MAGIC),
        (GOOD[:-1] + bytes([GOOD[-1] ^ 1]), Refusal.CRC), (sealed(GOOD[:6] + b"\x01" + GOOD[7:72]), Refusal.FLAGS),
        (sealed(GOOD[:8] + struct.pack("<Q", SEQUENCE_MAX + 1) + GOOD[16:72]), Refusal.SEQUENCE),
        (sealed(GOOD[:4] + b"\x02" + GOOD[5:72]), Refusal.VERSION),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named(data: bytes, refusal: Refusal) -> None:
    with pytest.raises(Malformed) as caught:
        unpack_force(data)
    assert caught.value.refusal is refusal


@QUIET
@given(st.integers(0, 8 * SIZE - 1))
def test_any_flipped_bit_is_seen(bit: int) -> None:
    data = bytearray(GOOD)
    data[bit // 8] ^= 1 << bit % 8
    with pytest.raises(Malformed):
        unpack_force(bytes(data))


@QUIET
@given(st.one_of(st.binary(max_size=120), st.binary(max_size=90).map(lambda tail: b"PXFT\x01" + tail)))
def test_rubbish_is_malformed_and_nothing_else(data: bytes) -> None:
    with pytest.raises(Malformed):
        unpack_force(data)
