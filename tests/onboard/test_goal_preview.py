"""The look ahead to a goal: time against the closed form and against gains, ends of joints, goals that are never reached."""

from dataclasses import replace

import numpy as np
import pytest

from proxops.arms.dynamics import Dynamics
from proxops.arms.model import load_model
from proxops.core.errors import BadInput
from proxops.maths.quaternion import quat_product
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.onboard.dynamic_jacobian_law import LawSettings
from proxops.onboard.goal_preview import Goal, preview_goal

MODEL = load_model("iiwa_satellite", "flange")
BENT = np.radians([10.0, 40.0, 5.0, -80.0, 20.0, 60.0, 10.0])
LAW = LawSettings(np.ones(3), np.ones(3), np.full(7, 1e3), np.full(7, 8.0))


def moved(way: tuple[float, float, float], turn: tuple[float, float, float] = (0.0, 0.0, 0.0)) -> Goal:
    """From where the tool is: m, rad in inertial axes."""
    pose = Dynamics(MODEL).tool_pose(MODEL.configuration(BENT))
    quat = quat_product(quat_from_rotation_vector(np.array(turn)), pose[3:].copy())
    return Goal(pose[:3] + way, quat, 1e-3, np.radians(0.1))


@pytest.mark.parametrize("gain", [1e-2, 1.0, 20.0])
def test_the_way_falls_exponentially(gain: float) -> None:
    """0.1 m down to 1 mm takes ln(100) time constants; steps add their second order, under a hundredth."""
    law = replace(LAW, position_gain=np.full(3, gain), attitude_gain=np.full(3, gain))
    assert preview_goal(MODEL, BENT, moved((0.06, -0.08, 0.0)), law, 1e4) == pytest.approx(
        np.log(100.0) / gain, rel=0.01
    )


def test_the_slowest_gain_decides() -> None:
    law = replace(LAW, position_gain=np.array([20.0, 20.0, 0.5]))
    assert preview_goal(MODEL, BENT, moved((0.1, 0.0, 0.05)), law, 100.0) == pytest.approx(np.log(50.0) / 0.5, rel=0.01)


def test_slow_joints_take_their_time() -> None:
    fast = preview_goal(MODEL, BENT, moved((0.1, 0.0, 0.0)), LAW, 1e4)
    slow = preview_goal(MODEL, BENT, moved((0.1, 0.0, 0.0)), replace(LAW, speed=np.full(7, 1e-3)), 1e4)
    assert slow > 50.0 + fast


def test_a_joint_that_comes_to_its_end_is_named() -> None:
    with pytest.raises(BadInput, match=r"on the way there A7 comes to the end .*; allowed: -174\.5 … 174\.5 deg"):
        preview_goal(
            MODEL, np.where(np.arange(7) == 6, np.radians(174.0), BENT), _twisted(0.5), LAW, 100.0, np.radians(0.5)
        )


def _twisted(angle: float) -> Goal:
    """About the last joint's own axis, from 174 degrees on."""
    start = np.where(np.arange(7) == 6, np.radians(174.0), BENT)
    pose = Dynamics(MODEL).tool_pose(MODEL.configuration(start))
    return Goal(
        pose[:3], quat_product(pose[3:].copy(), quat_from_rotation_vector(np.array([0.0, 0.0, angle]))), 1e-3, 1e-3
    )


def test_away_from_an_end_is_free() -> None:
    start = np.where(np.arange(7) == 6, MODEL.upper, BENT)
    pose = Dynamics(MODEL).tool_pose(MODEL.configuration(start))
    quat = quat_product(pose[3:].copy(), quat_from_rotation_vector(np.array([0.0, 0.0, -0.5])))
    assert preview_goal(MODEL, start, Goal(pose[:3], quat, 1e-3, 1e-3), LAW, 100.0, np.radians(0.5)) > 0.0


def test_a_goal_out_of_reach_and_a_time_too_short_are_refused() -> None:
    with pytest.raises(BadInput, match=r"goal: "):
        preview_goal(MODEL, BENT, moved((2.0, 0.0, 0.0)), LAW, 1e4)
    with pytest.raises(BadInput, match=r"not reached within the duration of 2 s; got 13\.. mm and .* at 2\.00 s"):
        preview_goal(MODEL, BENT, moved((0.06, -0.08, 0.0)), LAW, 2.0)  # 0.1 m · e^-2 = 13.5 mm
