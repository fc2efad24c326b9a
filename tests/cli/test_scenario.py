"""``proxops run`` and ``list`` as a user calls them: table, JSON, exit codes, in lockstep and in real time."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest
from patient_cell import patient_cell

SHORT = """
name = "short"
kind = "scripted"
about = "Join at 4 m and stay"
seed = 1
motion = [{ kind = "hold", duration_s = 12.0 }]
[start]
distance_m = 4.0
"""


def proxops(*words: str, timeout: float = 180) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "proxops.cli", *words], capture_output=True, text=True, timeout=timeout
    )


@pytest.fixture
def short(tmp_path: Path) -> Path:
    path = tmp_path / "short.toml"
    path.write_text(SHORT)
    return path


def test_list_names_the_shipped_scenarios_with_one_line_each() -> None:
    done = proxops("list")
    assert done.returncode == 0
    assert any(line.startswith("extepos") for line in done.stdout.splitlines())
    rows = json.loads(proxops("list", "--json").stdout)
    assert len(rows) == len(done.stdout.splitlines()) >= 6


def test_run_sums_up(short: Path, tmp_path: Path) -> None:
    done = proxops("run", str(short), "--out", str(tmp_path / "out"), "--json", "--no-report")
    assert done.returncode == 0, done.stderr
    summary = json.loads(done.stdout)
    assert summary["passed"] and summary["scenario"] == "short"
    assert (tmp_path / "out" / "run.mcap").exists()


def test_run_in_real_time_with_sockets_and_processes(short: Path, tmp_path: Path) -> None:
    """A loaded machine may miss cycles or begin them late, which fails those criteria and no other."""
    words = ("--json", "--no-report", "--realtime", "--cell", str(patient_cell(tmp_path)))
    done = proxops("run", str(short), "--out", str(tmp_path / "out"), *words)
    summary = json.loads(done.stdout)
    missed = [c for c in summary["criteria"] if not c["passed"]]
    assert {c["name"] for c in missed} <= {"missed_share", "late_share"}, (missed, summary["alarms"])
    assert summary["clock"] == "live" and summary["first_converged_s"] is not None


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (("distance_m = 4.0", "distance_m = -4.0"), "distance_m"),
        (("seed = 1", "sead = 1"), "sead"),
        (('kind = "hold"', 'kind = "loop"'), "kind"),
        (("[start]", "[start"), "line 7"),
        (('kind = "scripted"\n', ""), "kind: missing"),
    ],
)
def test_a_mistake_is_named_and_nothing_moves(short: Path, change: tuple[str, str], named: str) -> None:
    short.write_text(SHORT.replace(*change))
    done = proxops("run", str(short))
    assert done.returncode == 2
    assert named in done.stderr and str(short) in done.stderr


def test_an_unknown_scenario_says_where_the_known_ones_are() -> None:
    done = proxops("run", "nowhere")
    assert done.returncode == 2 and "extepos" in done.stderr


def test_a_control_name_is_refused_where_nobody_listens(short: Path, tmp_path: Path) -> None:
    for scenario, words in (
        (str(short), "--control: a run of the kind scripted has no use for it"),
        ("grasp", "has no use"),
        ("float", "--realtime"),
    ):
        done = proxops("run", scenario, "--out", str(tmp_path / "run"), "--control", "other")
        assert done.returncode == 2
        assert words in done.stderr
