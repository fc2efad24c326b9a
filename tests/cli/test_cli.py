"""The command line as a user meets it: exit codes, one clear message, JSON, files."""

from __future__ import annotations

import csv
import io
import json
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from patient_cell import patient_cell
from typer.testing import CliRunner

from proxops.cli import COMMANDS, command_line
from proxops.core.vocabulary import System
from proxops.facility.warmup import standing
from proxops.ground import plots
from proxops.ground.log import Log
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.trajectory import Trajectory, read_trajectory, write_trajectory

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def cell() -> Cell:
    return load_cell()


@pytest.fixture
def motion(cell: Cell, tmp_path: Path) -> Path:
    """A second of gentle motion of the rail in GLC."""
    still = standing(cell, System.GLC, 250)
    still.values[:, 0] += 0.02 * (1 - np.cos(np.linspace(0, 2 * np.pi, 250)))
    path = tmp_path / "motion.txt"
    with path.open("w") as file:
        write_trajectory(still, file)
    return path


def test_play_leaves_summary_log_and_report(run: Run, motion: Path, tmp_path: Path) -> None:
    code, out, _ = run("play", motion, "--out", tmp_path / "run")
    assert code == 0
    assert "position error" in out
    for name in ("summary.json", "run.mcap", "report.html"):
        assert (tmp_path / "run" / name).stat().st_size > 1000
    summary = json.loads((tmp_path / "run" / "summary.json").read_text())
    assert summary["passed"] is True
    assert summary["stop"] is None


def test_play_json_is_the_summary_and_nothing_else(run: Run, motion: Path, tmp_path: Path) -> None:
    code, out, _ = run("play", motion, "--out", tmp_path / "run", "--no-report", "--json")
    assert code == 0
    assert json.loads(out) == json.loads((tmp_path / "run" / "summary.json").read_text())


def test_a_run_that_ends_in_a_stop_exits_1_and_names_it(run: Run, motion: Path, tmp_path: Path) -> None:
    code, out, _ = run("play", motion, "--out", tmp_path / "run", "--no-report", "--open", "door_main@0.5", "--json")
    assert code == 1
    summary = json.loads(out)
    assert summary["stop"]["rule"] == "DOOR"
    assert "door_main" in summary["stop"]["text"]
    assert summary["passed"] is False


BAD_LINES = {
    "truncated": (lambda w: w[:-1], ("22 columns", "23")),
    "24th column": (lambda w: [*w, "0"], ("24 columns", "23")),
    "text": (lambda w: [*w[:5], "fast", *w[6:]], ("column 6", "'fast'")),
    "nan": (lambda w: [*w[:3], "nan", *w[4:]], ("column 4", "nan")),
    "inf": (lambda w: [*w[:3], "-inf", *w[4:]], ("column 4", "-inf")),
    "mode word": (lambda w: ["7", *w[1:]], ("7", "1 (CLW)")),
    "far away": (lambda w: [*w[:1], "12.0", *w[2:]], ("JUMP", "rail")),
    "unreachable": (lambda w: [*w[:10], "3.5", *w[11:]], ("robot 2 cannot reach", "mm beyond")),
}


@pytest.mark.parametrize("kind", BAD_LINES)
@pytest.mark.parametrize("command", ["play", "convert"])
def test_bad_lines_exit_2_with_line_value_and_bound(run: Run, motion: Path, command: str, kind: str) -> None:
    spoil, words = BAD_LINES[kind]
    if (command, kind) == ("convert", "far away"):
        return  # a conversion has no opinion about speed
    lines = motion.read_text().splitlines()
    lines[99] = " ".join(spoil(lines[99].split()))
    motion.write_text("\n".join(lines) + "\n")
    code, out, err = run(command, motion, *(["--to", "IJT"] if command == "convert" else []))
    assert code == 2
    assert out == ""
    assert "line 100" in err
    for word in words:
        assert word in err
    assert len(err.strip().splitlines()) == 1
    assert not Path("runs").exists()  # nothing was begun


def test_a_quaternion_that_is_not_of_unit_length(run: Run, cell: Cell, tmp_path: Path) -> None:
    path = tmp_path / "clw.txt"
    still = standing(cell, System.CLW, 3)
    still.values[1, 3:7] *= 1.001
    with path.open("w") as file:
        write_trajectory(still, file)
    code, _, err = run("convert", "--to", "GLC", path)
    assert code == 2
    assert "line 2" in err
    assert "1.001" in err


@pytest.mark.parametrize(
    "words",
    [
        ("play", "none.txt"), ("play",), ("convert", "x"), ("fly",), ("play", "x", "--seed", "-1"), ("log", "info", "none.mcap"),
        ("log", "info", __file__), ("play", "x", "--cell", "none.toml"), ("play", "x", "--user-tool", "none.val"),
    ],
)  # fmt: skip
def test_wrong_usage_exits_2_in_one_line(run: Run, words: tuple[str, ...]) -> None:
    code, _, err = run(*words)
    assert code == 2
    assert len(err.strip().splitlines()) == 1


def test_json_errors_are_json(run: Run) -> None:
    code, out, _ = run("play", "none.txt", "--json")
    assert code == 2
    assert json.loads(out)["exit"] == 2


def test_nobody_answers(run: Run) -> None:
    code, _, err = run("ctl", "--control", "nobody", "status")
    assert code == 1
    assert "proxops serve" in err


def test_convert_round_trip_through_all_four_systems(run: Run, motion: Path, tmp_path: Path) -> None:
    """To better than 1e-9 m and 1e-9 rad, through files and through standard output."""
    first = read_trajectory(motion)
    source = motion
    for system in ("IJT", "IDC", "CLW", "GLC"):
        target = tmp_path / f"{system}.txt"
        if system == "IDC":
            code, out, _ = run("convert", "--to", system, source)
            target.write_text(out)
        else:
            code, _, _ = run("convert", "--to", system, "--out", target, source)
        assert code == 0
        source = target
    last = read_trajectory(source)
    np.testing.assert_allclose(
        last.values[:, [0, 1, 2, 7, 8, 9, 21]], first.values[:, [0, 1, 2, 7, 8, 9, 21]], atol=1e-9, rtol=0
    )
    np.testing.assert_allclose(
        np.radians(last.values[:, [3, 4, 5, 10, 11, 12]]), np.radians(first.values[:, [3, 4, 5, 10, 11, 12]]), atol=1e-9, rtol=0
    )  # fmt: skip


def test_convert_takes_a_point_of_view_and_a_posture(run: Run, motion: Path) -> None:
    code, out, _ = run("convert", "--to", "CLW", "--pov", "1 0 0 0 0 0 1", "--json", motion)
    values = np.array(json.loads(out)["values"])
    assert code == 0
    np.testing.assert_allclose(values[:, 14:21], np.tile([1, 0, 0, 0, 0, 0, 1], (250, 1)))
    np.testing.assert_allclose(values[:, 0], read_trajectory(motion).values[:, 0] - 1, atol=1e-12)
    # Near a wrist that is flipped over, the flipped posture comes out.
    code, out, _ = run(
        "convert", "--to", "IJT", "--posture", "6000 0 -90 90 180 -17 180 0 -90 90 0 17 0", "--json", motion
    )
    flipped = np.array(json.loads(out)["values"])
    assert flipped[0, 4] < 0 < flipped[0, 11]
    for option, text in (("--pov", "1 2 3"), ("--pov", "0 0 0 0 0 0 2"), ("--posture", "1 2 x")):
        assert run("convert", "--to", "CLW", option, text, motion)[0] == 2


def test_log_commands(run: Run, motion: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("play", motion, "--out", tmp_path / "run", "--no-report")
    record = tmp_path / "run" / "run.mcap"
    code, out, _ = run("log", "info", record, "--json")
    about = json.loads(out)
    assert code == 0
    assert about["cycles"]["rate_hz"] == pytest.approx(250)
    assert run("log", "info", tmp_path / "run")[0] == 0  # the folder will do
    code, out, _ = run("log", "export", record, "--variable", "clock.utc_ns", "--variable", "actual")
    table = list(csv.reader(io.StringIO(out)))
    assert len(table) == about["cycles"]["count"] + 1
    assert len(table[0]) == 14
    assert run("log", "export", record, "--out", tmp_path / "all.mcap")[0] == 0
    assert Log.open(tmp_path / "all.mcap").topics["/pool"] == about["cycles"]["count"]
    assert run("log", "export", record, "--out", tmp_path / "all.mcap", "--words")[0] == 2
    assert run("log", "plot", record, "--system", "GLC", "--out", tmp_path / "GLC.png")[0] == 0
    assert (tmp_path / "GLC.png").stat().st_size > 10_000
    asked = []  # drawings of every system are tested where they are made
    monkeypatch.setattr(plots, "plot_log", lambda log, cell, system, out: asked.append((log.path, system, out)))
    for system in System:
        out = tmp_path / f"{system.name}.svg"
        assert run("log", "plot", record, "--system", system.name, "--out", out)[0] == 0
        assert asked.pop() == (record, system, out)
    outside = tmp_path / "sensor.csv"
    outside.write_text(f"utc_ns,range\n{table[5][0]},1.5\n{int(table[6][0]) + 2_000_000},1.6\n")
    code, out, _ = run("log", "align", record, outside, "--json")
    assert code == 0
    assert json.loads(out)["rows"] == 2
    truth = list(csv.DictReader((tmp_path / "sensor_aligned.csv").open()))
    assert truth[0]["range"] == "1.5"
    cut = tmp_path / "cut.mcap"
    cut.write_bytes(record.read_bytes()[:-20_000])
    for words in (
        ("info", cut),
        ("export", cut, "--out", tmp_path / "cut.csv"),
        ("export", cut, "--variable", "actual"),
    ):
        code, out, err = run("log", *words)
        assert code == 1 and out and "the log is not whole" in err  # what there is, and that it is not all
    code, out, _ = run("log", "recover", cut, "--json")
    assert code == 0
    assert run("log", "info", json.loads(out)["out"], "--json")[0] == 0


def test_doctor_tells_one_line_each(run: Run) -> None:
    code, out, _ = run("doctor", "--json")
    names = {finding["name"] for finding in json.loads(out)}
    assert code == 0
    assert {"real-time scheduling", "memory locking", "timer", "OpenGL for pictures"} <= names
    assert all(finding["ok"] or finding["fix"] for finding in json.loads(out))


def test_swapped_and_broken_tools(run: Run, motion: Path, tmp_path: Path) -> None:
    from proxops.lab.cell import builtin

    text = builtin("tools", "user_tool.val").read_text()
    swapped = tmp_path / "swapped.val"
    swapped.write_text(text.replace("ROB1", "ROBX").replace("ROB2", "ROB1").replace("ROBX", "ROB2"))
    code, _, err = run("play", motion, "--user-tool", swapped)
    assert code == 2
    assert "swapped" in err
    missing = tmp_path / "missing.val"
    missing.write_text("\n".join(line for line in text.splitlines() if "ROB2_TOOL_B" not in line))
    code, _, err = run("play", motion, "--user-tool", missing)
    assert code == 2
    assert "USER_ROB2_TOOL_B" in err


def test_a_trajectory_in_mixed_systems_plays(run: Run, cell: Cell, tmp_path: Path) -> None:
    parts = [standing(cell, system, 20) for system in System]
    mixed = Trajectory(np.concatenate([p.systems for p in parts]), np.vstack([p.values for p in parts]), "mixed")
    path = tmp_path / "mixed.txt"
    with path.open("w") as file:
        write_trajectory(mixed, file)
    assert run("play", path, "--no-report", "--json")[0] == 0


@pytest.mark.live
def test_realtime_shows_the_run_from_another_process_and_checks_only_once(motion: Path, tmp_path: Path) -> None:
    """On a pipe there are no bars, but every change of mode is told while it happens."""
    command = [sys.executable, "-m", "proxops.cli", "play", str(motion), "--realtime", "--no-report"]
    command += ["--cell", str(patient_cell(tmp_path))]
    done = subprocess.run([*command, "--out", str(tmp_path / "live")], capture_output=True, text=True, timeout=120)
    assert "AT_START → RUNNING" in done.stderr
    assert "SCHED_FIFO" in json.loads((tmp_path / "live" / "summary.json").read_text())["real_time"]


def test_serve_beyond_loopback_does_not_start_without_a_key(run: Run, tmp_path: Path) -> None:
    code, _, err = run("serve", "--bind", "0.0.0.0", "--no-console", "--out", str(tmp_path / "run"))
    assert code == 2
    assert "--key-file" in err and "Traceback" not in err
    assert not (tmp_path / "run").exists()


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_by_itself_is_as_among_all(name: str) -> None:
    """Only the command that is asked for is made ready."""
    alone, among_all = (
        CliRunner().invoke(app, [name, "--help"], prog_name="proxops") for app in (command_line(name), command_line())
    )
    assert alone.exit_code == 0 and alone.output == among_all.output


def test_all_commands_are_in_the_help() -> None:
    said = CliRunner().invoke(command_line("nonsense"), ["--help"]).output
    assert all(f"\n  {name} " in said for name in COMMANDS)
