"""A force reading on the wire, for a user's own sensor: 76 bytes, little-endian, version 1.

| byte | type | field |
|---|---|---|
| 0 | 4 chars | magic ``PXFT`` |
| 4 | u8 | version, 1 |
| 5 | 3 bytes | reserved, 0 |
| 8 | u64 | sequence number: counts readings, up to 2^62, never ahead by more than 2^31 |
| 16 | i64 | time of the reading, ns, sensor's own clock, any epoch, -2^62 to 2^62 |
| 24 | 6 f64 | Fx Fy Fz (N), Tx Ty Tz (N m) |
| 72 | u32 | CRC-32 (zlib) of bytes 0 to 71 |

The wrench is what acts on the tool from outside, its own weight and inertia included, about the sensor's origin in the sensor's
axes. NaN is let through: it is the sensor's word that it has failed, and a fault one cycle later (touch/force_watch.py).
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from typing import Final

from proxops.core.datagram import Malformed, Refusal, check_numbers

VERSION: Final = 1
MAGIC: Final = b"PXFT"
LAYOUT: Final = (
    ("magic", "4s"), ("version", "B"), ("reserved", "3s"), ("sequence", "Q"), ("measured_ns", "q"), ("wrench", "6d"),
)  # fmt: skip
_BODY: Final = struct.Struct("<" + "".join(code for _, code in LAYOUT))
_CRC: Final = struct.Struct("<I")
SIZE: Final = _BODY.size + _CRC.size
_NOTHING: Final = bytes(3)


@dataclass(frozen=True, slots=True)
class ForceReading:
    """As it lies on the wire."""

    sequence: int
    measured_ns: int
    wrench: tuple[float, ...]  # N, N m


def pack_force(reading: ForceReading) -> bytes:
    """Bytes of a reading."""
    body = _BODY.pack(MAGIC, VERSION, _NOTHING, reading.sequence, reading.measured_ns, *reading.wrench)
    return body + _CRC.pack(zlib.crc32(body))


def unpack_force(data: bytes) -> ForceReading:
    """Check and unpack; ``Malformed`` names the first thing wrong, in the order that helps most."""
    if data[:4] != MAGIC:
        raise Malformed(Refusal.MAGIC, f"magic {data[:4]!r}, expected {MAGIC!r}")
    if len(data) > 4 and data[4] != VERSION:
        raise Malformed(Refusal.VERSION, f"version {data[4]}, expected {VERSION}")
    if len(data) != SIZE:
        raise Malformed(Refusal.SIZE, f"{len(data)} bytes, expected {SIZE}")
    found, computed = _CRC.unpack_from(data, _BODY.size)[0], zlib.crc32(data[: _BODY.size])
    if found != computed:
        raise Malformed(Refusal.CRC, f"CRC {found:#010x}, computed {computed:#010x}")
    _, _, reserved, sequence, measured_ns, *wrench = _BODY.unpack_from(data)
    if reserved != _NOTHING:
        raise Malformed(Refusal.FLAGS, f"seq {sequence}: reserved bytes {reserved.hex()}, must be 0", sequence)
    check_numbers(sequence, measured_ns)
    return ForceReading(sequence, measured_ns, tuple(wrench))
