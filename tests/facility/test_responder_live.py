"""The watchdog's proof on a real ``proxops serve`` with the rail at full speed: killed, stopped, slowed, and the responder itself
killed and frozen. What happens is read from the responder's own states, which outlive the facility.

A machine that is short of time may hold the facility up for longer than the watchdog has patience; then the hall has stopped, as
it should, before the test came to its point, and the test begins again."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from patient_cell import hurried

from proxops.client import ControlClient
from proxops.client import load_trajectory as load
from proxops.core.clock import monotonic_ns
from proxops.core.errors import Refused
from proxops.core.messages import PERIOD_NS, PERIOD_S, POOL_DTYPE
from proxops.core.ring import Ring
from proxops.core.vocabulary import System
from proxops.ground.log import Log
from proxops.lab.any_cell import HALL, cell_source, load_cell
from proxops.lab.coordinates import POV_AT_LAB, lines_from_axes
from proxops.lab.links.exchange import Watch, WatchdogCause, patience_ns, state_dtype
from proxops.lab.links.virtual import Drive
from proxops.lab.trajectory import Trajectory, write_trajectory
from proxops.safety.braking import hard_braking_time

CELL = load_cell()
PATIENCE_NS = patience_ns(CELL.file.link.patience_cycles)
FULL_SPEED = 1.45  # m/s, the rail's
PLATEAU = 600  # cycles at it: for the random half second, and for a machine that stalls before the test strikes
ATTEMPTS = 6
START_S = 400.0  # a fresh clone compiles its kernels first, beside others that do the same
WATCHDOG_OR_STALL = {"WATCHDOG", "STALL"}  # whichever the facility notices first when it comes back


class TooSoon(Exception):
    """The hall stopped before the test came to its point."""


def race(path: Path, stands: np.ndarray) -> Path:
    """From where the robots stand, or home if the rail ends too soon, to its full speed and to rest; a wrist turns along."""
    ramp = np.arange(700) * PERIOD_S
    up = FULL_SPEED * (1 - np.cos(np.pi * ramp / ramp[-1])) / 2
    way = np.cumsum(np.concatenate([up, np.full(PLATEAU, FULL_SPEED), up[::-1]])) * PERIOD_S
    begin = stands if stands[0] + way[-1] < CELL.axes.upper[0] - 0.1 else CELL.home
    q = np.tile(begin, (way.size, 1))
    q[:, 0] += way
    q[:, 6] += 0.2 * way
    values = np.empty((way.size, 22))
    lines_from_axes(CELL.hall, int(System.IJT), q, np.tile(POV_AT_LAB, (way.size, 1)), values)
    with path.open("w") as file:
        write_trajectory(Trajectory(np.full(way.size, System.IJT, np.int16), values, "race"), file)
    return path


def quick_cell(folder: Path) -> Path:
    """The shipped hall, but robots go fast to where the next race begins."""
    path = folder / "quick.toml"
    path.write_text(hurried(cell_source(HALL).read_text()))
    return path


class Served:
    """A facility in another process and the states of its responder."""

    def __init__(self, folder: Path, name: str) -> None:
        self.folder = folder
        command = [
            sys.executable,
            "-m",
            "proxops.cli",
            "serve",
            "--no-console",
            "--no-report",
            "--json",
            "--out",
            str(folder),
        ]
        command += ["--port", "0", "--bridge-port", "0", "--control", name, "--cell", str(quick_cell(folder.parent))]
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
        self.control = ControlClient(name, 5.0)
        self.wait(lambda s: s["mode"] != "STANDBY", START_S)
        about = json.loads((folder / "facility.json").read_text())
        self.responder = int(about["responder_pid"])
        self.ring = Ring.attach(Path(about["link_ring"]), state_dtype(13, 3))
        self._pool = Ring.attach(Path(about["pool_ring"]), POOL_DTYPE)

    def wait(self, condition: Callable[[dict], bool], patience: float = 60) -> dict:
        until, state = time.monotonic() + patience, {"mode": "not up"}
        while time.monotonic() < until:
            try:
                state = self.control.ask("status")
                if condition(state):
                    return state
            except Refused:
                assert self.process.poll() is None, self.process.stderr.read().decode()
            time.sleep(0.02)
        raise AssertionError(state)

    def mode(self, *modes: str) -> dict:
        state = self.wait(lambda s: s["mode"] in modes or s["mode"] == "STOPPED")
        if state["mode"] not in modes:
            raise TooSoon(state["stop"]["text"])
        return state

    @property
    def state(self) -> np.void:
        newest = self.ring.latest()
        assert newest is not None
        return newest  # type: ignore[return-value]

    @property
    def tick(self) -> int:
        """The facility's newest cycle, from its ring: asking for it would cost time at full speed."""
        newest = self._pool.latest()
        assert newest is not None
        return int(newest["clock"]["tick"])

    def until(self, condition: Callable[[np.void], bool], patience: float = 30) -> np.void:
        """The responder's state that fulfils ``condition``."""
        until = time.monotonic() + patience
        while not condition(state := self.state):
            assert time.monotonic() < until, state
            time.sleep(0.001)
        return state

    def make_ready(self) -> None:
        """Whatever the test before has left: a race, or robots that the watchdog has braked."""
        self.go_on()
        for _ in range(2 * ATTEMPTS):
            state = self.wait(lambda s: s["mode"] in ("READY", "STANDBY", "STOPPED", "RUNNING", "MANUAL"))
            if state["mode"] == "READY":
                return
            if state["mode"] == "STANDBY":
                self.control.ask("drives", on=True)
                self.wait(lambda s: s["mode"] != "STANDBY")
            elif state["mode"] == "STOPPED":
                self.control.ask("reset")
            else:
                self.control.ask("safe_stop")
                self.wait(lambda s: s["mode"] == "STOPPED")
        raise TooSoon(str(state))

    def at_full_speed(self, path: Path) -> None:
        try:
            self.mode("READY")
            load(self.control, race(path / "race.txt", self.state["standing"]))
            for verb, arguments, goal in (
                ("select", {"source": "async"}, "ARMED"), ("move_to_start", {"order": "rail,robot1,robot2"}, "AT_START"),
                ("confirm", {}, "RUNNING"),
            ):  # fmt: skip
                self.control.ask(verb, **arguments)
                self.mode(goal)
        except Refused as reason:  # what stopped it is in the way of what comes next
            raise TooSoon(str(reason)) from None
        state = self.until(lambda s: s["rate"][0] > FULL_SPEED - 1e-3 or s["watch"] != Watch.WATCHING)
        if state["watch"] != Watch.WATCHING:
            raise TooSoon(str(state))
        time.sleep(np.random.default_rng().uniform(0.0, 0.5))  # any moment will do
        if self.state["watch"] != Watch.WATCHING:
            raise TooSoon(str(self.state))

    def log(self, patience: float = 30) -> Log:
        """Once the recorder has finished it."""
        until = time.monotonic() + patience
        while True:
            log = Log.open(self.folder / "run.mcap")
            if log.complete or time.monotonic() > until:
                return log
            time.sleep(0.2)

    def told(self, log: Log) -> list[str]:
        return [event["text"].decode() for event in log.events]

    def go_on(self) -> None:
        """Should a test have left one of them stopped."""
        for pid in (self.process.pid, self.responder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGCONT)

    def end(self) -> None:
        self.go_on()
        if self.process.poll() is None:
            try:
                self.control.ask("shut_down")
                self.process.wait(40)
            except (Refused, subprocess.TimeoutExpired):
                self.process.kill()
        self.process.wait()


@pytest.fixture(scope="module")
def halls(tmp_path_factory: pytest.TempPathFactory) -> Iterator[list[Served]]:
    """Facilities that were begun, the present one last: another only when a test has ended it, or it was too late in a race."""
    made: list[Served] = []
    yield made
    for served in made:
        served.end()


@pytest.fixture
def racing(halls: list[Served], tmp_path: Path) -> Served:
    """A hall whose rail runs at full speed."""
    for attempt in range(ATTEMPTS):
        if not halls or halls[-1].process.poll() is not None:
            halls.append(Served(tmp_path / f"serve{attempt}", f"race-{os.getpid()}-{len(halls)}"))
        try:
            halls[-1].make_ready()
            halls[-1].at_full_speed(tmp_path)
        except (TooSoon, AssertionError) as reason:
            print(f"attempt {attempt}: {reason}", file=sys.stderr)
            halls[-1].end()
        else:
            return halls[-1]
    raise AssertionError("this machine never got the rail to full speed: see proxops doctor")


def judge_braking(states: np.ndarray, cause: set[WatchdogCause]) -> None:
    """Begun in time, within the axes' limits, to rest before the guard would, brakes closed, the cause named."""
    first = int((states["watch"] == Watch.BRAKING).argmax())
    sent = states["sent_ns"][first]
    if states["held_up"][first] == states["held_up"][0]:  # the machine let the responder itself run
        assert states["time_ns"][first] - sent <= 4 * PERIOD_NS
    x = states["setpoint"][max(0, first - 50) :][:, :]
    limit = CELL.hall[0]["acceleration"]
    assert (np.abs(np.diff(x, 2, axis=0)) / PERIOD_S**2 <= limit * 1.02).all()
    assert (np.abs(np.diff(states["rate"], axis=0)) / PERIOD_S <= CELL.axes.acceleration * 1.02).all()
    last, before = states["setpoint"][first - 1], states["setpoint"][first - 2]
    v = (last - before) / PERIOD_S
    assert v[0] == pytest.approx(FULL_SPEED, rel=1e-3)
    rest = last + v * 0.5 * hard_braking_time(v, limit)
    end = states[-1]
    assert end["standing"] == pytest.approx(rest, abs=2e-3)
    assert (states["actual"][:, 0] <= rest[0] + 2e-3).all()
    assert end["watch"] == Watch.STANDING and (end["drive"] == Drive.OFF).all() and not end["rate"].any()
    assert WatchdogCause(int(end["cause"])) in cause


def history(served: Served, since: int) -> np.ndarray:
    """States since ``since``, one for each step of the controllers."""
    rows, _, lost = served.ring.read(max(0, since - 100))
    assert not lost
    return rows[np.unique(rows["cycle"], return_index=True)[1]]


def test_nothing_that_can_be_typed_ends_the_responder(racing: Served) -> None:
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGQUIT, signal.SIGTSTP):
        os.kill(racing.responder, number)
    heard = racing.state["sequence"]
    racing.until(lambda s: s["sequence"] > heard + 25)
    assert os.getsid(racing.responder) == racing.responder
    assert monotonic_ns() - int(racing.state["time_ns"]) < 10**9


@pytest.mark.parametrize("freeze_ms", [6, 30])
def test_a_slowed_facility_is_stopped_beyond_the_bound_and_only_then(racing: Served, freeze_ms: float) -> None:
    since = racing.ring.head
    os.kill(racing.process.pid, signal.SIGSTOP)
    time.sleep(freeze_ms * 1e-3)
    os.kill(racing.process.pid, signal.SIGCONT)
    time.sleep(0.2)
    rows = history(racing, since)
    longest = int(np.diff(rows["sent_ns"]).max())
    taken_over = bool((rows["watch"] != Watch.WATCHING).any())
    print(f"longest silence {longest * 1e-6:.2f} ms, taken over: {taken_over}", file=sys.stderr)
    if freeze_ms > 12:
        assert taken_over
        state = racing.wait(lambda s: s["mode"] == "STOPPED")
        assert state["stop"]["rule"] in WATCHDOG_OR_STALL
        judge_braking(history(racing, since), {WatchdogCause.LATE, WatchdogCause.STOPPED, WatchdogCause.SILENT})
    elif (
        taken_over and longest < PATIENCE_NS
    ):  # this machine made it longer: a process that is seen stopped gets three cycles
        assert longest >= 3 * PERIOD_NS and WatchdogCause(int(rows["cause"][-1])) is WatchdogCause.STOPPED, longest
    else:
        assert taken_over == (longest >= PATIENCE_NS), longest


def test_a_frozen_responder_is_a_lost_link_and_brakes_when_it_runs_again(racing: Served) -> None:
    since = racing.ring.head
    os.kill(racing.responder, signal.SIGSTOP)
    state = racing.wait(lambda s: s["mode"] == "STOPPED")
    # At this speed the set-points leave what is known of the robots behind before the silence is long enough.
    assert state["stop"]["rule"] in ("FOLLOWING", "LINK_LOST")
    os.kill(racing.responder, signal.SIGCONT)
    racing.until(lambda s: s["watch"] == Watch.STANDING)
    end = history(racing, since)[-1]
    assert (end["drive"] == Drive.OFF).all()
    assert WatchdogCause(int(end["cause"])) is WatchdogCause.HELD_UP


def test_a_stopped_facility_is_braked_finds_itself_stopped_and_can_be_driven_again(racing: Served) -> None:
    since = racing.ring.head
    os.kill(racing.process.pid, signal.SIGSTOP)
    racing.until(lambda s: s["watch"] == Watch.STANDING)
    judge_braking(history(racing, since), {WatchdogCause.STOPPED})
    os.kill(racing.process.pid, signal.SIGCONT)
    state = racing.wait(lambda s: s["mode"] == "STOPPED")
    assert state["stop"]["rule"] in WATCHDOG_OR_STALL
    assert state["drives_on"] is False
    for _ in range(ATTEMPTS):
        racing.control.ask("reset")
        racing.wait(lambda s: s["mode"] == "STANDBY")
        racing.control.ask("drives", on=True)
        state = racing.wait(lambda s: s["mode"] in ("READY", "STOPPED"))
        if state["mode"] == "READY":
            break
    assert racing.state["watch"] == Watch.WATCHING
    racing.control.ask("select", source="manual")
    before = racing.state["actual"][0]
    racing.control.ask("jog", system="IJT", robot="rail", component="rail", direction=1, speed=0.5, hold_ms=200)
    time.sleep(1.0)
    assert racing.state["actual"][0] > before + 1e-3
    until = time.monotonic() + 20
    while "drives wanted on anew" not in (text := " ".join(racing.told(Log.open(racing.folder / "run.mcap")))):
        assert time.monotonic() < until, text  # it is written to the disk every second
        time.sleep(0.2)
    assert "watchdog: facility frozen: its process is stopped" in text and "standstill after" in text
    assert "WATCHDOG: the watchdog has braked the robots" in text


def test_kill_9_of_the_facility_at_full_speed_ends_in_a_braked_named_standstill(racing: Served) -> None:
    since, tick = racing.ring.head, racing.tick
    racing.process.kill()
    racing.until(lambda s: s["watch"] == Watch.STANDING)
    judge_braking(history(racing, since), {WatchdogCause.GONE})
    log = racing.log()
    assert log.complete and log.pool["clock"]["tick"][-1] >= tick  # nothing that was flown is lost
    text = " ".join(racing.told(log))
    assert "watchdog: facility gone, last set-point" in text and "braking from 1.450 m/s" in text
    assert "watchdog: standstill after" in text
    until = time.monotonic() + 10
    while Path(f"/proc/{racing.responder}").exists():  # it has nothing left to do
        assert time.monotonic() < until
        time.sleep(0.05)
    assert not racing.ring.path.exists()


def test_a_responder_that_is_killed_is_a_lost_link_named(racing: Served) -> None:
    os.kill(racing.responder, signal.SIGKILL)
    state = racing.wait(lambda s: s["mode"] == "STOPPED")
    assert state["stop"]["rule"] == "LINK_LOST"
    assert "the responder is gone" in state["stop"]["text"]
    assert state["drives_on"] is False
    racing.control.ask("reset")
    racing.control.ask("drives", on=True)  # no way back without a responder, and it says so
    state = racing.wait(lambda s: s["mode"] == "STOPPED")
    assert state["stop"]["rule"] == "LINK_LOST"
    racing.end()
    assert racing.process.returncode == 1
    assert racing.log().complete
