"""The synchronous interface on the wire: fixed little-endian datagrams with CRC, byte by byte in docs/interfaces.md.

Pure packing and checking; sockets are elsewhere. The 22 doubles keep the paper's meaning, quaternions with the scalar last.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

VERSION: Final = 1
COMMAND_MAGIC: Final = b"PXOC"
ANSWER_MAGIC: Final = b"PXOA"
ALIVE_BIT: Final = 1 << 14
MOVING_BIT: Final = 1 << 15
SYSTEM_MASK: Final = 0x000F
UNUSED_MASK: Final = 0x3FF0
SEQUENCE_MAX: Final = 2**62  # what is computed from it (the next ones, differences) still fits the log's signed numbers
TIME_MAX_NS: Final = 2**62  # 146 years: likewise
LEAP_MAX: Final = 2**31  # numbers by which one datagram may be ahead of the one before: three months at 250 Hz

_COMMAND: Final = struct.Struct("<4sHHQQ22d")
_ANSWER: Final = struct.Struct("<4sHHQQ22dQHHHH")
_CRC: Final = struct.Struct("<I")
COMMAND_SIZE: Final = _COMMAND.size + 4
ANSWER_SIZE: Final = _ANSWER.size + 4


class Refusal(IntEnum):
    """Why the facility did not take a datagram; 0 when it did."""

    NONE = 0
    SIZE = 1
    MAGIC = 2
    VERSION = 3
    CRC = 4
    MODE_WORD = 5
    OLD_SEQUENCE = 6  # replayed, duplicated or overtaken on the way
    NOT_MASTER = 7
    NOT_FINITE = 8
    NOT_UNIT = 9
    NOT_SELECTED = 10  # the operator has not selected the synchronous interface
    SEQUENCE = 11  # sequence number beyond 2^62
    FLAGS = 12  # bridge: a bit that must be 0 is set
    ABSURD = 13  # bridge: position, velocity or rate beyond anything that flies
    TIME = 14  # time of sending beyond 2^62 ns
    LEAP = 15  # sequence number more than 2^31 ahead of the newest one
    KEY = 16  # it carries no code where the facility has a key, or one where it has none
    CODE = 17  # its code is wrong: another key, another port's, or damaged
    CHALLENGE = 18  # of another start of the facility: take the present one from the answer


@dataclass(frozen=True)
class Command:
    """One command of the synchronous interface."""

    system: int
    sequence: int
    sent_utc_ns: int
    values: tuple[float, ...]
    alive: bool = True


@dataclass(frozen=True)
class Answer:
    """One answer: actual values in the command's system, and the state of the facility."""

    system: int
    alive: bool
    moving_to_start: bool
    sequence: int
    utc_ns: int
    values: tuple[float, ...]
    command_sent_utc_ns: int
    mode: int
    rule: int
    refusal: int


class Malformed(Exception):
    """A datagram that cannot be taken at all; ``refusal`` says why, ``sequence`` is the best guess (-1: none)."""

    def __init__(self, refusal: Refusal, text: str, sequence: int = -1) -> None:
        super().__init__(text)
        self.refusal, self.sequence = refusal, sequence


def pack_command(command: Command) -> bytes:
    """Bytes of a command."""
    word = (command.system & SYSTEM_MASK) | (ALIVE_BIT if command.alive else 0)
    body = _COMMAND.pack(COMMAND_MAGIC, VERSION, word, command.sequence, command.sent_utc_ns, *command.values)
    return body + _CRC.pack(zlib.crc32(body))


def unpack_command(data: bytes) -> Command:
    """Check and unpack a command; ``Malformed`` names the first thing wrong with its value and bound."""
    _check_frame(data, COMMAND_SIZE, COMMAND_MAGIC)
    _, _, word, sequence, sent, *values = _COMMAND.unpack_from(data)
    check_numbers(sequence, sent, 0)
    system = word & SYSTEM_MASK
    if system not in (1, 2, 3, 4) or word & UNUSED_MASK:
        raise Malformed(
            Refusal.MODE_WORD,
            f"seq {sequence}: unknown mode word {word:#06x}; bits 0-3: 1 (CLW), 2 (GLC), 3 (IJT) or 4 (IDC), bits 4-13: 0",
            sequence,
        )
    return Command(system, sequence, sent, tuple(values), bool(word & ALIVE_BIT))


def pack_answer(answer: Answer) -> bytes:
    """Bytes of an answer."""
    word = (
        (answer.system & SYSTEM_MASK)
        | (ALIVE_BIT if answer.alive else 0)
        | (MOVING_BIT if answer.moving_to_start else 0)
    )
    body = _ANSWER.pack(
        ANSWER_MAGIC, VERSION, word, answer.sequence, answer.utc_ns, *answer.values,
        answer.command_sent_utc_ns, answer.mode, answer.rule, answer.refusal, 0,
    )  # fmt: skip
    return body + _CRC.pack(zlib.crc32(body))


def unpack_answer(data: bytes) -> Answer:
    """Check and unpack an answer."""
    _check_frame(data, ANSWER_SIZE, ANSWER_MAGIC)
    _, _, word, sequence, utc_ns, *rest = _ANSWER.unpack_from(data)
    sent, mode, rule, refusal, _ = rest[22:]
    return Answer(
        word & SYSTEM_MASK,
        bool(word & ALIVE_BIT),
        bool(word & MOVING_BIT),
        sequence,
        utc_ns,
        tuple(rest[:22]),
        sent,
        mode,
        rule,
        refusal,
    )


def check_numbers(sequence: int, time_ns: int, earliest_ns: int = -TIME_MAX_NS) -> None:
    """Refuse a sequence number or time with which nothing can be computed any more."""
    if sequence > SEQUENCE_MAX:
        raise Malformed(Refusal.SEQUENCE, f"seq {sequence}: beyond {SEQUENCE_MAX}", sequence)
    if not earliest_ns <= time_ns <= TIME_MAX_NS:
        text = f"seq {sequence}: time {time_ns} ns, allowed: {earliest_ns} to {TIME_MAX_NS}"
        raise Malformed(Refusal.TIME, text, sequence)


def _check_frame(data: bytes, size: int, magic: bytes) -> None:
    """Magic, version, size, CRC, in the order that gives the most helpful message."""
    sequence = int.from_bytes(data[8:16], "little") if len(data) >= 16 else -1
    if data[:4] != magic:
        raise Malformed(Refusal.MAGIC, f"magic {data[:4]!r}, expected {magic!r}")
    if len(data) >= 6 and int.from_bytes(data[4:6], "little") != VERSION:
        raise Malformed(
            Refusal.VERSION,
            f"seq {sequence}: version {int.from_bytes(data[4:6], 'little')}, expected {VERSION}",
            sequence,
        )
    if len(data) != size:
        raise Malformed(Refusal.SIZE, f"seq {sequence}: {len(data)} bytes, expected {size}", sequence)
    found, computed = _CRC.unpack_from(data, size - 4)[0], zlib.crc32(data[: size - 4])
    if found != computed:
        raise Malformed(Refusal.CRC, f"seq {sequence}: CRC {found:#010x}, computed {computed:#010x}", sequence)
