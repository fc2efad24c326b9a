"""A thousand faulty streams through the real socket: set-points never break a limit, the hall never enters red.

Each stream is a client with a temper: it jumps, floods, repeats, garbles, falls silent, speaks of places that no hall can show.
The facility ticks in lockstep while its socket is real, so that the streams come in as datagrams and the run stays quick.
"""

from __future__ import annotations

import math
import socket
import struct
import zlib
from collections.abc import Callable, Iterator

import numpy as np
import pytest
from bridge_hall import BridgeHall, at, parked_cell

from proxops.core.bridge_datagram import BridgeCommand, pack_command
from proxops.core.vocabulary import Mode, Phase

STREAMS = 1000
CYCLES = 30  # of each stream; a good client's last four times as long, lest the hall only stands
Rng = np.random.Generator
Stream = Iterator[list[bytes]]


def random_pose(rng: Rng, spread: float) -> tuple[float, ...]:
    q = rng.normal(size=4)
    return (*(rng.normal(size=3) * spread), *(q / np.linalg.norm(q)))


class Temper:
    """Makes packets; numbers go on across streams unless a stream wants otherwise."""

    def __init__(self, rng: Rng) -> None:
        self.rng, self.sequence = rng, 0

    def packet(self, chaser: tuple[float, ...], target: tuple[float, ...] = at(0.0), **more: object) -> bytes:
        self.sequence += 1
        return pack_command(BridgeCommand(self.sequence, self.sequence * 4_000_000, chaser, target, **more))  # type: ignore[arg-type]

    def broken(self, byte: int, value: float) -> bytes:
        data = bytearray(self.packet(at(5.0)))
        struct.pack_into("<d", data, byte, value)
        body = bytes(data[:-4])
        return body + struct.pack("<I", zlib.crc32(body))


def steady(t: Temper) -> Stream:
    """A good client: the hall must get to move, or the fuzz would fuzz a standstill."""
    x = t.rng.uniform(1.5, 9.0)
    speed = t.rng.uniform(-0.4, 0.4)
    for k in range(4 * CYCLES):
        yield [t.packet(at(x + speed * k * 0.004))]


def approach(t: Temper) -> Stream:
    """Towards and through the target at up to 2 m/s."""
    x, speed = t.rng.uniform(1.2, 3.0), t.rng.uniform(0.1, 2.0)
    for k in range(4 * CYCLES):
        yield [t.packet(at(x - speed * k * 0.004))]


def jumps(t: Temper) -> Stream:
    for _ in range(CYCLES):
        yield [t.packet(random_pose(t.rng, 10.0 ** t.rng.uniform(-3, 2)))]


def nonsense(t: Temper) -> Stream:
    values = (math.nan, math.inf, -math.inf, 1e300, 1e13, -0.0, 5e-324)
    for _ in range(CYCLES):
        byte = 24 + 8 * int(t.rng.integers(0, 14))
        yield [t.broken(byte, float(t.rng.choice(values)))]


def zero_quaternions(t: Temper) -> Stream:
    for _ in range(CYCLES):
        yield [t.broken(72, 0.0), t.broken(72, 0.5), t.broken(128, 1e-30)]


def garbage(t: Temper) -> Stream:
    for _ in range(CYCLES):
        yield [t.rng.bytes(int(t.rng.integers(0, 400))), b"PXBC" + t.rng.bytes(256), b""]


def flipped_bits(t: Temper) -> Stream:
    for _ in range(CYCLES):
        data = bytearray(t.packet(at(t.rng.uniform(2.0, 8.0))))
        data[int(t.rng.integers(0, len(data)))] ^= 1 << int(t.rng.integers(0, 8))
        yield [bytes(data)]


def backwards(t: Temper) -> Stream:
    start = t.sequence
    for k in range(CYCLES):
        t.sequence = max(start - 5 * k, 0)
        yield [t.packet(at(4.0 + 0.01 * k))]
    t.sequence = start + 10


def numbers_leap(t: Temper) -> Stream:
    for _ in range(CYCLES):
        t.sequence += int(t.rng.integers(0, 3000))
        yield [t.packet(at(5.0))]


def flood(t: Temper) -> Stream:
    """400 datagrams in one cycle: 100 kHz."""
    for _ in range(CYCLES // 9):
        yield [t.packet(at(t.rng.uniform(2.0, 9.0))) for _ in range(400)]


def burst_after_silence(t: Temper) -> Stream:
    kept = []
    for k in range(CYCLES - 2):
        kept.append(t.packet(at(5.0 + 0.002 * k)))
        yield []
    yield kept


def both_constant(t: Temper) -> Stream:
    pose = random_pose(t.rng, 3.0)
    for _ in range(CYCLES):
        yield [t.packet(pose, pose)]  # relative distance zero


def far_away(t: Temper) -> Stream:
    for _ in range(CYCLES):
        yield [t.packet(at(10.0 ** t.rng.uniform(1.4, 9.0)))]


def fast_tumble(t: Temper) -> Stream:
    """Up to a turn a second."""
    rate = t.rng.uniform(0.1, 2.0 * math.pi)
    for k in range(CYCLES):
        a = rate * k * 0.004
        yield [t.packet((5.0 * math.cos(a), 5.0 * math.sin(a), 0.0, 0.0, 0.0, math.sin(a / 2), math.cos(a / 2)))]


def absurd_velocities(t: Temper) -> Stream:
    for _ in range(CYCLES):
        velocity = tuple(t.rng.normal(size=6) * 10.0 ** t.rng.uniform(-2, 8))
        yield [t.packet(at(5.0), chaser_velocity=velocity, target_velocity=(0.0,) * 6)]


def noisy(t: Temper) -> Stream:
    for _ in range(CYCLES):
        x, y, z = t.rng.normal(size=3) * 10.0 ** t.rng.uniform(-4, -0.5)
        yield [t.packet(at(5.0 + x, y, z))]


def extreme_numbers(t: Temper) -> Stream:
    """Numbers and times at the ends of what an integer holds, then nothing: the cubic counts on from them."""
    edges = (0, 1, 2**31, 2**53, 2**62 - 1, 2**62, 2**62 + 1, 2**63 - 1)
    for _ in range(CYCLES // 3):
        sequence, sent_ns = edges[int(t.rng.integers(len(edges)))], edges[int(t.rng.integers(len(edges)))]
        if t.rng.random() < 0.5:
            sequence = t.sequence + 1
        # A leap that is taken: who counts lower afterwards is another client.
        if t.sequence < sequence <= t.sequence + 2**31:
            t.sequence = sequence
        yield [pack_command(BridgeCommand(sequence, sent_ns * (-1) ** int(t.rng.integers(2)), at(5.0), at(0.0)))]
    for _ in range(CYCLES):
        yield []


def silence(t: Temper) -> Stream:
    for _ in range(CYCLES):
        yield []


TEMPERS: tuple[Callable[[Temper], Stream], ...] = (
    steady, steady, steady, approach, jumps, nonsense, zero_quaternions, garbage, flipped_bits, backwards, numbers_leap, flood,
    burst_after_silence, both_constant, far_away, fast_tumble, absurd_velocities, noisy, extreme_numbers,
    silence,
)  # fmt: skip


def serve(hall: BridgeHall, line: socket.socket, temper: Temper) -> bool:
    """A good client at 5 m: is it followed within a minute?"""
    for _ in range(60 * 250):
        line.sendto(temper.packet(at(5.0)), hall.port.address)
        hall.cycle()
        if hall.phase is Phase.FOLLOWING:
            return True
    return False


@pytest.mark.parametrize("part", range(4))
def test_a_thousand_faulty_streams_through_the_socket(part: int) -> None:
    rng = np.random.default_rng(1000 + part)
    hall = BridgeHall(parked_cell(), bind=("127.0.0.1", 0))
    line = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    line.setblocking(False)
    temper, phases, moved = Temper(rng), set(), 0
    try:
        assert serve(hall, line, temper)  # begin where things move
        for _ in range(STREAMS // 4):
            for packets in TEMPERS[int(rng.integers(0, len(TEMPERS)))](temper):
                for data in packets:
                    line.sendto(data, hall.port.address)
                hall.cycle()  # asserts every limit and that the hall is not red
                phases.add(hall.phase)
                moved += hall.facility.guard.moving
            assert hall.facility.mode in (Mode.BRIDGED, Mode.HALTING), hall.facility.stop
        assert serve(hall, line, temper)  # and the hall is still ready for a good client
        assert {Phase.STANDING, Phase.CONVERGING, Phase.HALTING, Phase.WAITING} <= phases
        assert moved > 5000
        assert sum(count > 0 for count in hall.port.counts.values()) >= 5
    finally:
        line.close()
        hall.close()
