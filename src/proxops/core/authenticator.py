"""The facility's end of a key: which datagrams were made by a holder of it, for this run, and not heard before.

A number counts once: what is not newer than the newest of its session is a replay, but for a window in which datagrams overtake
each other on the way, and that is closed as soon as the session has been quiet. Recordings of earlier times are worthless because
the challenge is drawn anew at every start, and each time the port has nobody to listen to.
"""

from __future__ import annotations

from typing import Final

from proxops.core.datagram import LEAP_MAX, SEQUENCE_MAX, Refusal
from proxops.core.keyed_datagram import (
    draw,
    is_genuine,
    is_keyed,
    pack_challenge,
    port_key,
    read_trailer,
    seal,
)

SESSIONS: Final = 256  # remembered; with more the challenge is drawn anew, and all of them begin afresh
CHECKS: Final = 8  # codes per cycle that are computed for datagrams with another challenge
_SEQUENCE: Final = slice(8, 16)  # bytes of the number in commands of both ports

NO_SESSION: Final = 0
UNPROVEN: Final = {
    Refusal.KEY: "no code, but this facility has a key (--key-file)",
    Refusal.CODE: "wrong code: another key, another port's, or damaged",
    Refusal.CHALLENGE: "a challenge that is not the present one",
    Refusal.OLD_SEQUENCE: "heard before: a replay",
    Refusal.SEQUENCE: "its number is too large",
    Refusal.LEAP: "its number leaps",
}

Judged = tuple[Refusal, int]


class Authenticator:
    """Judges commands of ``size`` bytes (without trailer). ``window``: numbers behind the newest that may still come, while
    the session has been quiet for no longer than ``quiet_ns``."""

    def __init__(self, key: bytes, label: bytes, size: int, window: int = 0, quiet_ns: int = 0) -> None:
        self._key, self._size = port_key(key, label), size
        self._window, self._quiet_ns = window, quiet_ns
        self._checks = CHECKS
        self.renew()

    def renew(self) -> None:
        """A new challenge: nothing that was made before is taken any more."""
        self.challenge = draw()
        self._sessions: dict[int, tuple[int, int]] = {}  # newest number, and when it came

    def begin_cycle(self) -> None:
        self._checks = CHECKS

    def judge(self, data: bytes, now_ns: int) -> Judged:
        """Why a datagram is not believed (NONE if it is), and the session that it is of (NO_SESSION: not known)."""
        if not is_keyed(data, self._size):  # the cheapest first, for floods
            return Refusal.KEY, NO_SESSION
        session, challenge = read_trailer(data)
        if challenge != self.challenge:
            self._checks -= 1
            genuine = self._checks >= 0 and is_genuine(data, self._key)
            return (Refusal.CHALLENGE, session) if genuine else (Refusal.CHALLENGE, NO_SESSION)
        if not is_genuine(data, self._key):
            return Refusal.CODE, NO_SESSION
        return self._in_order(session, int.from_bytes(data[_SEQUENCE], "little"), now_ns), session

    def _in_order(self, session: int, sequence: int, now_ns: int) -> Refusal:
        """Whether this number may still come. Every number that was heard counts, whatever becomes of the datagram."""
        newest, came_ns = self._sessions.get(session, (-1, now_ns))
        if sequence > SEQUENCE_MAX:
            return Refusal.SEQUENCE
        if sequence > newest:
            if newest >= 0 and sequence > newest + LEAP_MAX:
                return Refusal.LEAP
            if newest < 0 and len(self._sessions) >= SESSIONS:
                self.renew()
                return Refusal.CHALLENGE
            self._sessions[session] = sequence, now_ns
            return Refusal.NONE
        quiet = now_ns - came_ns > self._quiet_ns
        return Refusal.OLD_SEQUENCE if quiet or sequence <= newest - self._window else Refusal.NONE

    def seal(self, body: bytes, session: int) -> bytes:
        """An answer to a session."""
        return seal(body, self._key, session, self.challenge)

    def tell_challenge(self, session: int) -> bytes:
        """For a client that does not know the present one; smaller than anything that asks for it."""
        return pack_challenge(self._key, session, self.challenge)
