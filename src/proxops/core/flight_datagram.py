"""Flight software on another computer: measurements out, commands back, byte by byte in docs/flight_software.md.

Pure packing and checking; sockets are elsewhere. Unlike the hall's older datagrams, quaternions have the scalar FIRST, as in
``core/flight.py``. Frames and sums are checked here; whether the numbers can be used is judged by who uses them, so that a NaN
is told as a NaN and not as silence. The layouts below are the only place where Python knows the order of the fields.
"""

from __future__ import annotations

import math
import struct
import zlib
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from proxops.core.datagram import SEQUENCE_MAX, Malformed, Refusal
from proxops.core.flight import N_ERRORS, Commands, Estimate, Floats, Measurements, RelativeMeasurement, Telemetry
from proxops.core.messages import MAX_THRUSTERS, MAX_WHEELS
from proxops.core.vocabulary import AbortCause, MissionPhase

VERSION: Final = 2
MEASUREMENTS_MAGIC: Final = b"PXFM"
COMMANDS_MAGIC: Final = b"PXFC"
MAX_RELATIVE: Final = 4  # relative measurements in one datagram
N_TRIANGLE: Final = 21  # numbers of a symmetric (6, 6), its lower half row by row
TEXT_SIZE: Final = 96  # bytes of a failure's cause

START: Final = 1 << 0  # flags of measurements: first of a flight
END: Final = 1 << 1  # the flight is over, no answer is expected
ISOLATED_VALID: Final = 1 << 0  # flags of commands
ESTIMATE_VALID: Final = 1 << 1
GOAL_VALID: Final = 1 << 2
FAILED: Final = 1 << 3

MEASUREMENTS_LAYOUT: Final = (
    ("magic", "4s"), ("version", "B"), ("flags", "B"), ("thrusters", "B"), ("wheels", "B"), ("sequence", "Q"),
    ("t", "d"), ("relative", "B"), ("left_out", "B"), ("sources", "4B"), ("covariances", "B"), ("reserved", "B"),
    ("q_eci_chaser", "4d"), ("w_eci_chaser", "3d"), ("p_eci_chaser", "3d"), ("v_eci_chaser", "3d"),
    ("propellant_kg", "d"), ("wheel_rate", "4d"), ("thruster_on_s", "24d"),
    ("relative_1", "8d"), ("relative_2", "8d"), ("relative_3", "8d"), ("relative_4", "8d"),
    ("covariance_1", "21d"), ("covariance_2", "21d"), ("covariance_3", "21d"), ("covariance_4", "21d"),
)  # fmt: skip
COMMANDS_LAYOUT: Final = (
    ("magic", "4s"), ("version", "B"), ("flags", "B"), ("thrusters", "B"), ("wheels", "B"), ("sequence", "Q"),
    ("isolated", "I"), ("phase", "B"), ("abort", "B"), ("step", "B"), ("reserved", "B"), ("accepted", "I"),
    ("rejected", "I"), ("corridor", "d"), ("on_time_s", "24d"), ("wheel_torque", "4d"), ("goal", "3d"),
    ("position", "3d"), ("velocity", "3d"), ("q_eci_target", "4d"), ("w_eci_target", "3d"), ("sigma", "12d"),
    ("text", f"{TEXT_SIZE}s"),
)  # fmt: skip
_MEASUREMENTS: Final = struct.Struct("<" + "".join(code for _, code in MEASUREMENTS_LAYOUT))
_COMMANDS: Final = struct.Struct("<" + "".join(code for _, code in COMMANDS_LAYOUT))
_CRC: Final = struct.Struct("<I")
MEASUREMENTS_SIZE: Final = _MEASUREMENTS.size + 4
COMMANDS_SIZE: Final = _COMMANDS.size + 4
LOWER: Final = np.tril_indices(6)
_ZEROS: Final = (0.0,) * MAX_THRUSTERS
_NO_ESTIMATE: Final = (0.0,) * 25
_COUNT_MAX: Final = 2**32 - 1
_PHASES: Final = frozenset(map(int, MissionPhase))
_CAUSES: Final = frozenset(map(int, AbortCause))


@dataclass(frozen=True)
class MeasurementsReceived:
    """A datagram to the on-board computer."""

    sequence: int
    measurements: Measurements
    start: bool  # first of a flight
    end: bool  # the flight is over
    left_out: int  # relative measurements that had no room: the oldest


@dataclass(frozen=True)
class CommandsReceived:
    """A datagram from the on-board computer; with a ``failure`` the commands are all zero and mean nothing."""

    sequence: int
    commands: Commands
    failure: str | None = None


def pack_measurements(sequence: int, measurements: Measurements, *, start: bool = False, end: bool = False) -> bytes:
    """Bytes of one cycle's measurements. Of more than four relative ones the newest go, and the rest are counted."""
    m = measurements
    relative = m.relative[-MAX_RELATIVE:]
    rows = [x for one in relative for x in pose_values(one)]
    halves = [x for one in relative for x in covariance_values(one)]
    told = sum(1 << k for k, one in enumerate(relative) if one.covariance is not None)
    body = _MEASUREMENTS.pack(
        MEASUREMENTS_MAGIC, VERSION, start * START | end * END, len(m.thruster_on_s), len(m.wheel_rate), sequence,
        m.t, len(relative), min(len(m.relative) - len(relative), 255),
        *_filled([one.source for one in relative], MAX_RELATIVE, "sources", 0), told, 0, *_values(m.q_eci_chaser, 4),
        *_values(m.w_eci_chaser, 3), *_values(m.p_eci_chaser, 3), *_values(m.v_eci_chaser, 3), m.propellant_kg,
        *_filled(m.wheel_rate, MAX_WHEELS, "wheels"), *_filled(m.thruster_on_s, MAX_THRUSTERS, "thrusters"),
        *_filled(rows, 8 * MAX_RELATIVE, "relative measurements"),
        *_filled(halves, N_TRIANGLE * MAX_RELATIVE, "covariances"),
    )  # fmt: skip
    return body + _CRC.pack(zlib.crc32(body))


def unpack_measurements(data: bytes) -> MeasurementsReceived:
    """Check and unpack measurements; ``Malformed`` names the first thing wrong."""
    v = _read(data, MEASUREMENTS_MAGIC, _MEASUREMENTS, START | END)
    (count, left_out), sources, (told, reserved) = v[6:8], v[8:12], v[12:14]
    _demand(count <= MAX_RELATIVE, v[4], f"{count} relative measurements, allowed: up to {MAX_RELATIVE}")
    _demand(told >> count == 0, v[4], f"covariances {told:#04x} of {count} relative measurements")
    _demand(reserved == 0, v[4], f"reserved byte {reserved:#04x}, allowed: zero")
    n = v[14:]
    rows = [n[42 + 8 * k : 50 + 8 * k] for k in range(count)]
    halves = [n[74 + N_TRIANGLE * k : 95 + N_TRIANGLE * k] if told >> k & 1 else None for k in range(count)]
    relative = tuple(map(measurement_of, rows, sources, halves))
    measurements = Measurements(
        v[5], relative, np.array(n[:4]), np.array(n[4:7]), np.array(n[7:10]), np.array(n[10:13]),
        wheel_rate=np.array(n[14 : 14 + v[3]]), thruster_on_s=np.array(n[18 : 18 + v[2]]), propellant_kg=n[13],
    )  # fmt: skip
    return MeasurementsReceived(v[4], measurements, bool(v[1] & START), bool(v[1] & END), left_out)


def pose_values(one: RelativeMeasurement) -> tuple[float, ...]:
    """The eight numbers of a relative measurement's time and pose."""
    return (one.t, *_values(one.p_sensor_target, 3), *_values(one.q_sensor_target, 4))


def covariance_values(one: RelativeMeasurement) -> list[float]:
    """The lower half of its covariance, zeros if it has none."""
    if one.covariance is None:
        return [0.0] * N_TRIANGLE
    return _values(np.asarray(one.covariance)[LOWER], N_TRIANGLE)


def measurement_of(row: tuple[float, ...], source: int, half: tuple[float, ...] | None) -> RelativeMeasurement:
    """From its time and pose, its source and the lower half of its covariance."""
    covariance = None
    if half is not None:
        covariance = np.empty((6, 6))
        covariance[LOWER] = covariance.T[LOWER] = half
    return RelativeMeasurement(row[0], np.array(row[1:4]), np.array(row[4:]), covariance, source)


def pack_commands(sequence: int, commands: Commands) -> bytes:
    """Bytes of the answer to measurements of this sequence number; ``ValueError`` or ``TypeError`` if there are none to give."""
    c, t = commands, commands.telemetry
    flags, isolated = 0, 0
    if c.isolated is not None:
        flags |= ISOLATED_VALID
        isolated = sum(1 << k for k, closed in enumerate(_few(c.isolated, MAX_THRUSTERS, "isolated")) if closed)
    if t.estimate is not None:
        flags |= ESTIMATE_VALID
    if t.goal is not None:
        flags |= GOAL_VALID
    return _commands(
        flags, len(c.on_time_s), len(c.wheel_torque), sequence, isolated, t.phase, t.abort, min(t.step, 255), 0,
        min(t.accepted, _COUNT_MAX), min(t.rejected, _COUNT_MAX), t.corridor,
        *_filled(c.on_time_s, MAX_THRUSTERS, "on-times"), *_filled(c.wheel_torque, MAX_WHEELS, "wheel torques"),
        *(_ZEROS[:3] if t.goal is None else _values(t.goal, 3)), *_estimate_values(t.estimate), b"",
    )  # fmt: skip


def pack_failure(sequence: int, cause: str) -> bytes:
    """Bytes of an answer that says why there are no commands."""
    text = cause.encode()[:TEXT_SIZE].decode(errors="ignore").encode()  # cut between letters, not inside one
    return _commands(FAILED, 0, 0, sequence, *(0,) * 7, 0.0, *_ZEROS, *_ZEROS[:7], *_NO_ESTIMATE, text)


def unpack_commands(data: bytes) -> CommandsReceived:
    """Check and unpack an answer; a covariance comes back as a diagonal."""
    v = _read(data, COMMANDS_MAGIC, _COMMANDS, ISOLATED_VALID | ESTIMATE_VALID | GOAL_VALID | FAILED)
    _, flags, thrusters, wheels, sequence, mask, phase, abort, step, reserved, accepted, rejected, corridor = v[:13]
    n = v[13:]
    _demand(reserved == 0 and mask >> MAX_THRUSTERS == 0, sequence, "a reserved bit is set")
    _demand(phase in _PHASES, sequence, f"phase {phase} is not known")
    _demand(abort in _CAUSES, sequence, f"cause of abort {abort} is not known")
    telemetry = Telemetry(
        MissionPhase(phase), AbortCause(abort), step, _estimate(n[31:56]) if flags & ESTIMATE_VALID else None,
        np.array(n[28:31]) if flags & GOAL_VALID else None, corridor, accepted, rejected,
    )  # fmt: skip
    isolated = np.array([bool(mask >> k & 1) for k in range(thrusters)]) if flags & ISOLATED_VALID else None
    commands = Commands(np.array(n[:thrusters]), np.array(n[24 : 24 + wheels]), isolated, telemetry)
    text = n[56].rstrip(b"\0").decode(errors="replace")
    return CommandsReceived(sequence, commands, text if flags & FAILED else None)


def _commands(flags: int, *values: Any) -> bytes:
    body = _COMMANDS.pack(COMMANDS_MAGIC, VERSION, flags, *values)
    return body + _CRC.pack(zlib.crc32(body))


def _estimate_values(estimate: Estimate | None) -> tuple[float, ...]:
    """Position, velocity, attitude, rate and the twelve standard deviations; a negative variance becomes NaN."""
    if estimate is None:
        return _NO_ESTIMATE
    e, variances = estimate, _values(np.diagonal(estimate.covariance), N_ERRORS)
    sigmas = (math.sqrt(x) if x >= 0.0 else math.nan for x in variances)
    states = (_values(e.position, 3), _values(e.velocity, 3), _values(e.q_eci_target, 4), _values(e.w_eci_target, 3))
    return (*(x for state in states for x in state), *sigmas)


def _estimate(n: tuple[float, ...]) -> Estimate:
    covariance = np.diag(np.array(n[13:]) ** 2)
    return Estimate(np.array(n[:3]), np.array(n[3:6]), np.array(n[6:10]), np.array(n[10:13]), covariance)


def _values(array: Floats, count: int) -> list[float]:
    """The numbers of an array that must have so many."""
    values: list[float] = np.asarray(array).tolist()
    if len(values) != count:
        raise ValueError(f"{len(values)} numbers where {count} belong")
    return values


def _few(values: Iterable[Any], most: int, what: str) -> list[Any]:
    found = np.asarray(values).tolist()
    if len(found) > most:
        raise ValueError(f"{len(found)} {what}, a datagram holds {most}")
    return list(found)


def _filled(values: Iterable[float], size: int, what: str, zero: float = 0.0) -> tuple[float, ...]:
    """Values, and zeros behind them."""
    found = _few(values, size, what)
    return (*found, *(zero,) * (size - len(found)))


def _read(data: bytes, magic: bytes, layout: struct.Struct, known_flags: int) -> tuple[Any, ...]:
    """All fields but the magic, once magic, CRC, version, size, sequence number, flags and counts are right. The CRC comes before
    the version, so that damage is never taken for another version."""
    if data[:4] != magic:
        raise Malformed(Refusal.MAGIC, f"magic {data[:4]!r}, expected {magic!r}")
    sequence = int.from_bytes(data[8:16], "little") if len(data) >= 20 else -1
    if len(data) < 20 or _CRC.unpack_from(data, len(data) - 4)[0] != zlib.crc32(data[:-4]):
        raise Malformed(Refusal.CRC, f"seq {sequence}: wrong CRC on {len(data)} bytes", sequence)
    if data[4] != VERSION:
        raise Malformed(Refusal.VERSION, f"seq {sequence}: version {data[4]}, expected {VERSION}", sequence)
    if len(data) != layout.size + 4:
        raise Malformed(Refusal.SIZE, f"seq {sequence}: {len(data)} bytes, expected {layout.size + 4}", sequence)
    fields = layout.unpack_from(data)[1:]
    _, flags, thrusters, wheels = fields[:4]
    if sequence > SEQUENCE_MAX:
        raise Malformed(Refusal.SEQUENCE, f"seq {sequence}: beyond {SEQUENCE_MAX}", sequence)
    if flags & ~known_flags:
        raise Malformed(Refusal.FLAGS, f"seq {sequence}: flags {flags:#04x}, known {known_flags:#04x}", sequence)
    _demand(thrusters <= MAX_THRUSTERS, sequence, f"{thrusters} thrusters, allowed: up to {MAX_THRUSTERS}")
    _demand(wheels <= MAX_WHEELS, sequence, f"{wheels} wheels, allowed: up to {MAX_WHEELS}")
    return fields


def _demand(fine: bool, sequence: int, complaint: str) -> None:
    if not fine:
        raise Malformed(Refusal.ABSURD, f"seq {sequence}: {complaint}", sequence)
