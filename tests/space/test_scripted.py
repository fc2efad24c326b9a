"""Scripted motion against finite differences, closed forms of its own kind, and the laws of a torque-free body."""

import math
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from proxops.core.scenario import Scenario, load_scenario, parse_scenario, shipped
from proxops.space.scripted import Relative, Script

Array = NDArray[np.float64]

HEAD = 'name = "a"\nabout = "b"\nseed = 0\n'
EVERYTHING = """
motion = [
    { kind = "approach", to_m = 6.0, speed_m_s = 0.1, moving_start = true },
    { kind = "hold", duration_s = 2.0 },
    { kind = "fly_around", angle_deg = -70.0, rate_deg_s = 3.0, axis = [0.2, 0.3, 0.9] },
    { kind = "tumble", duration_s = 60.0, spin_deg_s = 5.0, axis = [0.3, -0.2, 0.9], nutation_deg = 15, soft_s = 4 },
    { kind = "fly_around", angle_deg = 40.0, rate_deg_s = 20.0, axis = [1, 0, 0], acceleration_deg_s2 = 2.0 },
    { kind = "approach", to_m = 9.0, speed_m_s = 0.5, acceleration_m_s2 = 0.1 },
    { kind = "tumble", duration_s = 30.0, spin_deg_s = -8.0, axis = [0, 0, 1], nutation_deg = 30, inertia_ratio = 1.7 },
    { kind = "silence", duration_s = 3.0 },
    { kind = "approach", to_m = 6.0, speed_m_s = 0.2, moving_end = true },
    { kind = "overshoot", speed_m_s = 0.2, duration_s = 50.0 },
    { kind = "jump", distance_m = 4.0, direction = [-1, 0.5, 0.5], attitude_deg = [10, 20, 30] },
    { kind = "fly_around", angle_deg = 30.0, rate_deg_s = 2.0, axis = [0, 0, 1] },
]
[start]
distance_m = 8.0
direction = [1.0, 0.5, -0.3]
"""


def scripted(text: str) -> tuple[Scenario, Script]:
    scenario = parse_scenario(HEAD + text, Path("test.toml"))
    return scenario, Script(scenario)


def one(motion: str, start: str = "distance_m = 5.0") -> tuple[Scenario, Script]:
    return scripted(f"motion = [{{ {motion} }}]\n[start]\n{start}\n")


def rotation(q: Array) -> Rotation:
    return Rotation.from_quat(q, scalar_first=True)


def attitude(relative: Relative) -> Rotation:
    return rotation(relative.pose[3:7])


def interior(scenario: Scenario, per_leg: int, margin: float) -> list[float]:
    """Times inside the legs, away from the joints where velocity may jump."""
    times: list[float] = []
    for leg in scenario.legs:
        if leg.duration_s > 2 * margin:
            times += list(np.linspace(leg.start_s + margin, leg.start_s + leg.duration_s - margin, per_leg))
    return times


# --- derivatives and continuity ---


def test_velocity_is_the_derivative_of_the_pose() -> None:
    scenario, script = scripted(EVERYTHING)
    h = 1e-4
    for t in interior(scenario, 25, 2 * h):
        before, now, after = (script.relative(t + k * h) for k in (-1, 0, 1))
        np.testing.assert_allclose((after.pose[:3] - before.pose[:3]) / (2 * h), now.velocity[:3], atol=2e-8)
        rate = (attitude(after) * attitude(before).inv()).as_rotvec() / (2 * h)
        np.testing.assert_allclose(rate, now.velocity[3:], atol=2e-8)
        target = (rotation(after.target_attitude) * rotation(before.target_attitude).inv()).as_rotvec() / (2 * h)
        np.testing.assert_allclose(target, now.target_rate, atol=2e-8)


def test_pose_never_jumps_but_in_a_jump_and_velocity_only_there_or_in_an_overshoot() -> None:
    scenario, script = scripted(EVERYTHING)
    e = 1e-7
    seen = set()
    for before, after in zip(scenario.legs, scenario.legs[1:], strict=False):
        t = after.start_s
        a, b = script.relative(t - e), script.relative(t)
        kinds = {before.segment.kind, after.segment.kind}
        if "jump" in kinds:
            continue
        seen |= kinds
        np.testing.assert_allclose(a.pose, b.pose, atol=1e-7)  # sign of the quaternion included
        np.testing.assert_allclose(a.target_attitude, b.target_attitude, atol=1e-7)
        np.testing.assert_allclose(a.velocity, b.velocity, atol=1e-6)  # here the overshoot goes on at the same speed
        np.testing.assert_allclose(a.target_rate, b.target_rate, atol=1e-6)
    assert seen == {"approach", "hold", "fly_around", "tumble", "silence", "overshoot"}


@pytest.mark.parametrize("scenario", shipped(), ids=lambda s: s.name)
def test_shipped_scenarios_move_without_steps(scenario: Scenario) -> None:
    script = Script(scenario)
    jumps = [leg.start_s for leg in scenario.legs if leg.segment.kind == "jump"]
    times = np.arange(0.0, scenario.duration_s, 0.04)
    poses = np.array([script.relative(t).pose for t in times])
    steps = np.linalg.norm(np.diff(poses[:, :3], axis=0), axis=1)
    quiet = [i for i in range(len(steps)) if not any(times[i] < jump <= times[i + 1] for jump in jumps)]
    assert len(quiet) == len(steps) - len(jumps)
    assert steps[quiet].max() < 0.04 * 0.15  # m/s
    np.testing.assert_allclose(np.linalg.norm(poses[:, 3:], axis=1), 1.0, atol=1e-14)
    assert np.sum(poses[1:, 3:] * poses[:-1, 3:], axis=1)[quiet].min() > 0.999  # the quaternion keeps its sign


def test_a_function_of_time_alone() -> None:
    scenario, script = scripted(EVERYTHING)
    times = np.random.default_rng(1).uniform(-1.0, scenario.duration_s + 1.0, 200)
    forwards = {t: script.relative(t) for t in sorted(times)}
    for t in times:
        again = Script(scenario).relative(t) if t < 5 else script.relative(t)
        assert np.array_equal(again.pose, forwards[t].pose)
        assert np.array_equal(again.velocity, forwards[t].velocity)


def test_stands_still_before_and_after() -> None:
    scenario, script = scripted(EVERYTHING)
    assert np.array_equal(script.relative(-5.0).pose, script.relative(0.0).pose)
    end = script.relative(scenario.duration_s)
    later = script.relative(scenario.duration_s + 100.0)
    assert np.array_equal(end.pose, later.pose)
    assert not later.velocity.any()
    _, runaway = one('kind = "overshoot", speed_m_s = 0.1, duration_s = 10')
    assert not runaway.relative(10.0).velocity.any()
    assert runaway.relative(9.999).velocity[0] == pytest.approx(-0.1)


def test_only_silence_is_silent() -> None:
    scenario, script = scripted(EVERYTHING)
    for leg in scenario.legs:
        if leg.duration_s:
            assert script.relative(leg.start_s + 0.5 * leg.duration_s).sending == (leg.segment.kind != "silence")


# --- where it is and where it looks ---


@pytest.mark.parametrize("direction", [(1, 0, 0), (0, 1, 0), (-1, 0, 0), (-1, 1e-7, 0), (0.3, -0.5, 0.7), (0, 0, -2)])
def test_nominal_attitude_looks_at_the_target_by_the_smallest_turn(direction: tuple[float, float, float]) -> None:
    _, script = one('kind = "hold", duration_s = 1', f"distance_m = 5\ndirection = {list(direction)}")
    relative = script.relative(0.0)
    unit = np.array(direction) / np.linalg.norm(direction)
    np.testing.assert_allclose(relative.pose[:3], 5 * unit, atol=1e-14)
    np.testing.assert_allclose(attitude(relative).apply([-1, 0, 0]), -unit, atol=1e-9)
    assert attitude(relative).magnitude() == pytest.approx(math.acos(unit[0]), abs=1e-6)
    if direction == (-1, 0, 0):
        np.testing.assert_allclose(attitude(relative).apply([0, 0, 1]), [0, 0, 1], atol=1e-14)  # upright


def test_the_start_attitude_is_abc_after_the_nominal_one() -> None:
    start = "distance_m = 5\ndirection = [0, 1, 0]\nattitude_deg = [10, 20, 30]"
    _, script = one('kind = "hold", duration_s = 1', start)
    expected = Rotation.from_euler("z", 90, degrees=True) * Rotation.from_euler("ZYX", [10, 20, 30], degrees=True)
    assert (attitude(script.relative(0.0)).inv() * expected).magnitude() < 1e-12


def test_approach_is_straight_and_keeps_its_limits() -> None:
    scenario, script = one(
        'kind = "approach", to_m = 2, speed_m_s = 0.1, acceleration_m_s2 = 0.02',
        "distance_m = 5\ndirection = [0.6, 0.8, 0]",
    )
    assert scenario.duration_s == pytest.approx(30 + 7.5)  # 3 m at 10 cm/s and a flank of 1.5 * 0.1 / 0.02
    times = np.linspace(0, scenario.duration_s, 2001)
    states = [script.relative(t) for t in times]
    range_rate = np.array([s.velocity[:3] @ (0.6, 0.8, 0.0) for s in states])
    for s in states:
        assert np.linalg.norm(np.cross(s.pose[:3], (0.6, 0.8, 0.0))) < 1e-14
        assert not s.velocity[3:].any()
    assert range_rate.min() == pytest.approx(-0.1)
    assert abs(np.gradient(range_rate, times)).max() == pytest.approx(0.02, rel=1e-3)
    np.testing.assert_allclose(script.relative(scenario.duration_s).pose[:3], (1.2, 1.6, 0.0), atol=1e-14)
    np.testing.assert_allclose(states[1000].pose[:3], (2.1, 2.8, 0.0), atol=1e-12)  # half-way at half-time
    # a way too short for full speed: peak of sqrt(way * acceleration / 1.5)
    scenario, script = one('kind = "approach", to_m = 4.97, speed_m_s = 0.1, acceleration_m_s2 = 0.02')
    middle = script.relative(0.5 * scenario.duration_s)
    assert middle.velocity[0] == pytest.approx(-math.sqrt(0.03 * 0.02 / 1.5))
    assert middle.pose[0] == pytest.approx(4.985)


def test_overshoot_goes_through_the_target() -> None:
    _, script = one('kind = "overshoot", speed_m_s = 0.5, duration_s = 20')
    for t in (0.0, 3.0, 10.0, 17.0):
        np.testing.assert_allclose(script.relative(t).pose, [5 - 0.5 * t, 0, 0, 1, 0, 0, 0], atol=1e-13)
        np.testing.assert_allclose(script.relative(t).velocity, [-0.5, 0, 0, 0, 0, 0], atol=1e-14)


@pytest.mark.parametrize("axis", [(0, 0, 1), (0.5, 0.2, 0.8), (1, 1, 0)])
def test_fly_around_circles_looks_and_does_not_roll(axis: tuple[float, float, float]) -> None:
    scenario, script = one(f'kind = "fly_around", angle_deg = 120, rate_deg_s = 2, axis = {list(axis)}')
    n = np.array(axis) / np.linalg.norm(axis)
    assert scenario.duration_s == pytest.approx(60 + 15)  # flank of 1.5 * 2 / 0.2
    for t in np.linspace(0, scenario.duration_s, 101):
        r = script.relative(t)
        assert np.linalg.norm(r.pose[:3]) == pytest.approx(5.0, abs=1e-13)
        assert r.pose[:3] @ n == pytest.approx(5 * n[0], abs=1e-13)  # on a circle about the axis
        sight = r.pose[:3] / 5
        np.testing.assert_allclose(attitude(r).apply([1, 0, 0]), sight, atol=1e-13)
        assert abs(r.velocity[3:] @ sight) < 1e-15  # no roll about the line of sight
    end = Rotation.from_rotvec(math.radians(120) * n).apply([5, 0, 0])
    np.testing.assert_allclose(script.relative(scenario.duration_s).pose[:3], end, atol=1e-13)
    middle = script.relative(0.5 * scenario.duration_s)
    across = math.sqrt(1 - n[0] ** 2)
    assert np.linalg.norm(middle.velocity[3:]) == pytest.approx(math.radians(2) * across)


def test_a_way_round_comes_home_rolled_by_the_solid_angle() -> None:
    """Gauss-Bonnet: parallel transport round a cap of half-angle 60 deg turns by its area, 2 pi (1 - cos 60) = pi."""
    scenario, script = one(
        'kind = "fly_around", angle_deg = 360, rate_deg_s = 10, axis = [1, 0, 0]',
        f"distance_m = 5\ndirection = [0.5, 0, {math.sqrt(0.75)}]",
    )
    first, last = script.relative(0.0), script.relative(scenario.duration_s)
    np.testing.assert_allclose(last.pose[:3], first.pose[:3], atol=1e-13)
    roll = attitude(first).inv() * attitude(last)
    assert roll.magnitude() == pytest.approx(math.pi)
    assert abs(roll.as_rotvec()[0]) == pytest.approx(math.pi)  # about the chaser's line of sight


# --- tumbling ---

TUMBLES = [
    ("spin_deg_s = 5, axis = [1, 0, 0], nutation_deg = 10", 5, 10, 0.8),
    ("spin_deg_s = -7, axis = [0.2, 0.3, 0.9], nutation_deg = 35, inertia_ratio = 1.8", -7, 35, 1.8),
    ("spin_deg_s = 4, axis = [0, 0, 1], nutation_deg = 60, inertia_ratio = 0.3", 4, 60, 0.3),
    ("spin_deg_s = 6, axis = [0, 1, 0]", 6, 0, 0.8),
]


@pytest.mark.parametrize(("text", "spin", "nutation", "ratio"), TUMBLES)
def test_a_tumble_keeps_the_laws_of_a_free_body(text: str, spin: float, nutation: float, ratio: float) -> None:
    scenario, script = one(
        f'kind = "tumble", duration_s = 100, {text}, soft_s = 2', "distance_m = 5\ndirection = [1, 2, 3]"
    )
    axis = np.array(scenario.legs[0].segment.axis)  # type: ignore[union-attr]
    inertia = np.eye(3) + (ratio - 1.0) * np.outer(axis, axis)  # in the target's frame, transverse moment 1
    place = script.relative(0.0).pose[:3]
    momenta = []
    for t in np.linspace(0.5, 99.5, 60):
        r = script.relative(t)
        R = rotation(r.target_attitude)
        body_rate = R.inv().apply(r.target_rate)
        momentum = R.apply(inertia @ body_rate)
        # direction always; size and spin while it is not softened
        momenta.append(momentum / np.linalg.norm(momentum))
        if 2 <= t <= 98:
            assert body_rate @ axis == pytest.approx(math.radians(spin), abs=1e-14)
            assert np.linalg.norm(momentum) == pytest.approx(
                ratio * math.radians(abs(spin)) / math.cos(math.radians(nutation)), abs=1e-14
            )
        tilt = math.degrees(math.acos(min(1.0, abs(momentum @ R.apply(axis)) / np.linalg.norm(momentum))))
        assert tilt == pytest.approx(nutation, abs=1e-5)
        # the chaser stays where it is in inertial space, and goes on looking at the target
        np.testing.assert_allclose(R.apply(r.pose[:3]), place, atol=1e-13)
        assert ((R * attitude(r)).inv() * attitude(script.relative(0.0))).magnitude() < 1e-13
        np.testing.assert_allclose(attitude(r).apply([1, 0, 0]), r.pose[:3] / 5, atol=1e-13)
    np.testing.assert_allclose(momenta, np.tile(momenta[0], (60, 1)), atol=1e-12)


def test_a_tumble_is_the_solution_of_eulers_equations() -> None:
    """Against a numerical integration of the rigid body from the same initial state."""
    _, script = one('kind = "tumble", duration_s = 60, spin_deg_s = 9, axis = [0, 0, 1], nutation_deg = 25, soft_s = 0')
    inertia = np.diag([1.0, 1.0, 0.8])
    first = script.relative(0.0)

    def derivative(_: float, state: Array) -> Array:
        q, w = state[:4], state[4:]
        turn = 0.5 * np.array([-q[1:] @ w, *(q[0] * w + np.cross(q[1:], w))])
        return np.array([*turn, *np.linalg.solve(inertia, -np.cross(w, inertia @ w))])

    state = [*first.target_attitude, *rotation(first.target_attitude).inv().apply(first.target_rate)]
    times = np.linspace(0, 59.9, 20)
    solved = solve_ivp(derivative, (0, 60), state, t_eval=times, rtol=1e-11, atol=1e-12)
    for t, q in zip(times, solved.y[:4].T, strict=True):
        assert (rotation(q / np.linalg.norm(q)).inv() * rotation(script.relative(t).target_attitude)).magnitude() < 1e-8


def test_tumbling_shows_the_cone_it_promises() -> None:
    script = Script(load_scenario("tumbling"))
    for t in np.linspace(0, 140, 71):
        sight = script.relative(t).pose[:3] / 5
        assert math.degrees(math.acos(sight[0])) == pytest.approx(10.0, abs=1e-5)  # along the angular momentum
