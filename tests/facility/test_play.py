"""Playing a trajectory: every system, determinism, what ends a run, and that nothing ever exceeds a limit."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.vocabulary import Mode, System
from proxops.facility.play import play
from proxops.ground.log import Log
from proxops.lab.trajectory import Trajectory
from proxops.runs.play_session import Rehearsal
from proxops.safety.rules import Rule

DT = 0.004


def groups(log: Log, name: str) -> np.ndarray:
    part = log.pool[name]
    return np.column_stack([part[field] for field in part.dtype.names])


def test_the_same_motion_in_every_system_moves_the_robots_alike(cell, swing, tmp_path: Path) -> None:
    """IJT, IDC, GLC and CLW of one motion end in the same set-points (conversion to 1e-9, tool and base included)."""
    setpoints = {}
    for system in System:
        record = tmp_path / f"{system.name}.mcap"
        played = play(cell, swing(system), record)
        assert played.stop is None
        assert played.recorder_code == 0
        setpoints[system] = groups(Log.open(record), "setpoint")
    for system in (System.IDC, System.GLC, System.CLW):
        np.testing.assert_allclose(setpoints[system], setpoints[System.IJT], atol=1e-9, rtol=0)


def test_lockstep_is_the_same_byte_for_byte(cell, swing, tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("a.mcap", "b.mcap", "c.mcap")]
    for file, seed in zip(files, (7, 7, 8), strict=True):
        play(cell, swing(System.CLW), file, seed=seed)
    first, again, other = (file.read_bytes() for file in files)
    assert first == again
    assert first != other
    a, c = Log.open(files[0]).pool, Log.open(files[2]).pool
    assert (a["setpoint"] == c["setpoint"]).all()  # the seed touches the robots' repeatability only
    assert (a["actual"] != c["actual"]).any()


def test_actual_follows_commanded_and_the_log_is_complete(cell, swing, tmp_path: Path) -> None:
    record = tmp_path / "run.mcap"
    played = play(cell, swing(System.GLC), record)
    log = Log.open(record)
    assert log.complete
    assert len(log.pool) == played.cycles
    assert (np.diff(log.pool["clock"]["tick"]) == 1).all()
    assert (np.diff(log.pool["clock"]["utc_ns"]) == 4_000_000).all()
    running = log.pool["state"]["mode"] == Mode.RUNNING
    error = groups(log, "actual")[running] - groups(log, "wish")[running]
    assert np.abs(error[:, 1:]).max() < np.radians(0.2)
    assert np.abs(error[:, 0]).max() < 5e-3
    # A soft motion is not touched.
    assert np.array_equal(groups(log, "wish")[running], groups(log, "setpoint")[running])


@pytest.mark.parametrize(
    ("name", "rule", "drives"),
    [("door_main", Rule.DOOR, 1), ("estop_fence", Rule.ESTOP, 0), ("drive_power_rail", Rule.DRIVE_POWER, 0)],
)
def test_an_interlock_ends_the_run_within_the_limits(
    cell, swing, tmp_path: Path, name: str, rule: Rule, drives: int
) -> None:
    record = tmp_path / "run.mcap"
    played = play(cell, swing(System.CLW), record, each_cycle=Rehearsal([(name, 0.7)]))
    assert played.stop is not None
    assert played.stop.rule is rule
    assert name in str(played.stop)
    log = Log.open(record)
    assert log.pool["state"]["mode"][-1] == Mode.STOPPED
    assert log.pool["state"]["rule"][-1] == rule
    x = groups(log, "setpoint")
    v = np.diff(x, axis=0) / DT
    a = np.diff(v, axis=0) / DT
    assert (np.abs(v) <= cell.hall["speed"][0] * (1 + 1e-9)).all()
    assert (np.abs(a) <= cell.hall["acceleration"][0] * (1 + 1e-6)).all()
    assert np.abs(groups(log, "actual_rate")[-1]).max() < 1e-3
    assert any(rule.name in event["text"].decode() for event in log.events)


def test_a_file_that_ends_in_motion_is_braked(cell, swing, tmp_path: Path) -> None:
    whole = swing(System.IJT)
    cut = Trajectory(whole.systems[:180], whole.values[:180], "cut")
    record = tmp_path / "run.mcap"
    assert play(cell, cut, record).stop is None
    log = Log.open(record)
    a = np.diff(groups(log, "setpoint"), n=2, axis=0) / DT**2
    assert (np.abs(a) <= cell.hall["acceleration"][0] * (1 + 1e-6)).all()
    assert any("still in motion" in event["text"].decode() for event in log.events)


def test_a_start_at_full_speed_is_softened_within_the_limits(cell, swing, tmp_path: Path) -> None:
    """A constant 5 cm/s from the first line: the rail follows within its acceleration and catches up."""
    still = swing(System.GLC, 2)
    values = np.repeat(still.values[:1], 500, axis=0)
    values[:, 0] -= 0.05 * DT * np.arange(500)
    record = tmp_path / "run.mcap"
    assert play(cell, Trajectory(np.full(500, 2, np.int16), values, "steady"), record).stop is None
    log = Log.open(record)
    running = log.pool["state"]["mode"] == Mode.RUNNING
    rail, wish = log.pool["setpoint"]["rail"][running], log.pool["wish"]["rail"][running]
    assert (np.abs(np.diff(rail, 2)) / DT**2 <= cell.hall["acceleration"][0][0] * (1 + 1e-6)).all()
    lag = np.abs(rail - wish)
    assert 0.5e-3 < lag.max() < 5e-3
    assert lag[250:480].max() < 1e-12  # caught up exactly


@pytest.mark.parametrize(
    ("spoil", "words"),
    [
        (
            lambda v: v[100:].__setitem__((slice(None), 21), v[100:, 21] + 200),
            ("line 101", "JUMP", "rail", "got 200", "bound 23.2 mm"),
        ),
        (
            lambda v: v[1:].__setitem__((slice(None), 0), v[1:, 0] + 30),
            ("line 2", "JUMP", "robot 1 A1", "got 30", "bound 1.76 deg"),
        ),
        (
            lambda v: v.__setitem__((slice(None), 21), 6000 + 8.0 * np.arange(len(v))),
            ("line 2", "AXIS_SPEED", "2000 mm/s", "1450 mm/s"),
        ),
        (
            lambda v: v.__setitem__((slice(None), 21), 25500.0),
            ("line 1", "AXIS_RANGE", "25500 mm", "25000 mm"),
        ),
        (
            lambda v: v.__setitem__((slice(None), 7), 150.0),
            ("line 1", "ATTITUDE_RANGE", "robot 2", "yaw", "got -150 deg", "bound -90 deg"),
        ),
        (
            lambda v: v.__setitem__((slice(None), 8), -60.0),
            ("line 1", "POSITION_RANGE", "robot 2", " z", "got -0.87143 m", "bound -0.5 m"),
        ),
    ],
)
def test_preflight_names_the_line_the_rule_and_the_bound(cell, swing, spoil, words) -> None:
    trajectory = swing(System.IJT)
    spoil(trajectory.values)
    with pytest.raises(BadInput) as caught:
        play(cell, trajectory, None)
    for word in words:
        assert word.lower() in str(caught.value).lower(), str(caught.value)


def test_swapped_tools_are_suspected(cell, swing) -> None:
    """A CLW motion that fits the right tools, played with the two exchanged."""
    from proxops.lab.any_cell import load_cell

    with pytest.raises(BadInput, match="swapped"):
        play(load_cell(None, cell.tool.swapped()), swing(System.CLW), None)
