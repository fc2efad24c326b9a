"""Ground truth at outside instants: exact to the nanosecond, against scipy, every way to write a time."""

from __future__ import annotations

import csv
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation, Slerp

from proxops.core.clock import gps_from_utc_ns, parse_utc_ns
from proxops.core.errors import BadInput
from proxops.ground.align import Aligned, align
from proxops.ground.info import iso_utc
from proxops.ground.log import Log
from proxops.ground.truth import truth_at

START = parse_utc_ns("2026-01-01T00:00:00Z")
PERIOD = 4_000_000


def write_quaternions(pool: NDArray[np.void], group: str, turns: Rotation) -> None:
    for name, values in zip(("qw", "qx", "qy", "qz"), turns.as_quat(scalar_first=True).T, strict=True):
        pool[group][name] = values


@pytest.fixture
def log(made_up: Callable[..., NDArray[np.void]], log_of: Callable[..., Log]) -> Log:
    """Ten samples; the rail's value is its time in ns since the start, so it shows what instant was meant."""
    pool = made_up(10)
    pool["actual"]["rail"] = np.arange(10.0) * PERIOD
    rng = np.random.default_rng(3)
    for group in ("actual_port1", "actual_port2"):
        steps = Rotation.from_rotvec(0.2 * rng.standard_normal((10, 3)))
        write_quaternions(pool, group, Rotation.random(1, rng=rng)[0] * steps)
    return log_of(pool)


@pytest.fixture
def run(log: Log, tmp_path: Path) -> Callable[..., tuple[Aligned, list[dict[str, str]]]]:
    def go(text: str, **options: str) -> tuple[Aligned, list[dict[str, str]]]:
        (tmp_path / "in.csv").write_text(text)
        told = align(log, tmp_path / "in.csv", tmp_path / "out.csv", **options)
        lines = [line for line in (tmp_path / "out.csv").read_text().splitlines() if line[:1] != "#"]
        delimiter = ";" if ";" in lines[0] else ","
        return told, list(csv.DictReader(lines, delimiter=delimiter))

    return go


Go = Callable[..., tuple[Aligned, list[dict[str, str]]]]
OFFSET = 13_000_001  # ns: 3 samples and 1 000 001 ns
UTC = START + OFFSET
GPS = gps_from_utc_ns(UTC)
WEEK, TOW = divmod(GPS, 604_800 * 10**9)


@pytest.mark.parametrize(
    ("header", "cells"),
    [
        ("utc_ns", str(UTC)),
        ("clock.utc_ns [ns]", str(UTC)),
        ("unix_ns", str(UTC)),
        ("utc_us", str(Decimal(UTC) / 1000)),
        ("utc_ms", str(Decimal(UTC) / 10**6)),
        ("utc_s", str(Decimal(UTC) / 10**9)),
        ("utc", iso_utc(UTC)),
        ("utc", iso_utc(UTC).removesuffix("Z")),
        ("utc", "2026-01-01T02:00:00.013000001+02:00"),
        ("Time_UTC", iso_utc(UTC).replace("T", " ")),
        ("utc", str(UTC)),
        ("utc", str(Decimal(UTC) / 10**9)),
        ("gps_ns", str(GPS)),
        ("gps_s", str(Decimal(GPS) / 10**9)),
        ("gps_week,gps_tow_s", f"{WEEK},{Decimal(TOW) / 10**9}"),
    ],
)
def test_every_form_of_time_is_exact(run: Go, header: str, cells: str) -> None:
    told, (row,) = run(f"frame,{header}\n1,{cells}\n")
    assert row["truth.utc_ns [ns]"] == str(UTC)
    assert float(row["actual.rail [m]"]) == OFFSET
    assert (told.rows, told.outside, told.max_gap_ns) == (1, 0, PERIOD)


def test_most_exact_column_wins_unless_another_is_named(run: Go) -> None:
    text = f"t,utc_s,utc_ns\n{START // 10**9},{START // 10**9},{UTC}\n"
    assert run(text)[0].time_columns == ("utc_ns",)
    told, (row,) = run(text, time_column="utc_s")
    assert (told.time_form, float(row["actual.rail [m]"])) == ("utc_s", 0.0)
    assert run(text, time_column="t", time_form="utc_s")[0].time_columns == ("t",)
    with pytest.raises(BadInput, match=r"no such column.*'q'.*utc_ns"):
        run(text, time_column="q")
    with pytest.raises(BadInput, match=r"no such form of time.*gps_week"):
        run(text, time_form="tai")


def test_table_is_kept_as_it_is(run: Go, tmp_path: Path) -> None:
    text = f'# camera 2\n"frame, no";utc_ns;remark\n007;{START};"a;b"\n\n8;{START + 1};1e5\n'
    told, rows = run(text)
    lines = (tmp_path / "out.csv").read_text().splitlines()
    for old, new in zip(text.splitlines(), lines, strict=True):
        assert new.startswith(old)
    assert told.rows == 2 and rows[0]["remark"] == "a;b"
    assert list(rows[0])[:4] == ["frame, no", "utc_ns", "remark", "truth.utc_ns [ns]"]
    assert all(len(row) == 3 + 1 + 3 * 7 + 13 for row in rows)


def test_instants_outside_get_empty_cells(run: Go) -> None:
    last = START + 9 * PERIOD
    told, rows = run("utc_ns\n" + "\n".join(str(t) for t in (START - 1, START, last, last + 1)) + "\n")
    assert (told.rows, told.outside) == (4, 2)
    assert [row["actual.rail [m]"] for row in rows] == ["", "0.0", str(9.0 * PERIOD), ""]
    assert rows[0]["T_port1_port2.qz [1]"] == "" and None not in rows[0]


def test_orientations_agree_with_scipy(log: Log) -> None:
    rng = np.random.default_rng(11)
    instants = START + np.sort(rng.integers(0, 9 * PERIOD, 200))
    truth = truth_at(log, instants)
    turns = []
    for group, pose in (("actual_port1", truth.T_lab_port1), ("actual_port2", truth.T_lab_port2)):
        q = np.stack([log.pool[group][c] for c in ("qw", "qx", "qy", "qz")], axis=1)
        there = Slerp(np.arange(10) * PERIOD, Rotation.from_quat(q, scalar_first=True))(instants - START)
        ours = Rotation.from_quat(pose[:, 3:], scalar_first=True)
        assert np.max((ours.inv() * there).magnitude()) < 1e-12
        x = np.interp(instants - START, np.arange(10) * PERIOD, log.pool[group]["x"])
        np.testing.assert_allclose(pose[:, 0], x, atol=1e-12)
        turns.append(there)
    p = turns[0].inv().apply(truth.T_lab_port2[:, :3] - truth.T_lab_port1[:, :3])
    np.testing.assert_allclose(truth.T_port1_port2[:, :3], p, atol=1e-12)
    relative = Rotation.from_quat(truth.T_port1_port2[:, 3:], scalar_first=True)
    assert np.max((relative.inv() * (turns[0].inv() * turns[1])).magnitude()) < 1e-12


def test_sign_of_a_quaternion_means_nothing(log: Log) -> None:
    instants = START + np.arange(0, 9 * PERIOD, 700_001)
    before = truth_at(log, instants)
    for name in ("qw", "qx", "qy", "qz"):
        log.values(f"actual_port1.{name}")[5] *= -1.0
    after = truth_at(log, instants)
    dots = np.abs(np.sum(before.T_lab_port1[:, 3:] * after.T_lab_port1[:, 3:], axis=1))
    np.testing.assert_allclose(dots, 1.0, atol=1e-14)


def test_tiny_turns_keep_their_digits(log: Log) -> None:
    """Slow motion: 1e-7 rad between samples must still divide evenly."""
    turns = Rotation.from_rotvec([[0.0, 0.0, 1e-7 * i] for i in range(10)])
    for name, values in zip(("qw", "qx", "qy", "qz"), turns.as_quat(scalar_first=True).T, strict=True):
        log.values(f"actual_port1.{name}")[:] = values
    truth = truth_at(log, np.array([START + PERIOD // 4]))
    assert truth.T_lab_port1[0, 6] == pytest.approx(0.5 * 0.25e-7, rel=1e-9)


def test_lost_samples_show_as_a_gap(made_up: Callable[..., NDArray[np.void]], log_of: Callable[..., Log]) -> None:
    log = log_of(np.delete(made_up(10), [4, 5]))
    truth = truth_at(log, np.array([START + 1, START + 4 * PERIOD]))
    assert truth.gap_ns.tolist() == [PERIOD, 3 * PERIOD]


def test_poses_that_are_not_there_stay_empty(log: Log, run: Go) -> None:
    for name in ("qw", "qx", "qy", "qz"):
        log.values(f"actual_port2.{name}")[:] = 0.0
    told, (row,) = run(f"utc_ns\n{UTC}\n")
    assert told.undefined == 1 and told.outside == 0
    assert row["T_lab_port2.qw [1]"] == "" and row["T_lab_port1.qw [1]"] != ""


@pytest.mark.parametrize(
    ("text", "says"),
    [
        (f"utc_ns\n{START}\nabc\n", r"in.csv, line 3: bad time.*'abc'.*Unix time in ns"),
        (f"utc_ns\n{START}\n\n-5\n", r"line 4: bad time"),
        ("utc\n2026-13-01T00:00:00Z\n", r"line 2: bad time.*2026-13-01.*ISO 8601"),
        ("utc\n0.004\n", r"line 2: bad time \(neither"),
        ("utc_s\nnan\n", r"line 2: bad time \(out of range"),
        ("utc_s\n1e400\n", r"line 2: bad time \(out of range"),
        ("gps_s\n1000000000\n", r"line 2: bad time \(before 2017"),
        ("gps_week,gps_tow_s\n2400,604800\n", r"line 2: bad time.*'604800'.*\[0, 604800\)"),
        ("gps_week,gps_tow_s\nx,1\n", r"line 2: bad time"),
        ("utc_ns,v\n1\n", r"line 2: wrong number of cells; got 1; allowed: 2"),
        ("utc_ns\n \n", r"line 2: bad time"),
        ("frame,distance\n1,2\n", r"no column with a time; got frame, distance; allowed: .*gps_tow_s"),
        ("", "no header"),
        (f"utc_ns,T_port1_port2.x [m]\n{START},1\n", "truth columns already"),
    ],
)
def test_bad_tables_are_refused_and_nothing_is_written(run: Go, tmp_path: Path, text: str, says: str) -> None:
    with pytest.raises(BadInput, match=says):
        run(text)
    assert not (tmp_path / "out.csv").exists()


def test_missing_table(log: Log, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match="cannot read the table: no such file"):
        align(log, tmp_path / "none.csv", tmp_path / "out.csv")
