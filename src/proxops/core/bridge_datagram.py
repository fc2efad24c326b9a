"""The bridge on the wire: what a client sends and what the hall answers, byte by byte in docs/bridge_interface.md.

Pure packing and checking; sockets are elsewhere. Poses are x y z (m) and a quaternion with the scalar LAST, in the client's
frame. The layouts below are the only place where Python knows the order of the fields.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, TypeVar

from proxops.core.datagram import Malformed, Refusal, check_numbers
from proxops.core.vocabulary import InputState, Mode, Phase, Standstill, Zone

VERSION: Final = 1
COMMAND_MAGIC: Final = b"PXBC"
STATUS_MAGIC: Final = b"PXBS"

VELOCITIES_VALID: Final = 1 << 0  # flags of a command
SUN_VALID: Final = 1 << 1
CONVERGED: Final = 1 << 0  # flags of a status
MOVING: Final = 1 << 1
MASTER: Final = 1 << 2
VELOCITIES_USED: Final = 1 << 3

UNIT_TOLERANCE: Final = 1e-6  # |norm - 1| that rounding to six decimals can cause
POSITION_MAX_M: Final = 1e12  # past Jupiter; doubles are 0.1 mm apart there
SPEED_MAX_M_S: Final = 1e9  # past light
RATE_MAX_RAD_S: Final = 1e6

COMMAND_LAYOUT: Final = (
    ("magic", "4s"), ("version", "B"), ("flags", "B"), ("reserved", "H"), ("sequence", "Q"), ("sent_ns", "q"),
    ("chaser", "7d"), ("target", "7d"), ("chaser_velocity", "6d"), ("target_velocity", "6d"), ("sun", "3d"),
)  # fmt: skip
STATUS_LAYOUT: Final = (
    ("magic", "4s"), ("version", "B"), ("flags", "B"), ("phase", "B"), ("input_state", "B"), ("commanded_zone", "B"),
    ("actual_zone", "B"), ("cause", "B"), ("mode", "B"), ("rule", "B"), ("refusal", "B"), ("reserved", "H"),
    ("sequence", "Q"), ("sent_ns", "q"), ("utc_ns", "q"), ("tick", "Q"), ("left_m", "d"), ("left_rad", "d"),
    ("left_s", "d"), ("commanded_clearance_m", "d"), ("actual_clearance_m", "d"), ("yellow_m", "d"),
    ("chaser", "7d"), ("target", "7d"), ("taken", "I"), ("lost", "I"), ("extrapolated", "I"), ("stale", "I"),
    ("refused", "I"), ("doubled", "I"),
)  # fmt: skip
_COMMAND: Final = struct.Struct("<" + "".join(code for _, code in COMMAND_LAYOUT))
_STATUS: Final = struct.Struct("<" + "".join(code for _, code in STATUS_LAYOUT))
_COMMAND_HEAD: Final = struct.Struct("<" + "".join(code for _, code in COMMAND_LAYOUT[:6]))
_CRC: Final = struct.Struct("<I")
VALUES_AT: Final = _COMMAND_HEAD.size  # first byte of the doubles
VALUES: Final = 29
COMMAND_SIZE: Final = _COMMAND.size + 4
_FLAGS_AT, _REFUSAL_AT, _LEFT_AT, _POSES_AT = 5, 13, 48, 96  # bytes of a status
_LEFT: Final = struct.Struct("<3d")
_POSES: Final = struct.Struct("<14d")
_NAN: Final = (math.nan,) * 14
STATUS_SIZE: Final = _STATUS.size + 4
_NO_VELOCITY: Final = (0.0,) * 6
_NO_SUN: Final = (0.0,) * 3


@dataclass(frozen=True, slots=True)
class BridgeCommand:
    """Where the client's two spacecraft are, in any frame that both share; velocities are given for both or for none."""

    sequence: int
    sent_ns: int  # client's own clock, any epoch
    chaser: tuple[float, ...]  # x y z m, qx qy qz qw
    target: tuple[float, ...]
    chaser_velocity: tuple[float, ...] | None = None  # m/s, then angular rate rad/s, components in the client's frame
    target_velocity: tuple[float, ...] | None = None
    sun: tuple[float, ...] | None = None  # unit vector towards the sun


@dataclass(frozen=True, slots=True)
class BridgeStatus:
    """What the hall does with the commands; a number that has no value yet is NaN."""

    phase: Phase
    input_state: InputState
    commanded_zone: Zone
    actual_zone: Zone
    cause: Standstill
    mode: Mode
    rule: int  # the guard's, 0 for none
    refusal: Refusal  # why the datagram answered was not taken
    sequence: int  # newest taken
    sent_ns: int  # of that one
    utc_ns: int  # facility's clock
    tick: int
    left_m: float
    left_rad: float
    left_s: float  # estimated time to convergence
    commanded_clearance_m: float
    actual_clearance_m: float
    yellow_m: float  # thickness of the yellow layer
    chaser: tuple[float, ...]  # actual pose in the client's frame: x y z m, qx qy qz qw
    target: tuple[float, ...]
    taken: int = 0
    lost: int = 0
    extrapolated: int = 0
    stale: int = 0
    refused: int = 0
    doubled: int = 0
    converged: bool = False
    moving: bool = False
    master: bool = False  # the addressee is master
    velocities_used: bool = False


def pack_command(command: BridgeCommand) -> bytes:
    """Bytes of a command."""
    one, two, sun = command.chaser_velocity, command.target_velocity, command.sun
    if (one is None) != (two is None):
        raise ValueError("velocities are given for both spacecraft or for none")
    flags = (0 if one is None else VELOCITIES_VALID) | (0 if sun is None else SUN_VALID)
    one, two, sun = (
        _NO_VELOCITY if one is None else one, _NO_VELOCITY if two is None else two, _NO_SUN if sun is None else sun,
    )  # fmt: skip
    body = _COMMAND.pack(
        COMMAND_MAGIC, VERSION, flags, 0, command.sequence, command.sent_ns, *command.chaser, *command.target,
        *one, *two, *sun,
    )  # fmt: skip
    return body + _CRC.pack(zlib.crc32(body))


def pack_values(sequence: int, sent_ns: int, values: bytes, flags: int = VELOCITIES_VALID) -> bytes:
    """Bytes of a command, from its 29 doubles as they lie on the wire: for those who send every
    4 ms and have them in an array."""
    body = _COMMAND_HEAD.pack(COMMAND_MAGIC, VERSION, flags, 0, sequence, sent_ns) + values
    return body + _CRC.pack(zlib.crc32(body))


def unpack_head(data: bytes) -> tuple[int, int, int]:
    """Sequence, send time and flags of a command whose frame is whole and whose flags are known; else ``Malformed``."""
    _check_frame(data, COMMAND_SIZE, COMMAND_MAGIC, 8)
    _, _, flags, reserved, sequence, sent_ns = _COMMAND_HEAD.unpack_from(data)
    check_numbers(sequence, sent_ns)
    if flags & ~(VELOCITIES_VALID | SUN_VALID) or reserved:
        text = f"seq {sequence}: flags {flags:#04x}, reserved {reserved:#06x}; bits 2-7 and the reserved word must be 0"
        raise Malformed(Refusal.FLAGS, text, sequence)
    return sequence, sent_ns, flags


def unpack_command(data: bytes) -> BridgeCommand:
    """Check and unpack a command, quaternions normalised; ``Malformed`` names the first thing wrong, value and bound."""
    sequence, sent_ns, flags = unpack_head(data)
    _, _, _, _, _, _, *v = _COMMAND.unpack_from(data)
    chaser, target = _pose(v[:7], "chaser's pose", sequence), _pose(v[7:14], "target's pose", sequence)
    one = two = sun = None
    if flags & VELOCITIES_VALID:
        one = _velocity(v[14:20], "chaser's velocity", sequence)
        two = _velocity(v[20:26], "target's velocity", sequence)
    if flags & SUN_VALID:
        sun = _direction(v[26:], "direction to the sun", sequence)
    return BridgeCommand(sequence, sent_ns, chaser, target, one, two, sun)


def pack_status(status: BridgeStatus) -> bytes:
    """Bytes of a status; counters wrap at 2^32."""
    s = status
    return finish_status(
        status_body(
            s.converged, s.moving, s.velocities_used, s.phase, s.input_state, s.commanded_zone, s.actual_zone, s.cause,
            s.mode, s.rule, s.sequence, s.sent_ns, s.utc_ns, s.tick,
            (s.left_m, s.left_rad, s.left_s, s.commanded_clearance_m, s.actual_clearance_m, s.yellow_m), s.chaser, s.target,
            (s.taken, s.lost, s.extrapolated, s.stale, s.refused, s.doubled),
        ),
        s.master,
        s.refusal,
    )  # fmt: skip


def status_body(
    converged: bool, moving: bool, velocities_used: bool, phase: int, input_state: int, commanded_zone: int,
    actual_zone: int, cause: int, mode: int, rule: int, sequence: int, sent_ns: int, utc_ns: int, tick: int,
    numbers: Sequence[float], chaser: Sequence[float], target: Sequence[float], counters: Sequence[int],
) -> bytes:  # fmt: skip
    """A status but for whom it is addressed to: the quick way, for the facility's tick. ``numbers``: what is left (m, rad, s),
    clearances commanded and actual, the yellow layer."""
    flags = converged * CONVERGED | moving * MOVING | velocities_used * VELOCITIES_USED
    return _STATUS.pack(
        STATUS_MAGIC, VERSION, flags, phase, input_state, commanded_zone, actual_zone, cause, mode, rule, 0, 0,
        sequence, sent_ns, utc_ns, tick, *numbers, *chaser, *target, *(count & 0xFFFFFFFF for count in counters),
    )  # fmt: skip


def finish_status(body: bytes, master: bool, refusal: int) -> bytes:
    """Address a status: whether the receiver is master, and why its datagram was not taken."""
    data = bytearray(body)
    data[_FLAGS_AT] |= master * MASTER
    data[_REFUSAL_AT] = refusal
    return bytes(data) + _CRC.pack(zlib.crc32(data))


def for_others(body: bytes) -> bytes:
    """A status for who is not master: neither that the hall has converged nor where it is, which is another's motion."""
    data = bytearray(body)
    data[_FLAGS_AT] &= ~(CONVERGED | VELOCITIES_USED)
    _LEFT.pack_into(data, _LEFT_AT, *_NAN[:3])
    _POSES.pack_into(data, _POSES_AT, *_NAN)
    return bytes(data)


def unpack_status(data: bytes) -> BridgeStatus:
    """Check and unpack a status."""
    _check_frame(data, STATUS_SIZE, STATUS_MAGIC, 16)
    _, _, flags, phase, state, wanted, actual, cause, mode, rule, refusal, _, *v = _STATUS.unpack_from(data)
    return BridgeStatus(
        _word(Phase, phase), _word(InputState, state), _word(Zone, wanted), _word(Zone, actual),
        _word(Standstill, cause), _word(Mode, mode), rule, _word(Refusal, refusal),
        sequence=v[0], sent_ns=v[1], utc_ns=v[2], tick=v[3], left_m=v[4], left_rad=v[5], left_s=v[6],
        commanded_clearance_m=v[7], actual_clearance_m=v[8], yellow_m=v[9], chaser=tuple(v[10:17]), target=tuple(v[17:24]),
        taken=v[24], lost=v[25], extrapolated=v[26], stale=v[27], refused=v[28], doubled=v[29],
        converged=bool(flags & CONVERGED), moving=bool(flags & MOVING), master=bool(flags & MASTER),
        velocities_used=bool(flags & VELOCITIES_USED),
    )  # fmt: skip


Word = TypeVar("Word", bound=IntEnum)


def _word(kind: type[Word], number: int) -> Word:
    """The word for a number."""
    try:
        return kind(number)
    except ValueError:
        text = f"{kind.__name__} {number} is not known here: the facility is newer than this client"
        raise Malformed(Refusal.VERSION, text) from None


def _check_frame(data: bytes, size: int, magic: bytes, sequence_at: int) -> None:
    """Magic, version, size, CRC, in the order that gives the most helpful message."""
    if data[:4] != magic:
        raise Malformed(Refusal.MAGIC, f"magic {data[:4]!r}, expected {magic!r}")
    if len(data) == size and data[4] == VERSION:
        found, computed = _CRC.unpack_from(data, size - 4)[0], zlib.crc32(data[: size - 4])
        if found == computed:
            return
        refusal, text = Refusal.CRC, f"CRC {found:#010x}, computed {computed:#010x}"
    elif len(data) > 4 and data[4] != VERSION:
        refusal, text = Refusal.VERSION, f"version {data[4]}, expected {VERSION}"
    else:
        refusal, text = Refusal.SIZE, f"{len(data)} bytes, expected {size}"
    end = sequence_at + 8
    sequence = int.from_bytes(data[sequence_at:end], "little") if len(data) >= end else -1
    raise Malformed(refusal, f"seq {sequence}: {text}", sequence)


# Comparisons below are written so that NaN fails them; only then is it found out what is wrong. They run in the facility's tick.


def _pose(values: Sequence[float], what: str, sequence: int) -> tuple[float, ...]:
    x, y, z, qx, qy, qz, qw = values
    norm = math.hypot(qx, qy, qz, qw)
    if not (_within(x, y, z, POSITION_MAX_M) and abs(norm - 1.0) <= UNIT_TOLERANCE):
        raise _objection(values, what, sequence, values[:3], POSITION_MAX_M, norm)
    return x, y, z, qx / norm, qy / norm, qz / norm, qw / norm


def _direction(values: Sequence[float], what: str, sequence: int) -> tuple[float, ...]:
    x, y, z = values
    norm = math.hypot(x, y, z)
    if not abs(norm - 1.0) <= UNIT_TOLERANCE:
        raise _objection(values, what, sequence, (), math.inf, norm)
    return x / norm, y / norm, z / norm


def _velocity(values: Sequence[float], what: str, sequence: int) -> tuple[float, ...]:
    vx, vy, vz, wx, wy, wz = values
    if not _within(vx, vy, vz, SPEED_MAX_M_S):
        raise _objection(values, what, sequence, values[:3], SPEED_MAX_M_S)
    if not _within(wx, wy, wz, RATE_MAX_RAD_S):
        raise _objection(values, what, sequence, values[3:], RATE_MAX_RAD_S)
    return tuple(values)


def _within(x: float, y: float, z: float, bound: float) -> bool:
    return -bound <= x <= bound and -bound <= y <= bound and -bound <= z <= bound


def _objection(
    values: Sequence[float], what: str, sequence: int, bounded: Sequence[float], bound: float, norm: float = 1.0
) -> Malformed:
    """What is wrong with values that did not pass: not finite, beyond the bound, or not of unit length."""
    worst = max(map(abs, bounded), default=0.0)
    if not all(map(math.isfinite, values)):
        bad = next(v for v in values if not math.isfinite(v))
        refusal, text = Refusal.NOT_FINITE, f"{bad} in the {what}"
    elif worst > bound:
        refusal, text = Refusal.ABSURD, f"{worst:.6g} in the {what}, allowed: up to {bound:.0e}"
    else:
        refusal, text = Refusal.NOT_UNIT, f"length {norm:.9g} in the {what}, allowed: 1 to {UNIT_TOLERANCE:.0e}"
    return Malformed(refusal, f"seq {sequence}: {text}", sequence)
