"""``proxops inspect`` of a short flight: what it writes and says, what the truth is for, and what it is told when it cannot."""

from __future__ import annotations

import json
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from proxops import run
from proxops.applications.mission.inspection.inspected_log import inspected_log
from proxops.cli import main
from proxops.maths.pose import pose_from_packed
from proxops.onboard.vision.inspection.track import turn_between
from proxops.optics.scene.orbit_surroundings import craft_mesh

MISSION = """
like = "inspect"
name = "short"
kind = "mission"
seed = 3
duration_s = 26.0
plan = [{ kind = "hold", duration_s = 26.0 }]
[start]
position_m = [-8.0, 0.0, 0.0]
[target]
attitude = { axis = [-0.77, 0.35, -0.53], rate_deg_s = [1.2, 0.5, -0.7] }
[[sensor]]
kind = "lidar"
name = "scan"
rate_hz = 1.0
log_hz = 1.0
field_of_view_deg = [16.0, 16.0]
lines = 80
points = 80
[[sensor]]
kind = "lidar"
name = "unlogged"
log_hz = 0.0
lines = 10
points = 10
"""


@pytest.fixture(scope="module")
def flown(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("inspection")
    (folder / "short.toml").write_text(MISSION)
    run(folder / "short.toml", out=folder / "run", hall=False, report=False)
    return folder / "run"


def said(
    words: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> tuple[int, str, str]:
    """Exit code, output, errors of the command."""
    monkeypatch.setattr(sys, "argv", ["proxops", "inspect", *words])
    with pytest.raises(SystemExit) as end:
        main()
    out = capsys.readouterr()
    return int(end.value.code or 0), out.out, out.err


def test_a_model_a_picture_and_figures(
    flown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    words = (str(flown), "--sensor", "scan", "--voxel-m", "0.02", "--triangles", "1500", "--out", str(tmp_path / "new"))
    code, out, err = said(words, monkeypatch, capsys)
    assert code == 0
    assert "client.obj" in out and "against the truth in the log" in out and "of 25 looks" in out
    assert "following" in err and "refining 2" in err and "25 of 25" in err
    figures = json.loads((tmp_path / "new" / "inspection.json").read_text())
    assert figures["looks"] == 25 and figures["lost"] <= 1
    assert "relative sensor" in figures["frame"]
    assert figures["truth"]["surface_median_mm"] < 12.0
    assert 10.0 < figures["truth"]["complete_percent"] < 90.0  # one side of it
    assert figures["truth"]["spin_off_deg_s"] < 0.3
    model = craft_mesh(tmp_path / "new" / "client.obj").mesh
    assert len(model.triangles) == figures["triangles"] <= 1500
    assert (tmp_path / "new" / "client.jpg").read_bytes()[:2] == b"\xff\xd8"


def test_looks_have_what_a_craft_knows(flown: Path) -> None:
    """Readings of the craft's own attitude, arcseconds off; the frame as a pose sensor called it, at that time and no other."""
    seen = inspected_log(flown, "scan")
    place, turn = [], []
    for look, true in zip(seen.looks, seen.T_sensor_target, strict=True):
        if look.named is None:
            continue
        T = pose_from_packed(true.copy())
        place.append(np.linalg.norm(look.named[:3, 3] - T[:3, 3]))
        turn.append(turn_between(np.ascontiguousarray(T[:3, :3]), np.ascontiguousarray(look.named[:3, :3])))
    assert len(place) > 20
    assert np.median(place) < 0.05
    assert np.degrees(np.linalg.norm(np.median(turn, axis=0))) < 0.45  # a reading 0.1 s late: 0.3 deg and its noise
    assert np.degrees([np.linalg.norm(look.w_sensor) for look in seen.looks]).max() < 1.0


def test_a_look_has_no_truth(flown: Path) -> None:
    looks = inspected_log(flown, "scan").looks
    assert {name for name in vars(looks[0])} == {"image", "q_eci_sensor", "w_sensor", "named"}
    assert replace(looks[0], named=None).named is None


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("RUN",), "--sensor NAME"),
        (("RUN", "--sensor", "eye"), "no such LiDAR or time-of-flight camera"),
        (("RUN", "--sensor", "unlogged"), "log_hz"),
        (("EMPTY",), "no log of a run"),
        (("NOWHERE",), "no log of a run"),
    ],
)
def test_what_cannot_be_inspected_is_told_in_one_line(
    words: tuple[str, ...], told: str, flown: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:  # fmt: skip
    (tmp_path / "empty").mkdir()
    paths = {"RUN": str(flown), "EMPTY": str(tmp_path / "empty"), "NOWHERE": str(tmp_path / "nowhere")}
    code, _, err = said(tuple(paths.get(word, word) for word in words), monkeypatch, capsys)
    assert code == 2
    assert told in err and err.count("proxops: ") == 1 and "Traceback" not in err


@pytest.mark.parametrize("module", ["small_gicp", "skimage.measure", "fast_simplification"])
def test_a_missing_library_is_told_at_once(
    module: str, flown: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, module, None)
    code, _, err = said((str(flown), "--sensor", "scan"), monkeypatch, capsys)
    assert code == 2
    assert "pip install 'proxops[inspection]'" in err and err.count("proxops: ") == 1
    assert not (flown / "client.obj").exists()
