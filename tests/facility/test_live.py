"""The live facility over real UDP sockets: procedure, master, bad datagrams, dying clients, recording."""

from __future__ import annotations

import json
import os
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from patient_cell import patient_cell

from proxops.client import ControlClient, SyncClient
from proxops.core.datagram import Command, Refusal, pack_command
from proxops.core.errors import BadInput, Refused
from proxops.core.messages import MISSION_DTYPE, POOL_DTYPE
from proxops.core.ring import Ring, bytes_of
from proxops.core.vocabulary import MissionPhase, Mode, System
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell
from proxops.safety.rules import Rule

# Ports in front of home, a little off, in GLC (m, deg): port 1, port 2, no point of view, data lin.
START = [4.30, -0.10, 0.44, 0, 5, 85, 0, 2.10, 1.45, 0.44, 0, 8, -85, 0, *[0.0] * 7, 1.50]
DT = 0.004
FAR = 1000  # cycles of an approach, 12 cm
START_S = 400.0  # a fresh clone compiles its kernels first, beside others that do the same


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as opened:
        opened.bind(("127.0.0.1", 0))
        return int(opened.getsockname()[1])


class Live:
    """A facility in another process, its control channel, and what it recorded."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.simulators = folder, list[Simulator]()
        self.sync_port = free_port()
        self.name = f"test-{os.getpid()}-{self.sync_port}"
        command = [
            sys.executable,
            "-m",
            "proxops.cli",
            "serve",
            "--no-console",
            "--bridge-port",
            "0",
            "--out",
            str(folder),
            "--no-report",
            "--json",
        ]
        command += [
            "--port",
            str(self.sync_port),
            "--control",
            self.name,
            "--cell",
            str(patient_cell(folder.parent, hurry=True)),
        ]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.control = ControlClient(self.name, 5.0)
        self.wait("READY", patience=START_S)

    def status(self) -> dict:
        return self.control.ask("status")

    def wait(self, mode: str, patience: float = 60) -> dict:
        until = time.monotonic() + patience
        while True:
            try:
                state = self.status()
                if state["mode"] == mode:
                    return state
            except Refused:
                state = {"mode": "not up"}
            assert self.process.poll() is None, self.process.stderr.read().decode()
            assert time.monotonic() < until, f"{state['mode']}, waited for {mode}"
            time.sleep(0.02)

    def end(self) -> Log:
        if self.process.poll() is None:
            self.control.ask("shut_down")
            self.process.wait(30)
        return Log.open(self.folder / "run.mcap")


class Simulator(threading.Thread):
    """A satellite simulator at 250 Hz: holds its start until the run is confirmed, then moves as told."""

    def __init__(self, port: int, motion: Callable[[int], list[float]]) -> None:
        super().__init__(daemon=True)
        self.client = SyncClient(("127.0.0.1", port), 0.05)  # what is not answered, must not become a silence
        self._motion, self.answers, self.step, self._ending = motion, [], 0, False
        self.spoil: list[Callable[[int], bytes]] = []  # raw datagrams to send instead of the next commands

    def run(self) -> None:
        deadline = time.monotonic()
        while not self._ending:
            if self.spoil:
                self.client.sequence += 1
                self.client._socket.send(self.spoil.pop()(self.client.sequence))
                answer = self.client.receive()
            else:
                answer = self.client.exchange(System.GLC, self._motion(self.step))
            if answer is not None:
                self.answers.append(answer)
                self.step += answer.mode == Mode.RUNNING
            deadline += DT
            time.sleep(max(0.0, deadline - time.monotonic()))

    def end(self) -> None:
        self._ending = True
        self.join()
        self.client.close()


@pytest.fixture
def own(tmp_path: Path) -> Iterator[Live]:
    """For one test, which may end it as it likes; whatever fails, nothing of it lives on beside the next."""
    facility = Live(tmp_path / "serve")
    yield facility
    facility.process.kill()
    facility.process.wait()


@pytest.fixture(scope="module")
def live(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Live]:
    facility = Live(tmp_path_factory.mktemp("live") / "serve")
    yield facility
    facility.end()


def approach(step: int) -> list[float]:
    """Softly to 3 cm/s towards robot 2."""
    t = step * DT
    return [START[0] - 0.03 * (t - (1 - np.exp(-2 * t)) / 2), *START[1:]]


def make_ready(live: Live) -> None:
    """Whatever the test before has left: one that failed must not let the others fail."""
    while live.simulators:
        live.simulators.pop().end()
    if live.status()["mode"] not in ("READY", "ARMED", "AT_START", "MANUAL", "STOPPED"):
        live.control.ask("safe_stop")
        live.wait("STOPPED")
    mode = live.status()["mode"]
    if mode == "STOPPED":
        live.control.ask("reset")
    elif mode != "READY":
        live.control.ask("select", source="none")


def connect(live: Live, motion: Callable[[int], list[float]]) -> Simulator:
    simulator = Simulator(live.sync_port, motion)
    live.simulators.append(simulator)
    simulator.start()
    while not simulator.answers:
        time.sleep(0.01)
    return simulator


def begin(live: Live) -> Simulator:
    """A run under way: that of the test before, if it has left one with some way to go."""
    last = live.simulators[-1] if live.simulators else None
    if last and last.is_alive() and last.step < FAR and live.status()["mode"] == "RUNNING":
        return last
    return begin_anew(live)


def begin_anew(live: Live) -> Simulator:
    make_ready(live)
    live.control.ask("select", source="sync")
    simulator = connect(live, approach)
    live.control.ask("move_to_start", order="robot1,robot2,rail")
    live.wait("AT_START")
    live.control.ask("confirm")
    time.sleep(0.4)
    return simulator


def test_a_whole_synchronous_run(live: Live) -> None:
    simulator = begin_anew(live)
    time.sleep(0.5)
    assert live.status()["mode"] == "RUNNING"
    simulator._ending = True
    simulator.join()
    simulator.client.exchange(System.GLC, approach(simulator.step), alive=False)  # ends in good order
    live.wait("READY", 10)
    modes = {a.mode for a in simulator.answers}
    assert {Mode.ARMED, Mode.MOVING_TO_START, Mode.AT_START, Mode.RUNNING} <= modes
    moving = [a.moving_to_start for a in simulator.answers if a.mode == Mode.MOVING_TO_START]
    assert all(moving)  # bit 15
    assert all(a.alive for a in simulator.answers)  # bit 14
    assert all(a.system == System.GLC and a.refusal == 0 for a in simulator.answers)
    running = [a for a in simulator.answers if a.mode == Mode.RUNNING]
    commanded = approach(simulator.step)
    np.testing.assert_allclose(running[-1].values[:3], commanded[:3], atol=5e-3)
    np.testing.assert_allclose(running[-1].values[7:13], commanded[7:13], atol=0.1)
    sequences = [a.sequence for a in simulator.answers]
    assert sequences == sorted(set(sequences))


def test_a_second_sender_is_refused_while_the_first_is_master(live: Live) -> None:
    begin(live)
    intruder = SyncClient(("127.0.0.1", live.sync_port), 1.0)
    jump = [START[0] - 1.0, *START[1:]]
    answers = [intruder.exchange(System.GLC, jump) for _ in range(5)]
    assert all(a is not None and a.refusal == Refusal.NOT_MASTER for a in answers)
    state = live.status()
    assert state["mode"] == "RUNNING"
    assert state["sync"]["refused"]["not_master"] >= 5
    intruder.close()


def spoilt(change: Callable[[bytearray], None], crc: bool = True) -> Callable[[int], bytes]:
    """A good datagram with something changed; the CRC put right unless told otherwise."""

    def make(sequence: int) -> bytes:
        data = bytearray(pack_command(Command(int(System.GLC), sequence, time.time_ns(), tuple(START))))
        change(data)
        if crc:
            data[-4:] = struct.pack("<I", zlib.crc32(bytes(data[:-4])))
        return bytes(data)

    return make


HARMLESS = {
    "crc": (spoilt(lambda d: d.__setitem__(40, d[40] ^ 1), crc=False), Refusal.CRC),
    "short": (lambda n: spoilt(lambda d: None)(n)[:-8], Refusal.SIZE),
    "long": (lambda n: spoilt(lambda d: None)(n) + b"\0", Refusal.SIZE),
    "version": (spoilt(lambda d: d.__setitem__(4, 9)), Refusal.VERSION),
    "replay": (lambda n: spoilt(lambda d: None)(1), Refusal.OLD_SEQUENCE),
}
DEADLY = {
    "nan": (spoilt(lambda d: d.__setitem__(slice(24, 32), struct.pack("<d", float("nan")))), Rule.NOT_FINITE),
    "inf": (
        spoilt(lambda d: d.__setitem__(slice(24 + 56, 32 + 56), struct.pack("<d", float("inf")))),
        Rule.NOT_FINITE,
    ),
    "mode word": (spoilt(lambda d: d.__setitem__(6, 7)), Rule.BAD_COMMAND),
    "unreachable": (
        spoilt(lambda d: d.__setitem__(slice(24 + 72, 32 + 72), struct.pack("<d", 3.9))),
        Rule.UNREACHABLE,
    ),
    "jump": (spoilt(lambda d: d.__setitem__(slice(24, 32), struct.pack("<d", START[0] - 0.5))), Rule.JUMP),
}


@pytest.mark.parametrize("kind", HARMLESS)
def test_what_cannot_be_a_command_is_dropped_counted_and_named(live: Live, kind: str) -> None:
    make, refusal = HARMLESS[kind]
    simulator = begin(live)
    before = live.status()["sync"]["refused"].get(refusal.name.lower(), 0)
    simulator.spoil = [make]
    time.sleep(0.1)
    state = live.status()
    assert state["mode"] == "RUNNING"
    assert state["sync"]["refused"][refusal.name.lower()] == before + 1


@pytest.mark.parametrize("kind", DEADLY)
def test_a_command_that_must_not_be_followed_stops_the_hall_by_name(live: Live, kind: str) -> None:
    make, rule = DEADLY[kind]
    simulator = begin(live)
    simulator.spoil = [make] * 5
    state = live.wait("STOPPED", 10)
    assert state["stop"]["rule"] == rule.name
    assert "seq" in state["stop"]["text"]
    simulator.end()


def test_a_client_that_dies_in_mid_motion_lets_the_hall_halt(live: Live) -> None:
    simulator = begin(live)
    simulator.end()
    state = live.wait("STOPPED", 10)
    assert state["stop"]["rule"] == "SILENCE"
    assert "last seq" in state["stop"]["text"]


def test_garbage_is_counted_and_disturbs_nothing(live: Live) -> None:
    """Anything at all, some hundred a second, beside a run."""
    begin(live)
    junk = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    rng = np.random.default_rng(5)
    before = live.status()["sync"]["refused"].get("magic", 0)
    for _ in range(200):
        junk.sendto(rng.bytes(int(rng.integers(1, 400))), ("127.0.0.1", live.sync_port))
        time.sleep(0.001)
    junk.close()
    state = live.status()
    assert state["mode"] == "RUNNING", state["stop"]
    assert state["sync"]["refused"]["magic"] >= before + 190


def test_confirm_is_refused_when_the_command_has_moved_away(live: Live) -> None:
    make_ready(live)
    live.control.ask("select", source="sync")
    place = {"x": START[0]}
    simulator = connect(live, lambda step: [place["x"], *START[1:]])
    live.control.ask("move_to_start", order="rail,robot1,robot2")
    live.wait("AT_START")
    place["x"] -= 0.1
    time.sleep(0.05)
    with pytest.raises(Refused, match="moved away"):
        live.control.ask("confirm")
    live.control.ask("select", source="none")
    simulator.end()


@pytest.mark.parametrize(
    ("request_", "words"),
    [
        (b"not json", "cannot be read"),
        (b"[]", "another version"),
        (b'{"proxops": 1}', "another version"),
        (
            b'{"proxops": 2, "sequence": 1, "sent_ns": 0, "ttl_ms": 100, "do": "status"}',
            "too old",
        ),
        (b"\xff" * 2000, "cannot be read"),
    ],
)
def test_the_control_channel_refuses_nonsense(live: Live, request_: bytes, words: str) -> None:
    raw = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    raw.settimeout(2)
    raw.connect(json.loads((live.folder / "facility.json").read_text())["control"])
    raw.send(request_)
    assert words in raw.recv(60000).decode()
    raw.close()


def test_the_control_channel_names_bad_arguments(live: Live) -> None:
    with pytest.raises(BadInput, match="order"):
        live.control.ask("move_to_start", order=7)
    with pytest.raises(BadInput, match="no such request"):
        live.control.ask("fly")


def test_interlocks_stop_jog_and_status_tells(live: Live) -> None:
    make_ready(live)
    live.control.ask("select", source="manual")
    for _ in range(5):
        live.control.ask("jog", system="GLC", robot="robot1", component="z", direction=1, speed=0.5)
        time.sleep(0.05)
    live.control.ask("interlock", name="gate_south", healthy=False)
    state = live.wait("STOPPED")
    assert state["stop"]["rule"] == "GATE"
    assert state["open_interlocks"] == ["gate_south"]
    live.control.ask("interlock", name="gate_south", healthy=True)
    live.control.ask("reset")


def test_a_loaded_trajectory_is_played_live(live: Live, tmp_path: Path) -> None:
    """Parsed and checked by the checker, mapped by the facility, played through the same procedure. Needs a control channel that
    passes descriptors."""
    from proxops.client import load_trajectory as load
    from proxops.facility.warmup import standing
    from proxops.lab.trajectory import write_trajectory

    cell, path = load_cell(), tmp_path / "motion.txt"
    motion = standing(cell, System.GLC, 250)
    motion.values[:, 0] += 0.005 * (1 - np.cos(np.linspace(0, 2 * np.pi, 250)))
    with path.open("w") as file:
        write_trajectory(motion, file)
    make_ready(live)
    assert load(live.control, path) == 250
    path.write_text("")  # whatever becomes of the file
    live.control.ask("select", source="async")
    live.control.ask("move_to_start", order="rail,robot1,robot2")
    live.wait("AT_START")
    live.control.ask("confirm")
    assert live.status()["mode"] == "RUNNING"
    live.wait("READY", 10)
    motion.values[120:, 0] += 1.0
    with path.open("w") as file:
        write_trajectory(motion, file)
    with pytest.raises(BadInput, match="line 121"):
        load(live.control, path)


def test_a_mission_can_join_a_hall_that_is_served_and_is_gone_when_it_falls_silent(live: Live) -> None:
    """What ``facility.json`` tells is enough; a single record stands for half a second."""
    about = json.loads((live.folder / "facility.json").read_text())
    assert about["latency_s"] == pytest.approx(0.052)  # the rail's dead time and lag, and one cycle
    pool = Ring.attach(Path(about["pool_ring"]), POOL_DTYPE)
    application = Ring.attach(Path(about["mission_ring"]), MISSION_DTYPE)
    record = np.zeros(1, MISSION_DTYPE)
    record[0]["mission"]["phase"], record[0]["mission"]["t"] = MissionPhase.HOLD, 7.0
    start, until = pool.head, time.monotonic() + 20
    application.push(bytes_of(record))
    while time.monotonic() < until:
        rows, _, overtaken = pool.read(start)
        shown = rows["mission"]["phase"] == MissionPhase.HOLD
        if shown.any() and not shown[-1]:
            break
        time.sleep(0.05)
    first, last = np.flatnonzero(shown)[[0, -1]]
    assert (overtaken, shown.sum()) == (0, last + 1 - first)
    since_s = (rows["clock"]["utc_ns"] - rows["clock"]["utc_ns"][first]) * 1e-9
    assert since_s[last] <= 0.5 + DT <= since_s[last + 1] + 2 * DT  # a late cycle shortens the row, never the time
    assert (rows["mission"]["t"][shown] == 7.0).all()
    assert rows["mission"]["t"][-1] == 0.0


def test_a_held_jog_step_over_the_control_channel(live: Live) -> None:
    """Heartbeats every 20 ms, each good for 60 ms: the step ends by itself and the rail stands exactly there."""
    make_ready(live)
    live.control.ask("select", source="manual")
    before, until = live.status(), time.monotonic() + 20
    pressed = {"system": "IJT", "robot": "rail", "component": "rail", "direction": 1, "speed": 0.2, "hold_ms": 60}
    press, seen = 1, []  # a heartbeat that came too late on a busy machine ends its press: the next goes on from there
    while time.monotonic() < until:
        left = 0.01 - (live.status()["setpoint"]["rail"] - before["setpoint"]["rail"])
        if left < 1e-8:
            break
        while live.control.ask("jog", **pressed, step=left, press=press):
            seen.append(live.status()["jog"])
            time.sleep(0.02)
        press += 1
    assert {"robot": "rail", "direction": 1}.items() <= next(j for j in seen if j).items()
    after = live.status()
    assert after["setpoint"]["rail"] - before["setpoint"]["rail"] == pytest.approx(0.01, abs=2e-9)  # told to 1e-9
    assert after["jog"] is None
    live.control.ask("select", source="none")


def test_a_signal_ends_the_facility_in_good_order(live: Live) -> None:
    simulator = begin(live)
    os.kill(live.process.pid, signal.SIGTERM)
    live.process.wait(30)
    simulator.end()
    log = Log.open(live.folder / "run.mcap")
    assert log.complete
    assert log.pool["state"]["mode"][-1] == Mode.STOPPED
    assert live.process.returncode == 1  # the session ended in a stop


def test_everything_was_recorded_and_kept_the_limits(live: Live) -> None:
    """After all of the above: one whole log, every set-point within speed and acceleration, every stop in the events."""
    cell = load_cell()
    log = live.end()
    assert log.complete
    ticks = log.pool["clock"]["tick"]
    assert (np.diff(ticks) == 1).all()
    x = np.column_stack([log.pool["setpoint"][name] for name in log.pool["setpoint"].dtype.names])
    v = np.diff(x, axis=0) / DT
    assert (np.abs(v) <= cell.hall["speed"][0] * (1 + 1e-9)).all()
    assert (np.abs(np.diff(v, axis=0)) / DT <= cell.hall["acceleration"][0] * (1 + 1e-6)).all()
    texts = " ".join(event["text"].decode() for event in log.events)
    for rule in ("NOT_FINITE", "BAD_COMMAND", "UNREACHABLE", "JUMP", "SILENCE", "GATE", "OPERATOR"):
        assert rule in texts


def test_kill_9_of_the_recorder_raises_an_alarm_disturbs_no_motion_and_fails_the_session(own: Live) -> None:
    facility = own
    simulator = begin(facility)
    children = Path(f"/proc/{facility.process.pid}/task/{facility.process.pid}/children").read_text().split()
    recorder = next(int(pid) for pid in children if "recorder" in Path(f"/proc/{pid}/cmdline").read_text())
    time.sleep(1.5)  # a kill costs up to a second of the log, and some of the run is to be in it
    os.kill(recorder, signal.SIGKILL)
    time.sleep(0.5)
    state = facility.status()
    assert state["mode"] == "RUNNING"
    assert "recorder_lost" in state["alarms"]
    facility.control.ask("safe_stop")
    facility.wait("STOPPED")
    simulator.end()
    facility.control.ask("reset")
    with pytest.raises(Refused, match="recorder_lost"):
        facility.control.ask("select", source="bridge")
    facility.control.ask("shut_down")
    facility.process.wait(30)
    assert facility.process.returncode == 1
    assert "the log is not whole: the recorder was killed (-9)" in facility.process.stderr.read().decode()
    log = Log.open(facility.folder / "run.mcap")
    assert not log.complete and log.ended is None
    running = log.pool["state"]["mode"] == Mode.RUNNING
    assert running.any()  # readable into the run
