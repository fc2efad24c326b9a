"""Thruster allocation and wheels: bounds always, wrenches where they can be had, impulse never lost."""

from pathlib import Path

import numpy as np
import pytest
from rendezvous_plant import nominal_wrench

import proxops
from proxops.core.flight import OnboardData, onboard_data
from proxops.core.messages import PERIOD_S
from proxops.core.mission import parse_mission
from proxops.onboard.allocation import Allocation, allocate, pushes_all_ways
from proxops.onboard.wheels import Wheels

SOURCE = Path(proxops.__file__).parent / "missions" / "approach.toml"
MAX_ON = 0.1


@pytest.fixture(scope="module")
def data() -> OnboardData:
    return onboard_data(parse_mission(SOURCE.read_text(), SOURCE).file)


def test_random_wrenches_with_thrusters_excluded(data: OnboardData) -> None:
    """Wishes that a known firing fulfils are fulfilled, by no more propellant, within bounds. 1e-4 N s: what the price of
    propellant (1e-6 s of 10 N, over lever arms) may leave; the smallest pulse has 0.16."""
    rng = np.random.default_rng(4)
    wrench, on = nominal_wrench(data), np.zeros(24)
    for _ in range(500):
        usable = rng.random(24) > 0.2
        known = np.where(usable, rng.uniform(0.0, MAX_ON, 24) * (rng.random(24) < 0.3), 0.0)
        wanted = wrench @ known
        allocate(wrench, wanted, usable, MAX_ON, on)
        assert np.all(on >= 0.0) and np.all(on <= MAX_ON)
        assert np.all(on[~usable] == 0.0)
        assert np.linalg.norm(wrench @ on - wanted) <= 1e-4
        assert on.sum() <= known.sum() * (1.0 + 1e-3) + 1e-6


def test_wishes_out_of_reach_come_as_near_as_they_can(data: OnboardData) -> None:
    """Against scipy's bounded least squares on the same scaled problem: no better residual exists (1e-6 by price and ridge)."""
    optimize = pytest.importorskip("scipy.optimize")
    rng = np.random.default_rng(5)
    wrench, on = nominal_wrench(data), np.zeros(24)
    scale = np.repeat([np.abs(wrench[:3]).max(), np.abs(wrench[3:]).max()], 3)
    for _ in range(60):
        usable = rng.random(24) > 0.4
        wanted = rng.standard_normal(6) * scale * 0.3
        allocate(wrench, wanted, usable, MAX_ON, on)
        a = (wrench / scale[:, None])[:, usable]
        best = optimize.lsq_linear(a, wanted / scale, bounds=(0.0, MAX_ON), method="bvls")
        ours = np.linalg.norm((wrench @ on - wanted) / scale)
        assert ours <= np.sqrt(2.0 * best.cost) + 1e-6


def test_small_wishes_add_up(data: OnboardData) -> None:
    """A hundredth of the smallest pulse, asked for 1000 cycles, arrives but for what still waits (8 pulses at most)."""
    allocation = Allocation(data)
    force = np.array([0.3, -0.2, 0.1]) * data.thruster_force_n * data.min_on_s / data.period_s * 0.05
    given = np.zeros(3)
    for _ in range(1000):
        on = allocation.pulses(force, np.zeros(3), np.ones(24, dtype=np.bool_))
        assert np.all((on == 0.0) | (on >= data.min_on_s - 1e-12))
        np.testing.assert_allclose(on / PERIOD_S, np.round(on / PERIOD_S), atol=1e-9)
        given += allocation.wrench[:3] @ on
    wish = force * data.period_s * 1000
    assert np.all(np.abs(given - wish) <= 8.0 * data.thruster_force_n * data.min_on_s)
    assert np.linalg.norm(given) > 0.5 * np.linalg.norm(wish)


def test_one_thruster_less_still_pushes_all_ways_but_not_without_a_side(data: OnboardData) -> None:
    wrench = nominal_wrench(data)
    for i in range(24):
        assert pushes_all_ways(wrench, np.arange(24) != i)
    assert not pushes_all_ways(wrench, data.thruster_directions[:, 0] < 0.5)


def test_plumes_spare_a_near_target(data: OnboardData) -> None:
    """Canted by 35 degrees none blows at the target; with a wider cone those that brake are left out only if others can."""
    healthy = np.ones(24, dtype=np.bool_)
    assert Allocation(data).usable(healthy, 2.0).all()
    assert Allocation(data, plume_deg=40.0).usable(healthy, 2.0).all()  # nothing else brakes
    straight = data.thruster_directions.copy()
    canted = straight[:, 0] > 0.5
    straight[np.flatnonzero(canted)[0]] = [1.0, 0.0, 0.0]
    one = Allocation(OnboardData(**{**vars(data), "thruster_directions": straight}))
    assert one.usable(healthy, 2.0).sum() == 23
    assert one.usable(healthy, 3.1).all()


def test_wheels_keep_direction_and_limits(data: OnboardData) -> None:
    rng = np.random.default_rng(6)
    wheels = Wheels(data)
    top = data.wheel_momentum_n_m_s / data.rotor_kg_m2
    for _ in range(200):
        wish, rate = rng.standard_normal(3), rng.uniform(-1.0, 1.0, 4) * top
        each, given = wheels.command(wish, rate)
        assert np.all(np.abs(each) <= data.wheel_torque_n_m * (1.0 + 1e-12))
        assert np.all(np.abs(rate * data.rotor_kg_m2 - each * data.period_s) <= data.wheel_momentum_n_m_s)
        assert np.linalg.norm(np.cross(given, wish)) < 1e-12
        assert given @ wish >= 0.0
        np.testing.assert_allclose(data.wheel_axes.T @ each, given, atol=1e-12)


def test_wheels_ask_for_unloading_near_their_limit_and_let_go_below_it(data: OnboardData) -> None:
    wheels, still = Wheels(data), np.zeros(3)
    top = data.wheel_momentum_n_m_s / data.rotor_kg_m2
    spin = np.array([1.0, 1.0, 1.0, 1.0]) * top
    assert not wheels.unloading(0.7 * spin, still).any()
    assert wheels.unloading(0.85 * spin, still) @ wheels.momentum(spin) < 0.0
    assert wheels.unloading(0.5 * spin, still).any()
    assert not wheels.unloading(0.3 * spin, still).any()


def test_momentum_across_a_spin_is_unloaded_early(data: OnboardData) -> None:
    wheels = Wheels(data)
    across = data.wheel_axes @ np.array([0.0, 4.0, 0.0]) * 0.75 / data.rotor_kg_m2  # 4 N m s along y
    np.testing.assert_allclose(wheels.momentum(across), [0.0, 4.0, 0.0], atol=1e-9)
    torque = wheels.unloading(across, np.array([0.087, 0.0, 0.0]))
    assert torque[1] < 0.0
    assert abs(torque[0]) < 1e-12
