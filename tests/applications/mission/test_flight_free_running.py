"""An on-board computer that is not waited for: late, twice, out of order, never. The peer is a socket on loopback in this thread
(what is sent there is there when the call returns) and the clock is ours, so every lateness is known."""

from __future__ import annotations

import socket
import struct
import zlib
from collections.abc import Iterator
from itertools import cycle
from pathlib import Path

import numpy as np
import pytest
from cycle_data import PERIOD_S as FLIGHT_S
from cycle_data import THRUSTERS, WHEELS, idle, measured

from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.flight_free_running import READ_MOST, WHEEL_HOLD, FreeRunningLink
from proxops.applications.mission.flight_host import FlightSoftwareFailed
from proxops.applications.mission.flight_link import RemoteFlightSoftware
from proxops.applications.mission.flight_loading import (
    let_go,
    load_flight_software,
    load_in_real_time,
    own_flight_software,
)
from proxops.applications.mission.flown_motion import FlownMotion
from proxops.applications.mission.report.mission_run import mission_run
from proxops.applications.mission.report.summary import figures_of
from proxops.applications.mission.report.words import line_rows, mission_rows
from proxops.applications.mission.run import run_mission
from proxops.applications.mission.session import session
from proxops.applications.mission.software_flight import fly_in_software
from proxops.core.errors import BadInput
from proxops.core.flight import Commands, FlightSoftware, Measurements
from proxops.core.flight_datagram import (
    MeasurementsReceived,
    pack_commands,
    pack_failure,
    pack_measurements,
    unpack_commands,
    unpack_measurements,
)
from proxops.core.messages import EVENT_DTYPE, PERIOD_S, POOL_DTYPE, mission_bytes
from proxops.core.mission import Mission, parse_mission
from proxops.core.ring import bytes_of
from proxops.core.vocabulary import AbortCause, MissionEnd
from proxops.ground.log import Log
from proxops.ground.pool_columns import PoolColumns
from proxops.ground.wire import pool_layout
from proxops.lab.any_cell import load_cell
from proxops.maths.rotation import Array
from proxops.runs.options import RunOptions

SILENCE_S, START_S = 0.2, 0.4
Y = np.zeros(3)  # truth, which a link only keeps


class Computer:
    """The other end of the line; answers what and when it is told to."""

    def __init__(self) -> None:
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind(("127.0.0.1", 0))
        self.socket.settimeout(0.0)
        self.address: tuple[str, int] = self.socket.getsockname()

    def heard(self) -> list[MeasurementsReceived]:
        out = []
        while True:
            try:
                data, self.simulation = self.socket.recvfrom(2048)
            except BlockingIOError:
                return out
            out.append(unpack_measurements(data))

    def say(self, *datagrams: bytes) -> None:
        for data in datagrams:
            self.socket.sendto(data, self.simulation)

    def answer(self, *sequences: int) -> None:
        """With on-times that show which measurements they are for."""
        self.say(*(pack_commands(k, idle(1e-6 * k)) for k in sequences))


class Line:
    """A link with its computer and clock."""

    def __init__(self) -> None:
        self.now_s, self.computer = 100.0, Computer()
        self.link = FreeRunningLink(self.computer.address, SILENCE_S, START_S, clock=lambda: self.now_s)
        self.figures = self.link.figures
        self.computer.simulation = self.link.address

    def sent(self, count: int = 1) -> None:
        for _ in range(count):
            self.link.send(measured(FLIGHT_S * self.figures.sent), Y)

    def taken(self) -> int | None:
        """Number of the measurements whose answer is carried out in this cycle; then a cycle passes."""
        answer = self.link.take(THRUSTERS, WHEELS, FLIGHT_S)
        self.now_s += PERIOD_S
        return None if answer is None else round(answer.commands.on_time_s[0] * 1e6)


@pytest.fixture
def line() -> Iterator[Line]:
    made = Line()
    yield made
    made.link.close()
    made.computer.socket.close()


# ---------------------------------------------------------------------- what comes, and when
def test_nothing_waits_and_lateness_is_from_sending_to_taking(line: Line) -> None:
    line.sent()
    assert [line.taken() for _ in range(7)] == [None] * 7
    line.computer.answer(1)
    assert line.taken() == 1
    assert line.figures.lateness == pytest.approx(7 * PERIOD_S, abs=1e-9)
    line.sent()
    line.computer.answer(2)
    assert line.taken() == 2
    assert line.figures.lateness == pytest.approx(0.0, abs=1e-9)
    assert line.figures.lateness_max == pytest.approx(7 * PERIOD_S, abs=1e-9)
    assert (line.figures.sent, line.figures.taken, line.figures.missed) == (2, 2, 0)


def test_an_answer_may_be_later_than_the_next_sending(line: Line) -> None:
    line.sent(3)
    line.computer.answer(1)
    assert line.taken() == 1
    line.computer.answer(2)
    assert line.taken() == 2
    assert (line.figures.taken, line.figures.missed) == (2, 0)


def test_the_newest_counts_and_what_it_overtakes_is_missed(line: Line) -> None:
    line.sent(4)
    line.computer.answer(1, 3)  # both have come by this cycle
    assert line.taken() == 3
    assert (line.figures.taken, line.figures.missed) == (1, 2)
    line.computer.answer(2)  # after a newer one
    assert line.taken() is None
    line.computer.answer(2, 3, 1)  # all of them once more
    assert line.taken() is None
    line.computer.answer(4)
    assert line.taken() == 4
    assert (line.figures.out_of_order, line.figures.doubled, line.figures.missed) == (1, 3, 2)


def test_in_one_cycle_an_older_one_behind_a_newer_is_out_of_order(line: Line) -> None:
    line.sent(2)
    line.computer.answer(2, 1)
    assert line.taken() == 2
    assert (line.figures.out_of_order, line.figures.missed) == (1, 1)


def test_noise_strangers_and_answers_to_nothing_are_counted_and_ignored(line: Line) -> None:
    line.sent()
    damaged = bytearray(pack_commands(1, idle(0.05)))
    damaged[300] ^= 4
    line.computer.say(b"", b"noise", bytes(damaged), pack_commands(2, idle()), pack_commands(0, idle()))
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(pack_commands(1, idle(0.05)), line.link.address)
    line.computer.answer(1)
    assert line.taken() == 1
    ignored = line.link.ignored
    assert (ignored.damaged, ignored.old, ignored.strangers, line.figures.ignored) == (3, 2, 1, 6)


def test_a_flood_is_read_in_bounded_pieces(line: Line) -> None:
    line.sent()
    line.computer.say(*[b"noise"] * (READ_MOST + 3))
    line.computer.answer(1)
    assert line.taken() is None
    assert line.figures.ignored == READ_MOST
    assert line.taken() == 1


def test_start_is_told_until_the_first_answer_and_the_end_once(line: Line) -> None:
    line.sent(2)
    line.computer.answer(2)
    assert line.taken() == 2
    line.sent()
    line.link.close()
    heard = line.computer.heard()
    assert [(m.sequence, m.start, m.end) for m in heard] == [
        (1, True, False),
        (2, True, False),
        (3, False, False),
        (4, False, True),
    ]


# ---------------------------------------------------------------------- what ends the mission
def cause(line: Line) -> str:
    with pytest.raises(FlightSoftwareFailed) as caught:
        line.taken()
    return caught.value.cause


def test_silence_is_longer_than_the_limit_and_counts_what_was_missed(line: Line) -> None:
    line.sent()
    line.computer.answer(1)
    assert line.taken() == 1
    assert [line.taken() for _ in range(100)] == [None] * 100  # nothing is to come: no silence
    line.sent()
    for _ in range(round(SILENCE_S / PERIOD_S) + 1):
        assert line.taken() is None
    line.computer.say(b"noise")
    host, port = line.computer.address
    told = f"no answer within 0.2 s from {host}:{port}, cycle 2; ignored: 0 of strangers, 1 damaged, 0 old"
    assert cause(line) == told
    assert line.figures.missed == 1


def test_answers_that_are_late_but_keep_coming_are_no_silence(line: Line) -> None:
    """Each five flight cycles late, which is longer than the limit."""
    for k in range(1, 20):
        line.sent()
        if k > 5:
            line.computer.answer(k - 5)
        assert line.taken() == (k - 5 if k > 5 else None)
        line.now_s += FLIGHT_S
    assert line.figures.lateness > SILENCE_S
    assert line.figures.missed == 0


def test_a_simulation_that_was_held_up_does_not_blame_the_computer(line: Line) -> None:
    line.sent()
    assert line.taken() is None
    line.now_s += 60.0
    line.computer.answer(1)
    assert line.taken() == 1


def test_nobody_there_has_the_time_to_come_up(line: Line) -> None:
    line.sent()
    for _ in range(round(START_S / PERIOD_S) + 1):
        assert line.taken() is None
    assert cause(line).endswith(f":{line.computer.address[1]}: is the on-board computer running?")


def test_the_computers_own_failure_and_answers_that_are_whole_and_wrong(line: Line) -> None:
    line.sent(2)
    line.computer.say(pack_failure(1, "ValueError: no fix"))
    assert cause(line) == "the on-board computer reports: ValueError: no fix"
    for at, value, told in ((4, 9, "version 9"), (6, 99, "99 thrusters")):
        body = bytearray(pack_commands(2, idle())[:-4])
        body[at] = value
        line.sent()
        line.computer.say(bytes(body) + struct.pack("<I", zlib.crc32(body)))
        assert cause(line).startswith(f"unreadable answer: seq 2: {told}")


# ---------------------------------------------------------------------- who may run free
TEXT = """
like = "approach"
name = "free"
about = "Some seconds at 5 m"
duration_s = 4.0
plan = [{ kind = "hold", duration_s = 100.0 }]
[start]
position_m = [-5.0, 0.0, 0.0]
[flight]
waits = false
"""
UDP = "udp://127.0.0.1:47999"


def free(text: str = TEXT) -> Mission:
    return parse_mission(text, Path("free.toml"))


def test_in_wall_time_an_address_is_a_free_running_link() -> None:
    link = load_in_real_time(UDP, free().file)
    assert isinstance(link, FreeRunningLink)
    assert link._silence_s == pytest.approx(free().file.flight.limit_ms * 1e-3)
    let_go(link)
    waiting = load_in_real_time(UDP, free(TEXT.replace("false", "true")).file)
    assert isinstance(waiting, RemoteFlightSoftware)
    let_go(waiting)


def test_lockstep_is_refused_by_name() -> None:
    told = r"flight\.waits: a mission in lockstep waits for every answer"
    with pytest.raises(BadInput, match=told):
        load_flight_software(UDP, free().file)
    with pytest.raises(BadInput, match=told):
        fly_in_software(free(), 1)
    with pytest.raises(BadInput, match=told):
        run_mission(load_cell(), free(), None, software=own_flight_software(free().file))
    with pytest.raises(BadInput, match=told):
        session(free(), Path("never_made"), RunOptions(flight_software=UDP))
    assert not Path("never_made").exists()


@pytest.mark.parametrize("name", [None, "own.py:Mine"])
def test_software_without_a_line_is_refused_by_name(name: str | None) -> None:
    with pytest.raises(BadInput, match=r"flight\.waits: only an on-board computer behind a line can run free"):
        load_in_real_time(name, free().file)
    with pytest.raises(BadInput, match=r"flight\.waits: only"):
        session(free(), Path("never_made"), RunOptions(flight_software=name, realtime=True))


def test_what_a_mission_asks_of_the_hall_can_be_checked_all_the_same() -> None:
    assert FlownMotion(free(TEXT.replace("4.0", "0.5"))).duration_s == pytest.approx(0.5)


# ---------------------------------------------------------------------- flown through the application
class Scripted:
    """A computer with a software that takes ``delay`` cycles for an answer (each of several in turn), one answer after the other,
    and gives none from ``until`` on."""

    def __init__(self, software: FlightSoftware, *delay: int, until: int = 2**31) -> None:
        self.line, self._software, self._delays, self._until = Line(), software, cycle(delay), until
        self._due: dict[int, bytes] = {}  # by cycle
        self._cycle = self._ready = 0  # when the last answer is given
        ask = self.line.link.send

        def send(measurements: Measurements, y: Array) -> None:
            ask(measurements, y)
            for m in self.line.computer.heard():
                data = pack_commands(m.sequence, self._software.step(m.measurements))
                self._ready = max(self._cycle, self._ready) + next(self._delays)
                if m.sequence < self._until:
                    self._due[self._ready] = data
            self.speak()

        self.line.link.send = send  # type: ignore[method-assign]

    def speak(self) -> None:
        if self._cycle in self._due:
            self.line.computer.say(self._due.pop(self._cycle))

    def passed(self) -> None:
        self._cycle += 1
        self.line.now_s += PERIOD_S


def flown(mission: Mission, peer: Scripted) -> tuple[MissionApplication, np.ndarray]:
    """Flown to its end in software, and its part of the pool in every cycle."""
    application = MissionApplication(mission, 1, peer.line.link)
    application.advance(0.0, None)  # begins
    rows = []
    while not application.over:
        peer.speak()
        application.advance(len(rows) * PERIOD_S, None)
        peer.passed()
        row = np.zeros(1, POOL_DTYPE)
        row["clock"]["tick"] = len(rows) + 1
        bytes_of(row)[mission_bytes()] = application.record.bytes
        rows.append(row)
    return application, np.concatenate(rows)


class Across:
    """A software that is waited for behind the same datagrams."""

    def __init__(self, software: FlightSoftware) -> None:
        self._software = software

    def step(self, m: Measurements) -> Commands:
        heard = unpack_measurements(pack_measurements(1, m))
        return unpack_commands(pack_commands(1, self._software.step(heard.measurements))).commands


def test_answers_at_once_fly_the_flight_of_a_run_that_waits_to_the_bit() -> None:
    mission = free()
    application, _ = flown(mission, Scripted(own_flight_software(mission.file), 0))
    waiting = MissionApplication(mission, 1, Across(own_flight_software(mission.file)), limit_s=300.0)
    while not waiting.over:
        waiting.advance(0.0, None)
    assert application.outcome.end is waiting.outcome.end is MissionEnd.TIME
    assert application.pair.y.tobytes() == waiting.pair.y.tobytes()
    assert application.record.nees == waiting.record.nees


class Steady:
    """Thruster 1 for 20 ms and a torque on wheel 1, whatever is measured."""

    def __init__(self, mission: Mission) -> None:
        self._sizes = len(mission.file.chaser.thrusters.places), len(mission.file.chaser.wheels.axes)

    def step(self, m: Measurements) -> Commands:
        on_time_s, torque = (np.zeros(size) for size in self._sizes)
        on_time_s[0], torque[0] = 0.02, 0.01
        return Commands(on_time_s, torque)


DELAY, LAST, EVERY = 7, 5, 25


@pytest.fixture(scope="module")
def silenced() -> tuple[MissionApplication, np.ndarray]:
    """Five answers, each seven cycles late, and then none."""
    mission = free()
    return flown(mission, Scripted(Steady(mission), DELAY, until=LAST + 1))


def test_commands_are_carried_out_from_the_cycle_in_which_they_came(
    silenced: tuple[MissionApplication, np.ndarray],
) -> None:
    _, rows = silenced
    begun = [EVERY * k + DELAY for k in range(LAST)]
    fired = np.flatnonzero(rows["thrusters"]["on1"]).tolist()
    assert fired == [
        cycle + k for cycle in begun for k in range(5)
    ]  # 20 ms each, and no more when answers fail to come
    taken = np.flatnonzero(np.diff(rows["flight_line"]["taken"].astype(int), prepend=0)).tolist()
    assert taken == begun
    assert rows["flight_line"]["lateness"][taken] == pytest.approx([DELAY * PERIOD_S] * LAST, abs=1e-9)


def test_wheels_hold_a_torque_for_two_flight_cycles_and_no_longer(
    silenced: tuple[MissionApplication, np.ndarray],
) -> None:
    """The momentum of the wheel is the torque's impulse: from the first answer to two flight cycles after the last."""
    application, _ = silenced
    held_s = (EVERY * (LAST - 1) + WHEEL_HOLD * EVERY) * PERIOD_S
    assert abs(application.pair.y[26]) == pytest.approx(0.01 * held_s, rel=1e-9)


def test_the_silence_ends_the_mission_with_its_cause(silenced: tuple[MissionApplication, np.ndarray]) -> None:
    application, _ = silenced
    assert application.outcome.end is MissionEnd.FLIGHT_SOFTWARE
    assert f"no answer within {SILENCE_S:g} s" in application.outcome.failure


def test_an_answer_that_no_actuator_takes_is_judged_as_always() -> None:
    mission = free()

    class Broken(Steady):
        def step(self, m: Measurements) -> Commands:
            commands = super().step(m)
            commands.wheel_torque[0] = np.nan
            return commands

    application, rows = flown(mission, Scripted(Broken(mission), DELAY))
    assert "not finite: wheel_torque of wheel 1 is nan" in application.outcome.failure
    assert not rows["thrusters"]["on1"].any()


def test_summary_and_report_say_that_it_was_free_running(silenced: tuple[MissionApplication, np.ndarray]) -> None:
    _, rows = silenced
    metadata = {"mission": "true", "scenario": "free", "scenario_file": TEXT, "clock": "live", "hall": "True"}
    log = Log(
        Path("free.mcap"), PoolColumns.of(rows, pool_layout()), np.empty(0, EVENT_DTYPE), pool_layout().columns, metadata, {},
        {"/pool": rows.size}, True, (),
    )  # fmt: skip
    run = mission_run(log)
    assert run is not None
    figures = figures_of(run, load_cell())
    assert figures["free_running"]
    line = figures["flight_line"]
    assert (line["sent"], line["taken"]) == (line["taken"] + line["missed"], LAST)
    assert line["missed"] == 3  # sent at 0.5, 0.6 and 0.7 s; 0.204 s after the first the mission was over
    assert line["lateness_median_s"] == line["lateness_max_s"] == pytest.approx(DELAY * PERIOD_S, abs=1e-9)
    told = dict(mission_rows(figures))["on-board computer"]
    assert told == "free-running: 28.0 ms late (median), at most 28.0 ms; 3 of 8 answers missed"
    assert ("answers missed", "3") in line_rows(line)


# ---------------------------------------------------------------------- our own software behind a late line
LATE = 9, 9, 9, 9, 9, 9, 9, 9, 9, 36  # cycles: 36 ms, in every tenth step 144 ms, which delays the next one too
NEARBY = """
like = "approach"
name = "nearby"
about = "The last metres along the docking axis"
duration_s = 200.0
plan = [{ kind = "fly_around", to = "docking_axis", rate_deg_s = 2.0 }, { kind = "final", speed_m_s = 0.05 }]
[start]
position_m = [-4.0, 0.0, 0.0]
[target.attitude]
axis = [-1.0, 0.0, 0.0]
[flight]
waits = """


def late_flight(told: str) -> MissionApplication:
    """Our own software, told whether somebody waits for its answers; nobody does. To the end, or until it gives up."""
    peer = Scripted(own_flight_software(free(NEARBY + told).file), *LATE)
    application = MissionApplication(free(f"{NEARBY}false"), 1, peer.line.link)
    while not application.over and application.outcome.abort is AbortCause.NONE:
        peer.speak()
        application.advance(0.0, None)
        peer.passed()
    figures = peer.line.figures
    assert figures.missed == 0 and figures.lateness_max == pytest.approx(0.144, abs=1e-9)
    return application


def test_our_own_software_mates_although_its_answers_are_late() -> None:
    out = late_flight("false").outcome
    assert (out.end, out.abort) == (MissionEnd.MATED, AbortCause.NONE)
    assert out.contact is not None and out.contact[1] < 0.1 and abs(out.contact[2]) < np.radians(4.0)


def test_one_that_takes_its_commands_to_be_carried_out_at_once_sees_thrusters_fire_unasked() -> None:
    assert late_flight("true").outcome.abort is AbortCause.ACTUATORS
