"""``proxops run`` and ``list`` as a user calls them: table, JSON, exit codes, in lockstep and in real time."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from patient_cell import patient_cell

Run = Callable[..., tuple[int, str, str]]
SHORT = """
name = "short"
kind = "scripted"
about = "Join at 4 m and stay"
seed = 1
motion = [{ kind = "hold", duration_s = 9.0 }]
[start]
distance_m = 4.0
"""


@pytest.fixture
def short(tmp_path: Path) -> Path:
    path = tmp_path / "short.toml"
    path.write_text(SHORT)
    return path


def test_list_names_the_shipped_scenarios_with_one_line_each(run: Run) -> None:
    code, said, _ = run("list")
    assert code == 0
    assert any(line.startswith("extepos") for line in said.splitlines())
    rows = json.loads(run("list", "--json")[1])
    assert len(rows) == len(said.splitlines()) >= 6
    assert all(f'kind = "{row["kind"]}"' in Path(row["file"]).read_text() for row in rows), (
        "the kind that the file says"
    )


def test_run_sums_up(run: Run, short: Path, tmp_path: Path) -> None:
    code, out, err = run("run", short, "--out", tmp_path / "out", "--json", "--no-report")
    assert code == 0, err
    summary = json.loads(out)
    assert summary["passed"] and summary["scenario"] == "short"
    assert (tmp_path / "out" / "run.mcap").exists()


def near_cell(folder: Path) -> Path:
    """A patient cell whose robots stand at home nearly where they show 4 m: joined in a moment."""
    path = patient_cell(folder)
    homes = iter(("[-12.3, -102.8, 99.3, 80.5, 34.6, 72.5]", "[-9.7, -92.9, 106.0, -65.7, -35.0, 90.0]"))
    text, count = re.subn(r"(?<=home_deg = )\[[^\]]*\]", lambda _: next(homes), path.read_text())
    assert count == 2 and "home_m = 6.0 " in text
    path.write_text(text.replace("home_m = 6.0 ", "home_m = 6.94 "))
    return path


def test_run_in_real_time_with_sockets_and_processes(short: Path, tmp_path: Path) -> None:
    """A loaded machine may miss cycles or begin them late, which fails those criteria and no other."""
    short.write_text(SHORT.replace("9.0", "3.0"))
    command = [sys.executable, "-m", "proxops.cli", "run", short, "--out", tmp_path / "out", "--json", "--no-report"]
    command += ["--realtime", "--cell", near_cell(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=180)
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
def test_a_mistake_is_named_and_nothing_moves(run: Run, short: Path, change: tuple[str, str], named: str) -> None:
    short.write_text(SHORT.replace(*change))
    code, _, err = run("run", short)
    assert code == 2
    assert named in err and str(short) in err
    assert not Path("runs").exists()


def test_an_unknown_scenario_says_where_the_known_ones_are(run: Run) -> None:
    code, _, err = run("run", "nowhere")
    assert code == 2 and "extepos" in err


def test_a_control_name_is_refused_where_nobody_listens(run: Run, short: Path, tmp_path: Path) -> None:
    for scenario, words in (
        (str(short), "--control: a run of the kind scripted has no use for it"),
        ("grasp", "has no use"),
        ("float", "--realtime"),
    ):
        code, _, err = run("run", scenario, "--out", tmp_path / "run", "--control", "other")
        assert code == 2
        assert words in err


@pytest.mark.parametrize(("expected", "code"), [("", 1), ("[expect]\nshown_share = 0.0\n", 0)])
def test_a_run_that_shows_nothing_has_not_passed_unless_it_was_to_wait(
    run: Run, short: Path, tmp_path: Path, expected: str, code: int
) -> None:
    """A client that stays at 40 m, beyond the rail: nothing goes wrong, and nothing is shown."""
    short.write_text(SHORT.replace("4.0", "40.0").replace("9.0", "3.0") + expected)
    found, out, err = run("run", short, "--out", tmp_path / "out", "--json", "--no-report")
    summary = json.loads(out)
    assert found == code, err
    assert (summary["possible_share"], summary["shown_share"]) == (0.0, 0.0)
    assert [c["name"] for c in summary["criteria"] if not c["passed"]] == (["shown_share"] if code else [])
