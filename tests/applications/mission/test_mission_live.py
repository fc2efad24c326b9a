"""A mission in real time: the facility here, the application in another process. No word about how punctual this machine is."""

import os
import signal
import socket
import threading
from pathlib import Path

import numpy as np
import pytest
from child_pids import pid_below
from patient_cell import patient_cell
from small_eyes import EYES

from proxops.applications.mission.hall_view import RingView
from proxops.applications.mission.live import run_mission_realtime
from proxops.applications.mission.outcome import outcome_told
from proxops.core.image_frame import FrameReader
from proxops.core.messages import MISSION_DTYPE, MISSION_GROUPS, POOL_DTYPE
from proxops.core.mission import load_mission, parse_mission
from proxops.core.pool import Pool
from proxops.core.ring import Ring, bytes_of
from proxops.core.vocabulary import MissionEnd, MissionPhase, Mode
from proxops.facility.application_feed import GONE_NS, MissionFeed
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell
from proxops.runs.image_port import image_port

TEXT = """
like = "approach"
name = "live"
about = "Some seconds at 5 m"
duration_s = 2.0
plan = [{ kind = "hold", duration_s = 100.0 }]
[start]
position_m = [-5.0, 0.0, 0.0]
[hall]
join_s = 1.0
"""
FAILING = """
class Failing:
    def __init__(self, mission): self.count = 0
    def step(self, m):
        raise ValueError("not today")
"""


def test_a_hall_that_stands_still_is_not_looked_at() -> None:
    ring = Ring.create("pool", POOL_DTYPE, 4)
    record = np.zeros(1, POOL_DTYPE)
    record[0]["bridge"]["converged"] = 1
    view = RingView(ring)
    ring.push(bytes_of(record))
    view.look()
    assert view.converged
    for _ in range(10):
        view.look()
    assert not view.converged
    ring.push(bytes_of(record))
    view.look()
    assert view.converged
    ring.close()
    view.look()
    assert not view.converged


def test_a_mission_that_is_gone_does_not_stay_as_if_alive() -> None:
    """All of its groups are empty after half a second, and nothing else is; the next application is heard again."""
    pool = Pool()
    pool.bytes[:] = b"\1" * len(pool.bytes)
    now_ns = [0]
    feed = MissionFeed(pool, lambda: now_ns[0])
    record = np.zeros(1, MISSION_DTYPE)
    record[0]["mission"]["phase"], record[0]["mission"]["t"] = MissionPhase.HOLD, 7.0
    now = pool.record[0]
    for _ in range(2):  # two applications, one after the other
        application = Ring.attach(feed.ring.path, MISSION_DTYPE)
        application.push(bytes_of(record))
        for _ in range(3):
            feed.publish()
            now_ns[0] += GONE_NS // 4
            assert (now["mission"]["phase"], now["mission"]["t"]) == (MissionPhase.HOLD, 7.0)
        now_ns[0] += GONE_NS // 4  # the process stood still meanwhile: it counts
        feed.publish()
        for group in MISSION_GROUPS:
            assert not np.frombuffer(now[group].tobytes(), np.uint8).any(), group
        assert now["clock"]["tick"] != 0
        assert now["hall_truth"].tolist() != (0.0,) * 7
    feed.close()
    assert not feed.ring.path.exists()


@pytest.mark.parametrize("fails", [False, True])
def test_the_application_flies_in_its_own_process(fails: bool, tmp_path: Path) -> None:
    scenario = tmp_path / "live.toml"
    scenario.write_text(TEXT)
    own = tmp_path / "failing.py"
    own.write_text(FAILING)
    mission = parse_mission(TEXT, scenario)
    software = f"{own}:Failing" if fails else None
    ran, outcome = run_mission_realtime(
        load_cell(patient_cell(tmp_path)), mission, tmp_path / "run.mcap", seed=None, software=software, quiet=True
    )
    log = Log.open(tmp_path / "run.mcap")
    assert (ran.stop, ran.recorder_code, log.complete) == (None, 0, True)
    assert np.max(log.values("bridge.taken")) > 100
    assert log.values("state.mode")[-1] == Mode.READY  # the robots were let go of in good order
    if fails:
        assert outcome.end is MissionEnd.FLIGHT_SOFTWARE
        assert "raised ValueError: not today" in outcome.failure
        return
    assert (outcome.end, outcome.t) == (MissionEnd.TIME, 2.0)
    assert np.max(log.values("mission.t")) == pytest.approx(2.0, abs=0.021)
    assert MissionPhase.HOLD in log.values("mission.phase")
    assert np.max(np.abs(log.values("audit.orbit_energy_chaser"))) < 1e-12


def test_who_was_told_to_end_has_not_failed(tmp_path: Path) -> None:
    for code, failed in ((0, False), (143, False), (-9, True), (1, True)):
        outcome = outcome_told(tmp_path / "nothing", code)
        assert outcome.end is MissionEnd.FACILITY and bool(outcome.failure) is failed


class Striker(threading.Thread):
    """Kills what draws the pictures as soon as there is one; takes what else is served, until the end."""

    def __init__(self, port: int) -> None:
        super().__init__()
        self.killed, self.whole = 0, 0
        self._port = port

    def run(self) -> None:
        with socket.create_connection(("127.0.0.1", self._port)) as line:
            reader = FrameReader()
            while data := line.recv(65_536):
                self.whole += len(reader.feed(data))
                if self.whole and not self.killed:
                    self.killed = pid_below(os.getpid(), "proxops.runs.image_child")
                    os.kill(self.killed, signal.SIGKILL)


def test_a_live_mission_goes_on_without_its_images(tmp_path: Path) -> None:
    eyes = EYES.replace('"orbit"', '"hall"').replace("duration_s = 2.0", "duration_s = 3.0")
    (tmp_path / "live.toml").write_text(TEXT + eyes)
    mission = load_mission(tmp_path / "live.toml")
    with image_port("127.0.0.1:0", ["eye"]) as listening:
        striker = Striker(listening.getsockname()[1])
        striker.start()
        cell = load_cell(patient_cell(tmp_path))
        ran, outcome = run_mission_realtime(
            cell, mission, tmp_path / "run.mcap", seed=None, software=None, quiet=True, images=listening
        )
    striker.join()
    assert striker.killed and outcome.end is MissionEnd.TIME and ran.stop is None and not outcome.failure
    log = Log.open(tmp_path / "run.mcap")
    assert [event["name"] for event in log.events if event["name"].startswith(b"images")] == [b"images_not_drawn"]
