"""The two ETS-VII models against their sources' own conventions, and what sets them apart."""

from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
from numpy.typing import NDArray

import proxops

Vec = NDArray[np.float64]
MODELS = Path(proxops.__file__).parent / "arms" / "models"
H = np.pi / 2
# Model A as its source writes it: t from the parent's centre of mass to the joint (parent's frame), f from the joint to the
# own centre (own frame), intrinsic X-Y-Z angles of the own frame; the joint angle is added to the third.
BMSD: list[tuple[list[float], list[float], list[float]]] = [
    ([-0.785, -0.295, 1.0], [0, 0, 0.175], [0, 0, 0]),
    ([0, 0.275, 0.175], [0.435, 0, 0], [-H, 0, -H]),
    ([0.435, 0, 0], [0.315, 0, 0.275], [0, 0, H]),
    ([0.315, 0, 0], [0, 0, -0.1335], [0, 0, -H]),
    ([0, 0, -0.1335], [0, 0, 0.1385], [H, H, 0]),
    ([0, 0, 0.1385], [0, 0, 0.266], [2 * H, H, 0]),
]
ZERO_JOINTS = [
    [-0.785, -0.295, 1.0],
    [-0.785, -0.02, 1.35],
    [-0.785, -0.02, 2.22],
    [-0.155, 0.255, 2.22],
    [-0.155, -0.012, 2.22],
    [-0.155, -0.012, 2.497],
]
ZERO_AXES = [[0, 0, 1], [0, 1, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1], [1, 0, 0]]
# End of the replayed ramp: joints 2, 3 and 4, rad.
RAMP = np.array([0, 0.263828840417748, -0.320653513738493, 0.0568246733207494, 0, 0])


def floating(name: str) -> pin.Model:
    return pin.buildModelFromUrdf(str(MODELS / f"{name}.urdf"), pin.JointModelFreeFlyer())


def placed(model: pin.Model, q: Vec) -> pin.Data:
    data = model.createData()
    pin.framesForwardKinematics(model, data, np.concatenate([pin.neutral(model)[:7], q]))
    return data


def tool(name: str, q: Vec) -> pin.SE3:
    model = floating(name)
    return placed(model, q).oMf[model.getFrameId("tool")]


def axes(name: str) -> Vec:
    """Directions of the joint axes in the zero pose, base frame, one row each."""
    model = floating(name)
    data = model.createData()
    pin.computeJointJacobians(model, data, pin.neutral(model))
    pin.framesForwardKinematics(model, data, pin.neutral(model))
    return np.array(
        [pin.getJointJacobian(model, data, i, pin.LOCAL_WORLD_ALIGNED)[3:, 4 + i] for i in range(2, model.njoints)]
    )


def turn(axis: int, angle: float) -> Vec:
    c, s = np.cos(angle), np.sin(angle)
    a, b = (axis + 1) % 3, (axis + 2) % 3
    R = np.eye(3)
    R[a, a], R[a, b], R[b, a], R[b, b] = c, -s, s, c
    return R


def test_model_a_stands_as_its_source_computes_the_zero_pose() -> None:
    data = placed(floating("ets7_a"), np.zeros(6))
    np.testing.assert_allclose([data.oMi[i].translation for i in range(2, 8)], ZERO_JOINTS, atol=1e-14, rtol=0)
    np.testing.assert_allclose(axes("ets7_a"), ZERO_AXES, atol=1e-15)
    np.testing.assert_allclose(tool("ets7_a", np.zeros(6)).translation, [0.377, -0.012, 2.497], atol=1e-14, rtol=0)


def test_model_a_moves_as_its_source_says_it_moves() -> None:
    model, rng = floating("ets7_a"), np.random.default_rng(5)
    for q in rng.uniform(-3, 3, (20, 6)):
        data, R, centre = placed(model, q), np.eye(3), np.zeros(3)
        for i, (t, f, rpy) in enumerate(BMSD):
            joint = centre + R @ t
            R = R @ turn(0, rpy[0]) @ turn(1, rpy[1]) @ turn(2, rpy[2] + q[i])
            centre = joint + R @ f
            np.testing.assert_allclose(data.oMi[i + 2].act(model.inertias[i + 2].lever), centre, atol=1e-13)
        hand = data.oMf[model.getFrameId("tool")]
        np.testing.assert_allclose(hand.translation, centre + R @ [0, 0, 0.266], atol=1e-13)
        np.testing.assert_allclose(hand.rotation, R, atol=1e-13)


def test_model_b_turns_joint_3_the_other_way() -> None:
    flipped = np.array(ZERO_AXES, dtype=float)
    flipped[2] *= -1
    tilt = -1.96856904004012 + np.pi / 2  # roll of joint 4 beyond the quarter turn
    flipped[4:] = flipped[4:] @ turn(1, tilt).T  # wrist and hand lean with it
    np.testing.assert_allclose(axes("ets7_b"), flipped, atol=1e-14)


def test_model_b_is_as_long_as_model_a() -> None:
    model = floating("ets7_b")
    data = placed(model, np.zeros(6))
    joints = np.array([data.oMi[i].translation for i in range(2, 8)])
    np.testing.assert_allclose(joints[0], [-0.79, -0.29, 1.0], atol=1e-15)  # rounded mount
    lengths = np.abs(np.diff(joints, axis=0))
    assert lengths[0, 2] == pytest.approx(0.35)  # shoulder height
    assert lengths[1, 2] == pytest.approx(0.87)  # upper arm
    assert lengths[2, 0] == pytest.approx(0.63)  # forearm
    hand = data.oMf[model.getFrameId("tool")]
    assert np.linalg.norm(hand.translation - joints[5]) == pytest.approx(0.53)
    np.testing.assert_allclose(hand.rotation[:, 2], axes("ets7_b")[5], atol=1e-14)  # z out of the tool


def test_the_two_tools_are_turned_alike_but_for_joint_4() -> None:
    level = np.array([0, 0, 0, -1.5707963267948966 + 1.96856904004012, 0, 0])
    np.testing.assert_allclose(tool("ets7_b", level).rotation, tool("ets7_a", np.zeros(6)).rotation, atol=1e-14)


def test_the_replayed_ramp_keeps_the_hand_level_in_a_only() -> None:
    for name, tilt in (("ets7_a", RAMP.sum()), ("ets7_b", RAMP[1] - RAMP[2] + RAMP[3])):
        turned = tool(name, np.zeros(6)).rotation.T @ tool(name, RAMP).rotation
        assert np.linalg.norm(pin.log3(turned)) == pytest.approx(abs(tilt), abs=1e-12)


def test_base_tensors_have_the_signs_of_their_sources() -> None:
    a, b = floating("ets7_a").inertias[1], floating("ets7_b").inertias[1]
    np.testing.assert_array_equal(a.inertia, [[6206, 48.16, 78.52], [48.16, 3541, -29.22], [78.52, -29.22, 7087]])
    np.testing.assert_array_equal(b.inertia, [[6221, 54.8, 118.1], [54.8, 3581, -16.3], [118.1, -16.3, 7073]])
    np.testing.assert_array_equal([a.lever, b.lever], np.zeros((2, 3)))
