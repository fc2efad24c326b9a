"""Floating objects keep what mechanics keeps: momentum in free flight and in contact, restitution, Coulomb's law."""

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.floating_object import BoxTable, FloatingScene, ObjectTable
from proxops.maths.rotation import matrix_from_quat
from proxops.space.bounce_law import LARGEST_OMEGA_DT, damping_ratio
from proxops.space.contact_law import linear_restitution
from proxops.space.floating_world import FloatingWorld

Array = NDArray[np.float64]
DT = 5e-4
ROOM = BoxTable(size_m=(2.0, 2.0, 2.0), friction=0.0, restitution=1.0)
# A module with its mass centre off the middle and no two equal moments.
MODULE: dict[str, Any] = {
    "size_m": (0.3, 0.2, 0.4),
    "mass_kg": 8.0,
    "mass_centre_m": (0.03, -0.02, 0.05),
    "inertia_kg_m2": (0.14, 0.17, 0.09, 0.01, -0.02, 0.015),
}


def alone(**change: Any) -> FloatingWorld:
    return FloatingWorld(FloatingScene((ObjectTable(**change),)), DT)


def mass_centre(world: FloatingWorld) -> Array:
    return world.pose[:3] + matrix_from_quat(world.pose[3:]) @ world.model.mass_centre[0]


# --- free flight ---
def test_free_flight_of_a_tumbling_module_keeps_momentum_for_a_minute() -> None:
    world = alone(**MODULE, speed_m_s=(0.11, -0.07, 0.05), turn_rate_deg_s=(40.0, 25.0, -60.0))
    before, energy = world.momentum, world.energy
    first = world.velocity.copy()
    worst, turned = 0.0, 0.0
    for _ in range(60):
        world.step(steps=round(1.0 / DT))
        gap = world.momentum - before
        gap[3:] /= np.linalg.norm(before[3:])
        gap[:3] /= np.linalg.norm(before[:3])
        worst = max(worst, float(np.abs(gap).max()))
        turned = max(turned, float(np.abs(world.velocity[3:] - first[3:]).max()))
    assert world.t == pytest.approx(60.0)
    assert turned > 0.2  # it does tumble
    assert worst <= 1e-9
    assert world.energy == pytest.approx(energy, rel=1e-9)


def test_a_symmetric_top_precesses_as_in_the_book() -> None:
    """Rate L / I_t about the angular momentum, spin n = (1 - I_a / I_t) w_a about its axis."""
    across, along, rate = 0.4, 0.1, np.radians([30.0, 0.0, 80.0])
    world = alone(size_m=(0.2, 0.2, 0.6), mass_kg=8.0, inertia_kg_m2=(across, across, along, 0, 0, 0),
                  turn_rate_deg_s=tuple(np.degrees(rate)))  # fmt: skip
    momentum = np.array([across * rate[0], 0.0, along * rate[2]])
    world.step(steps=round(20.0 / DT))
    size = float(np.linalg.norm(momentum))
    axis = turned_about(momentum / size, size / across * 20.0) @ np.array([0.0, 0.0, 1.0])
    assert matrix_from_quat(world.pose[3:])[:, 2] == pytest.approx(axis, abs=1e-9)
    spin = rate[2] * (1.0 - along / across) * 20.0
    whole = turned_about(momentum / size, size / across * 20.0) @ turned_about(np.array([0.0, 0.0, 1.0]), spin)
    assert matrix_from_quat(world.pose[3:]) == pytest.approx(whole, abs=1e-9)


def turned_about(axis: Array, angle: float) -> Array:
    """Rodrigues, with numpy alone."""
    K = np.array([[0, -axis[2], axis[1]], [axis[2], 0, -axis[0]], [-axis[1], axis[0], 0]])
    R: Array = np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K
    return R


def test_a_push_gives_its_impulse_and_its_turn() -> None:
    """On a module at rest: momentum is the wrench by its time, exact in the linear part, to the integrator in the angular one."""
    world = alone(**MODULE, turn_deg=(20.0, -30.0, 10.0))
    wrench = np.array([3.0, -2.0, 5.0, 0.02, 0.01, -0.03])
    world.step(wrench, 40)
    world.step()
    assert world.t == pytest.approx(41 * DT)
    assert world.velocity[:3] == pytest.approx(wrench[:3] * 40 * DT / 8.0, rel=1e-12)
    centre = mass_centre(world)
    about_centre = world.momentum[3:] - np.cross(centre, world.momentum[:3])
    assert about_centre == pytest.approx(wrench[3:] * 40 * DT, rel=1e-9)


# --- two free bodies ---
def collision(seed: int, friction: float) -> FloatingWorld:
    """Two different modules, any attitude, turning, on courses that miss each other's mass centre."""
    rng = np.random.default_rng(seed)
    rows = []
    for i in range(2):
        toward = np.array([1.0, 0.0, 0.0]) * (0.2 if i == 0 else -0.15)
        rows.append(
            ObjectTable(
                **{**MODULE, "mass_kg": (8.0, 3.0)[i], "inertia_kg_m2": None},
                place_m=tuple(np.array([-0.3 + 0.6 * i, 0.0, 0.0]) + rng.uniform(-0.04, 0.04, 3)),
                turn_deg=tuple(rng.uniform(-90, 90, 3)),
                speed_m_s=tuple(toward + rng.uniform(-0.03, 0.03, 3)),
                turn_rate_deg_s=tuple(rng.uniform(-20, 20, 3)),
                friction=friction,
                restitution=float(rng.uniform(0.2, 1.0)),
            )
        )
    return FloatingWorld(FloatingScene(tuple(rows)), DT)


APART = 60  # calls, 0.3 s: who has not touched again by then is on the way out


@pytest.mark.parametrize("friction", [0.0, 0.4])
def test_collisions_of_free_bodies_keep_both_momenta_and_gain_no_energy(friction: float) -> None:
    hits = 0
    for seed in range(25):
        world = collision(seed, friction)
        before, energy, touched = world.momentum, world.energy, 0
        spin = np.abs(world.velocities[:, 3:]).copy()
        since = 0  # calls since they have touched
        for _ in range(400):
            world.step(steps=10)
            touched, since = touched + world.touching, 0 if world.touching else since + 1
            if touched and since > APART:
                break
        assert not world.touching
        linear, angular = np.linalg.norm(before[:3]), np.linalg.norm(before[3:])
        gap = np.abs(world.momentum - before)
        assert gap[:3].max() <= 1e-12 * (1.0 + linear)
        assert gap[3:].max() <= 1e-6 * angular, seed
        assert world.energy <= energy * (1.0 + 1e-9), seed
        hits += touched > 0 and float(np.abs(np.abs(world.velocities[:, 3:]) - spin).max()) > 0.1
    assert hits >= 15  # most of them off-centre indeed


# --- bounces ---
def onto_the_floor(dt: float, omega: float | None, phase: float, speed: float = 0.2, **change: Any) -> FloatingWorld:
    """Falls on the floor at z = -1, from 2 cm above it; ``phase``: where within a step it arrives."""
    half = change["size_m"][0] if change.get("shape") == "sphere" else 0.5 * change["size_m"][2]
    height = half - 0.98 + phase * speed * dt
    table = ObjectTable(**{"place_m": (0.0, 0.0, height), "speed_m_s": (0.0, 0.0, -speed), "friction": 0.0, **change})
    return FloatingWorld(FloatingScene((table,), (), ROOM), dt, omega)


def bounced(world: FloatingWorld, longest_s: float = 5.0) -> FloatingWorld:
    """Until it has touched and is free again."""
    while not world.touching:
        world.step()
        assert world.t < longest_s
    while world.touching:
        world.step()
        assert world.t < longest_s
    return world


PHASES = np.arange(7) / 7.0


@pytest.mark.parametrize("restitution", [0.1, 0.3, 0.5, 0.8, 0.95, 1.0])
@pytest.mark.parametrize("mass", [0.1, 8.0, 900.0])
def test_a_bounce_has_the_restitution_that_is_asked_for(restitution: float, mass: float) -> None:
    """1 % of it at the step we choose (of a dead ball's tenth: of the speed's), whatever the mass."""
    found = [
        bounced(
            onto_the_floor(DT, None, phase, shape="sphere", size_m=(0.1,), mass_kg=mass, restitution=restitution)
        ).velocity[2]
        / 0.2
        for phase in PHASES
    ]
    assert found == pytest.approx([restitution] * len(PHASES), rel=0.01 if restitution > 0.2 else 0.03)
    assert max(found) <= 1.0


@pytest.mark.parametrize("restitution", [0.0, 0.3, 0.5, 0.8, 0.95, 1.0])
def test_the_hardest_contact_that_is_allowed_is_right_to_a_hundredth_of_the_speed(restitution: float) -> None:
    omega = LARGEST_OMEGA_DT / DT
    for phase in PHASES:
        ball = onto_the_floor(DT, omega, phase, shape="sphere", size_m=(0.1,), mass_kg=8.0, restitution=restitution)
        assert bounced(ball).velocity[2] / 0.2 == pytest.approx(restitution, abs=0.01)


@pytest.mark.parametrize("restitution", [0.3, 0.8, 1.0])
def test_a_cube_lands_flat_on_four_corners(restitution: float) -> None:
    """Four contacts at once; with the mass centre off the middle they bear differently and it goes on without turning."""
    for phase in PHASES[::2]:
        cube = onto_the_floor(DT, None, phase, size_m=(0.3, 0.3, 0.3), mass_kg=8.0, restitution=restitution,
                              mass_centre_m=(0.03, 0.02, 0.01))  # fmt: skip
        bounced(cube)
        assert cube.velocity[2] / 0.2 == pytest.approx(restitution, rel=0.01)
        assert np.abs(cube.velocity[3:]).max() < 1e-3


@pytest.mark.parametrize("restitution", [0.3, 0.8, 1.0])
def test_a_module_that_lands_on_a_corner(restitution: float) -> None:
    """Against the impulse of a rigid body, P = (1 + e) v / (1/m + (r x n) . J^-1 (r x n)). Slowly, 5 mm/s: in the time of the
    contact, 50 ms, the module must hardly turn."""
    speed = 0.005
    world = onto_the_floor(DT, None, 0.3, speed, **{**MODULE, "place_m": (0.0, 0.0, -0.7399)}, turn_deg=(30.0, 20.0, 0.0),
                           restitution=restitution)  # fmt: skip
    while not world.touching:
        world.step()
        assert world.t < 10.0
    (contact,) = world.contacts
    R, n = matrix_from_quat(world.pose[3:]), np.array([0.0, 0.0, 1.0])
    lever = np.cross(np.array(contact.point) - mass_centre(world), n)
    inverse = R @ np.linalg.inv(world.model.inertia[0]) @ R.T
    impulse = (1.0 + restitution) * speed / (1.0 / 8.0 + lever @ inverse @ lever)
    bounced(world, 20.0)
    assert np.linalg.norm(lever) > 0.05
    assert world.velocity[2] == pytest.approx(impulse / 8.0 - speed, abs=0.01 * speed)
    assert world.velocity[3:] == pytest.approx(
        inverse @ lever * impulse, abs=0.01 * np.linalg.norm(inverse @ lever * impulse)
    )


def test_restitution_of_a_damper_against_the_equation_of_motion() -> None:
    """x'' = max(0, -2 z x' - x) from x = 0, x' = -1, integrated by brute force."""
    for zeta in (0.05, 0.3, 0.7, 0.999, 1.5):
        x, v, h = 0.0, -1.0, 1e-4
        while x <= 0.0 and max(0.0, -2.0 * zeta * v - x) > 0.0:
            middle_v = v + 0.5 * h * max(0.0, -2.0 * zeta * v - x)
            middle_x = x + 0.5 * h * v
            x, v = x + h * middle_v, v + h * max(0.0, -2.0 * zeta * middle_v - middle_x)
        assert linear_restitution(zeta) == pytest.approx(v, abs=1e-4)
        assert damping_ratio(linear_restitution(zeta)) == pytest.approx(zeta, rel=1e-6)


# --- friction ---
def rough(friction: float, **change: Any) -> FloatingWorld:
    table = ObjectTable(**{"mass_kg": 8.0, "restitution": 0.5, "friction": friction, **change})
    room = BoxTable(size_m=(4.0, 4.0, 2.0), friction=friction, restitution=1.0)
    return FloatingWorld(FloatingScene((table,), (), room), DT)


def test_sliding_slows_down_by_coulombs_law_and_ends() -> None:
    """Pressed on the floor by 16 N: 0.25 * 16 / 8 = 0.5 m/s2 whatever the speed; then it sticks against 3 N, not against 8."""
    cube = rough(0.25, size_m=(0.3, 0.3, 0.1), place_m=(-1.0, 0.0, -0.95), speed_m_s=(0.4, 0.3, 0.0))
    press = np.array([0.0, 0.0, -16.0, 0.0, 0.0, 0.0])
    cube.step(press, 600)  # the springs settle
    before = cube.velocity.copy()
    cube.step(press, 600)
    slowed = (before - cube.velocity)[:3] / 0.3
    assert slowed[:2] == pytest.approx([0.4, 0.3], rel=2e-3)  # along the motion: 4/5 and 3/5 of 0.5
    cube.step(press, 2000)  # it stops after 0.4 s more, and rocking on its corners dies away
    place = cube.pose[:2].copy()
    cube.step(press + np.array([3.0, 0, 0, 0, 0, 0]), 2000)
    # Leans, and creeps by a dt / 2 = 0.1 mm/s; free it would go 0.19 m.
    assert np.abs(cube.pose[:2] - place).max() < 3e-4
    # Under a steady load the contact chatters by micrometres (MuJoCo's contact gives way to motion, not to load), and
    # friction, taken from the force at each step's end, is right to 4 % of itself.
    before = float(cube.velocity[0])
    cube.step(press + np.array([8.0, 0, 0, 0, 0, 0]), 2000)
    assert 8.0 - 8.0 * (cube.velocity[0] - before) == pytest.approx(4.0, rel=0.04)


@pytest.mark.parametrize("friction", [0.1, 0.3])
def test_a_glancing_bounce_of_a_ball(friction: float) -> None:
    """It slides all the time: dv = mu (1 + e) v along the floor, r m dv / J of turning; the normal bounce as without friction.
    Slowly: friction acts in the middle of what gives way, v / omega = 0.3 mm."""
    ball = rough(friction, shape="sphere", size_m=(0.1,), place_m=(0.0, 0.0, -0.895), speed_m_s=(0.2, 0.0, -0.02))
    bounced(ball)
    lost = friction * 1.5 * 0.02
    assert ball.velocity[2] == pytest.approx(0.01, rel=0.01)
    assert ball.velocity[0] == pytest.approx(0.2 - lost, abs=0.01 * lost)
    assert ball.velocity[4] == pytest.approx(2.5 * lost / 0.1, rel=0.01)


def test_a_ball_that_grips_rolls_off() -> None:
    """Friction enough to end the sliding: 5/7 of the speed, rolling."""
    ball = rough(1.0, shape="sphere", size_m=(0.1,), place_m=(0.0, 0.0, -0.895), speed_m_s=(0.014, 0.0, -0.02))
    bounced(ball)
    assert ball.velocity[0] == pytest.approx(0.01, rel=1e-3)
    assert ball.velocity[0] - 0.1 * ball.velocity[4] == pytest.approx(0.0, abs=1e-3 * 0.01)


def test_a_spinning_disc_on_the_floor_is_braked_by_its_rim() -> None:
    """Its corners at radius R bear N together: torque mu N R against the turning."""
    plate = rough(0.25, size_m=(0.3, 0.3, 0.05), place_m=(0.0, 0.0, -0.975), turn_rate_deg_s=(0.0, 0.0, 300.0))
    press = np.array([0.0, 0.0, -16.0, 0.0, 0.0, 0.0])
    plate.step(press, 400)  # the springs settle
    before = plate.velocity[5]
    plate.step(press, 200)
    moment = 8.0 / 12.0 * 2 * 0.3**2
    assert (before - plate.velocity[5]) / 0.1 == pytest.approx(0.25 * 16.0 * 0.15 * np.sqrt(2.0) / moment, rel=0.01)
