"""The responder without processes: controllers, watchdog and what it tells, by a clock of the test's own; the facility's end
against a real one with the drives off, so that no test depends on time."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Iterator
from dataclasses import replace
from itertools import count

import numpy as np
import pytest

from proxops.core.clock import LockstepClock
from proxops.core.messages import EVENT_DTYPE, PERIOD_NS, PERIOD_S
from proxops.core.ring import Ring
from proxops.facility.cadence import Cadence
from proxops.facility.responder import Responder, attend
from proxops.lab.cell import Cell
from proxops.lab.links.exchange import (
    AT_REST_NS,
    Flag,
    Setpoint,
    SetpointWriter,
    Watch,
    WatchdogCause,
    read_setpoint,
    setpoint_dtype,
    state_dtype,
)
from proxops.lab.links.fault import Trouble
from proxops.lab.links.remote import RemoteHall
from proxops.lab.links.virtual import Drive, VirtualHall

PATIENCE = 3 * PERIOD_NS
SILENCE_NS = 100_000_000  # 2.5 stalls of 40 ms
SEED = 5


class Bench:
    """A responder, the facility's messages to it, and the same controllers stepped directly."""

    def __init__(self, cell: Cell) -> None:
        self.rings = Ring.create("link", state_dtype(13, 3), 4096), Ring.create("events", EVENT_DTYPE, 64)
        self.hall, self.twin = (VirtualHall(cell, np.random.default_rng(SEED)) for _ in range(2))
        self.now, self.sequence, self.request, self.flags = 10 * PERIOD_NS, 0, 0, Flag(0)
        self.responder = Responder(self.hall, cell, PATIENCE, *self.rings, self.now)
        self.x, self._writer = self.hall.standing.copy(), SetpointWriter(13)

    def message(self, **more: object) -> bytes:
        values: dict[str, object] = {
            "flags": self.flags, "sequence": self.sequence, "sent_ns": self.now, "tick": self.sequence,
            "utc_ns": 1_000 + self.now, "request": self.request, "axes": self.x,
        }  # fmt: skip
        return bytes(self._writer.fill(Setpoint(**(values | more))))  # type: ignore[arg-type]

    def cycle(self, count: int = 1, rate: float = 0.0) -> None:
        for _ in range(count):
            self.now, self.sequence = self.now + PERIOD_NS, self.sequence + 1
            self.x[0] += rate * PERIOD_S
            self.responder.take(self.message(), self.now)

    def silent(self, count: int) -> None:
        """As the process has it: time passes when it is due."""
        until = self.now + count * PERIOD_NS
        while (due := self.responder.due_ns()) is not None and due <= until:
            self.now = max(due, self.now)
            self.responder.pass_time(self.now)
        self.now = until

    def drives(self, on: bool) -> None:
        self.request += 1
        self.flags = Flag.DRIVES if on else Flag(0)

    def at_speed(self) -> None:
        """The rail at 1.45 m/s."""
        self.drives(True)
        self.cycle(60)
        for k in range(500):
            self.cycle(rate=1.45 * min(1.0, k / 450))

    @property
    def state(self) -> np.void:
        newest = self.rings[0].latest()
        assert newest is not None
        return newest  # type: ignore[return-value]

    @property
    def told(self) -> list[str]:
        return [e["text"].decode() for e in self.rings[1].read(0)[0]]


@pytest.fixture
def bench(cell: Cell) -> Iterator[Bench]:
    made = Bench(cell)
    yield made
    for ring in made.rings:
        ring.close()


def test_controllers_behind_a_responder_move_as_in_the_facilitys_own_process_bit_for_bit(bench: Bench) -> None:
    """Same seed, same set-points: same actual values, noise, lag and positioning error."""
    bench.drives(True)
    bench.twin.drives_on()
    for k in range(400):
        bench.cycle(rate=0.3 * min(1.0, max(0, k - 60) / 200))
        bench.twin.write(bench.x)
        state = bench.state
        for name in ("actual", "rate", "standing", "positioning_error"):
            assert (state[name] == getattr(bench.twin, name)).all(), name
        assert (state["drive"] == bench.twin.drives).all()
        assert (state["sequence"], state["request"], state["cycle"]) == (k + 1, 1, k + 1)


def test_it_takes_over_after_three_cycles_brakes_and_closes_the_brakes(bench: Bench, cell: Cell) -> None:
    bench.at_speed()
    last, sent = bench.x.copy(), bench.now
    bench.silent(2)
    assert bench.state["watch"] == Watch.WATCHING
    bench.silent(1)
    assert (bench.state["watch"], bench.state["cause"]) == (Watch.BRAKING, WatchdogCause.SILENT)
    assert bench.responder._took_ns - sent == PATIENCE
    bench.silent(1200)
    states = bench.rings[0].read(0)[0]
    x = states["setpoint"][states["time_ns"] >= sent]
    a = cell.hall[0]["acceleration"]
    assert (np.abs(np.diff(x, 2, axis=0)) / PERIOD_S**2 <= a * 1.02).all()
    way = 1.45 * 0.5 * (1.45 / a[0])  # hard: the facility may have been braking already
    state = bench.state
    assert state["watch"] == Watch.STANDING
    assert (state["drive"] == Drive.OFF).all() and not state["rate"].any()
    assert state["standing"][0] == pytest.approx(last[0] + way, abs=2e-3)
    takeover, standstill = bench.told
    assert "alive but silent" in takeover and "12.0 ms ago" in takeover and "1.450 m/s" in takeover
    assert (
        standstill.startswith("watchdog: standstill after 1.") and f"{state['standing'][0] * 1e3:.2f} mm" in standstill
    )


def test_nothing_is_obeyed_while_it_brakes(bench: Bench) -> None:
    """Set-points, drives off, drives on: the brake ends where it would have ended anyway."""
    bench.at_speed()
    bench.silent(3)
    rest = bench.responder.dog.rest.copy()
    for k in range(300):
        if k % 20 == 0:
            bench.drives(k % 40 == 0)
        bench.now, bench.sequence = bench.now + PERIOD_NS, bench.sequence + 1
        bench.responder.take(bench.message(), bench.now)
        bench.responder.pass_time(bench.now)
    bench.silent(900)
    assert bench.state["watch"] == Watch.STANDING
    np.testing.assert_allclose(bench.state["setpoint"], rest, atol=1e-9)
    assert bench.state["cause"] == WatchdogCause.LATE
    assert [text for text in bench.told if "set-points again after" in text]
    bench.cycle(50)  # a wish of before the standstill is not carried out afterwards
    assert (bench.state["drive"] == Drive.OFF).all()


def test_drives_on_with_a_fresh_number_begins_anew_from_where_the_robots_stand(bench: Bench) -> None:
    bench.at_speed()
    bench.silent(1200)
    bench.cycle(5)  # set-points alone are refused
    assert bench.state["watch"] == Watch.STANDING
    bench.x = bench.state["standing"].copy()
    bench.drives(True)
    bench.responder.take(bench.message(sequence=bench.sequence - 1), bench.now)  # a replay is not obeyed either
    assert bench.state["watch"] == Watch.STANDING
    bench.cycle(60)
    assert bench.state["watch"] == Watch.WATCHING
    assert (bench.state["drive"] == Drive.ON).all()
    bench.cycle(100, rate=0.05)
    assert bench.state["fault"] == 0
    assert bench.state["rate"][0] > 0.02


def test_with_drives_off_silence_is_nothing_to_it(bench: Bench) -> None:
    bench.cycle(5)
    assert bench.responder.due_ns() is None
    bench.responder.pass_time(bench.now + 10**12)
    assert bench.state["watch"] == Watch.WATCHING and not bench.told


def test_death_is_taken_over_at_once_and_ends_it_at_standstill(bench: Bench) -> None:
    bench.at_speed()
    bench.now += 1_000_000
    bench.responder.lose(bench.now)
    assert "facility gone, last set-point 560 1.0 ms ago" in bench.told[-1]
    bench.silent(100)
    assert not bench.responder.over
    bench.silent(1000)
    assert bench.responder.over and bench.state["cause"] == WatchdogCause.GONE


def test_a_farewell_closes_the_brakes_and_is_no_alarm(bench: Bench) -> None:
    bench.drives(True)
    bench.cycle(60)
    bench.flags |= Flag.FAREWELL
    bench.cycle()
    bench.silent(5)
    assert bench.responder.over and (bench.state["drive"] == Drive.OFF).all()
    bench.responder.lose(bench.now)
    assert all(event["severity"] < 3 for event in bench.rings[1].read(0)[0])


def test_a_farewell_in_motion_brakes_first(bench: Bench) -> None:
    bench.at_speed()
    bench.flags |= Flag.FAREWELL
    bench.cycle(rate=1.45)
    bench.silent(100)
    assert not bench.responder.over and bench.state["rate"][0] > 1.0
    bench.silent(1000)
    assert bench.responder.over


def test_a_controllers_fault_is_told_as_in_the_facilitys_own_process(bench: Bench) -> None:
    bench.drives(True)
    bench.cycle(60)
    bench.x[0] += 0.5
    bench.cycle()
    state = bench.state
    assert (
        state["fault"],
        state["fault_axis"],
        state["fault_value"],
        state["fault_bound"],
    ) == bench.hall.standing_fault
    assert state["fault"] and state["drive"][0] in (Drive.BRAKING, Drive.OFF)


def test_packets_that_are_none_of_ours_are_refused(bench: Bench) -> None:
    bench.cycle(3)
    good = bench.message(sequence=4, sent_ns=bench.now + 1)
    cycle = bench.state["cycle"]
    for bad in (
        b"",
        good[:-1],
        good + b"\0",
        b"XXXX" + good[4:],
        good[:4] + b"\x09\0" + good[6:],
        bytes(setpoint_dtype(13).itemsize),
    ):
        assert read_setpoint(bad, 13) is None
        bench.responder.take(bad, bench.now + 1)
    assert bench.state["cycle"] == cycle
    bench.responder.take(good, bench.now + 1)
    assert bench.state["cycle"] == cycle + 1


def test_only_fresh_set_points_tell_when_the_next_is_due(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A replay comes between two of them: it says nothing of the facility's cycles."""
    setpoints, (wire, facility) = Ring.create("setpoints", setpoint_dtype(13), 16), socket.socketpair()
    sequences, sent_ns, heard = [1, 1, 2], list[int](), list[int]()

    class SpiedCadence(Cadence):
        """Before each look there is one message more; then the facility goes."""

        def wait_ns(self, now_ns: int) -> int:
            if sequences:
                bench.now, bench.sequence = now_ns, sequences.pop(0)
                setpoints.push(bench.message())
                sent_ns.append(bench.now)
            else:
                facility.close()
            return 0

        def heard(self, sent_ns: int) -> None:
            heard.append(sent_ns)

    moments = count(bench.now, PERIOD_NS // 8)
    monkeypatch.setattr("proxops.facility.responder.monotonic_ns", lambda: next(moments))
    monkeypatch.setattr("proxops.facility.responder.Cadence", SpiedCadence)
    attend(bench.responder, wire, setpoints, os.getppid())
    assert heard == [sent_ns[0], sent_ns[2]] and bench.state["refused"] == 1
    setpoints.close()
    wire.close()


# --- the facility's end, and a responder in a process of its own ---


@pytest.fixture
def remote(cell: Cell) -> Iterator[tuple[RemoteHall, VirtualHall]]:
    """A responder with a cell that exists in memory only, and the same controllers here."""
    mine = replace(cell, positioning_sigma=cell.positioning_sigma * 7.0, home=cell.home + 0.01)
    made = RemoteHall.start(mine, SEED)
    made.wait_ready(LockstepClock())
    yield made, VirtualHall(mine, np.random.default_rng(SEED))
    made.close()


def answered(remote: RemoteHall, sequence: int) -> None:
    until = time.monotonic() + 20
    while (newest := remote.states.latest()) is None or newest["sequence"] < sequence:
        assert time.monotonic() < until, remote.last_words()
        time.sleep(0.001)


def test_the_responder_has_the_very_cell_and_seed(remote: tuple[RemoteHall, VirtualHall]) -> None:
    hall, twin = remote
    assert (hall.positioning_error == twin.positioning_error).all() and hall.positioning_error[0] != 0.0
    assert (hall.read() == twin.read()).all() and (hall.standing == twin.standing).all()
    for sequence in range(1, 300):  # beyond one block of noise
        assert hall.write(twin.standing) is twin.write(twin.standing) is None
        answered(hall, sequence)
        assert (hall.read() == twin.read()).all()
    assert not hall.all_on and not hall.any_on


def test_a_wish_about_drives_counts_before_it_is_heard(remote: tuple[RemoteHall, VirtualHall]) -> None:
    hall, _ = remote
    hall.drives_on()
    assert hall.any_on and not hall.all_on
    hall.drives_off()
    assert not hall.any_on


def test_a_farewell_ends_the_process_in_good_order(remote: tuple[RemoteHall, VirtualHall]) -> None:
    hall, _ = remote
    assert hall.close() == 0
    assert hall.last_words() == ""
    assert not hall.states.path.exists() and not hall.events.path.exists()
    assert hall.write(np.zeros(13)) is not None  # the wire is closed: told, not raised


def test_a_dead_responder_is_a_lost_link_at_once_told_once(remote: tuple[RemoteHall, VirtualHall]) -> None:
    hall, twin = remote
    os.kill(hall.pid, signal.SIGKILL)
    hall._process.wait()
    faults = [hall.write(twin.standing) for _ in range(5)]
    assert faults[0] is not None and all(fault is faults[0] for fault in faults)
    assert faults[0].trouble is Trouble.LOST and "gone, exit code -9" in str(faults[0])
    hall.drives_on()
    assert not hall.all_on and not hall.any_on


@pytest.mark.parametrize("rests", [True, False])
def test_a_hung_responder_is_a_lost_link_by_the_clock(
    remote: tuple[RemoteHall, VirtualHall], monkeypatch: pytest.MonkeyPatch, rests: bool
) -> None:
    hall, twin = remote
    os.kill(hall.pid, signal.SIGSTOP)
    now = [10**15]
    monkeypatch.setattr("proxops.lab.links.remote.monotonic_ns", lambda: now[0])
    assert hall.write(twin.standing) is None
    now[0] += AT_REST_NS - 1 if rests else SILENCE_NS - 1
    assert hall.write(twin.standing + (0.0 if rests else 1e-4)) is None
    now[0] += 1
    fault = hall.write(twin.standing)
    assert fault is not None and fault.trouble is Trouble.LOST and "does not answer" in str(fault)
    for _ in range(2000):  # the buffer is full long before: nothing waits, nothing is raised
        assert hall.write(twin.standing) is fault
    os.kill(hall.pid, signal.SIGCONT)


def test_the_dead_and_the_stopped_get_three_cycles_whatever_the_cell_says(bench: Bench) -> None:
    bench.responder.dog.patience_ns = 25 * PERIOD_NS
    bench.at_speed()
    bench.now += bench.responder.dog.doubt_ns
    bench.responder.suspect(bench.now, lambda: WatchdogCause.SILENT)
    assert bench.responder.dog.watch is Watch.WATCHING  # alive: it is late
    bench.responder.suspect(bench.now, lambda: WatchdogCause.STOPPED)
    assert bench.responder.dog.watch is Watch.BRAKING
    assert "bound 13 ms" in bench.told[-1]
