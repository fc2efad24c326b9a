"""``proxops ft calibrate``: the motion keeps the arm's limits, the load is found within its sigmas, too little is refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from proxops.arms.model import ArmModel, load_model
from proxops.core.errors import BadInput
from proxops.core.tool_load_file import ToolLoadFile, read_tool_load, toml_of
from proxops.facility.calibration_motion import SPEED_UP_S, Motion, calibration_motion, check_motion
from proxops.facility.load_calibration import ARM, calibrate, shipped_tool
from proxops.maths.quaternion import quat_inverse, turned
from proxops.maths.rotation import matrix_from_quat
from proxops.touch.tool_load import load_of

Run = Callable[..., tuple[int, str, str]]


@pytest.fixture(scope="module")
def arm() -> ArmModel:
    return load_model(*ARM)


@pytest.fixture(scope="module")
def motion(arm: ArmModel) -> Motion:
    return calibration_motion(arm)


def test_the_motion_keeps_the_limits_and_is_one_motion(arm: ArmModel, motion: Motion) -> None:
    """Also between the rows: rates and accelerations are those of the angles, by central differences."""
    assert np.all((motion.q >= arm.lower) & (motion.q <= arm.upper))
    assert np.all(np.abs(motion.rate) <= arm.speed)
    assert np.all(np.abs(motion.acceleration) <= arm.speed / SPEED_UP_S)
    dt = motion.t[1] - motion.t[0]
    rate = (motion.q[2:] - motion.q[:-2]) / (2.0 * dt)
    acceleration = (motion.rate[2:] - motion.rate[:-2]) / (2.0 * dt)
    # error of a central difference: dt²/6 times the third derivative, here up to some 100 rad/s³
    np.testing.assert_allclose(motion.rate[1:-1], rate, atol=1e-3)
    np.testing.assert_allclose(motion.acceleration[1:-1], acceleration, atol=1e-2)
    for end in (0, -1):
        np.testing.assert_allclose(motion.rate[end], 0.0, atol=1e-12)
        np.testing.assert_allclose(motion.acceleration[end], 0.0, atol=1e-9)


def test_the_flanges_motion_is_that_of_its_poses(motion: Motion) -> None:
    dt = motion.t[1] - motion.t[0]
    p, R = motion.p_world_flange, np.array([matrix_from_quat(q) for q in motion.attitude])
    a = np.array(
        [turned(quat_inverse(q), v) for q, v in zip(motion.attitude[1:-1], np.diff(p, 2, axis=0) / dt**2, strict=True)]
    )
    np.testing.assert_allclose(motion.a[1:-1], a, atol=2e-2)
    spin = np.einsum("nji,njk->nik", R[1:-1], (R[2:] - R[:-2]) / (2.0 * dt))
    np.testing.assert_allclose(
        motion.w[1:-1], np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=1), atol=2e-2
    )
    np.testing.assert_allclose(motion.alpha[1:-1], (motion.w[2:] - motion.w[:-2]) / (2.0 * dt), atol=5e-2)


@pytest.mark.parametrize(
    ("change", "complaint"),
    [
        (lambda m: replace(m, q=m.q + np.radians([0, 0, 0, 0, 0, 60, 0])), "angle of A5"),
        (lambda m: replace(m, rate=m.rate * 3.0), "speed of"),
        (lambda m: replace(m, acceleration=m.acceleration * 3.0), "acceleration of"),
        (lambda m: replace(m, p_world_flange=m.p_world_flange - [0, 0, 0.6]), "height of the flange"),
        (lambda m: replace(m, p_world_flange=m.p_world_flange * [0.1, 0.1, 1]), "distance of the flange"),
        (lambda m: replace(m, q=np.where(np.arange(7) == 2, np.nan, m.q)), "angle of E1"),
    ],
)  # fmt: skip
def test_a_motion_beyond_limits_is_refused(
    arm: ArmModel, motion: Motion, change: Callable[[Motion], Motion], complaint: str
) -> None:
    with pytest.raises(BadInput, match=complaint):
        check_motion(arm, change(motion))


def test_the_load_is_found_within_three_sigma(run: Run, tmp_path: Path) -> None:
    """And down to the noise: 1 N and 0.05 N m."""
    code, out, err = run("ft", "calibrate", "--seed", 3, "--out", tmp_path / "cal", "--json")
    assert code == 0, err
    about = json.loads(out)
    off = [(row["identified"] - row["truth"]) / row["sigma"] for row in about["parameters"]]
    assert len(off) == 16
    assert max(map(abs, off)) < 3.0
    assert about["left_n"] == pytest.approx(1.0, abs=0.05)
    assert about["left_nm"] == pytest.approx(0.05, abs=0.0025)
    sigma = {row["name"]: row["sigma"] for row in about["parameters"]}
    assert sigma["mass"] < 0.005
    assert sigma["inertia xx"] < 0.002
    file = read_tool_load(tmp_path / "cal" / "load.toml")
    assert file.mass_kg == about["parameters"][0]["identified"]
    assert file.identified is not None
    assert file.identified.bias == tuple(row["identified"] for row in about["parameters"][10:])
    load_of(file)
    assert (tmp_path / "cal" / "calibration.png").read_bytes()[:4] == b"\x89PNG"


def test_a_users_tool_and_the_table(run: Run, tmp_path: Path) -> None:
    tool = tmp_path / "gripper.toml"
    tool.write_text(
        'name = "gripper"\nmass_kg = 1.5\ncom_m = [0, 0.02, 0.06]\ninertia_kgm2 = [0.004, 0.004, 0.002, 0, 0, 0]\n'
    )
    code, out, _ = run("ft", "calibrate", "--tool", tool, "--out", "cal")
    assert code == 0
    assert "1.50000" in out
    assert 'name = "gripper"' in (tmp_path / "cal" / "load.toml").read_text()
    code, _, err = run("ft", "calibrate", "--tool", tmp_path / "cal" / "load.toml", "--out", "cal")
    assert code == 2
    assert "overwrite" in err


def test_the_same_seed_gives_the_same_load() -> None:
    first, second = (calibrate(shipped_tool(), 1.0, 4) for _ in range(2))
    assert first.load_file == second.load_file


def test_too_little_excitation_is_refused_by_name_and_nothing_is_written(run: Run, tmp_path: Path) -> None:
    code, out, err = run("ft", "calibrate", "--excitation", "small", "--out", tmp_path / "cal", "--json")
    assert code == 2
    assert "not observable: mass (" in err
    assert "Jxx (" in err
    assert json.loads(out)["ok"] is False
    assert not (tmp_path / "cal").exists()


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("mass_kg = 0\ncom_m = [0, 0, 0]\ninertia_kgm2 = [1, 1, 1, 0, 0, 0]", "mass_kg: out of range"),
        ("mass_kg = 1\ncom_m = [0, 0, 0]\ninertia_kgm2 = [1, 1, 3, 0, 0, 0]", "triangle"),
        ("mass_kg = 1\ncom_m = [0, 0, 0]\ninertia_kgm2 = [1, 1, -1, 0, 0, 0]", "not positive"),
        ("mass_kg = 1\ncom_m = [0, 0, 9]\ninertia_kgm2 = [1, 1, 1, 0, 0, 0]", "com_m"),
        ("mass_kg = 1\ncom_m = [0, 0, nan]\ninertia_kgm2 = [1, 1, 1, 0, 0, 0]", "com_m"),
        ("mass = 1\ncom_m = [0, 0, 0]\ninertia_kgm2 = [1, 1, 1, 0, 0, 0]", "unknown key"),
        ("mass_kg = [", "not TOML"),
    ],
)  # fmt: skip
def test_a_tool_that_cannot_be_is_refused(run: Run, tmp_path: Path, text: str, complaint: str) -> None:
    tool = tmp_path / "tool.toml"
    tool.write_text(text)
    code, _, err = run("ft", "calibrate", "--tool", tool)
    assert code == 2
    assert complaint in err
    assert "tool.toml" in err
    assert not (tmp_path / "runs").exists()


def test_a_tool_file_reads_back_as_it_was(tmp_path: Path) -> None:
    odd = ToolLoadFile(
        name='a "b" \\ c\n\u0007 é', mass_kg=0.1 + 0.2, com_m=(1e-17, -0.0, 1 / 3), inertia_kgm2=(1, 2, 3, 0, 0, 1e-9)
    )
    path = tmp_path / "odd.toml"
    path.write_text(toml_of(odd, "comment"))
    assert read_tool_load(path) == odd
    with pytest.raises(BadInput, match="cannot read the tool"):
        read_tool_load(tmp_path / "none.toml")
