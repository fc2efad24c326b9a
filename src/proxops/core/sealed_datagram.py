"""Control over the network: a datagram with a session, a number, a time and a text, sealed by HMAC-SHA256 with a shared key.

Little-endian, no padding: 0 magic, 4 kind, 5 three zero bytes, 8 session, 16 sequence, 24 time in ns of the facility's monotonic
clock, 32 the client's nonce, 48 body, and the last 32 bytes are the seal over all before. docs/interfaces.md has it in full.
"""

from __future__ import annotations

import hmac
import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

MAGIC: Final = b"PXC2"
HEAD: Final = struct.Struct("<4sB3xQQQ16s")
SEAL_BYTES: Final = 32
NONCE_BYTES: Final = 16
SMALLEST: Final = HEAD.size + SEAL_BYTES


class DatagramKind(IntEnum):
    """What a datagram is; odd ones go to the facility."""

    HELLO = 1
    WELCOME = 2
    REQUEST = 3
    REPLY = 4
    STOP = 5
    STOPPED = 6


@dataclass(frozen=True)
class Sealed:
    """A datagram's contents. ``nonce`` is always the client's, so that an answer cannot be one to somebody else."""

    kind: DatagramKind
    session: int
    sequence: int
    time_ns: int
    nonce: bytes
    body: bytes = b""


def seal(message: Sealed, key: bytes) -> bytes:
    """As it goes over the wire."""
    head = HEAD.pack(MAGIC, message.kind, message.session, message.sequence, message.time_ns, message.nonce)
    text = head + message.body
    return text + hmac.digest(key, text, "sha256")


def opened(data: bytes) -> Sealed | None:
    """Contents of a datagram whose seal is NOT judged yet; None when it is none of ours."""
    if len(data) < SMALLEST or data[:4] != MAGIC or data[5:8] != b"\0\0\0" or not 1 <= data[4] <= 6:
        return None
    _, kind, session, sequence, time_ns, nonce = HEAD.unpack_from(data)
    return Sealed(DatagramKind(kind), session, sequence, time_ns, nonce, data[HEAD.size : -SEAL_BYTES])


def is_sealed(data: bytes, key: bytes) -> bool:
    """True when whoever made it knows the key. Takes as long for any wrong seal."""
    made = hmac.digest(key, data[:-SEAL_BYTES], "sha256")
    return hmac.compare_digest(made, data[-SEAL_BYTES:])


def session_key(key: bytes, client_nonce: bytes, facility_nonce: bytes, session: int) -> bytes:
    """Seals the requests and replies of one session, and no other's."""
    return hmac.digest(
        key, b"proxops session" + client_nonce + facility_nonce + session.to_bytes(8, "little"), "sha256"
    )
