"""The datagrams of flight software with what they have no room for behind them: for a process on the same machine.

A packet is a datagram, byte for byte as over UDP (``flight_datagram.py``), and a tail. Measurements: the older relative ones.
Commands: the estimate's whole covariance; a failure: all of its text. So a flight in another process is the same to the bit.
"""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Final

import numpy as np

from proxops.core.datagram import Malformed, Refusal
from proxops.core.flight import N_ERRORS, Commands, Measurements, RelativeMeasurement
from proxops.core.flight_datagram import (
    COMMANDS_SIZE,
    MAX_RELATIVE,
    MEASUREMENTS_SIZE,
    CommandsReceived,
    MeasurementsReceived,
    covariance_values,
    measurement_of,
    pack_commands,
    pack_failure,
    pack_measurements,
    pose_values,
    unpack_commands,
    unpack_measurements,
)

# Of an older measurement: t, p_sensor_target, q_sensor_target; source, whether a covariance is told; its lower half.
_ROW: Final = struct.Struct("<8d2B6x21d")
CAUSE_SIZE: Final = 4096  # bytes of a failure's text
PACKET_SIZE: Final = 65536  # more than any packet: 260 relative measurements in one cycle


def pack_measurements_packet(sequence: int, measurements: Measurements, *, start: bool = False) -> bytes:
    """One cycle's measurements, all of them."""
    data = pack_measurements(sequence, measurements, start=start)
    older = measurements.relative[:-MAX_RELATIVE]
    return data + b"".join(map(_packed, older)) if older else data


def unpack_measurements_packet(data: bytes) -> MeasurementsReceived:
    """Check and unpack; ``Malformed`` names the first thing wrong."""
    received = unpack_measurements(data[:MEASUREMENTS_SIZE])
    tail = data[MEASUREMENTS_SIZE:]
    if not tail:
        return received
    if len(tail) % _ROW.size:
        raise _misfit(received.sequence, len(tail), f"rows of {_ROW.size}")
    older = tuple(measurement_of(r[:8], r[8], r[10:] if r[9] else None) for r in _ROW.iter_unpack(tail))
    m = received.measurements
    return replace(received, measurements=replace(m, relative=(*older, *m.relative)), left_out=0)


def _packed(one: RelativeMeasurement) -> bytes:
    return _ROW.pack(*pose_values(one), one.source, one.covariance is not None, *covariance_values(one))


def pack_commands_packet(sequence: int, commands: Commands) -> bytes:
    """The answer to measurements of this sequence number; commands that were judged can always be packed."""
    data, estimate = pack_commands(sequence, commands), commands.telemetry.estimate
    return data if estimate is None else data + np.asarray(estimate.covariance, "<f8").tobytes()


def pack_failure_packet(sequence: int, cause: str) -> bytes:
    """An answer that says why there are no commands."""
    return pack_failure(sequence, cause) + cause.encode(errors="replace")[:CAUSE_SIZE]


def unpack_commands_packet(data: bytes) -> CommandsReceived:
    """Check and unpack an answer; ``Malformed`` names the first thing wrong."""
    received = unpack_commands(data[:COMMANDS_SIZE])
    tail = data[COMMANDS_SIZE:]
    if received.failure is not None:
        return replace(received, failure=tail.decode(errors="replace"))
    telemetry = received.commands.telemetry
    expected = 0 if telemetry.estimate is None else 8 * N_ERRORS**2
    if len(tail) != expected:
        raise _misfit(received.sequence, len(tail), str(expected))
    if telemetry.estimate is None:
        return received
    covariance = np.frombuffer(tail, "<f8").reshape(N_ERRORS, N_ERRORS).astype(np.float64)
    telemetry = replace(telemetry, estimate=replace(telemetry.estimate, covariance=covariance))
    return replace(received, commands=replace(received.commands, telemetry=telemetry))


def _misfit(sequence: int, size: int, expected: str) -> Malformed:
    return Malformed(Refusal.SIZE, f"seq {sequence}: {size} bytes behind the datagram, expected {expected}", sequence)
