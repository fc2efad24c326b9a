"""The virtual end of turning: its angles and their gradients, what an impact keeps, and that it can be gone back behind."""

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.floating_object import FloatingScene, ObjectTable, TurnLimitTable
from proxops.maths.quaternion import quat_product
from proxops.maths.rotation import quat_from_rotation_vector
from proxops.space.floating_world import FloatingWorld
from proxops.space.timeline import Timeline
from proxops.space.turn_limit import packed_limit, tilt_and_twist, turn_back

Array = NDArray[np.float64]
DT = 1e-3
MODULE: dict[str, Any] = {
    "size_m": (0.3, 0.2, 0.4),
    "mass_kg": 8.0,
    "mass_centre_m": (0.03, -0.02, 0.05),
    "inertia_kg_m2": (0.14, 0.17, 0.09, 0.01, -0.02, 0.015),
}
AXIS = (0.6, 0.0, 0.8)


def table(**change: Any) -> TurnLimitTable:
    return TurnLimitTable(**{"tilt_deg": 30.0, "twist_deg": 50.0, "axis": AXIS, **change})


def world_with(limit: TurnLimitTable, **change: Any) -> FloatingWorld:
    module = ObjectTable(**{**MODULE, "speed_m_s": (0.1, 0.0, -0.05), "turn_rate_deg_s": (20.0, 25.0, -30.0), **change})
    return FloatingWorld(FloatingScene((module,), turn_limit=limit), DT)


def test_the_angles_are_those_of_a_tilt_after_a_twist() -> None:
    """A known twist about the axis, then a known tilt about a direction across it, then the middle's own attitude."""
    middle = (10.0, -70.0, 35.0)
    packed, axis = packed_limit(table(middle_turn_deg=middle)), np.array(AXIS)
    across = np.cross(axis, (0.2, 1.0, 0.3))
    across /= np.linalg.norm(across)
    for tilt, twist in ((0.3, -0.7), (1.2, 2.9), (2.0, -3.0), (0.0, 1.0)):
        q = quat_product(quat_from_rotation_vector(tilt * across), quat_from_rotation_vector(twist * axis))
        q = quat_product(quat_from_rotation_vector(np.radians(middle)), q)
        for sign in (1.0, -1.0):  # both are the same attitude
            np.testing.assert_allclose(tilt_and_twist(sign * q, packed), (tilt, twist), atol=1e-12)


@pytest.mark.parametrize(
    ("which", "limits"), [(0, {"tilt_deg": 20.0, "twist_deg": 170.0}), (1, {"tilt_deg": 140.0, "twist_deg": 5.0})]
)
def test_an_impact_reverses_the_rate_of_its_angle_and_keeps_what_a_couple_about_it_keeps(
    which: int, limits: dict[str, float]
) -> None:
    """The gradient by finite differences: the angle falls as fast as it rose; angular momentum changes along it alone."""
    rng, seen = np.random.default_rng(5), 0
    inertia = np.array(((0.14, 0.01, -0.02), (0.01, 0.17, 0.015), (-0.02, 0.015, 0.09)))
    inverse = np.linalg.inv(inertia)

    def rate_of(q: Array, w: Array) -> float:
        ahead, behind = (quat_product(q, quat_from_rotation_vector(sign * 1e-6 * w)) for sign in (1.0, -1.0))
        angles = (tilt_and_twist(x, packed)[which] for x in (ahead, behind))
        return float((next(angles) - next(angles)) / 2e-6)

    for restitution in (1.0, 0.4):
        packed = packed_limit(table(**limits, restitution=restitution))
        for _ in range(200):
            q = quat_from_rotation_vector(rng.uniform(-1.2, 1.2, 3))
            before, after = (w := rng.uniform(-1.0, 1.0, 3)).copy(), w
            if not turn_back(q, after, inverse, packed):
                continue
            seen += 1
            sign = math.copysign(1.0, tilt_and_twist(q, packed)[which])
            rose, falls = sign * rate_of(q, before), sign * rate_of(q, after)
            assert rose > 0.0
            assert falls == pytest.approx(-restitution * rose, rel=1e-6, abs=1e-8)
            couple = inertia @ (after - before)
            n = couple / np.linalg.norm(couple)
            gradient = np.array([rate_of(q, e) for e in np.eye(3)])
            np.testing.assert_allclose(np.cross(n, gradient), 0.0, atol=1e-6)  # along it alone
            lost = 0.5 * (before @ inertia @ before - after @ inertia @ after)
            allowed = 0.5 * (1.0 - restitution**2) * rose**2 / (gradient @ inverse @ gradient)
            assert lost == pytest.approx(allowed, rel=1e-5, abs=1e-12)
    assert seen > 60


def test_a_tumbling_module_stays_inside_and_keeps_energy_and_linear_momentum() -> None:
    limit = table()
    world, packed = world_with(limit), packed_limit(limit)
    energy, linear, fastest, turned = world.energy, world.momentum[:3].copy(), 0.0, 0
    for _ in range(2500):
        world.step(steps=4)
        turned += world.turned_back
        tilt, twist = tilt_and_twist(world.pose[3:], packed)
        fastest = max(fastest, float(np.linalg.norm(world.velocity[3:])))
        beyond = max(math.degrees(tilt) - 30.0, math.degrees(abs(twist)) - 50.0)
        assert beyond < math.degrees(fastest / math.cos(0.5 * tilt) * DT)  # what is turned in a step
    assert turned > 5
    assert world.energy == pytest.approx(energy, rel=1e-9)  # of the integrator; the impacts keep it to rounding
    np.testing.assert_allclose(world.momentum[:3], linear, atol=1e-12)


def test_with_less_than_full_restitution_energy_only_falls() -> None:
    world, energies = world_with(table(restitution=0.5)), []
    for _ in range(1000):
        world.step(steps=4)
        energies.append(world.energy)
    assert np.diff(energies).max() < 1e-9
    assert energies[-1] < 0.9 * energies[0]


def test_going_back_behind_an_impact_gives_the_same_to_the_bit() -> None:
    past, straight = (Timeline(world_with(table()), ahead_s=0.1) for _ in range(2))
    push = np.array([0.0, 0.0, 0.0, 0.02, -0.03, 0.01])
    hit = 0
    for cycle in range(900):
        past.catch_up(100)
        if past.turned_back_now and not hit and cycle > 20:
            hit = cycle
            past.push_late(3, np.array([push]))
        past.advance()
    assert hit
    for cycle in range(900):
        if cycle == hit - 3:
            straight.push(push)
        straight.advance()
    assert past.pose_now.tobytes() == straight.pose_now.tobytes()
