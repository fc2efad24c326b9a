"""Packets to a flight software on the same machine: the datagram as over UDP, and behind it what it has no room for."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from cycle_data import THRUSTERS, WHEELS, idle, measured

from proxops.core.datagram import Malformed
from proxops.core.flight import Commands, Estimate, RelativeMeasurement, Telemetry
from proxops.core.flight_datagram import pack_commands, pack_measurements
from proxops.core.flight_packet import (
    CAUSE_SIZE,
    pack_commands_packet,
    pack_failure_packet,
    pack_measurements_packet,
    unpack_commands_packet,
    unpack_measurements_packet,
)


def test_what_has_room_is_the_datagram_and_nothing_else() -> None:
    assert pack_measurements_packet(7, measured(0.3), start=True) == pack_measurements(7, measured(0.3), start=True)
    assert pack_commands_packet(7, idle(0.05)) == pack_commands(7, idle(0.05))


@pytest.mark.parametrize("count", [0, 4, 5, 13])
def test_every_relative_measurement_arrives_in_order(count: int) -> None:
    rng = np.random.default_rng(1)
    rows = tuple(
        RelativeMeasurement(0.1 * k, rng.normal(size=3), rng.normal(size=4), np.eye(6) * k if k % 2 else None, k)
        for k in range(count)
    )
    received = unpack_measurements_packet(pack_measurements_packet(1, replace(measured(), relative=rows)))
    assert received.left_out == 0
    for sent, got in zip(rows, received.measurements.relative, strict=True):
        assert sent.t == got.t
        assert np.array_equal(sent.p_sensor_target, got.p_sensor_target)
        assert np.array_equal(sent.q_sensor_target, got.q_sensor_target)
        assert sent.source == got.source
        assert (sent.covariance is None) == (got.covariance is None)
        if sent.covariance is not None and got.covariance is not None:
            assert np.array_equal(sent.covariance, got.covariance)


def test_a_covariance_arrives_whole_to_the_bit() -> None:
    root = np.random.default_rng(2).normal(size=(12, 12))
    estimate = Estimate(np.ones(3), np.zeros(3), np.array([1.0, 0.0, 0.0, 0.0]), np.zeros(3), root @ root.T)
    sent = Commands(np.zeros(THRUSTERS), np.zeros(WHEELS), None, Telemetry(step=300, estimate=estimate))
    got = unpack_commands_packet(pack_commands_packet(3, sent)).commands.telemetry
    assert got.step == 255  # as the log has it
    assert got.estimate is not None
    assert np.array_equal(got.estimate.covariance, estimate.covariance)


def test_a_cause_arrives_in_full_up_to_a_bound() -> None:
    cause = "raised ValueError: " + "ä" * 200 + " (/a/long/way/to/the/file.py:17 in step)"
    assert unpack_commands_packet(pack_failure_packet(3, cause)).failure == cause
    told = unpack_commands_packet(pack_failure_packet(3, "x" * 10**6)).failure
    assert told is not None
    assert len(told) == CAUSE_SIZE


@pytest.mark.parametrize("tail", [b"x", bytes(64), bytes(1152)])
def test_what_does_not_belong_behind_commands_is_named(tail: bytes) -> None:
    with pytest.raises(Malformed, match="bytes behind the datagram, expected 0"):
        unpack_commands_packet(pack_commands_packet(3, idle()) + tail)


def test_half_a_measurement_is_named() -> None:
    with pytest.raises(Malformed, match="63 bytes behind the datagram, expected rows of 240"):
        unpack_measurements_packet(pack_measurements_packet(3, measured()) + bytes(63))
