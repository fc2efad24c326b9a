"""What facility and trajectory checker say to each other: one datagram each on a private socket pair, some with a descriptor."""

from __future__ import annotations

import struct
from dataclasses import dataclass
from enum import IntEnum
from typing import Final

from proxops.core.errors import EXIT_DONE, BadInput

_HEAD: Final = struct.Struct("<BBQQ32s")
TEXT_BYTES: Final = 3000
MESSAGE_BYTES: Final = _HEAD.size + TEXT_BYTES


class MessageKind(IntEnum):
    """Kinds of messages."""

    READY = 1  # checker: everything is compiled, jobs are taken
    CHECK = 2  # facility: check this sealed text (its descriptor comes along); text: its name
    CHECKED = 3  # checker: it may run; with the descriptor of a sealed trajectory
    REFUSED = 4  # checker: it may not; text: why
    FREE = 5  # facility: close this descriptor. Who closes memory last frees it, up to 50 ms that the tick has not


_KINDS: Final = frozenset(map(int, MessageKind))


@dataclass(frozen=True)
class Message:
    """``exit`` is the exit code that goes with a refusal; ``lines`` and ``digest`` describe what was sealed."""

    said: MessageKind
    job: int = 0
    text: str = ""
    exit: int = EXIT_DONE
    lines: int = 0
    digest: bytes = bytes(32)

    def packed(self) -> bytes:
        text = self.text.encode(errors="replace")[:TEXT_BYTES].decode(errors="ignore").encode()
        return _HEAD.pack(self.said, self.exit, self.job, self.lines, self.digest) + text


def unpacked(data: bytes) -> Message:
    """``BadInput`` when it is none."""
    if not _HEAD.size <= len(data) <= MESSAGE_BYTES:
        raise BadInput("not a message of the trajectory checker", value=f"{len(data)} bytes")
    said, code, job, lines, digest = _HEAD.unpack_from(data)
    if said not in _KINDS:
        raise BadInput("not a message of the trajectory checker", value=f"kind {said}")
    return Message(MessageKind(said), job, data[_HEAD.size :].decode(errors="replace"), code, lines, digest)
