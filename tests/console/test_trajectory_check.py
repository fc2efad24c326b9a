"""An uploaded trajectory: bad lines one by one, the guard's word, the bridge's word, and the bounds of what is looked at."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from proxops.console import trajectory_check
from proxops.console.trajectory_check import check
from proxops.core.errors import BadInput
from proxops.core.vocabulary import System
from proxops.facility.trajectories.preflight import preflight
from proxops.facility.warmup import standing
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.trajectory import Trajectory, write_trajectory

LINES = 500  # 2 s


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


def motion(cell: Cell, rail_m: float = 0.02) -> Trajectory:
    """Port 1 goes to and fro along x by ``rail_m``, softly."""
    out = standing(cell, System.GLC, LINES)
    out.values[:, 0] += 0.5 * rail_m * (1.0 - np.cos(np.linspace(0.0, 2.0 * np.pi, LINES)))
    return out


def written(trajectory: Trajectory, path: Path) -> Path:
    with path.open("w") as file:
        write_trajectory(trajectory, file)
    return path


def test_a_good_file_may_run_and_tells_its_margins(cell: Cell, tmp_path: Path) -> None:
    told = check(None, None, written(motion(cell), tmp_path / "stored"), "motion.txt")
    json.dumps(told, allow_nan=False)
    assert (told["name"], told["lines"], told["systems"]) == ("motion.txt", LINES, ["GLC"])
    assert told["duration_s"] == pytest.approx((LINES - 1) * 0.004)
    assert (told["errors"], told["errors_more"], told["preflight"]) == ([], 0, [])
    assert told["may_run"]
    assert told["feasible"]
    assert told["answer"]["verdict"] == "feasible: the hall can show this motion"
    assert told["answer"]["findings"] == []
    assert 0.0 < told["answer"]["margins"]["margin"]["share"] < 1.0
    assert 0.0 < told["answer"]["margins"]["rates"]["share"] < 1.0


def test_what_the_guard_forbids_is_told_with_line_rule_value_and_bound(cell: Cell, tmp_path: Path) -> None:
    bad = motion(cell)
    bad.values[120:, 0] += 1.0  # a jump of a metre
    told = check(None, None, written(bad, tmp_path / "jump.txt"))
    json.dumps(told, allow_nan=False)
    (stop,) = told["preflight"]
    with pytest.raises(BadInput) as caught:
        preflight(cell, bad)
    assert stop["text"].removeprefix("jump.txt") == str(caught.value).removeprefix(bad.source)
    assert stop["line"] == 121
    assert stop["t_s"] == pytest.approx(0.48)
    assert stop["rule"] in stop["text"]
    assert stop["margin"] == pytest.approx(-abs(stop["value"] - stop["bound"]))
    assert stop["margin"] < 0.0
    assert not told["may_run"]


def test_what_is_out_of_reach_is_told_with_its_line(cell: Cell, tmp_path: Path) -> None:
    bad = motion(cell)
    bad.values[200:, 9] += 10.0  # robot 2's port ten metres up
    told = check(None, None, written(bad, tmp_path / "far.txt"))
    (stop,) = told["preflight"]
    assert (stop["line"], stop["rule"], stop["value"]) == (201, "UNREACHABLE", None)
    assert not told["may_run"]
    assert not told["feasible"]
    assert told["answer"]["findings"][0]["line"] == 201
    assert told["answer"]["shown_share"] == pytest.approx(200 / LINES, abs=0.01)  # it is looked at every 20 ms
    assert told["answer"]["verdict"].startswith("not feasible")


def test_every_bad_line_is_told_and_the_rest_is_counted(
    cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = written(motion(cell), tmp_path / "bad.txt")
    lines = path.read_text().splitlines()
    for k in (3, 10, 11, 40, 41):
        lines[k] = "2 1 2 3"
    path.write_text("\n".join(lines))
    monkeypatch.setattr(trajectory_check, "MOST_ERRORS", 3)
    told = check(None, None, path)
    assert [row["line"] for row in told["errors"]] == [4, 11, 12]
    assert all(row["message"].startswith("4 columns; allowed: 23") for row in told["errors"])
    assert told["errors_more"] == 2
    assert told["lines"] == LINES
    assert not told["may_run"]
    assert told["answer"] is None


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"", "empty"),
        (b" \n\n", "empty"),
        (b"3 0\n3 \xff 0\n", "bad.txt, line 2: not an ASCII file; got byte 0xff"),
        (b"1\n" * 21, "too many lines; got 21; allowed: 20"),
        (b"1" * 1001, "too large; got 1001 bytes; allowed: 1000 bytes"),
    ],
)
def test_a_file_that_is_wrong_as_a_whole(
    content: bytes, words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(trajectory_check, "LARGEST_BYTES", 1000)
    monkeypatch.setattr(trajectory_check, "MOST_LINES", 20)
    path = tmp_path / "bad.txt"
    path.write_bytes(content)
    told = check(None, None, path)
    (error,) = told["errors"]
    assert error["line"] is None
    assert words in error["message"]
    assert not told["may_run"]


def test_no_file(tmp_path: Path) -> None:
    (error,) = check(None, None, tmp_path / "nothing.txt")["errors"]
    assert "cannot read" in error["message"]


def test_a_name_that_ends_in_toml_is_a_trajectory_all_the_same(cell: Cell, tmp_path: Path) -> None:
    """It comes from outside: it may not make us read a scenario."""
    assert check(None, None, written(motion(cell), tmp_path / "hold.toml"))["may_run"]
