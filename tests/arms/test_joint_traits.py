"""Friction and its compensation as a scenario has them, and joints that an arm cannot have."""

from pathlib import Path

import numpy as np
import pytest

from proxops.arms.joint_traits import check_joints, friction_of, joints_told
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, load_model
from proxops.core.errors import BadInput
from proxops.core.joint_table import EncoderTable, FrictionTable, JointsTable, MotorTable
from proxops.onboard.friction_compensation import compensation_by
from proxops.space.free_floating import FreeFloating
from proxops.space.joint_motors import JointMotors, hardware_by

DT = 1e-3
START = np.radians([25.0, -110.0, -10.0, -85.0, 85.0, 0.0, -5.0])


@pytest.fixture(scope="module")
def arm() -> ArmModel:
    return load_model("humanoid", "hand_right", tuple(f"arm_right_{i}" for i in range(1, 8)))


@pytest.mark.parametrize("coulomb", [0.0, 0.05])
def test_friction_only_takes_whatever_the_motors_do(arm: ArmModel, coulomb: float) -> None:
    """Torques at random, with ripple: in every cycle the arm gains at most their work, and all that is missing is
    ∫ (d q̇² + c |q̇|) dt; impulses of whole steps err by some percent where a light wrist is thrown about within a few."""
    viscous = 0.2
    table = JointsTable(
        friction=FrictionTable(viscous_n_m_s=viscous, coulomb_n_m=coulomb),
        motor=MotorTable(ripple_n_m=0.05, ripple_per_turn=50.0),
    )
    motors, rng = JointMotors(arm.n, table), np.random.default_rng(5)
    plant = FreeFloating(arm, arm.configuration(START), None, hardware_by(arm, False, table))
    energy, missing, lost, told = 0.0, 0.0, 0.0, np.zeros(7)
    for cycle in range(400):
        if cycle % 20 == 0:
            told = 0.3 * rng.normal(size=7)
        torques = motors.give(told, plant.q[N_BASE_Q:])
        joints, before = plant.q[N_BASE_Q:].copy(), plant.v[N_BASE:].copy()
        plant.step(torques, DT)
        rates = 0.5 * (before + plant.v[N_BASE:])
        now = plant.dynamics.energy(plant.q, plant.v)
        taken = torques @ (plant.q[N_BASE_Q:] - joints) - (now - energy)
        assert taken > -1e-9
        missing, energy = missing + taken, now
        lost += DT * float(np.sum(viscous * rates**2 + coulomb * np.abs(rates)))
    assert missing > 0.05
    assert missing == pytest.approx(lost, rel=0.03)


@pytest.mark.parametrize("rate", [0.2, -0.4])
def test_compensation_adds_its_share_of_the_friction_of_the_rate_it_goes_by(arm: ArmModel, rate: float) -> None:
    compensation = compensation_by(FrictionTable(compensation=0.9), arm)
    assert compensation is not None and compensation.by_demand
    added = compensation.torques(np.full(7, rate))
    assert added == pytest.approx(0.9 * (arm.damping * rate + arm.friction * np.sign(rate)), abs=1e-12)
    assert not compensation.torques(np.zeros(7)).any()
    assert compensation_by(FrictionTable(), arm) is None and compensation_by(None, arm) is None


def test_coefficients_are_the_tables_and_else_the_urdfs(arm: ArmModel) -> None:
    viscous, coulomb = friction_of(FrictionTable(coulomb_n_m=(0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7)), arm)
    assert np.array_equal(viscous, arm.damping)
    assert coulomb == pytest.approx(0.1 * np.arange(1, 8))
    assert not hardware_by(arm, False, None).coulomb.any()
    assert np.array_equal(hardware_by(arm, True, None).coulomb, arm.friction)
    assert hardware_by(arm, False, JointsTable(friction=FrictionTable(coulomb_n_m=0.3))).coulomb == pytest.approx(0.3)


@pytest.mark.parametrize(
    ("table", "named"),
    [
        (JointsTable(friction=FrictionTable(coulomb_n_m=(0.1, 0.2))), r"coulomb_n_m: one number.*2.*1 or 7"),
        (JointsTable(friction=FrictionTable(viscous_n_m_s=(0.1, 0.1, 0.1, -0.1, 0.1, 0.1, 0.1))), "friction that drives"),
        (JointsTable(motor=MotorTable(ripple_n_m=900.0)), r"ripple_n_m: more than arm_right_\d can give"),
        (JointsTable(encoder=EncoderTable(bits=8)), r"bits: one step in one cycle looks faster.*8 bits, 24.5 rad/s"),
    ],
)  # fmt: skip
def test_joints_that_this_arm_cannot_have_are_named(arm: ArmModel, table: JointsTable, named: str) -> None:
    with pytest.raises(BadInput, match=named):
        check_joints(table, arm, DT)


@pytest.mark.parametrize(
    "table", [JointsTable(encoder=EncoderTable(bits=20)), JointsTable(motor=MotorTable(ripple_n_m=0.1))]
)
def test_steps_and_ripple_are_of_joints_that_turn(arm: ArmModel, table: JointsTable, tmp_path: Path) -> None:
    """A joint that slides has no turns to count in; late torques and friction it may have."""
    path, urdf = tmp_path / "slider.urdf", arm.source.read_text()
    turns = '<joint name="arm_right_3" type="revolute">'
    assert turns in urdf
    path.write_text(urdf.replace(turns, turns.replace("revolute", "prismatic")))
    craft = load_model(path, "hand_right", arm.joints)
    with pytest.raises(BadInput, match=r"counted in turns.*arm_right_3"):
        check_joints(table, craft, DT)
    check_joints(JointsTable(motor=MotorTable(delay_cycles=1), friction=FrictionTable()), craft, DT)


def test_a_report_says_what_the_joints_are_like() -> None:
    ideal = "Joints: angles exact, rates true; torques act at once, ripple none; friction none."
    assert joints_told(JointsTable(), False) == ideal
    table = JointsTable(
        encoder=EncoderTable(bits=18, cutoff_hz=50.0), motor=MotorTable(delay_cycles=1, ripple_n_m=0.005),
        friction=FrictionTable(coulomb_n_m=0.05, compensation=0.96),
    )  # fmt: skip
    assert joints_told(table, False) == (
        "Joints: angles in steps of 360 deg/2^18, rates by differences of two readings, below 50 Hz; torques act 1 cycle late, "
        "ripple 0.005 N m, 200 periods a turn; friction viscous as in the URDF, Coulomb 0.05 N m, 96 % of it compensated by the "
        "demanded rate."
    )
