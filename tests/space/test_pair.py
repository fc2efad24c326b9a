"""The pair of craft of a mission: every kind of orbit, a held attitude, a push, wheels at their end, a dry tank."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from proxops.core.dispersion_table import Dispersion
from proxops.core.fault_table import PushFault
from proxops.core.messages import PERIOD_S
from proxops.core.mission import MissionFile, load_mission
from proxops.core.orbit_table import Environment, KeplerOrbit, NumericalOrbit, Orbit, PathOrbit, TleOrbit, WayPoint
from proxops.space.lvlh import relative_in_lvlh
from proxops.space.pair import SpacecraftPair
from proxops.space.two_craft import DV, MASS, Q_C, Q_T, W_C, W_T, D, P, V

Array = NDArray[np.float64]
FILE = load_mission("approach").file.model_copy(update={"dispersion": Dispersion(), "duration_s": 100.0})
ELEMENTS: dict[str, Any] = {
    "epoch": "2026-11-16T12:00:00Z", "semi_major_axis_km": 6928.0, "eccentricity": 0.001, "inclination_deg": 97.6,
    "node_deg": 30.0, "perigee_deg": 90.0, "anomaly_deg": 10.0,
}  # fmt: skip
POINT_MASS = Environment(
    gravity_degree=1, gravity_gradient=False, atmosphere="none", radiation_pressure=False, sun=False, moon=False
)
TLE = TleOrbit(
    kind="tle",
    line1="1 25544U 98067A   08264.51782528 -.00002182  00000-0 -11606-4 0  2927",
    line2="2 25544  51.6416 247.4627 0006703 130.5360 325.0288 15.72125391563537",
)


def circle(t: float) -> WayPoint:
    angle = math.sqrt(3.986004418e14 / 7e6**3) * t
    return WayPoint(t_s=t, position_km=(7000.0 * math.cos(angle), 7000.0 * math.sin(angle), 0.0))


ORBITS: dict[str, Orbit] = {
    "numerical": NumericalOrbit(kind="numerical", **ELEMENTS),
    "kepler": KeplerOrbit(kind="kepler", **ELEMENTS),
    "tle": TLE,
    "path": PathOrbit(kind="path", epoch=ELEMENTS["epoch"], point=tuple(circle(20.0 * k) for k in range(7))),
}


def pair(seed: int = 1, **changes: Any) -> SpacecraftPair:
    return SpacecraftPair(FILE.model_copy(update=changes), np.random.default_rng(seed))


def with_target(**changes: Any) -> MissionFile:
    return FILE.model_copy(update={"target": FILE.target.model_copy(update=changes)})


def with_chaser(**changes: Any) -> MissionFile:
    return FILE.model_copy(update={"chaser": FILE.chaser.model_copy(update=changes)})


def advance(one: SpacecraftPair, seconds: float) -> SpacecraftPair:
    for _ in range(round(seconds / PERIOD_S)):
        one.advance()
    return one


def in_lvlh(one: SpacecraftPair) -> Array:
    """Place and velocity of the chaser as seen in the turning frame (6)."""
    x, x_dot, y = np.empty(3), np.empty(3), one.y
    relative_in_lvlh(y[P], y[V], one._acceleration(), y[D], y[DV], x, x_dot)
    return np.concatenate((x, x_dot))


# ---------------------------------------------------------------------- orbits
@pytest.mark.parametrize("kind", ORBITS)
def test_every_orbit_begins_as_the_scenario_says(kind: str) -> None:
    one = pair(orbit=ORBITS[kind])
    np.testing.assert_allclose(in_lvlh(one)[:3], FILE.start.position_m, atol=1e-9)
    np.testing.assert_allclose(in_lvlh(one)[3:], FILE.start.velocity_m_s, atol=1e-9)
    R = Rotation.from_matrix(one.lvlh()[0])
    looks = (R.inv() * Rotation.from_quat(one.y[Q_C], scalar_first=True)).apply([1.0, 0.0, 0.0])
    np.testing.assert_allclose(looks, FILE.chaser.attitude.axis, atol=1e-12)


@pytest.mark.parametrize("kind", ORBITS)
def test_every_orbit_is_flown_and_its_books_balance(kind: str) -> None:
    """10 s with a jet and a wheel at work; the relative motion of 10 s is small (metres), the target's is 70 km. Audit: 2,500
    steps of rounding, and on a prescribed orbit what RK4 makes of 8 m/s^2 along the reference."""
    one = pair(orbit=ORBITS[kind])
    first = one.y.copy()
    one.bank.stuck_open[3] = True
    one.set_wheels(np.array([0.01, -0.02, 0.03, 0.0]))
    advance(one, 10.0)
    assert one.t == pytest.approx(10.0) and np.isfinite(one.y).all()
    assert 6e4 < np.linalg.norm(one.y[P] - first[P]) < 9e4
    assert 0.5 < np.linalg.norm(one.y[D] - first[D]) < 5.0
    assert (np.abs(one.examine()) < 1e-9).all()
    assert one.y[26:30] == pytest.approx([-0.1, 0.2, -0.3, 0.0], abs=1e-12)


def test_a_prescribed_orbit_and_an_integrated_one_agree() -> None:
    """Kepler's ellipse is what a point mass gives: the chaser flies the same beside both. Nodes of the table every 5 s are
    joined to 1e-8 m, gravity's gradient of 1e-6 /s^2 makes nothing of that."""
    kepler = KeplerOrbit(kind="kepler", j2=False, **ELEMENTS)
    carried = advance(pair(orbit=kepler, environment=POINT_MASS), 60.0)
    flown = advance(pair(orbit=ORBITS["numerical"], environment=POINT_MASS), 60.0)
    np.testing.assert_allclose(carried.y[P], flown.y[P], atol=1e-6)
    np.testing.assert_allclose(carried.y[D], flown.y[D], atol=1e-9)
    np.testing.assert_allclose(carried.y[DV], flown.y[DV], atol=1e-11)


def test_the_same_seed_flies_the_same_bit_for_bit() -> None:
    file = load_mission("approach").file
    first, same, other = (advance(SpacecraftPair(file, np.random.default_rng(k)), 0.4) for k in (1, 1, 2))
    assert np.array_equal(first.y, same.y) and not np.array_equal(first.y, other.y)


# ---------------------------------------------------------------------- attitude
def test_a_chaser_at_rest_turns_with_lvlh() -> None:
    """Ten seconds without torques: it still looks the same way, but for what LVLH's rate changes on this ellipse."""
    one = pair(environment=POINT_MASS)
    before = Rotation.from_matrix(one.lvlh()[0]).inv() * Rotation.from_quat(one.y[Q_C], scalar_first=True)
    advance(one, 10.0)
    after = Rotation.from_matrix(one.lvlh()[0]).inv() * Rotation.from_quat(one.y[Q_C], scalar_first=True)
    assert (before.inv() * after).magnitude() < 1e-5


@pytest.mark.parametrize("kind", ORBITS)
def test_a_controlled_target_keeps_its_attitude_in_lvlh(kind: str) -> None:
    one = SpacecraftPair(
        with_target(control="lvlh").model_copy(update={"orbit": ORBITS[kind]}), np.random.default_rng(1)
    )
    held = one.true.target.q_lvlh_body
    for _ in range(3):
        advance(one, 2.0)
        now = Rotation.from_matrix(one.lvlh()[0]).inv() * Rotation.from_quat(one.y[Q_T], scalar_first=True)
        assert (now.inv() * Rotation.from_quat(held, scalar_first=True)).magnitude() < 1e-12
    assert one.examine()[[2, 4]].tolist() == [0.0, 0.0]
    before = one.y[Q_T].copy()
    rate = one.y[W_T].copy()
    one.advance()
    turned = Rotation.from_quat(before, scalar_first=True).inv() * Rotation.from_quat(one.y[Q_T], scalar_first=True)
    np.testing.assert_allclose(turned.as_rotvec() / PERIOD_S, rate, atol=1e-8)  # its rate is that of its attitude


def test_a_free_target_tumbles() -> None:
    one = pair()
    before = one.y[Q_T].copy()
    advance(one, 10.0)
    turn = Rotation.from_quat(before, scalar_first=True).inv() * Rotation.from_quat(one.y[Q_T], scalar_first=True)
    asked = math.radians(float(np.linalg.norm(FILE.target.attitude.rate_deg_s)))
    assert turn.magnitude() == pytest.approx(10.0 * asked, rel=0.01)


# ---------------------------------------------------------------------- what happens to the chaser
def test_a_push_gives_the_asked_for_velocity_within_a_second() -> None:
    """Against a flight without: LVLH turns by 1e-3 rad during the push, and half of that is seen in the mean direction."""
    dv = np.array([0.02, -0.01, 0.03])
    pushed = pair(fault=(PushFault(kind="push", at_s=1.0, dv_m_s=tuple(dv.tolist())),))
    left = pair()
    advance(pushed, 1.0), advance(left, 1.0)
    assert np.array_equal(pushed.y, left.y)
    R = pushed.lvlh()[0]
    advance(pushed, 1.0), advance(left, 1.0)
    np.testing.assert_allclose(R.T @ (pushed.y[DV] - left.y[DV]), dv, atol=0.001 * float(np.linalg.norm(dv)))
    gained = pushed.y[DV] - left.y[DV]
    advance(pushed, 1.0), advance(left, 1.0)
    np.testing.assert_allclose(pushed.y[DV] - left.y[DV], gained, atol=1e-6)  # and no more
    assert (np.abs(pushed.examine()) < 1e-10).all()


def test_wheels_turn_the_craft_the_way_they_are_asked_to() -> None:
    """Torque on the craft about x from all four: I dw = torque; the rotors take the opposite momentum."""
    one, left = pair(environment=POINT_MASS), pair(environment=POINT_MASS)
    axes = np.array(FILE.chaser.wheels.axes)
    one.set_wheels(np.full(4, 0.1))
    advance(one, 2.0), advance(left, 2.0)
    torque = axes.T @ np.full(4, 0.1)
    expected = np.linalg.solve(FILE.chaser.inertia, torque) * 2.0
    np.testing.assert_allclose(one.y[W_C] - left.y[W_C], expected, atol=0.01 * float(np.linalg.norm(expected)))
    np.testing.assert_allclose(one.y[26:30], -0.2, rtol=1e-12)
    rates = one.y[26:30] / FILE.chaser.wheels.rotor_kg_m2 - axes @ one.y[W_C]
    np.testing.assert_allclose(one.wheel_rates, rates, rtol=1e-14)


def test_a_wheel_gives_no_more_than_its_torque_and_ends_at_its_momentum() -> None:
    wheels = FILE.chaser.wheels.model_copy(update={"momentum_n_m_s": 1.0, "torque_n_m": 0.4})
    one = SpacecraftPair(with_chaser(wheels=wheels), np.random.default_rng(1))
    one.set_wheels(np.array([5.0, 0.0, 0.0, 0.0]))
    advance(one, 1.0)
    assert one.y[26] == pytest.approx(-0.4, rel=1e-12)  # not 5
    advance(one, 3.0)
    assert one.y[26] == pytest.approx(-1.0, abs=1e-15)
    before = one.y[26]
    advance(one, 0.4)
    assert one.y[26] == before
    one.set_wheels(np.array([-0.4, 0.0, 0.0, 0.0]))  # the way back is open
    advance(one, 1.0)
    assert one.y[26] == pytest.approx(before + 0.4, abs=1e-12)
    assert (np.abs(one.examine()) < 1e-12).all()


def test_propellant_is_thrust_over_exhaust_speed_and_a_dry_tank_ends_it() -> None:
    """A jet of 10 N at 220 s burns 4.635 g/s: 0.05 kg last 10.79 s, to the cycle."""
    file = with_chaser(propellant_kg=0.05)
    one = SpacecraftPair(file, np.random.default_rng(1))
    one.bank.stuck_open[0] = True
    flow = 10.0 / (220.0 * 9.80665)
    advance(one, 4.0)
    # 620 kg round at 6e-14 in each of 1,000 steps.
    assert one.propellant_kg == pytest.approx(0.05 - 4.0 * flow, abs=1e-10)
    assert FILE.chaser.mass_kg - one.y[MASS] == pytest.approx(4.0 * flow, abs=1e-10)
    advance(one, 8.0)
    assert -flow * PERIOD_S <= one.propellant_kg <= 0.0 and not one.bank.on.any()
    left = one.y[MASS]
    advance(one, 1.0)
    assert one.y[MASS] == left
