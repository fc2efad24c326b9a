"""References: courses, attitude, and that what guidance calls velocity and acceleration are derivatives of its position."""

import math
from pathlib import Path

import numpy as np
import pytest
from rendezvous_plant import Noise, rendezvous

import proxops
from proxops.core.flight import onboard_data
from proxops.core.mission import parse_mission
from proxops.maths.quaternion import cross, quat_about, turned
from proxops.onboard.attitude_reference import SLEW_RATE, Pointing, Slew
from proxops.onboard.course import SphereCourse, along, line_ramp

SOURCE = Path(proxops.__file__).parent / "missions" / "approach.toml"
FILE = parse_mission(SOURCE.read_text(), SOURCE).file
DATA = onboard_data(FILE)


@pytest.mark.parametrize(("way", "contact"), [(20.0, False), (0.3, False), (2.4, True), (0.01, True)])
def test_ramps_are_smooth_and_arrive(way: float, contact: bool) -> None:
    ramp = line_ramp(way, 0.05, 0.002, contact)
    t = np.linspace(0.0, ramp.duration_s, 20_001)
    s, v, a = np.array([along(ramp, x) for x in t]).T
    assert s[-1] == pytest.approx(way)
    assert np.max(np.abs(a)) <= 0.002 * (1.0 + 1e-9)
    # Central differences on this grid: second-order errors far below 1e-6 of the figures.
    np.testing.assert_allclose(np.gradient(s, t)[1:-1], v[1:-1], atol=1e-6)
    np.testing.assert_allclose(np.gradient(v, t)[1:-1], a[1:-1], atol=1e-5)


@pytest.mark.parametrize("goal_rate", [0.0, 0.003])
@pytest.mark.parametrize("angle", [0.5, 2.5, math.pi])
def test_a_sphere_course_arrives_with_the_goals_velocity(goal_rate: float, angle: float) -> None:
    axis, u = np.array([0.3, -0.5, 0.81]), np.array([0.0, 0.0, 1.0])
    axis /= np.linalg.norm(axis)
    goal = turned(quat_about(np.array([0.0, 1.0, 0.0]), angle), u)
    course = SphereCourse(u, math.radians(0.5), 4e-4, goal_rate)
    fastest, last = 0.0, u
    for k in range(12_000):
        g = turned(quat_about(axis, goal_rate * 0.1 * k), goal)
        g_dot = goal_rate * cross(axis, g)
        course.step(g, g_dot, goal_rate * cross(axis, g_dot), 0.1)
        assert np.linalg.norm(course.direction - last) < 0.101 * (math.radians(0.5) + 2.5 * goal_rate)  # never jumps
        fastest, last = max(fastest, course.speed), course.direction.copy()
    assert course.angle_to_go < 1e-3
    assert fastest <= math.radians(0.5) * (1.0 + 1e-12)
    np.testing.assert_allclose(course.velocity, g_dot, atol=2e-5)


def test_pointing_looks_at_the_target_and_passes_the_r_bar_steadily() -> None:
    """From V-bar over the R-bar to the other V-bar: x always along the direction, attitude never jumps."""
    pointing, last = Pointing(np.array([1.0, 0.0, 0.0])), np.empty(0)
    rate = math.radians(0.5)
    for k in range(3600):
        angle = rate * 0.1 * k
        u = np.array([math.cos(angle), 0.0, math.sin(angle)])
        R, _ = pointing.step(u, rate * np.array([-math.sin(angle), 0.0, math.cos(angle)]), 0.1)
        np.testing.assert_allclose(R[:, 0], u, atol=1e-12)
        np.testing.assert_allclose(R.T @ R, np.eye(3), atol=1e-12)
        if last.size:
            assert np.max(np.abs(R - last)) < 0.1 * 2.0 * rate * 1.01  # the turn itself and a roll of as much
        last = R
    assert np.allclose(
        Pointing(np.array([0.0, 0.0, 1.0])).step(np.array([0.0, 0.0, 1.0]), np.zeros(3), 0.1)[0][:, 2], [1, 0, 0]
    )


@pytest.mark.parametrize("angle", [0.1, 1.5, math.pi])
def test_slews_keep_their_limits_and_arrive(angle: float) -> None:
    still = np.zeros(3)
    slew = Slew(np.array([1.0, 0.0, 0.0, 0.0]), still, DATA)
    goal = quat_about(np.array([0.6, 0.0, 0.8]), angle)
    for _ in range(4000):
        slew.follow(goal, still, still, 0.1)
        assert np.linalg.norm(slew.w) <= math.sqrt(2.0) * SLEW_RATE * 1.02  # tilt and roll each
    assert slew.angle_to_go < 1e-4
    assert slew.rate_to_go < 1e-5


def test_catching_up_with_a_spin_does_not_lose_the_direction() -> None:
    still, spin = np.zeros(3), np.array([math.radians(5.0), 0.0, 0.0])
    slew = Slew(np.array([1.0, 0.0, 0.0, 0.0]), still, DATA)
    for k in range(3000):
        slew.follow(quat_about(np.array([1.0, 0.0, 0.0]), spin[0] * 0.1 * k), spin, still, 0.1)
        assert turned(slew.q, np.array([1.0, 0.0, 0.0]))[0] > math.cos(math.radians(0.1))
    assert slew.angle_to_go < math.radians(0.1)


def test_velocity_and_thrust_are_the_derivatives_of_the_reference() -> None:
    """In every phase of a flight without noise: central differences of the reference's position over 0.2 s give its velocity,
    those of the velocity its acceleration, which is the thrust with gravity's difference put back. A cycle of the fly-around
    is computed at its beginning, hence 5e-5 m/s (angular acceleration 4e-4 over 0.1 s at 5 m, a quarter of it)."""
    run = rendezvous(FILE, noise=Noise(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    for begin in (20.0, 40.0, 200.0, 560.0, 620.0, 760.0, 900.0):
        run.until(begin)
        rows = []
        for _ in range(3):
            run.until(run.plant.t + 0.05)
            reference = run.software._reference
            assert reference is not None
            p = run.plant.target[0]
            r = np.linalg.norm(p)
            gravity = -3.986004418e14 / r**3 * (reference.position - 3.0 * p * (p @ reference.position) / r**2)
            rows.append((reference.position, reference.velocity, reference.thrust + gravity))
        np.testing.assert_allclose((rows[2][0] - rows[0][0]) / 0.2, rows[1][1], atol=2e-4)
        np.testing.assert_allclose((rows[2][1] - rows[0][1]) / 0.2, rows[1][2], atol=2e-4)


PASSING = """kind = "mission"
name = "passing"
about = "an axis that tumbles and passes by"
like = "approach"
plan = [
    { kind = "hold", duration_s = 2.0 },
    { kind = "fly_around", to = "docking_axis", rate_deg_s = 0.5 },
    { kind = "hold", duration_s = 10.0 },
]
[start]
position_m = [-5.0, 0.0, 0.0]
[target]
attitude = { axis = [-1.0, 0.0, 0.0], rate_deg_s = [2.0, 0.8, -0.8] }
"""


def test_an_axis_that_only_passes_by_does_not_take_the_target_out_of_view() -> None:
    """It comes within 5 deg of the chaser, which begins to take on the target's attitude, and is gone again: it is too fast to be
    followed at once. Who stays parallel to the target then looks 32 deg past it."""
    run = rendezvous(parse_mission(PASSING, Path("passing.toml")).file, noise=Noise(0.0, 0.0, 0.0, 0.0, 0.0, 0.0))
    began, off = False, 0.0
    while run.plant.t < 60.0:
        run.until(run.plant.t + 1.0)
        began |= run.software.guidance._aligning
        off = max(off, run.software._situation.off_boresight)
    assert began
    assert not run.software.guidance._aligning
    assert math.degrees(off) < 12.0
