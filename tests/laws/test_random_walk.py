"""The law of the hall: whatever operators, inputs and the network do, a powered robot's set-point keeps its limits.

Requests of the desk, interlocks and real datagrams (lost, doubled, old, cut, NaN, jumping, from a second sender) come at
random; every cycle with all drives on is checked for speed and acceleration, and the controllers must never fault.
"""

from __future__ import annotations

import contextlib
import socket

import numpy as np
import pytest

from proxops.core.clock import LockstepClock
from proxops.core.datagram import Command, pack_command
from proxops.core.errors import BadInput, Refused
from proxops.core.vocabulary import Mode, System
from proxops.facility.build import build
from proxops.facility.trajectories import preflighted, standing
from proxops.lab.any_cell import load_cell

DT = 0.004
START = np.array([4.30, -0.10, 0.44, 0, 5, 85, 0, 2.10, 1.45, 0.44, 0, 8, -85, 0, *[0.0] * 7, 1.50])  # GLC
SOURCES = ["sync", "sync", "sync", "async", "manual", "sine", "none"]
ORDERS = ["rail,robot1,robot2", "robot2,rail,robot1"]


class Walk:
    """One facility in lockstep, one wild operator, one unreliable simulator and one intruder."""

    def __init__(self, seed: int) -> None:
        self.rng, self.clock, self.cell = np.random.default_rng(seed), LockstepClock(), load_cell()
        self.hall = build(self.cell, self.clock, seed=seed, record=None, sync=("127.0.0.1", 0))
        self.senders = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
        for sender in self.senders:
            sender.setblocking(False)
        self.sequence, self.pose, self.speed = 0, START.copy(), 0.0

    def pick(self, items: list):
        return items[self.rng.integers(len(items))]

    def ask(self) -> None:
        """One request of the desk, sensible or not."""
        desk, pick, rng = self.hall.desk, self.pick, self.rng
        names = [i.name for i in self.cell.file.interlock]
        requests = [
            lambda: desk.drives(True),
            lambda: desk.drives(bool(rng.integers(5))),
            lambda: desk.select(pick(SOURCES)),
            lambda: desk.move_to_start(pick(ORDERS)),
            lambda: desk.confirm(),
            lambda: desk.confirm(),
            lambda: desk.reset(),
            lambda: desk.safe_stop() if rng.integers(6) == 0 else None,
            lambda: desk.interlock(pick(names), bool(rng.integers(12))),
            lambda: [desk.interlock(name, True) for name in names],
            lambda: desk.jog(pick(["IJT", "GLC", "CLW", "IDC"]), "robot2", pick(["a1", "a4", "x", "y", "rz", "b"]), 1),
            lambda: desk.release(),
            lambda: desk.load(preflighted(self.cell, standing(self.cell, pick(list(System)), 200))),
            lambda: desk.sine(pick(["rail", "robot1_a3"]), rng.uniform(0, 0.02), rng.uniform(0.1, 1), 3),
        ]
        with contextlib.suppress(Refused, BadInput):
            pick(requests)()

    def send(self) -> None:
        """What the network makes of one command."""
        rng = self.rng
        if self.hall.facility.mode is Mode.RUNNING:
            self.speed = float(np.clip(self.speed + rng.normal() * 0.002, -0.1, 0.1))
            self.pose[0] += self.speed * DT
        else:
            self.speed = 0.0
        for _ in range(int(rng.choice([0, 1, 1, 1, 1, 1, 1, 2]))):
            self.sequence += 1
            values, fate = self.pose.copy(), rng.random()
            if fate < 0.0005:
                values[rng.integers(22)] = np.nan
            elif fate < 0.001:
                values[rng.integers(14)] += rng.normal()
            number = self.sequence if rng.random() > 0.01 else max(0, self.sequence - 3)
            data = pack_command(Command(int(System.GLC), number, 0, tuple(values), rng.random() > 0.0003))
            data = data[: rng.integers(len(data))] if rng.random() < 0.01 else data
            self.senders[rng.random() < 0.02].sendto(data, self.hall.desk.sync.address)

    def cycle(self) -> None:
        self.hall.facility.tick()
        for sender in self.senders:
            with contextlib.suppress(BlockingIOError):
                while True:
                    sender.recv(500)

    def close(self) -> None:
        self.hall.close()
        for sender in self.senders:
            sender.close()


@pytest.mark.parametrize("seed", range(10))
def test_limits_hold_whatever_happens(seed: int) -> None:
    walk = Walk(seed)
    facility, hall = walk.hall.facility, walk.cell.hall[0]
    before, rate, powered = facility.guard.setpoint.copy(), np.zeros(13), False
    for _ in range(4000):
        if walk.rng.random() < 0.04:
            walk.ask()
        walk.send()
        walk.cycle()
        now = facility.guard.setpoint.copy()
        new_rate = (now - before) / DT
        if facility.link.all_on and powered:
            assert (np.abs(new_rate) <= hall["speed"] * (1 + 1e-9)).all()
            assert (np.abs(new_rate - rate) / DT <= hall["acceleration"] * (1 + 1e-6)).all()
            assert facility.fault is None
        if not facility.link.any_on:
            assert np.abs(facility.link.rate).max() < 1e-9
        before, rate, powered = now, new_rate, facility.link.all_on
    walk.close()
