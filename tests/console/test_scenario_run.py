"""The scenario picker's engine with real processes: a socket stands for the bridge. No word about how punctual they are."""

from __future__ import annotations

import json
import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from proxops.applications.catalogue import parse_experiment
from proxops.console.facility_about import FacilityAbout
from proxops.console.scenario_catalogue import BESIDE, LIVE, NO_IMAGES
from proxops.console.scenario_run import ScenarioRuns
from proxops.core.bridge_datagram import BridgeCommand, unpack_command
from proxops.core.errors import BadInput, Refused
from proxops.core.messages import PERIOD_NS
from proxops.core.scenario import parse_scenario
from proxops.ground.log import Log
from proxops.runs.bridge_file import read_bridge_file

PATIENCE_S = 240.0  # a fresh clone compiles kernels first, and others give way to live tests
SCRIPTED = """
name = "{name}"
about = "Stands, then comes"
seed = 1
motion = [{{ kind = "hold", duration_s = {seconds} }}]
[start]
distance_m = 5.0
[network]
delay_ms = 20.0
jitter_ms = 3.0
"""
TURN = """
name = "quick_turn"
about = "A turn of one joint"
kind = "turn"
arm = { model = "planar_one", tool = "tip" }
course_s = 2.0
[[cases]]
name = "one_link"
about = "A quarter of a turn"
path_deg = [[0.0], [90.0]]
"""


class Bridge:
    """A socket that keeps what comes, with the time at which it was read."""

    def __init__(self) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self._socket.settimeout(0.01)
        self.address: tuple[str, int] = self._socket.getsockname()
        self.came: list[tuple[float, BridgeCommand]] = []

    def listen(self, true: Callable[[], object] = lambda: False, seconds: float = PATIENCE_S) -> None:
        """Until something is true, or for so long."""
        end = time.monotonic() + seconds
        while not true():
            if time.monotonic() > end:
                assert seconds < PATIENCE_S, "waited in vain"
                return
            try:
                self.came.append((time.monotonic(), unpack_command(self._socket.recv(2048))))
            except TimeoutError:
                continue

    def close(self) -> None:
        self._socket.close()


@pytest.fixture
def bridge() -> Iterator[Bridge]:
    end = Bridge()
    yield end
    end.close()


@pytest.fixture
def runs(bridge: Bridge, tmp_path: Path) -> Iterator[ScenarioRuns]:
    at, files = bridge.address, {"long": 600.0, "short": 0.6, "broken": 5.0}
    texts = {tmp_path / f"{name}.toml": SCRIPTED.format(name=name, seconds=s) for name, s in files.items()}
    for path, text in texts.items():
        path.write_text(text)
    scenarios = [parse_scenario(text, path) for path, text in texts.items()]
    (tmp_path / "broken.toml").write_text("name = 3\n")  # somebody has edited it meanwhile
    (tmp_path / "turn.toml").write_text(TURN)
    experiment = parse_experiment(TURN, tmp_path / "turn.toml")
    about = FacilityAbout(os.getpid(), at, at, tmp_path, tmp_path, tmp_path / "pool", tmp_path / "events")
    engine = ScenarioRuns(about, tmp_path / "runs", [*scenarios, experiment])
    yield engine
    engine.close()


def test_the_facility_is_read_from_its_file(tmp_path: Path) -> None:
    path = tmp_path / "facility.json"
    told = {
        "pid": 7, "sync": ["127.0.0.1", 1], "bridge": ["127.0.0.1", 2], "control": "/c", "stop": "/s", "pool_ring": "/a",
        "event_ring": "/b", "real_time": "as serve writes it",
    }  # fmt: skip
    path.write_text(json.dumps(told))
    about = FacilityAbout.read(path)
    assert (about.pid, about.bridge, about.pool_ring) == (7, ("127.0.0.1", 2), Path("/a"))
    assert (about.control, about.stop) == (Path("/c"), Path("/s"))
    assert (about.mission_ring, about.latency_s) == (None, None)
    path.write_text(json.dumps(told | {"mission_ring": "/c", "latency_s": 0.05}))
    assert (FacilityAbout.read(path).mission_ring, FacilityAbout.read(path).latency_s) == (Path("/c"), 0.05)
    for text in ("{", "[]", "{}", json.dumps(told | {"bridge": "here"})):
        path.write_text(text)
        with pytest.raises(BadInput, match=r"facility\.json: does not say where"):
            FacilityAbout.read(path)
    with pytest.raises(BadInput, match="cannot read"):
        FacilityAbout.read(tmp_path / "nothing.json")


def test_the_catalogue_is_the_shelf(tmp_path: Path) -> None:
    at = ("127.0.0.1", 9)
    about = FacilityAbout(1, at, at, tmp_path, tmp_path, tmp_path, tmp_path)
    rows = {row["name"]: row for row in ScenarioRuns(about, tmp_path).catalogue()}
    assert {row["kind"] for row in rows.values()} == {"scripted", "mission", "experiment"}
    assert rows["straight"]["where"] == rows["approach"]["where"] == LIVE
    assert rows["planar"]["where"] == BESIDE
    assert all(row["duration_s"] > 0.0 and row["about"] for row in rows.values())
    assert rows["approach"]["why_not"], "a facility without a ring for it cannot fly a mission"
    assert not rows["straight"]["why_not"]
    runs = ScenarioRuns(about, tmp_path)
    with pytest.raises(BadInput, match="approach cannot be run here"):
        runs.start("approach")
    assert runs.state()["phase"] == "idle"
    offered = ScenarioRuns(FacilityAbout(1, at, at, tmp_path, tmp_path, tmp_path, tmp_path, tmp_path, 0.05), tmp_path)
    refused = {row["name"]: row["why_not"] for row in offered.catalogue() if row["why_not"]}
    assert "approach_camera" in refused and set(refused.values()) == {NO_IMAGES}
    flown = replace(about, flies="approach_camera")
    assert ScenarioRuns(flown, tmp_path).catalogue() == [], "a hall that was started for one run flies no other"
    assert offered.needs_bridge("approach")
    assert not offered.needs_bridge("planar")


@pytest.mark.parametrize("name", ["nothing", "../short.toml", "short.toml", ""])
def test_only_names_of_the_catalogue_are_started(runs: ScenarioRuns, name: str) -> None:
    with pytest.raises(BadInput, match="no such scenario"):
        runs.start(name)


def test_nothing_under_way_is_refused(runs: ScenarioRuns) -> None:
    for verb in (runs.pause, runs.resume, runs.end):
        with pytest.raises(Refused, match="no scenario is under way"):
            verb()
    assert runs.state()["phase"] == "idle"


def test_a_paused_client_goes_on_where_it_was(runs: ScenarioRuns, bridge: Bridge) -> None:
    """Numbers and send times go on without a gap, and what was not sent meanwhile does not come in a burst."""
    runs.start("long")
    assert runs.state()["phase"] == "starting"
    bridge.listen(lambda: len(bridge.came) > 100)
    with pytest.raises(Refused, match="long is under way"):
        runs.start("short")
    state = runs.state()
    assert (state["phase"], state["kind"], state["duration_s"]) == ("running", "scripted", 600.0)
    assert 0.0 < state["t_s"] == pytest.approx(600.0 * state["share"])
    runs.pause()
    bridge.listen(lambda: runs.state()["phase"] == "paused" and not runs.state()["message"])
    bridge.listen(seconds=0.1)  # what was on its way in the socket
    before, stood_s = len(bridge.came), runs.state()["t_s"]
    bridge.listen(seconds=1.0)
    assert len(bridge.came) == before, "nothing is sent while it stands"
    assert runs.state()["t_s"] == stood_s
    runs.resume()
    bridge.listen(lambda: len(bridge.came) > before + 100)
    assert runs.state()["phase"] == "running"
    assert np.all(np.diff([packet.sequence for _, packet in bridge.came]) == 1)
    assert np.all(np.diff([packet.sent_ns for _, packet in bridge.came]) == PERIOD_NS)
    back_s = bridge.came[before][0]
    at_once = sum(back_s <= read_s < back_s + 0.05 for read_s, _ in bridge.came)
    assert at_once < 50, "12 belong there; a second's worth would be 250"
    runs.end()
    state = runs.state()
    assert (state["phase"], state["message"]) == ("ended", "ended by the operator")
    assert state["t_s"] < 600.0


def test_a_script_that_is_over_has_ended_and_the_next_may_start(runs: ScenarioRuns, bridge: Bridge) -> None:
    for _ in range(2):
        bridge.came.clear()
        runs.start("short")
        bridge.listen(lambda: runs.state()["phase"] == "ended")
        state = runs.state()
        assert (state["share"], state["exit_code"], state["t_s"]) == (1.0, 0, pytest.approx(0.6))
        bridge.listen(seconds=0.1)
        assert len(bridge.came) > 100


def test_an_application_that_fails_says_why(runs: ScenarioRuns, bridge: Bridge) -> None:
    runs.start("broken")
    bridge.listen(lambda: runs.state()["phase"] == "failed")
    state = runs.state()
    assert state["exit_code"] == 1
    assert "broken.toml" in state["message"]
    with pytest.raises(Refused):
        runs.pause()


def test_an_application_that_is_killed_has_failed(runs: ScenarioRuns, bridge: Bridge) -> None:
    runs.start("long")
    bridge.listen(lambda: bridge.came)
    assert runs._run is not None
    os.kill(runs._run._process.pid, signal.SIGKILL)
    bridge.listen(lambda: runs.state()["phase"] == "failed")
    assert runs.state()["message"] == "ended by signal 9"


def test_an_experiment_is_computed_beside_the_hall_and_leaves_its_log(runs: ScenarioRuns, bridge: Bridge) -> None:
    seen = []

    def over() -> bool:
        seen.append(runs.state())
        return seen[-1]["phase"] in ("ended", "failed")

    runs.start("quick_turn")
    assert runs._run is not None
    assert os.getpriority(os.PRIO_PROCESS, runs._run._process.pid) > os.getpriority(os.PRIO_PROCESS, 0)
    bridge.listen(over)
    assert seen[-1]["phase"] == "ended", seen[-1]["message"]
    assert seen[-1]["share"] == 1.0
    assert {row["phase"] for row in seen} == {"starting", "running", "ended"}
    assert Log.open(Path(seen[-1]["log"])).metadata["scenario"] == "quick_turn"
    assert not bridge.came


@pytest.mark.parametrize(
    ("wanted", "served", "runs_here"),
    [
        ("", "", True), ("chaser_on = 2", "", False), ("chaser_on = 2", "chaser_on = 2", True), ("", "chaser_on = 2", False),
        ("", "speed_m_s = 0.1", True), ("speed_m_s = 0.1", "", False), ("speed_m_s = 0.1", "speed_m_s = 0.1", True),
        ("scale = 0.5", "", False), ("", "scale = 0.5", False),
    ],
)  # fmt: skip
def test_a_scenario_runs_in_a_served_hall_only_if_the_bridge_is_set_as_it_says(
    tmp_path: Path, wanted: str, served: str, runs_here: bool
) -> None:
    text = SCRIPTED.format(name="other", seconds=1.0) + f"[bridge]\n{wanted}\n"
    other, at = parse_scenario(text, tmp_path / "other.toml"), ("127.0.0.1", 9)
    (tmp_path / "served.toml").write_text(f"[bridge]\n{served}\n")
    about = FacilityAbout(
        1, at, at, tmp_path, tmp_path, tmp_path, tmp_path, bridge_settings=read_bridge_file(tmp_path / "served.toml")
    )
    runs = ScenarioRuns(about, tmp_path, [other])
    assert (runs.catalogue()[0]["why_not"] == "") is runs_here
    if not runs_here:
        with pytest.raises(BadInput, match="--bridge-settings"):
            runs.start("other")
