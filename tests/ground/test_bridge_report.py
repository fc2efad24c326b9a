"""Runs of the bridge: figures agree with the log worked out by hand, the report holds them and does not change."""

from __future__ import annotations

import dataclasses
import io
import json
import re
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from changed_log import with_records
from numpy.typing import NDArray
from rich.console import Console

from proxops.applications.scripted.run import run_lockstep
from proxops.core.clock import LOCKSTEP_EPOCH, parse_utc_ns
from proxops.core.messages import AXES, PERIOD_S, POSE, UNITS
from proxops.core.offscreen import PictureUnavailable
from proxops.core.scenario import load_scenario, parse_scenario
from proxops.core.vocabulary import Mode, Phase, Standstill, System, Zone
from proxops.ground import hall_report as hall_report_module
from proxops.ground import report_figures
from proxops.ground.bridge_bands import phase_pieces, zone_pieces
from proxops.ground.bridge_figures import place_figure
from proxops.ground.bridge_run import bridge_run
from proxops.ground.criteria import criteria
from proxops.ground.hall_report import hall_report
from proxops.ground.hall_run import HallRun
from proxops.ground.info import describe
from proxops.ground.log import Log
from proxops.ground.panels.items import Curve, Words
from proxops.ground.plots import plot_log
from proxops.ground.recorded import MotionKind, recorded
from proxops.ground.report_page import write_page
from proxops.ground.summary import summarise
from proxops.ground.terminal import print_brief
from proxops.lab.cell import Cell
from proxops.lab.coordinates import port_poses
from proxops.safety.clearance import Clearance

Floats = NDArray[np.float64]
HOLD = """
name = "test_hold"
about = "Stands at 3 m over a network that loses packets"
seed = 3
motion = [{ kind = "hold", duration_s = 12.0 }]
[start]
distance_m = 3.0
[network]
loss = 0.02
"""
OVERSHOOT = """
name = "test_overshoot"
about = "Does not stop"
seed = 4
motion = [{ kind = "hold", duration_s = 8.0 }, { kind = "overshoot", speed_m_s = 0.05, duration_s = 12.0 }]
[start]
distance_m = 1.6
"""


def ran(text: str, cell: Cell, folder: Path) -> Log:
    assert run_lockstep(cell, parse_scenario(text, folder / "test.toml"), folder / "run.mcap").stop is None
    return Log.open(folder / "run.mcap")


@pytest.fixture(scope="module")
def held(cell: Cell, tmp_path_factory: pytest.TempPathFactory) -> Log:
    return ran(HOLD, cell, tmp_path_factory.mktemp("held"))


@pytest.fixture(scope="module")
def overshot(cell: Cell, tmp_path_factory: pytest.TempPathFactory) -> Log:
    return ran(OVERSHOOT, cell, tmp_path_factory.mktemp("overshot"))


@pytest.fixture(scope="module")
def figures(overshot: Log, cell: Cell) -> dict[str, Any]:
    return summarise(HallRun(overshot, cell))


def changed(log: Log, group: str, name: str, rows: Any, value: Any) -> Log:
    """The log with some values changed."""
    pool = log.pool.copy()
    pool[group][name][rows] = value
    return with_records(log, pool)


def matrices(log: Log, group: str) -> Floats:
    """Homogeneous matrices of a recorded pose, by the textbook."""
    x, y, z, w, a, b, c = (log.pool[group][name] for name in POSE)
    T = np.zeros((x.size, 4, 4))
    T[:, 0, 0], T[:, 0, 1], T[:, 0, 2] = 1 - 2 * (b * b + c * c), 2 * (a * b - c * w), 2 * (a * c + b * w)
    T[:, 1, 0], T[:, 1, 1], T[:, 1, 2] = 2 * (a * b + c * w), 1 - 2 * (a * a + c * c), 2 * (b * c - a * w)
    T[:, 2, 0], T[:, 2, 1], T[:, 2, 2] = 2 * (a * c - b * w), 2 * (b * c + a * w), 1 - 2 * (a * a + b * b)
    T[:, 0, 3], T[:, 1, 3], T[:, 2, 3], T[:, 3, 3] = x, y, z, 1.0
    return T


def apart(A: Floats, B: Floats) -> tuple[Floats, Floats]:
    """Distance of origins and, for small angles, angle between matrices."""
    turn = np.swapaxes(A[:, :3, :3], 1, 2) @ B[:, :3, :3]
    sine = 0.5 * np.array([turn[:, 2, 1] - turn[:, 1, 2], turn[:, 0, 2] - turn[:, 2, 0], turn[:, 1, 0] - turn[:, 0, 1]])
    return np.linalg.norm(A[:, :3, 3] - B[:, :3, 3], axis=1), np.arcsin(np.linalg.norm(sine, axis=0))


def following(log: Log) -> NDArray[np.bool_]:
    return np.asarray(log.pool["bridge"]["phase"] == Phase.FOLLOWING)


def test_phases_and_times_are_those_of_the_log(overshot: Log, figures: dict[str, Any]) -> None:
    phase, mode = overshot.pool["bridge"]["phase"], overshot.pool["state"]["mode"]
    of_bridge = np.isin(mode, (Mode.BRIDGED, Mode.HALTING))
    assert (figures["motion"], figures["scenario"], figures["run_ended"]) == ("bridged", "test_overshoot", "finished")
    assert figures["run_s"] == pytest.approx(np.count_nonzero(of_bridge) * PERIOD_S)
    for name, seconds in figures["phase_s"].items():
        assert seconds == pytest.approx(np.count_nonzero(phase[of_bridge] == Phase[name]) * PERIOD_S), name
    assert figures["converged_share"] == pytest.approx(following(overshot).sum() / of_bridge.sum())
    assert 0.2 < figures["converged_share"] < 0.8
    first = overshot.pool["clock"]["utc_ns"][np.flatnonzero(following(overshot))[0]]
    assert figures["first_converged_s"] == pytest.approx((first - figures["start_utc_ns"]) * 1e-9)
    assert json.loads(json.dumps(figures)) == figures


def test_halt_is_the_one_that_the_events_tell(overshot: Log, figures: dict[str, Any]) -> None:
    (halt,) = figures["halts"]
    (event,) = (e for e in overshot.events if e["name"] == b"bridge" and e["text"].startswith(b"HALTING"))
    assert event["text"] == f"HALTING ({halt['cause']})".encode()
    assert halt["cause"] == "COMMANDED_YELLOW"
    assert halt["at_s"] == pytest.approx((int(event["utc_ns"]) - figures["start_utc_ns"]) * 1e-9, abs=1e-9)
    causes = [row["cause"] for row in figures["standstills"]]
    assert causes[0] == "NO_POSTURE"
    assert causes[1:4] == ["COMMANDED_YELLOW", "COMMANDED_YELLOW", "COMMANDED_RED"]
    assert causes[-1] == "SILENCE"
    assert sum(figures["standstill_s"].values()) == pytest.approx(sum(r["duration_s"] for r in figures["standstills"]))


def test_what_came_of_a_search_says_whether_it_was_possible(overshot: Log, cell: Cell, figures: dict[str, Any]) -> None:
    """One begun because nothing was in reach that ends in joining was possible; one broken off is what it was begun for."""
    phase, mode = overshot.pool["bridge"]["phase"], overshot.pool["state"]["mode"]
    searching = np.flatnonzero((phase == Phase.SEARCHING) & (mode == Mode.BRIDGED))
    first = searching[: np.flatnonzero(np.diff(searching, append=-1) != 1)[0] + 1]
    after = first[-1] + 1
    assert phase[after] == Phase.JOINING
    begun = changed(overshot, "bridge", "cause", first, Standstill.OUT_OF_REACH)
    assert summarise(HallRun(begun, cell))["possible_share"] == figures["possible_share"]
    share = first.size * PERIOD_S / figures["asked_s"]
    for cause, lost in ((Standstill.SILENCE, share), (Standstill.NO_POSTURE, 0.0)):
        ended = changed(changed(begun, "bridge", "phase", after, Phase.STANDING), "bridge", "cause", after, cause)
        possible = summarise(HallRun(ended, cell))["possible_share"]
        assert possible == pytest.approx(figures["possible_share"] - lost, abs=1e-12), cause.name


def test_relative_errors_agree_with_matrices(overshot: Log, figures: dict[str, Any]) -> None:
    rows = following(overshot)
    commanded = matrices(overshot, "commanded_relative")[rows]
    actual = np.linalg.inv(matrices(overshot, "actual_port2")) @ matrices(overshot, "actual_port1")
    for errors, what, unit in zip(apart(commanded, actual[rows]), ("position", "attitude"), ("m", "rad"), strict=True):
        name = f"relative_{what}_error"
        assert figures[f"{name}_max_{unit}"] == pytest.approx(errors.max(), rel=1e-6)
        assert figures[f"{name}_rms_{unit}"] == pytest.approx(np.sqrt(np.mean(errors**2)), rel=1e-6)
    assert figures["relative_position_error_max_m"] > 1.5e-3  # the rail's 52 ms at 5 cm/s


def test_delay_is_taken_off_rail_and_robots(overshot: Log, cell: Cell, figures: dict[str, Any]) -> None:
    """With the delays of the cell file instead of fitted ones, on a row of steady motion."""
    file = cell.file
    servos = {"rail": file.rail.servo, "robot1": file.robot1.servo, "robot2": file.robot2.servo}
    row = np.flatnonzero(following(overshot))[-100]
    setpoint = np.stack([overshot.pool["setpoint"][name] for name in AXES], axis=1)
    q, t = setpoint[row].copy(), np.arange(len(setpoint)) * PERIOD_S
    for unit, servo in servos.items():
        then = row * PERIOD_S - (servo.dead_time_ms + servo.time_constant_ms) * 1e-3 - PERIOD_S
        q[UNITS[unit]] = [np.interp(then, t, axis) for axis in setpoint[:, UNITS[unit]].T]
    T1, T2 = port_poses(cell.hall, q)
    actual = np.linalg.inv(matrices(overshot, "actual_port2")[row]) @ matrices(overshot, "actual_port1")[row]
    left = np.linalg.norm((np.linalg.inv(T2) @ T1)[:3, 3] - actual[:3, 3])
    assert left < 0.5e-3
    assert left <= figures["relative_position_error_delay_removed_max_m"] + 0.1e-3
    rms = figures["relative_position_error_delay_removed_rms_m"]
    assert rms < 0.2 * figures["relative_position_error_rms_m"]


def test_set_points_show_what_the_clutch_says(overshot: Log, cell: Cell, figures: dict[str, Any]) -> None:
    setpoint = np.linalg.inv(matrices(overshot, "commanded_port2")) @ matrices(overshot, "commanded_port1")
    rows = np.isfinite(overshot.pool["shown_relative"]["x"])
    position, attitude = apart(matrices(overshot, "shown_relative")[rows], setpoint[rows])
    assert max(position.max(), figures["shown_error_max_m"]) < 1e-12
    assert max(attitude.max(), figures["shown_error_max_rad"]) < 1e-12
    row = int(np.flatnonzero(rows)[50])
    wrong = changed(overshot, "commanded_port1", "x", row, overshot.pool["commanded_port1"]["x"][row] + 2e-9)
    judged = summarise(HallRun(wrong, cell))
    assert judged["shown_error_max_m"] == pytest.approx(2e-9, rel=1e-3)
    assert [row["name"] for row in judged["criteria"] if not row["passed"]] == ["shown_error_max_m"]
    assert not judged["passed"]


def test_clearance_is_exact_and_never_red(overshot: Log, cell: Cell, figures: dict[str, Any]) -> None:
    q = np.array([overshot.pool["actual"][name][-50] for name in AXES])
    watch = Clearance(cell)
    exact = watch.all_at(q)
    assert figures["actual_clearance_min_m"] == pytest.approx(exact.min(), abs=2e-4)  # the robots' noise
    assert figures["actual_clearance_min_pair"] == watch.names[int(exact.argmin())]
    assert 0.0 < figures["actual_clearance_min_m"] < 0.05
    assert figures["commanded_clearance_min_m"] < 0.0
    assert (figures["entered_red"], figures["red_cycles"], figures["passed"]) == (False, 0, True)


def test_red_fails_the_run(overshot: Log, cell: Cell) -> None:
    judged = summarise(HallRun(changed(overshot, "bridge", "actual_zone", slice(2000, 2003), Zone.RED), cell))
    assert (judged["entered_red"], judged["red_cycles"], judged["passed"]) == (True, 3, False)


@pytest.mark.parametrize(
    ("kind", "asked_s", "joining_s", "converged_s", "failed"),
    [
        ("serve", 400.0, 50.0, 0.0, True),
        ("serve", 400.0, 50.0, 0.004, False),
        ("serve", 60.0, 0.0, 0.0, False),
        ("serve", 400.0, 390.0, 0.0, False),
        ("mission", 400.0, 0.0, 0.0, False),
    ],
)
def test_a_served_hall_shows_something_to_a_client_that_stays(
    figures: dict[str, Any], kind: str, asked_s: float, joining_s: float, converged_s: float, failed: bool
) -> None:
    """It has no scenario that says how much; a client that leaves before the hall could join is no reason, nor are robots that an
    operator lets join slowly."""
    changes = {"kind": kind, "asked_s": asked_s, "converged_s": converged_s, "expected_shown_share": None}
    changes["phase_s"] = {"JOINING": joining_s, "FOLLOWING": 0.0}
    found = [row.name for row in criteria({**figures, **changes}) if not row.passed]
    assert found == (["anything of what was asked for was shown"] if failed else [])


def test_travel_limits_and_counters(held: Log, overshot: Log, cell: Cell, figures: dict[str, Any]) -> None:
    for axis, travel in figures["chaser_travel_m"].items():
        assert travel == np.ptp(overshot.pool["actual_port1"][axis][following(overshot)])
    speeds = [
        np.abs(overshot.pool["setpoint_rate"][name]).max() / limit
        for name, limit in zip(AXES, cell.hall[0]["speed"], strict=True)
    ]
    assert figures["setpoint_speed_share_max"] == pytest.approx(max(speeds))
    counted, last = (
        summarise(HallRun(held, cell))["input"],
        held.pool["bridge"][-2],
    )  # the last record has let the bridge go
    assert counted == {name: last[name] for name in counted}
    assert counted["lost"] > 20
    assert counted["taken"] + counted["lost"] == pytest.approx(12.0 / PERIOD_S, abs=3)


def test_a_search_is_part_of_standing_and_a_halt_takes_its_cause_from_what_follows(overshot: Log) -> None:
    halting = np.flatnonzero(overshot.pool["bridge"]["phase"] == Phase.HALTING)
    unnamed = changed(overshot, "bridge", "cause", halting, Standstill.NONE)
    after = np.arange(halting[-1] + 1, halting[-1] + 3)
    unnamed.values("bridge.cause")[after] = Standstill.LIMIT
    run = bridge_run(unnamed, recorded(unnamed))
    assert [halt.cause for halt in run.halts] == [Standstill.LIMIT]
    assert Phase.SEARCHING in run.told_phase and Phase.SEARCHING not in run.phase
    ends = [(s.begin, s.end) for s in run.stretches]
    assert all(a[1] == b[0] for a, b in pairwise(ends))


def test_asked_place_is_where_the_chaser_goes(overshot: Log) -> None:
    data = recorded(overshot)
    run = bridge_run(overshot, data)
    assert data.kind is MotionKind.BRIDGED
    steady = np.flatnonzero(run.following)[200:]
    assert np.linalg.norm(run.asked[steady, :3] - run.chaser[steady, :3], axis=1).max() < 5e-3
    assert not (np.isfinite(run.asked[:, 0]) & np.isfinite(run.beside_target[:, 0])).any()
    first = int(np.flatnonzero(np.isfinite(run.beside_target[:, 0]))[0])  # searching: no place yet
    row = data.run.start + first
    by_hand = matrices(overshot, "actual_port2")[row] @ matrices(overshot, "commanded_relative")[row]
    np.testing.assert_allclose(run.beside_target[first, :3], by_hand[:3, 3], atol=1e-12)
    silent = run.cause == Standstill.SILENCE
    assert silent.any() and np.isnan(run.asked[silent & (run.phase == Phase.WAITING), 0]).all()


def test_a_pose_out_of_reach_has_no_place(overshot: Log) -> None:
    """Whatever the variable held last; it is then drawn from the target as it stands."""
    red = np.flatnonzero(overshot.pool["bridge"]["cause"] == Standstill.COMMANDED_RED)[:40]
    assert np.isfinite(overshot.pool["asked_port1"]["x"][red]).all()
    log = changed(overshot, "bridge", "cause", red, Standstill.OUT_OF_REACH)
    run, rows = bridge_run(log, recorded(log)), red - recorded(log).run.start
    assert np.isnan(run.asked[rows, 0]).all()
    assert np.isfinite(run.beside_target[rows, 0]).all()


def test_figure_of_the_place_shows_the_log(overshot: Log) -> None:
    run = bridge_run(overshot, recorded(overshot))
    figure = place_figure(run)
    panels = {panel.y.label: panel for panel in figure.panels if panel.y.label}
    assert list(panels) == ["x [m]", "y [m]", "z [m]"]
    for i, panel in enumerate(panels.values()):
        actual = panel.items[0]
        assert isinstance(actual, Curve)
        rows = np.searchsorted(run.t, actual.x)
        np.testing.assert_array_equal(actual.y, run.chaser[rows, i])
        assert actual.y.max() == run.chaser[:, i].max()
    for name in ("y [m]", "z [m]"):
        assert np.ptp(panels[name].y.range) >= 0.4 - 1e-12
    texts = [item.text for item in panels["x [m]"].items if isinstance(item, Words)]
    assert texts == [f"halt at {run.halts[0].begin:.1f} s: commanded yellow"]


def test_bands_cover_the_run_without_gaps(overshot: Log) -> None:
    run = bridge_run(overshot, recorded(overshot))
    for pieces in (list(phase_pieces(run)), list(zone_pieces(run, run.actual_zone))):
        assert pieces[0].begin == run.stretches[0].begin
        assert pieces[-1].end == run.stretches[-1].end
        assert all(a.end == b.begin for a, b in pairwise(pieces))
    flicker = run.actual_zone.copy()
    flicker[3000] = Zone.RED
    names = [piece.names[0] for piece in zone_pieces(run, flicker)]
    assert "red" in names  # one cycle is not lost in a coarse strip


class NoPicture:
    def __init__(self, *_: Any, **__: Any) -> None:
        raise PictureUnavailable("none here")


@pytest.fixture
def plain_report(monkeypatch: pytest.MonkeyPatch) -> None:
    """Without pictures and the largest drawing, which have tests of their own."""
    monkeypatch.setattr(report_figures, "HallPicture", NoPicture)
    monkeypatch.setattr(hall_report_module, "log_sections", lambda *_: ())


@pytest.mark.usefixtures("plain_report")
def test_report_holds_the_run_and_does_not_change(
    overshot: Log, cell: Cell, figures: dict[str, Any], tmp_path: Path
) -> None:
    files = tmp_path / "a.html", tmp_path / "b.html"
    for out in files:
        write_page(hall_report(overshot, cell), out)
    text = files[0].read_text()
    assert files[1].read_text() == text
    for value in (
        "<strong>Followed</strong>",
        f"halted by COMMANDED_YELLOW at {figures['halts'][0]['at_s']:.1f} s",
        f"{figures['relative_position_error_max_m'] * 1e3:.3f} mm",
        "Port 1 in the laboratory",
        "The free axes at work",
        "packets that never came",
        "proxops run test_overshoot.toml",
        "&quot;Does not stop&quot;",
    ):
        assert value in text, value
    assert text.count('<figure role="img"') == 7
    assert not re.search(r'(src|href)="(?!data:|#)|<script|<link|@import', text)


@pytest.mark.usefixtures("plain_report")
def test_a_shipped_scenario_is_named(
    overshot: Log, cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for drawings in ("bridge_sections", "_axes"):
        monkeypatch.setattr(hall_report_module, drawings, lambda *_: ())
    shipped = {"scenario": "overshoot", "scenario_file": load_scenario("overshoot").text}
    log = dataclasses.replace(overshot, metadata={**overshot.metadata, **shipped})
    write_page(hall_report(log, cell), tmp_path / "report.html")
    assert "<pre>proxops run overshoot\n" in (tmp_path / "report.html").read_text()


@pytest.mark.usefixtures("plain_report")
@pytest.mark.parametrize("cycles", (52, 60, 700))
def test_report_of_a_log_that_was_cut_off(overshot: Log, cell: Cell, cycles: int, tmp_path: Path) -> None:
    cut = with_records(overshot, overshot.pool[:cycles], complete=False)
    report = hall_report(cut, cell)
    judged = report.summary
    assert (judged["run_ended"], judged["passed"], judged["first_converged_s"]) == ("cut off", False, None)
    write_page(report, tmp_path / "report.html")
    assert "The log ends in the middle of the run" in (tmp_path / "report.html").read_text()


def printed(log: Log, cell: Cell) -> str:
    console = Console(file=io.StringIO(), width=120)
    print_brief(hall_report(log, cell), console)
    return str(console.file.getvalue())  # type: ignore[attr-defined]


def test_terminal_says_it_in_short(figures: dict[str, Any], overshot: Log, cell: Cell) -> None:
    share = 100.0 * figures["converged_share"]
    assert re.search(
        rf"Followed  converged {share:.0f} % of 2\d s; halted by COMMANDED_YELLOW at", printed(overshot, cell)
    )
    never = changed(overshot, "bridge", "phase", following(overshot), Phase.CONVERGING)
    assert "Stood by, but 1 of 13 criteria not met  shown by the hall" in printed(never, cell)


def test_log_info_and_plot_know_the_bridge(overshot: Log, cell: Cell, tmp_path: Path) -> None:
    about = describe(changed(overshot, "state", "mode", -1, Mode.HALTING))
    assert about["variables"]["state.mode"]["word"] == "HALTING"
    assert about["variables"]["bridge.phase"]["word"] == "IDLE"
    assert about["start"]["utc_ns"] == parse_utc_ns(LOCKSTEP_EPOCH) + round(PERIOD_S * 1e9)
    plot_log(overshot, cell, System.GLC, tmp_path / "plot.svg")
    assert "bridged" in (tmp_path / "plot.svg").read_text()
