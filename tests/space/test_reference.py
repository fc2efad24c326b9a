"""Both spacecraft in the client's frame: the relative pose comes back, velocities are derivatives, the orbit is an orbit."""

import math

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from proxops.core.scenario import Frame, load_scenario
from proxops.space.reference import MU_M3_S2, ORBIT_RADIUS_M, ClientPoses, poses_in_client_frame
from proxops.space.scripted import Script

Array = NDArray[np.float64]
FRAMES: list[Frame] = ["lab", "eci", "lvlh"]
NAMES = ("extepos", "fly_around", "tumbling", "returning")


def rotation(q: Array) -> Rotation:
    return Rotation.from_quat(q, scalar_first=True)


def spoken(frame: Frame, script: Script, t: float) -> ClientPoses:
    return poses_in_client_frame(frame, t, script.relative(t))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("frame", FRAMES)
def test_the_relative_pose_comes_back(frame: Frame, name: str) -> None:
    scenario = load_scenario(name)
    script = Script(scenario)
    # At 7,000 km a double ends at 2^-30 m; half of that in each of three components.
    rounding = math.sqrt(3) * 2**-31 if frame == "eci" else 0.0
    rows = []
    for t in np.linspace(0.0, scenario.duration_s, 300):
        relative, said = script.relative(t), spoken(frame, script, t)
        rows.append(np.concatenate([relative.pose, relative.velocity, *said]))
    pose, velocity, chaser, target, chaser_velocity, target_velocity = np.split(
        np.array(rows), np.cumsum([7, 6, 7, 7, 6]), axis=1
    )
    back = rotation(target[:, 3:]).inv()
    arm, w = chaser[:, :3] - target[:, :3], target_velocity[:, 3:]
    worst = float(np.linalg.norm(back.apply(arm) - pose[:, :3], axis=1).max())
    assert ((back * rotation(chaser[:, 3:])).inv() * rotation(pose[:, 3:])).magnitude().max() < 1e-14
    # and the relative velocity, by the rule of the rotating frame
    v = back.apply(chaser_velocity[:, :3] - target_velocity[:, :3] - np.cross(w, arm))
    np.testing.assert_allclose(v, velocity[:, :3], atol=3e-12)
    np.testing.assert_allclose(back.apply(chaser_velocity[:, 3:] - w), velocity[:, 3:], atol=1e-15)
    assert worst <= rounding + 2e-14
    assert worst < 1e-8


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("frame", FRAMES)
def test_velocities_are_derivatives(frame: Frame, name: str) -> None:
    scenario = load_scenario(name)
    script = Script(scenario)
    h = 2e-2  # large: at orbital speed, position / h must not drown in rounding
    for leg in scenario.legs:
        if leg.duration_s < 1.0:
            continue
        for share in (0.1, 0.35, 0.5, 0.9):
            t = leg.start_s + share * leg.duration_s
            before, now, after = (spoken(frame, script, t + k * h) for k in (-1, 0, 1))
            for a, b, v in (
                (before.chaser, after.chaser, now.chaser_velocity),
                (before.target, after.target, now.target_velocity),
            ):
                np.testing.assert_allclose((b[:3] - a[:3]) / (2 * h), v[:3], atol=2e-6)
                rate = (rotation(b[3:]) * rotation(a[3:]).inv()).as_rotvec() / (2 * h)
                np.testing.assert_allclose(rate, v[3:], atol=2e-6)


def test_eci_is_a_keplerian_circle() -> None:
    script = Script(load_scenario("hold"))
    h = 0.5
    for t in (0.0, 700.0, 1457.0, 4000.0):
        before, now, after = (spoken("eci", script, t + k * h) for k in (-1, 0, 1))
        p, v = now.target[:3], now.target_velocity[:3]
        assert np.linalg.norm(p) == pytest.approx(ORBIT_RADIUS_M, rel=1e-14)
        assert np.linalg.norm(v) == pytest.approx(math.sqrt(MU_M3_S2 / ORBIT_RADIUS_M), rel=1e-14)
        gravity = -MU_M3_S2 * p / np.linalg.norm(p) ** 3
        np.testing.assert_allclose(
            (after.target_velocity[:3] - before.target_velocity[:3]) / (2 * h), gravity, atol=1e-6
        )
    period = 2 * math.pi * math.sqrt(ORBIT_RADIUS_M**3 / MU_M3_S2)
    np.testing.assert_allclose(spoken("eci", script, period).target[:3], [ORBIT_RADIUS_M, 0, 0], atol=1e-6)


@pytest.mark.parametrize("t", [0.0, 33.0, 512.5, 3000.0])
def test_lvlh_is_eci_seen_from_the_orbit(t: float) -> None:
    script = Script(load_scenario("extepos"))
    eci, lvlh = spoken("eci", script, t), spoken("lvlh", script, t)
    p, v = eci.target[:3], eci.target_velocity[:3]
    x, z = v / np.linalg.norm(v), -p / np.linalg.norm(p)
    R_lvlh_eci = Rotation.from_matrix([x, np.cross(z, x), z])
    assert not lvlh.target[:3].any()
    assert not lvlh.target_velocity[:3].any()
    np.testing.assert_allclose(R_lvlh_eci.apply(eci.chaser[:3] - p), lvlh.chaser[:3], atol=1e-8)
    assert ((R_lvlh_eci * rotation(eci.chaser[3:])).inv() * rotation(lvlh.chaser[3:])).magnitude() < 1e-12


@pytest.mark.parametrize("frame", FRAMES)
def test_in_a_tumble_the_target_turns_and_the_chaser_stays(frame: Frame) -> None:
    """Up to the orbit's own slow turn in lvlh."""
    script = Script(load_scenario("tumbling"))
    orbit_rate = math.sqrt(MU_M3_S2 / ORBIT_RADIUS_M**3) if frame == "lvlh" else 0.0
    said = spoken(frame, script, 70.0)
    assert np.linalg.norm(said.chaser_velocity[3:]) == pytest.approx(orbit_rate, abs=1e-14)
    # torque-free: precession 0.8 * 5 deg/s / cos 10 along the momentum, 0.2 * 5 deg/s along the axis
    precession, spin = 4.0 / math.cos(math.radians(10)), 1.0
    expected = math.sqrt(precession**2 + spin**2 + 2 * precession * spin * math.cos(math.radians(10)))
    assert math.degrees(np.linalg.norm(said.target_velocity[3:])) == pytest.approx(
        expected, abs=math.degrees(orbit_rate) + 1e-9
    )


@pytest.mark.parametrize("frame", ["lab", "eci"])
def test_otherwise_the_target_keeps_its_inertial_attitude(frame: Frame) -> None:
    scenario = load_scenario("fly_around")
    script = Script(scenario)
    for t in np.linspace(0.0, scenario.duration_s, 20):
        said = spoken(frame, script, t)
        np.testing.assert_allclose(said.target[3:], [1, 0, 0, 0], atol=1e-15)
        assert not said.target_velocity[3:].any()
