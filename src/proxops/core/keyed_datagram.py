"""Datagrams under a key: the plain datagram, then a trailer that only a holder of the key can have made, for this run only.

| byte of the trailer | type | field |
|---|---|---|
| 0 | 4 chars | magic ``PXKT`` |
| 4 | u64 | session: the client's, drawn at random when it starts, never 0; repeated in what it is answered |
| 12 | u64 | challenge: the facility's, drawn at random; 0 as long as the client has not heard it |
| 20 | 16 bytes | code: the first half of HMAC-SHA256 of all bytes before it, under the port's key |

The port's key is HMAC-SHA256 of the port's label under the bytes of the key file: what was made for one port is worth nothing at
the other. A client that does not know the present challenge is answered with it, in 40 bytes:

| byte | type | field |
|---|---|---|
| 0 | 4 chars | magic ``PXKC`` |
| 4 | u16 | refusal, 18 (CHALLENGE) |
| 6 | u16 | zero |
| 8 | u64 | session, repeated |
| 16 | u64 | present challenge |
| 24 | 16 bytes | code of bytes 0 to 23 |
"""

from __future__ import annotations

import hmac
import secrets
import struct
from typing import Final

from proxops.core.datagram import Malformed, Refusal
from proxops.core.errors import BadInput

SYNC_LABEL: Final = b"proxops sync"
BRIDGE_LABEL: Final = b"proxops bridge"
TRAILER_MAGIC: Final = b"PXKT"
CHALLENGE_MAGIC: Final = b"PXKC"
KEY_LEAST: Final = 16  # bytes
CODE_SIZE: Final = 16
_HEAD: Final = struct.Struct("<4sQQ")
_CHALLENGE: Final = struct.Struct("<4sHHQQ")
TRAILER_SIZE: Final = _HEAD.size + CODE_SIZE
CHALLENGE_SIZE: Final = _CHALLENGE.size + CODE_SIZE


def port_key(key: bytes, label: bytes) -> bytes:
    """The key of one port."""
    if len(key) < KEY_LEAST:
        raise BadInput("key too short", value=f"{len(key)} bytes", bound=f"{KEY_LEAST} bytes or more")
    return hmac.digest(key, label, "sha256")


def code_of(key: bytes, data: bytes) -> bytes:
    """Code of ``data`` under a port's key."""
    return hmac.digest(key, data, "sha256")[:CODE_SIZE]


def seal(body: bytes, key: bytes, session: int, challenge: int) -> bytes:
    """A plain datagram with its trailer."""
    data = body + _HEAD.pack(TRAILER_MAGIC, session, challenge)
    return data + code_of(key, data)


def is_keyed(data: bytes, size: int) -> bool:
    """Whether a datagram that would have ``size`` bytes without key has a trailer, by its looks."""
    return len(data) == size + TRAILER_SIZE and data[size : size + 4] == TRAILER_MAGIC


def read_trailer(data: bytes) -> tuple[int, int]:
    """Session and challenge, not yet believed."""
    _, session, challenge = _HEAD.unpack_from(data, len(data) - TRAILER_SIZE)
    return session, challenge


def is_genuine(data: bytes, key: bytes) -> bool:
    """Whether the code at the end is that of the bytes before it."""
    return hmac.compare_digest(data[-CODE_SIZE:], code_of(key, data[:-CODE_SIZE]))


def draw() -> int:
    """A random number for a session or challenge, never 0."""
    return secrets.randbits(64) or 1


def pack_challenge(key: bytes, session: int, challenge: int) -> bytes:
    """The present challenge, for a client that does not know it."""
    data = _CHALLENGE.pack(CHALLENGE_MAGIC, Refusal.CHALLENGE, 0, session, challenge)
    return data + code_of(key, data)


class ClientSeal:
    """A client's end: one session. ``challenge`` is 0 until the facility has told it."""

    def __init__(self, key: bytes, label: bytes) -> None:
        self._key = port_key(key, label)
        self.session, self.challenge = draw(), 0

    def seal(self, body: bytes) -> bytes:
        """What goes on the wire."""
        return seal(body, self._key, self.session, self.challenge)

    def open(self, data: bytes) -> bytes | None:
        """The plain answer; None if it was a challenge, which is remembered. ``Malformed`` if it cannot be believed."""
        told = len(data) == CHALLENGE_SIZE and data[:4] == CHALLENGE_MAGIC
        if not told and not is_keyed(data, len(data) - TRAILER_SIZE):
            raise Malformed(Refusal.KEY, f"{len(data)} bytes without code: has the facility this key?")
        if not is_genuine(data, self._key):
            raise Malformed(Refusal.CODE, "wrong code: another key, or damaged")
        session, challenge = _CHALLENGE.unpack_from(data)[3:] if told else read_trailer(data)
        if session != self.session:
            raise Malformed(Refusal.CODE, "for another session")
        self.challenge = challenge
        return None if told else data[:-TRAILER_SIZE]
