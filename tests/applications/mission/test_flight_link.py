"""The line to an on-board computer, over real sockets on loopback: lost, late, doubled, reordered, damaged, from strangers."""

from __future__ import annotations

import select
import socket
import struct
import threading
import zlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import numpy as np
import pytest
from cycle_data import PERIOD_S, THRUSTERS, WHEELS, idle, measured

from proxops.applications.mission.flight_host import FlightHost, FlightSoftwareFailed
from proxops.applications.mission.flight_link import RemoteFlightSoftware
from proxops.client import FlightComputer
from proxops.core.errors import BadInput
from proxops.core.flight import Commands, Measurements
from proxops.core.flight_datagram import (
    MeasurementsReceived,
    pack_commands,
    pack_failure,
    pack_measurements,
    unpack_commands,
    unpack_measurements,
)

# Generous, for loaded machines: only tests of silence wait for their end, and those have their own.
LONG_S, SHORT_S = 20.0, 0.35
Answers = Callable[[MeasurementsReceived], list[bytes]]


def answer(received: MeasurementsReceived) -> bytes:
    """Commands that show which cycle they are for."""
    return pack_commands(received.sequence, idle(1e-6 * received.sequence))


def flown(link: RemoteFlightSoftware, cycles: int) -> None:
    """Fly, and check that each cycle got its own answer."""
    for k in range(cycles):
        got = link.step(measured(k * PERIOD_S))
        assert got.on_time_s == pytest.approx(1e-6 * (link._sequence), abs=1e-15)


@contextmanager
def computer(answers: Answers) -> Iterator[tuple[str, int]]:
    """Answers every datagram with what ``answers`` says, until the test is over."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
        end.bind(("127.0.0.1", 0))
        end.settimeout(0.05)
        over = threading.Event()

        def serve() -> None:
            while not over.is_set():
                try:
                    data, sender = end.recvfrom(2048)
                except TimeoutError:
                    continue
                for reply in answers(unpack_measurements(data)):
                    end.sendto(reply, sender)

        thread = threading.Thread(target=serve)
        thread.start()
        try:
            yield end.getsockname()
        finally:
            over.set()
            thread.join()


@contextmanager
def link(address: tuple[str, int], wait_s: float = LONG_S, start_s: float = LONG_S) -> Iterator[RemoteFlightSoftware]:
    remote = RemoteFlightSoftware(address, wait_s, start_s)
    try:
        yield remote
    finally:
        remote.close()


# --- a good line


def test_measurements_arrive_and_commands_come_back() -> None:
    seen: list[MeasurementsReceived] = []
    with computer(lambda m: seen.append(m) or [answer(m)]) as address, link(address) as remote:  # type: ignore[func-returns-value]
        flown(remote, 200)
    flights = [m for m in seen if not m.end]
    assert {m.sequence for m in flights} == set(range(1, 201))
    assert all(m.start == (m.sequence == 1) for m in flights)
    assert next(m.measurements.t for m in flights if m.sequence == 4) == pytest.approx(0.3)


def test_it_listens_on_loopback_only() -> None:
    with computer(lambda m: [answer(m)]) as address, link(address) as remote:
        assert remote.address[0] == "127.0.0.1"


# --- a bad line


def test_a_lost_datagram_is_sent_again_with_the_same_number() -> None:
    seen: list[int] = []

    def forgetful(m: MeasurementsReceived) -> list[bytes]:
        seen.append(m.sequence)
        return [answer(m)] if seen.count(m.sequence) == 2 else []  # the first of each is lost

    with computer(forgetful) as address, link(address) as remote:
        flown(remote, 3)
    assert remote.repeated >= 3


def test_late_and_doubled_answers_are_counted_and_do_no_harm() -> None:
    before: list[bytes] = []

    def late(m: MeasurementsReceived) -> list[bytes]:
        replies = [*before[-3:], answer(m), answer(m)]  # old ones, then the new one twice
        before.append(answer(m))
        return replies

    with computer(late) as address, link(address) as remote:
        flown(remote, 20)
    assert remote.ignored.old >= 50  # three or so and a double for each cycle
    assert remote.ignored.damaged == remote.ignored.strangers == 0


def test_answers_to_cycles_that_never_were_are_not_taken() -> None:
    with (
        computer(
            lambda m: [pack_commands(m.sequence + 1, idle()), pack_commands(2**63 - 1, idle()), answer(m)]
        ) as address,
        link(address) as remote,
    ):
        flown(remote, 10)
    # What was announced for the next cycle is read in this one, before its own answer.
    assert remote.ignored.old >= 20


def test_damaged_answers_are_counted_and_the_next_good_one_is_taken() -> None:
    rng = np.random.default_rng(3)

    def noisy(m: MeasurementsReceived) -> list[bytes]:
        damaged = bytearray(answer(m))
        damaged[rng.integers(len(damaged))] ^= int(rng.integers(1, 256))
        return [bytes(damaged), b"", answer(m)[:100], b"hello", bytes(2000), answer(m)]

    with computer(noisy) as address, link(address) as remote:
        flown(remote, 30)
    assert remote.ignored.damaged >= 29 * 5


def test_a_stranger_is_not_heard_even_with_a_perfect_answer() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        own: list[tuple[str, int]] = []

        def overheard(m: MeasurementsReceived) -> list[bytes]:
            stranger.sendto(pack_commands(m.sequence, idle(0.09)), own[0])
            return [answer(m)]

        with computer(overheard) as address, link(address) as remote:
            own.append(remote.address)
            flown(remote, 20)
        assert remote.ignored.strangers >= 19


# --- a computer that fails


def cause(remote: RemoteFlightSoftware) -> str:
    with pytest.raises(FlightSoftwareFailed) as caught:
        remote.step(measured())
    return caught.value.cause


def test_nobody_there() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as taken:
        taken.bind(("127.0.0.1", 0))  # a port where nobody answers
        with link(taken.getsockname(), start_s=SHORT_S) as remote:
            told = cause(remote)
            assert (
                told
                == f"no answer within 0.35 s from 127.0.0.1:{taken.getsockname()[1]}: is the on-board computer running?"
            )
        taken.settimeout(0.0)
        first = [unpack_measurements(taken.recv(2048)) for _ in range(1 + remote.repeated)]
        assert remote.repeated >= 2
        assert all(m.sequence == 1 and m.start for m in first)


def test_a_closed_port_is_silence_and_no_crash() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as gone:
        gone.bind(("127.0.0.1", 0))
        address = gone.getsockname()
    with link(address, start_s=SHORT_S) as remote:
        assert cause(remote).startswith("no answer within 0.35 s")


def test_a_computer_that_falls_silent_is_told_with_what_was_ignored() -> None:
    with (
        computer(lambda m: [answer(m)] if m.sequence < 3 else [b"noise"]) as address,
        link(address, wait_s=0.75) as remote,
    ):
        flown(remote, 2)
        told = cause(remote)
    assert told.startswith(f"no answer within 0.75 s from 127.0.0.1:{address[1]}, cycle 3; ignored: 0 of strangers")


def test_a_flood_of_noise_does_not_make_it_wait_for_ever() -> None:
    with computer(lambda _: [b"noise"] * 200) as address, link(address, start_s=SHORT_S) as remote:
        assert "damaged" in cause(remote)


def test_the_computers_own_failure_is_told() -> None:
    with computer(lambda m: [pack_failure(m.sequence, "ValueError: no fix")]) as address, link(address) as remote:
        assert cause(remote) == "the on-board computer reports: ValueError: no fix"


def test_an_answer_that_is_whole_and_wrong_is_told_and_not_waited_out() -> None:
    def wrong(at: int, value: int) -> Answers:
        def spoil(m: MeasurementsReceived) -> list[bytes]:
            body = bytearray(answer(m)[:-4])
            body[at] = value
            return [bytes(body) + struct.pack("<I", zlib.crc32(body))]

        return spoil

    for at, value, told in ((4, 9, "version 9"), (6, 99, "99 thrusters"), (20, 77, "phase 77")):
        with computer(wrong(at, value)) as address, link(address) as remote:
            assert cause(remote).startswith(f"unreadable answer: seq 1: {told}")


def test_numbers_that_no_actuator_takes_are_judged_by_the_host() -> None:
    with computer(lambda m: [pack_commands(m.sequence, idle(float("nan")))]) as address, link(address) as remote:
        host = FlightHost(remote, THRUSTERS, WHEELS, PERIOD_S, LONG_S)
        with pytest.raises(FlightSoftwareFailed, match="not finite: on_time_s of thruster 1 is nan"):
            host.step(measured())


def test_silence_is_named_as_silence_under_the_hosts_alarm_with_the_same_limit() -> None:
    with computer(lambda m: [answer(m)] if m.sequence == 1 else []) as address, link(address, wait_s=1.0) as remote:
        host = FlightHost(remote, THRUSTERS, WHEELS, PERIOD_S, limit_s=1.0)
        host.step(measured())
        with pytest.raises(FlightSoftwareFailed, match="no answer within 1 s"):
            host.step(measured())


def test_a_host_that_does_not_exist() -> None:
    with pytest.raises(BadInput, match="no such host"):
        RemoteFlightSoftware(("no-such-host.invalid", 1), 1.0)


# --- fuzz: any line that sometimes lets an answer through flies the same flight


def test_a_wild_line_changes_nothing() -> None:
    rng = np.random.default_rng(11)
    history: list[bytes] = []

    def wild(m: MeasurementsReceived) -> list[bytes]:
        good = answer(m)
        history.append(good)
        replies = [history[rng.integers(len(history))] for _ in range(rng.integers(4))]
        replies += [rng.bytes(int(rng.integers(1200))) for _ in range(rng.integers(3))]
        flipped = bytearray(good)
        flipped[rng.integers(len(good))] ^= 1 << int(rng.integers(8))
        replies += [bytes(flipped), *[good] * int(rng.random() < 0.97)]
        rng.shuffle(replies)  # type: ignore[arg-type]
        return replies

    with computer(wild) as address, link(address) as remote:
        flown(remote, 300)
    assert remote.ignored.damaged > 300
    assert remote.ignored.old > 300
    assert remote.repeated < 100


# --- the on-board computer's end


class Counting:
    """Answers with its count of cycles, so that a cycle too many would show."""

    def __init__(self) -> None:
        self.cycles = 0

    def step(self, measurements: Measurements) -> Commands:
        self.cycles += 1
        return idle(1e-6 * self.cycles)


@contextmanager
def on_board(software: Any) -> Iterator[tuple[FlightComputer, dict[str, Any]]]:
    """A computer that runs in a thread; what its run gave or raised is found in the dictionary."""
    end, outcome = FlightComputer(software, port=0), {}

    def work() -> None:
        try:
            outcome["cycles"] = end.run(until_silent_s=LONG_S)
        except Exception as error:
            outcome["error"] = error

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield end, outcome
    finally:
        thread.join(LONG_S)
        end.close()


def test_both_ends_together_fly_and_end_in_good_order() -> None:
    software = Counting()
    with on_board(software) as (end, outcome), link(end.address) as remote:
        flown(remote, 500)
    assert outcome == {"cycles": 500}
    assert software.cycles == 500


def test_a_number_that_comes_again_gets_the_same_answer_and_no_second_step() -> None:
    software = Counting()
    with on_board(software) as (end, outcome), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as simulation:
        simulation.settimeout(LONG_S)
        simulation.connect(end.address)

        def ask(data: bytes) -> bytes:
            simulation.send(data)
            return simulation.recv(2048)

        first = pack_measurements(1, measured(), start=True)
        assert ask(first) == ask(first)
        assert unpack_commands(ask(pack_measurements(2, measured()))).sequence == 2
        simulation.send(first)  # old: no answer
        simulation.send(b"noise")
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
            stranger.sendto(pack_measurements(3, measured(), start=True), end.address)
            stranger.sendto(pack_measurements(3, measured(), end=True), end.address)
            assert unpack_commands(ask(pack_measurements(4, measured()))).sequence == 4  # one lost on the way
        simulation.send(pack_measurements(5, measured(), end=True))
    assert software.cycles == 3
    assert outcome == {"cycles": 4}
    assert end.ignored == 4


def test_who_has_not_begun_is_not_answered() -> None:
    with on_board(Counting()) as (end, _), socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as simulation:
        simulation.settimeout(LONG_S)
        simulation.connect(end.address)
        simulation.send(pack_measurements(7, measured()))
        simulation.send(pack_measurements(8, measured(), start=True))
        assert unpack_commands(simulation.recv(2048)).sequence == 8
        simulation.send(pack_measurements(9, measured(), end=True))
    assert end.ignored == 1


@contextmanager
def poor_line(address: tuple[str, int], rng: np.random.Generator) -> Iterator[tuple[str, int]]:
    """Between the two ends: datagrams of both are lost, doubled, damaged, or held back until the next one is through."""
    front, back = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    front.bind(("127.0.0.1", 0))
    over, simulation, held = threading.Event(), [], {front: [], back: []}

    def carry() -> None:
        while not over.is_set():
            for source in select.select([front, back], [], [], 0.05)[0]:
                data, sender = source.recvfrom(2048)
                if source is front:
                    simulation[:] = [sender]
                luck, queue = rng.random(), held[source]
                through = (
                    [] if luck < 0.05 else [data, data] if luck < 0.2 else [data[:-1] + b"?"] if luck < 0.25 else [data]
                )
                ready = through + queue  # those held back come after the newer one
                held[source] = [ready.pop(0)] if ready and rng.random() < 0.1 else []
                for one in ready:
                    (back.sendto(one, address) if source is front else front.sendto(one, simulation[0]))

    thread = threading.Thread(target=carry)
    thread.start()
    try:
        yield front.getsockname()
    finally:
        over.set()
        thread.join()
        front.close()
        back.close()


def test_over_a_poor_line_every_cycle_is_flown_once() -> None:
    software = Counting()
    with (
        on_board(software) as (end, outcome),
        poor_line(end.address, np.random.default_rng(21)) as address,
        link(address) as remote,
    ):
        flown(remote, 100)
        assert software.cycles == 100
        remote.close()
        end.over = True  # the END may have been lost; the next datagram, whatever it is, lets the computer see it
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anybody:
            anybody.sendto(b"", end.address)
    assert outcome == {"cycles": 100}
    assert remote.repeated > 5
    assert remote.ignored.old > 5


def test_nonsense_does_not_disturb_the_computer() -> None:
    software, rng = Counting(), np.random.default_rng(4)
    with (
        on_board(software) as (end, outcome),
        socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as anybody,
        link(end.address) as remote,
    ):
        for k in range(100):
            good = bytearray(pack_measurements(k + 1, measured(), start=True))
            good[rng.integers(len(good))] ^= int(rng.integers(1, 256))
            anybody.sendto(bytes(good), end.address)
            anybody.sendto(rng.bytes(int(rng.integers(1500))), end.address)
            flown(remote, 1)
    assert outcome == {"cycles": 100}
    assert end.ignored == 200


def test_it_ends_when_nobody_speaks() -> None:
    end = FlightComputer(Counting(), port=0)
    assert end.run(until_silent_s=0.05) == 0
    end.close()


@pytest.mark.parametrize(
    ("step", "told"),
    [
        (lambda _: 1 / 0, "ZeroDivisionError: division by zero"),
        (lambda _: None, "AttributeError: 'NoneType' object has no attribute 'telemetry'"),
        (lambda _: Commands(np.zeros(99), np.zeros(4)), "ValueError: 99 on-times, a datagram holds 24"),
    ],
)
def test_a_software_that_fails_there_is_told_here_and_there(step: Any, told: str) -> None:
    software = type("Failing", (), {"step": staticmethod(step)})
    with on_board(software) as (end, outcome), link(end.address) as remote:
        assert cause(remote) == f"the on-board computer reports: {told}"
    assert f"{type(outcome['error']).__name__}: {outcome['error']}" == told
