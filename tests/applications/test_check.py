"""``proxops check``: motions that fit, motions that do not, and advice that is tried by checking again."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from own_mockup import OWN, own_cell

from proxops.bridge.settings import BridgeSettings, settings_of
from proxops.core.scenario import parse_scenario
from proxops.core.vocabulary import System
from proxops.facility.feasibility.advice import smallest_step
from proxops.facility.feasibility.answer import FeasibilityAnswer, answer
from proxops.facility.feasibility.asked import FiledMotion, ScriptedMotion
from proxops.facility.feasibility.examination import Examiner
from proxops.facility.feasibility.exchanged import ExchangedMotion
from proxops.facility.feasibility.motion import Change, motion_of
from proxops.facility.feasibility.stretch import TrialHall
from proxops.facility.feasibility.table import Table, table_of
from proxops.lab.cell import Cell
from proxops.lab.shapes import MOCKUP, ROBOT1, ROBOT2, hall_shapes
from proxops.lab.trajectory import Trajectory, convert, write_trajectory

Run = Callable[..., tuple[int, str, str]]
HOLD_S = 1.0
HOLD = f'{{ kind = "hold", duration_s = {HOLD_S} }}'


def scenario_text(distance_m: float, *motion: str, bridge: str = "") -> str:
    segments = ", ".join(motion)
    return (
        f'name = "asked"\nkind = "scripted"\nabout = "asked"\nseed = 1\nmotion = [{segments}]\n'
        f"[start]\ndistance_m = {distance_m!r}\n[bridge]\n{bridge}\n"
    )


def scripted(text: str) -> tuple[BridgeSettings, ScriptedMotion]:
    scenario = parse_scenario(text, Path("asked.toml"))
    return settings_of(scenario.bridge), ScriptedMotion(scenario, sun_matters=False)


def checked(cell: Cell, text: str) -> tuple[FeasibilityAnswer, Table]:
    settings, asked = scripted(text)
    found = answer(TrialHall(cell, settings), asked)
    return found, table_of(found)


def fits(cell: Cell, text: str) -> bool:
    """With the hall's own choice, without looking for a better one."""
    settings, asked = scripted(text)
    return Examiner(TrialHall(cell, settings)).examine(motion_of(asked, Change(settings.scale))).fits


def advised(about: Table, kind: str) -> float:
    return float(next(row["value"] for row in about["advice"] if row["kind"] == kind))


def test_a_hold_at_5_m_is_feasible_and_names_its_start(cell: Cell) -> None:
    found, about = checked(cell, scenario_text(5.0, HOLD))
    assert found.feasible
    assert about["answer"] == "yes"
    assert about["advice"] == []
    assert [row["verdict"] for row in about["segments"]] == ["shown"]
    best, own = about["start"]["best"], about["start"]["own_choice"]
    assert best["margin"]["share"] >= own["margin"]["share"] > 0.0
    assert len(best["axes_mm_deg"]) == 13
    assert 0.0 < best["axes_mm_deg"]["rail"] < 25_000.0
    assert np.sign(best["axes_mm_deg"]["robot1_a5"]) == best["a5_signs"][0]
    rail_s = abs(best["axes_mm_deg"]["rail"] * 1e-3 - 6.0) / (0.25 * 1.45)
    assert rail_s < best["joining_s"] < 30.0


def test_a_hold_at_30_m_is_not_and_both_advices_hold(cell: Cell) -> None:
    found, about = checked(cell, scenario_text(30.0, HOLD))
    assert not found.feasible
    assert about["answer"] == "no"
    assert about["start"]["best"] is None
    assert about["pauses"][0]["cause"] == "OUT_OF_REACH"
    assert {row["kind"] for row in about["advice"]} == {"scale", "distance"}
    scale, further = advised(about, "scale"), advised(about, "distance")
    assert scale == pytest.approx(24.0 / 30.0, abs=0.02)
    assert fits(cell, scenario_text(30.0, HOLD, bridge=f"scale = {scale}"))
    assert not fits(cell, scenario_text(30.0, HOLD, bridge=f"scale = {scale + 0.01}"))
    assert fits(cell, scenario_text(30.0 + further, HOLD))
    assert not fits(cell, scenario_text(30.0 + further + 0.1, HOLD))


def fly_around(speed: float) -> str:
    kind = f'{{ kind = "fly_around", angle_deg = 60.0, axis = [0, 0, 1], rate_deg_s = {40 * speed!r}, '
    return scenario_text(5.0, HOLD, kind + f"acceleration_deg_s2 = {20 * speed**2!r} }}", HOLD)


def test_too_fast_a_fly_around_fits_at_the_speed_that_is_advised(cell: Cell) -> None:
    found, about = checked(cell, fly_around(1.0))
    assert not found.feasible
    assert about["answer"] == "in part"
    assert about["segments"][0]["verdict"] == "shown"
    assert about["segments"][1]["rates"]["share"] > 1.0
    # It turns at up to 28 deg/s, and port 2 with it by some 5/5.7 of that, as its wrist stands behind it; 20 are allowed.
    speed = advised(about, "speed")
    assert speed == pytest.approx(20.0 / (28.28 * 5.0 / 5.7), abs=0.03)
    assert fits(cell, fly_around(speed))
    assert not fits(cell, fly_around(speed + 0.03))


def test_too_fast_an_approach_is_told_to_slow_down(cell: Cell) -> None:
    def approach(speed: float) -> str:
        kind = '{ kind = "approach", to_m = 4.0, ' + f"speed_m_s = {3 * speed!r}, acceleration_m_s2 = {speed**2!r} }}"
        return scenario_text(14.0, HOLD, kind, HOLD)

    found, about = checked(cell, approach(1.0))
    assert not found.feasible
    assert fits(cell, approach(advised(about, "speed")))


def test_an_overshoot_halts_at_the_yellow_edge_of_the_boxes(cell: Cell) -> None:
    """Parallel axes: the clearance of the boxes is the distance of two of their faces."""
    settings, asked = scripted(scenario_text(2.0, HOLD, '{ kind = "overshoot", speed_m_s = 0.05, duration_s = 20.0 }'))
    found = answer(TrialHall(cell, settings), asked)
    about = table_of(found)
    shapes = hall_shapes(cell)
    back1 = min(s.extent_m()[0][0] for s in shapes if s.body == ROBOT1 + MOCKUP)
    front2 = max(s.extent_m()[1][0] for s in shapes if s.body == ROBOT2 + MOCKUP)
    margin, yellow = cell.file.zones.box_margin_mm * 1e-3, cell.file.zones.yellow_layer_mm * 1e-3
    edge = front2 - back1 + 2.0 * margin + yellow
    pause = about["pauses"][0]
    assert pause["cause"] == "COMMANDED_YELLOW"
    assert pause["of"] == "spacecraft box 1 – spacecraft box 2"
    assert edge - 0.05 * 0.02 - 1e-9 <= pause["distance_m"] <= edge + 1e-9
    assert pause["from_s"] == pytest.approx(HOLD_S + (2.0 - edge) / 0.05, abs=0.03)
    assert about["segments"][1]["verdict"] == "halts"
    assert not about["segments"][1]["counts"]  # wrong on purpose: told, not counted
    assert found.feasible


def test_an_approach_from_beyond_the_hall_waits_and_then_follows(cell: Cell) -> None:
    approach = '{ kind = "approach", to_m = 23.0, speed_m_s = 0.2, acceleration_m_s2 = 0.05, moving_start = true }'
    found, about = checked(cell, scenario_text(25.0, approach))
    assert about["answer"] == "in part"
    row = about["segments"][0]
    assert row["verdict"] == "waits"
    assert "follows from" in row["notes"][0]
    start_s = about["start"]["follows_from_s"]
    at = 25.0 - 0.2 * start_s
    assert fits(cell, scenario_text(at, HOLD))
    assert not fits(cell, scenario_text(at + 0.05, HOLD))
    assert found.shown.standing[: int(start_s / 0.02)].all()


def test_after_a_silence_and_a_jump_the_hall_goes_on(cell: Cell) -> None:
    motion = (HOLD, '{ kind = "silence", duration_s = 3.0 }', '{ kind = "jump", distance_m = 6.0 }', HOLD)
    found, about = checked(cell, scenario_text(5.0, *motion))
    assert found.feasible
    assert [row["verdict"] for row in about["segments"]] == ["shown", "silent", "jump", "shown"]
    assert [(p["cause"], p["from_s"]) for p in about["pauses"]] == [("SILENCE", HOLD_S)]
    assert len(found.own.stretches) == 2


# --- trajectory files ---


def rendezvous(seconds: float) -> Trajectory:
    """From 6 m to 5.9 m while the client turns by a few degrees, in CLW."""
    n = round(seconds / 0.004) + 1
    s = np.linspace(0.0, 1.0, n) ** 2 * (3.0 - 2.0 * np.linspace(0.0, 1.0, n))
    values = np.zeros((n, 22))
    values[:, 0], values[:, 6] = 6.0 - 0.1 * s, 1.0
    values[:, 10], values[:, 13] = np.sin(0.03 * s), np.cos(0.03 * s)
    values[:, 14:17], values[:, 20], values[:, 21] = (1.7, 0.7, 0.35), 1.0, 1.35
    return Trajectory(np.full(n, System.CLW, np.int16), values, "rendezvous.txt")


def test_a_trajectory_means_the_same_in_all_four_systems(cell: Cell) -> None:
    trajectory = rendezvous(4.0)
    t = np.linspace(0.0, 4.0, 40)
    truth, sending, _ = FiledMotion(cell, trajectory).at(t)
    assert sending.all()
    s = np.interp(t, np.linspace(0.0, 4.0, 1001), 3 * np.linspace(0, 1, 1001) ** 2 - 2 * np.linspace(0, 1, 1001) ** 3)
    np.testing.assert_allclose(np.linalg.norm(truth[:, :3], axis=1), 6.0 - 0.1 * s, atol=1e-5)
    np.testing.assert_allclose(np.abs(truth[:, 4]), np.sin(0.03 * s), atol=1e-5)
    for system in (System.GLC, System.IJT, System.IDC):
        found, _, _ = FiledMotion(cell, convert(cell, trajectory, system)).at(t)
        np.testing.assert_allclose(found * np.sign(found[:, 3:4]), truth * np.sign(truth[:, 3:4]), atol=1e-9)


def test_a_trajectory_file_is_checked(cell: Cell) -> None:
    found = answer(TrialHall(cell, BridgeSettings()), FiledMotion(cell, rendezvous(4.0)))
    about = table_of(found)
    assert found.feasible
    assert about["duration_s"] == pytest.approx(4.0)
    assert about["distance_m"] == pytest.approx([5.9, 6.0])
    assert about["along"]["distance_m"][0] == pytest.approx(6.0)
    assert len(about["along"]["t_s"]) == len(about["along"]["rates"]) <= 400


def test_the_search_for_a_change_finds_the_first_value_that_fits() -> None:
    for edge in (1, 7, 8, 33):
        asked: list[int] = []

        def good(n: int, edge: int = edge, asked: list[int] = asked) -> bool:
            asked.append(n)
            return n >= edge

        assert smallest_step((0, 1, 2, 4, 8, 16, 32, 64), good) == edge
        assert len(asked) < 14
    assert smallest_step((0, 1, 2), lambda n: False) is None
    assert smallest_step((200, 100, 50), lambda n: n <= 137) == 137


# --- the command line ---


def test_the_command_prints_a_table_and_writes_its_folder(run: Run, tmp_path: Path) -> None:
    (tmp_path / "near.toml").write_text(scenario_text(5.0, HOLD))
    code, out, _ = run("check", "near.toml", "--out", "answer", "--plot", "p.png")
    assert code == 0
    assert "feasible" in out
    assert "hold" in out
    assert "shown" in out
    about = json.loads((tmp_path / "answer" / "check.json").read_text())
    assert about["feasible"] is True
    assert (tmp_path / "answer" / "check.svg").read_text().startswith("<?xml")
    assert (tmp_path / "p.png").stat().st_size > 10_000


def test_json_is_the_answer_and_nothing_else_and_exit_1_says_not_feasible(run: Run, tmp_path: Path) -> None:
    (tmp_path / "far.toml").write_text(scenario_text(30.0, HOLD))
    code, out, err = run("check", "far.toml", "--json")
    assert code == 1
    about = json.loads(out)
    assert about["feasible"] is False
    assert {row["kind"] for row in about["advice"]} == {"scale", "distance"}
    assert err == ""


def test_a_trajectory_is_told_to_play_as_written_or_not(run: Run, tmp_path: Path) -> None:
    with (tmp_path / "r.txt").open("w") as file:
        write_trajectory(rendezvous(1.0), file)
    code, out, _ = run("check", "r.txt", "--json")
    assert code == 0
    assert json.loads(out)["as_written"]["plays"] is True


@pytest.mark.parametrize(
    "words", [("no_such",), ("bad.toml",), ("near.toml", "--plot", "p.gif"), ("near.toml", "--plot", "near.toml")]
)
def test_bad_input_exits_2(run: Run, tmp_path: Path, words: tuple[str, ...]) -> None:
    (tmp_path / "near.toml").write_text(scenario_text(5.0, HOLD))
    (tmp_path / "bad.toml").write_text("name = 3")
    code, _, err = run("check", *words)
    assert code == 2
    assert err.startswith("proxops: ")


def test_what_the_bridge_does_not_show_is_named_with_the_way_out(run: Run) -> None:
    code, _, err = run("check", "docking")
    assert code == 2
    assert "kind docking is not a motion that the bridge shows" in err and "proxops run docking" in err


def test_a_payload_beyond_the_rating_is_named_before_anything_is_tried(run: Run, tmp_path: Path) -> None:
    cell = own_cell(tmp_path, OWN.replace('<mass value="30"/>', '<mass value="300"/>'))
    code, out, err = run("check", "hold", "--cell", cell)
    assert code == 1 and not out
    assert "robot 2 payload: mass is 310 kg, Table 5 allows 200 kg" in err and "mount less" in err


def test_the_chaser_on_robot_2_is_checked_as_the_hall_would_show_it(cell: Cell) -> None:
    """The roles exchanged, an offset of the chaser's becomes the target's: another posture, and as feasible."""
    text = scenario_text(5.0, HOLD, bridge="chaser_on = 2").replace(
        "distance_m = 5.0", "distance_m = 5.0\ndirection = [1.0, 0.2, 0.0]"
    )
    settings, asked = scripted(text)
    poses = [motion_of(motion, Change(1.0)).pose[0] for motion in (asked, ExchangedMotion(asked))]
    assert settings.exchanged
    assert np.linalg.norm(poses[0][:3]) == pytest.approx(np.linalg.norm(poses[1][:3]))
    assert poses[1][0] > 4.0  # the target is on +x of the chaser's port as the hall has it
    assert answer(TrialHall(cell, settings), ExchangedMotion(asked)).feasible
