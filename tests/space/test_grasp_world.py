"""The world of a catch: masses as the tables say, momentum and energy kept through contact, both sides of it opposite,
fingers and brakes as their drives say."""

from dataclasses import replace

import numpy as np
import pinocchio
import pytest

from proxops.applications.grasp.scene import BODY, joint_axis
from proxops.applications.grasp.tables import HandleTable
from proxops.applications.grasp.world import GraspWorld, WorldSnapshot
from proxops.arms.dynamics import Dynamics
from proxops.arms.gripper import Gripper, with_gripper
from proxops.arms.model import ArmModel, Floats, load_model
from proxops.core.errors import BadInput
from proxops.space.gripper_drive import GripperDrive

CYCLE_S = 0.002
STEPS_S = (1e-3, 1e-4)
JOINTS = np.radians([10.0, -50.0, 5.0, -100.0, -5.0, -50.0, 0.0])
GRIPPER = Gripper(0.0, (0.16, 0.06, 0.05), 0.8, (0.015, 0.04, 0.08), 0.2, 0.08, 0.05)
INERTIA = ((0.42, 0.03, 0.0), (0.03, 0.36, 0.02), (0.0, 0.02, 0.40))


@pytest.fixture(scope="module")
def craft() -> ArmModel:
    return load_model("iiwa_satellite", "flange")


def hand_at(craft: ArmModel) -> tuple[Floats, Floats]:
    """Place and attitude of the grasp frame at the start, by Pinocchio."""
    dynamics = Dynamics(with_gripper(craft, GRIPPER))
    dynamics.update(craft.configuration(JOINTS), np.zeros(craft.pin.nv))
    return dynamics.p.copy(), dynamics.R.copy()


def handle_before(
    craft: ArmModel, gap_m: float, speed_m_s: float, aside_m: float = 0.0, section: str = "square", damping: float = 0.3,
    spin_deg_s: float = 0.0,
) -> HandleTable:  # fmt: skip
    """Its bar ``gap_m`` before the grasp on the hand's axis, coming along it; aligned with the hand."""
    p, R = hand_at(craft)
    turn = pinocchio.log3(R)
    place = p + R @ (np.array([aside_m, 0.0, gap_m]) + np.array([0.0, 0.0, 0.28]))
    return HandleTable.model_validate({
        "mass_kg": 20.0, "inertia_kg_m2": INERTIA, "place_m": tuple(place), "turn_deg": tuple(np.degrees(turn)),
        "speed_m_s": tuple(-speed_m_s * R[:, 2]), "turn_rate_deg_s": tuple(spin_deg_s * R[:, 1]), "contact_damping": damping,
        "bar": {"place_m": (0.0, 0.0, -0.28), "along": (0.0, 1.0, 0.0), "approach": (0.0, 0.0, 1.0), "length_m": 0.2,
                "thickness_m": 0.03, "section": section},
    })  # fmt: skip


def world_of(
    craft: ArmModel, handle: HandleTable, cycle_s: float = CYCLE_S, steps_s: tuple[float, float] = STEPS_S
) -> GraspWorld:
    drive = GripperDrive(GRIPPER.finger_kg, GRIPPER.opening_m, 0.08, 30.0, cycle_s)
    return GraspWorld(craft, GRIPPER, drive, handle, JOINTS, cycle_s, steps_s)


def carried_on(world: GraspWorld, seconds: float, close: bool = False) -> list[WorldSnapshot]:
    """Without joint torques."""
    out = [world.survey()]
    for _ in range(round(seconds / CYCLE_S)):
        world.step(np.zeros(world.craft.n), close)
        out.append(world.survey())
    return out


def test_masses_are_those_of_the_tables(craft: ArmModel) -> None:
    """The handle's shapes must not weigh: mass centre and inertia are the table's own."""
    model = world_of(craft, handle_before(craft, 0.1, 0.0)).model
    body = model.body(BODY)
    assert model.body_mass.sum() == pytest.approx(craft.mass_kg + 0.8 + 2 * 0.2 + 20.0, rel=1e-12)
    assert body.ipos == pytest.approx(np.zeros(3), abs=0.0)
    assert np.sort(body.inertia) == pytest.approx(np.linalg.eigvalsh(np.array(INERTIA)), rel=1e-12)
    assert not model.opt.gravity.any()


def test_momentum_and_energy_as_pinocchio_has_them(craft: ArmModel) -> None:
    """Any motion of base and joints, fingers at rest where the model has them: another engine's numbers, to rounding."""
    world, rng = world_of(craft, handle_before(craft, 0.1, 0.0)), np.random.default_rng(5)
    dynamics = Dynamics(with_gripper(craft, GRIPPER))
    for _ in range(5):
        world.data.qpos[world._q] = rng.uniform(0.9 * craft.lower, 0.9 * craft.upper)
        world.data.qpos[world._fingers] = 0.25 * GRIPPER.opening_m
        quat = rng.normal(size=4)
        world.data.qpos[:3], world.data.qpos[3:7] = rng.normal(size=3), quat / np.linalg.norm(quat)
        world.data.qvel[:6], world.data.qvel[world._v] = rng.normal(size=6), rng.normal(size=craft.n)
        now = world.survey()
        assert now.craft_momentum == pytest.approx(dynamics.momentum(world.q, world.v), rel=1e-9, abs=1e-9)
        assert now.energy_j == pytest.approx(dynamics.energy(world.q, world.v), rel=1e-9)
        dynamics.update(world.q, world.v)
        assert now.T_hand[:3, 3] == pytest.approx(dynamics.p, abs=1e-12)
        assert now.T_hand[:3, :3] == pytest.approx(dynamics.R, abs=1e-12)
        assert now.hand_twist == pytest.approx(dynamics.twist, abs=1e-10)


def test_handle_momentum_in_closed_form(craft: ArmModel) -> None:
    handle = handle_before(craft, 0.2, 0.05, spin_deg_s=20.0)
    now = world_of(craft, handle).survey()
    R, p, v = hand_at(craft)[1], np.array(handle.place_m), np.array(handle.speed_m_s)
    spin = R @ handle.inertia @ R.T @ np.radians(handle.turn_rate_deg_s)
    assert now.handle_momentum == pytest.approx(np.concatenate([20.0 * v, spin + np.cross(p, 20.0 * v)]), abs=1e-12)
    assert not now.craft_momentum.any()


@pytest.mark.parametrize(
    ("aside", "spin", "section"),
    [(0.0, 0.0, "square"), (0.045, 3.0, "square"), (0.045, -3.0, "round"), (0.075, 0.0, "square")],
)
def test_a_bump_keeps_momentum_and_both_sides_are_opposite(
    craft: ArmModel, aside: float, spin: float, section: str
) -> None:
    """On the palm, a finger's tip, the palm's edge; the arm hangs loose. Momentum to 1e-6 of the handle's, as required;
    energy falls; what the craft has taken up is what the handle has lost."""
    world = world_of(craft, handle_before(craft, 0.06, 0.1, aside, section, spin_deg_s=spin))
    track = carried_on(world, 1.2)
    scale = np.array([np.linalg.norm(track[0].handle_momentum[:3]), np.linalg.norm(track[0].handle_momentum[3:])])
    error = np.array([one.momentum - track[0].momentum for one in track])
    assert np.linalg.norm(error[:, :3], axis=1).max() < 1e-6 * scale[0]
    assert np.linalg.norm(error[:, 3:], axis=1).max() < 1e-6 * scale[1]
    # It was touched.
    assert np.linalg.norm(track[-1].handle_momentum[:3] - track[0].handle_momentum[:3]) > 0.1 * scale[0]
    excess = np.array([one.energy_j for one in track]) - track[0].energy_j - world.work_j
    assert excess[-1] < -1e-4  # the contact has taken some
    assert max(one.energy_j for one in track) - track[0].energy_j < 1e-6  # fingers' drive moves nothing by itself


def test_momentum_needs_the_small_steps(craft: ArmModel) -> None:
    """Why contacts that come and go get them: with steps of 1 ms throughout the same bump costs far more momentum."""
    handle, errors = handle_before(craft, 0.06, 0.1, 0.045, spin_deg_s=3.0), []
    for steps in (STEPS_S, (1e-3, 1e-3)):
        world = world_of(craft, handle, CYCLE_S, steps)
        track = carried_on(world, 1.2)
        errors.append(max(float(np.linalg.norm((one.momentum - track[0].momentum)[:3])) for one in track))
    assert errors[1] > 10.0 * errors[0]


def test_force_on_the_handle_is_the_sum_of_the_contacts(craft: ArmModel) -> None:
    """Momentum's change over a cycle against MuJoCo's own contact forces on the palm, sampled every 0.5 ms. The force sets in
    with a jump (its damper), so the sum is good to half a sample of it: 0.25 ms of 130 N in 0.65 N s, 5 %, and some."""
    handle, fine_s = handle_before(craft, 0.06, 0.1, damping=1.0), 5e-4
    world, impulse, touched = world_of(craft, handle, fine_s, (fine_s, 1e-4)), np.zeros(3), 0.0
    for _ in range(2400):
        world.step(np.zeros(craft.n), False)
        impulse += fine_s * world.on_handle[:3]
        touched += fine_s * float(world.survey().touch_n[2])
    approach = hand_at(craft)[1][:, 2]
    gained = world.survey().handle_momentum[:3] + 20.0 * 0.1 * approach
    assert impulse == pytest.approx(gained, abs=1e-9)
    assert touched == pytest.approx(float(impulse @ approach), rel=0.08)
    assert touched > 0.5


def test_wrist_feels_what_changes_the_crafts_momentum(craft: ArmModel) -> None:
    """Force and torque at the grasp, moved to the inertial origin, against the change of the craft's momentum over the cycle: the
    sensor's reading is made from the handle's side alone. The hand moves by 0.1 mm within a cycle: 1e-2 of 100 N."""
    world, most = world_of(craft, handle_before(craft, 0.06, 0.1, 0.02)), 0.0
    before = world.survey()
    for _ in range(600):
        world.step(np.zeros(craft.n), False)
        wrist, now = world.wrist(), world.survey()
        R, p = now.T_hand[:3, :3], now.T_hand[:3, 3]
        force = R @ wrist[:3]
        wrench = np.concatenate([force, R @ wrist[3:] + np.cross(p, force)])
        assert wrench == pytest.approx((now.craft_momentum - before.craft_momentum) / CYCLE_S, abs=1e-2)
        most, before = max(most, float(np.linalg.norm(force))), now
    assert most > 20.0


def test_fingers_close_at_their_speed_and_squeeze_with_their_force(craft: ArmModel) -> None:
    """Opening shrinks by twice a finger's speed; at the end both pads press with the drive's force: 30 N, to 1 %."""
    world = world_of(craft, handle_before(craft, 0.0, 0.0, aside_m=0.002))
    track = carried_on(world, 0.1, close=True)
    first = world.opening
    carried_on(world, 0.05, close=True)
    assert (first - world.opening) / 0.05 == pytest.approx(2 * 0.08, rel=0.01)
    track = carried_on(world, 1.5, close=True)
    assert track[-1].touch_n[:2] == pytest.approx([30.0, 30.0], rel=0.01)
    assert not track[-1].touch_n[2:].any()
    assert world.opening == pytest.approx(0.03, abs=2e-4)  # the pads give by hundredths of a millimetre
    assert world.jaw_force == pytest.approx(30.0, rel=1e-6)
    hand = track[-1]
    assert np.linalg.norm(hand.bar_twist[:3] - hand.hand_twist[:3]) < 1e-3
    p = hand.T_hand[:3, :3].T @ (hand.T_bar[:3, 3] - hand.T_hand[:3, 3])
    assert abs(p[0]) < 5e-4  # centred


def test_fingers_open_again(craft: ArmModel) -> None:
    world = world_of(craft, handle_before(craft, 0.2, 0.0))
    carried_on(world, 0.8, close=True)
    assert world.opening < 1e-3
    carried_on(world, 1.0)
    assert world.opening == pytest.approx(GRIPPER.opening_m, abs=1e-4)


def test_brakes_stop_the_joints_and_torques_are_ignored(craft: ArmModel) -> None:
    world = world_of(craft, handle_before(craft, 0.25, 0.0))
    for _ in range(100):
        world.step(np.full(craft.n, 0.2), False)
    moving, before = np.abs(world.rates).max(), world.survey()
    energies, work = [before.energy_j], world.work_j
    for _ in range(500):
        world.step(np.full(craft.n, 5.0), False, brake=True)
        energies.append(world.survey().energy_j)
    assert moving > 0.05
    assert np.abs(world.rates).max() < 0.02 * moving
    assert np.diff(energies).max() < 1e-9
    # Of the fingers' drive; 5 N m over the way of braking would be a hundred times that.
    assert world.work_j - work < 1e-3
    error = world.survey().momentum - before.momentum
    assert np.linalg.norm(error) < 1e-9


def test_motors_give_no_more_than_their_most(craft: ArmModel) -> None:
    world = world_of(craft, handle_before(craft, 0.25, 0.0))
    world.step(1.5 * craft.effort, False)
    assert world.saturated == 1
    assert world.data.qfrc_applied[world._v] == pytest.approx(craft.effort)


def test_a_start_inside_each_other_is_named(craft: ArmModel) -> None:
    with pytest.raises(BadInput, match=r"the bar starts inside the palm|the palm starts inside the bar"):
        world_of(craft, handle_before(craft, -0.045, 0.0))


def test_axes_of_turning_and_sliding_joints() -> None:
    pin = pinocchio.Model()
    place = pinocchio.SE3.Random()
    root = pin.addJoint(0, pinocchio.JointModelFreeFlyer(), pinocchio.SE3.Identity(), "root")
    one = pin.addJoint(root, pinocchio.JointModelRevoluteUnaligned(np.array([0.6, 0.0, 0.8])), place, "one")
    two = pin.addJoint(one, pinocchio.JointModelPY(), place, "two")
    turns, axis = joint_axis(pin, one)
    assert turns
    assert axis == pytest.approx([0.6, 0.0, 0.8], abs=1e-12)
    turns, axis = joint_axis(pin, two)
    assert not turns
    assert axis == pytest.approx([0.0, 1.0, 0.0], abs=1e-12)


def test_gripper_turned_about_the_tool(craft: ArmModel) -> None:
    """The model with a gripper has its mass, and its frame turns with it."""
    turned = with_gripper(craft, replace(GRIPPER, turn_rad=0.5 * np.pi))
    assert turned.mass_kg == pytest.approx(craft.mass_kg + 1.2)
    frames = []
    for model in (with_gripper(craft, GRIPPER), turned):
        dynamics = Dynamics(model)
        dynamics.update(model.configuration(JOINTS), np.zeros(model.pin.nv))
        frames.append((dynamics.p.copy(), dynamics.R.copy()))
    assert frames[1][0] == pytest.approx(frames[0][0], abs=1e-12)
    assert frames[1][1][:, 0] == pytest.approx(frames[0][1][:, 1], abs=1e-12)
