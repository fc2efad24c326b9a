"""A user's force sensor on the network: newest wins, nothing waits, whatever else arrives is counted and dropped."""

from __future__ import annotations

import math
import select
import socket

import numpy as np
import pytest

from proxops.core.datagram import Refusal
from proxops.core.errors import BadInput
from proxops.core.force_datagram import ForceReading, pack_force
from proxops.core.force_source import ForceSource
from proxops.touch.force_port import DRAIN_LIMIT, ForcePort
from proxops.touch.force_watch import ForceWatch, StreamTraits


def datagram(sequence: int, value: float = 1.0, ns: int | None = None) -> bytes:
    return pack_force(ForceReading(sequence, 4_000_000 * sequence if ns is None else ns, (value,) * 6))


def test_over_a_socket() -> None:
    port = ForcePort()
    source: ForceSource = port
    assert port.address[0] == "127.0.0.1"
    assert source.latest(0.0) is None
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sensor:
        for sequence in range(3):
            sensor.sendto(datagram(sequence, float(sequence)), port.address)
        assert port._socket is not None
        select.select([port._socket], [], [], 5.0)
        sample = source.latest(10.0)
        while sample is None or sample.sequence < 2:  # loopback may hand them on one by one
            select.select([port._socket], [], [], 5.0)
            sample = source.latest(10.0)
    assert sample.t == pytest.approx(10.008)
    np.testing.assert_array_equal(sample.wrench, 2.0)
    assert source.latest(11.0) is sample
    with pytest.raises(BadInput, match="cannot open the force port"):
        ForcePort(port.address)
    port.close()
    port.close()


def test_newest_wins_and_the_rest_is_counted() -> None:
    port = ForcePort(None)
    for sequence in (5, 6, 6, 9, 8, 7, 5, 10):
        port.take(datagram(sequence, float(sequence)), 1.0)
    sample = port.latest(2.0)
    assert sample is not None
    assert (sample.sequence, sample.wrench[0]) == (10, 10.0)
    assert (port.taken, port.old, port.doubled, port.missed) == (4, 3, 1, 2)


def test_times_are_the_sensors_tied_to_ours_once() -> None:
    """Jitter of the line does not get in, and a clock of nanoseconds since 1970 loses nothing."""
    port, epoch = ForcePort(None), 1_700_000_000_000_000_000
    times = []
    for k, late in enumerate((0.003, 0.0, 0.011, 0.002)):
        port.take(datagram(k, ns=epoch + 4_000_000 * k), 5.0 + 0.004 * k + late)
        sample = port.latest(6.0)
        assert sample is not None
        times.append(sample.t)
    assert times == pytest.approx([5.003, 5.007, 5.011, 5.015], abs=1e-12)


def test_strangers_and_rubbish_are_dropped_by_name() -> None:
    port = ForcePort(None)
    port.take(b"rubbish", 0.0, ("10.0.0.9", 9))
    port.take(datagram(1), 0.0, ("10.0.0.1", 1))
    port.take(datagram(2, 99.0), 0.0, ("10.0.0.2", 2))
    port.take(datagram(3)[:-1], 0.0, ("10.0.0.1", 1))
    port.take(datagram(3)[:-1] + b"?", 0.0, ("10.0.0.1", 1))
    assert port.strangers == 1
    assert (port.refused[Refusal.MAGIC], port.refused[Refusal.SIZE], port.refused[Refusal.CRC]) == (1, 1, 1)
    assert "CRC" in port.last_refusal
    sample = port.latest(0.0)
    assert sample is not None
    assert sample.sequence == 1
    port.reset()
    assert port.latest(0.0) is None
    port.take(datagram(0, 7.0), 3.0, ("10.0.0.2", 2))
    assert port.sender == ("10.0.0.2", 2)


def test_fuzz_never_raises_and_never_makes_a_reading() -> None:
    rng, port = np.random.default_rng(1), ForcePort(None)
    good = bytearray(datagram(1))
    for _ in range(3000):
        data = bytearray(good if rng.random() < 0.5 else rng.bytes(int(rng.integers(0, 100))))
        for _ in range(int(rng.integers(1, 4)) if data else 0):
            data[int(rng.integers(len(data)))] ^= int(rng.integers(1, 256))
        port.take(bytes(data), 0.0)
    assert sum(port.refused.values()) + port.taken + port.doubled + port.old == 3000
    assert port.taken <= 1  # flips may undo one another


def test_a_flood_is_read_in_bounded_pieces() -> None:
    port = ForcePort()
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sensor:
        for sequence in range(DRAIN_LIMIT + 40):
            sensor.sendto(datagram(sequence), port.address)
        port.latest(0.0)
        assert port.taken <= DRAIN_LIMIT
    port.close()


def test_a_failing_sensor_becomes_a_fault() -> None:
    """NaN at once; silence after the patience; a restart, which counts from zero again, as silence."""
    traits = StreamTraits(np.full(6, 100.0), np.full(6, 0.1), np.zeros(6), 250.0)
    rng = np.random.default_rng(2)

    def wrench() -> tuple[float, ...]:
        return tuple(rng.standard_normal(6))

    port, watch = ForcePort(None), ForceWatch(traits)
    for k in range(100):
        port.take(pack_force(ForceReading(k, 4_000_000 * k, wrench())), 0.004 * k)
        assert watch.step(0.004 * k, port.latest(0.004 * k)) == ""
    port.take(pack_force(ForceReading(100, 400_000_000, (math.nan,) * 6)), 0.4)
    assert "no number" in watch.step(0.4, port.latest(0.4))
    watch.reset()
    port.reset()
    for k in range(50):
        port.take(pack_force(ForceReading(k if k < 20 else k - 20, 4_000_000 * k, wrench())), 1.0 + 0.004 * k)
        said = watch.step(1.0 + 0.004 * k, port.latest(0.0))
        if said:
            break
    assert "lost cable" in said
    assert port.doubled + port.old > 0
