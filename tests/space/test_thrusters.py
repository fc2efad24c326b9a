"""The thruster bank: whole cycles, minimum on-time, faults, isolation, a dry tank, misalignment."""

from __future__ import annotations

import math

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.craft import Thrusters
from proxops.core.messages import PERIOD_S
from proxops.space.thrusters import ThrusterBank

Array = NDArray[np.float64]
SPEC = Thrusters(misalignment_deg=0.0)
COUNT = 24


def bank(
    spec: Thrusters = SPEC, seed: int = 1, factors: Array | None = None, centre: Array | None = None
) -> ThrusterBank:
    ones, zero = np.ones(len(spec.places)), np.zeros(3)
    used = ones if factors is None else factors
    return ThrusterBank(spec, zero if centre is None else centre, used, np.random.default_rng(seed))


def only(k: int, seconds: float) -> Array:
    on = np.zeros(COUNT)
    on[k] = seconds
    return on


def fired_cycles(one: ThrusterBank, k: int, cycles: int = 30, dry: bool = False) -> int:
    """In how many of the next cycles it fires; they must be the first ones."""
    seen = []
    for _ in range(cycles):
        one.advance(dry=dry)
        seen.append(bool(one.on[k]))
    assert seen == sorted(seen, reverse=True)
    return sum(seen)


@pytest.mark.parametrize(
    ("asked_ms", "cycles"),
    [(0.0, 0), (4.0, 0), (12.0, 0), (15.9, 0), (16.0, 4), (17.0, 4), (19.9, 4), (20.0, 5), (100.0, 25)],
)
def test_on_times_are_whole_cycles_and_none_below_the_minimum(asked_ms: float, cycles: int) -> None:
    one = bank()
    one.command(only(3, asked_ms * 1e-3), None)
    assert fired_cycles(one, 3) == cycles


def test_every_whole_number_of_cycles_survives_rounding() -> None:
    one = bank(Thrusters(misalignment_deg=0.0, min_on_ms=4.0))
    for cycles in range(1, 26):
        one.command(only(0, cycles * PERIOD_S), None)
        assert fired_cycles(one, 0) == cycles


def test_a_new_command_replaces_the_old_one() -> None:
    one = bank()
    one.command(only(0, 0.1), None)
    one.advance(dry=False)
    one.command(only(1, 0.02), None)
    one.advance(dry=False)
    assert not one.on[0] and one.on[1]


@pytest.mark.parametrize("k", range(COUNT))
def test_the_wrench_of_each_is_force_at_its_place(k: int) -> None:
    centre = np.array([1.0, 0.1, -0.05])
    one = bank(centre=centre)
    one.command(only(k, 0.016), None)
    one.advance(dry=False)
    force = SPEC.force_n * SPEC.directions[k]
    np.testing.assert_allclose(one.force, force, atol=1e-12)
    np.testing.assert_allclose(one.torque, np.cross(SPEC.places[k] - centre, force), atol=1e-12)
    assert one.thrust == pytest.approx(SPEC.force_n, rel=1e-15)


def test_together_they_add_up_and_thrust_counts_every_jet() -> None:
    """Opposite jets cancel as forces, not as consumption."""
    one = bank()
    one.command(np.full(COUNT, 0.02), None)
    one.advance(dry=False)
    np.testing.assert_allclose(one.force, SPEC.force_n * SPEC.directions.sum(axis=0), atol=1e-12)
    assert one.thrust == pytest.approx(COUNT * SPEC.force_n, rel=1e-14)


def test_the_wrench_ends_with_the_pulse() -> None:
    one = bank()
    one.command(only(2, 0.016), None)
    for _ in range(5):
        one.advance(dry=False)
    assert not one.on.any() and not one.force.any() and not one.torque.any() and one.thrust == 0.0


def test_a_stuck_valve_fires_until_it_is_isolated_and_no_longer() -> None:
    one = bank()
    one.stuck_open[5] = True
    for _ in range(50):
        one.advance(dry=False)
        assert one.on[5] and one.on.sum() == 1
    isolated = np.zeros(COUNT, bool)
    isolated[5] = True
    one.command(np.zeros(COUNT), isolated)
    one.advance(dry=False)
    assert not one.on.any() and one.thrust == 0.0 and one.closed_valves == 1
    one.command(only(5, 0.1), None)  # latch valves stay closed, whatever is asked
    assert fired_cycles(one, 5) == 0


def test_isolation_adds_up() -> None:
    one = bank()
    for k in (2, 7):
        isolated = np.zeros(COUNT, bool)
        isolated[k] = True
        one.command(np.zeros(COUNT), isolated)
    one.command(np.zeros(COUNT), np.zeros(COUNT, bool))
    assert one.closed_valves == 2 and one.isolated.nonzero()[0].tolist() == [2, 7]


def test_stuck_closed_fires_no_more_and_the_others_do() -> None:
    one = bank()
    one.stuck_closed[4] = True
    one.command(only(4, 0.1) + only(6, 0.1), None)
    one.advance(dry=False)
    assert not one.on[4] and one.on[6]


def test_stuck_open_wins_over_stuck_closed() -> None:
    """A valve that is both has failed open last: what leaks, leaks."""
    one = bank()
    one.stuck_open[4] = one.stuck_closed[4] = True
    one.advance(dry=False)
    assert one.on[4]


def test_a_dry_tank_gives_nothing() -> None:
    one = bank()
    one.stuck_open[0] = True
    one.command(np.full(COUNT, 0.1), None)
    one.advance(dry=True)
    assert not one.on.any() and one.thrust == 0.0 and not one.read_pressure().any()


def test_pressure_tells_what_really_fired_and_is_read_once() -> None:
    one = bank()
    one.stuck_closed[0] = True
    one.stuck_open[1] = True
    one.command(only(0, 0.04) + only(2, 0.022), None)
    for _ in range(25):
        one.advance(dry=False)
    told = one.read_pressure()
    np.testing.assert_allclose(told[:3], [0.0, 0.1, 0.02], atol=1e-15)
    assert not told[3:].any() and not one.read_pressure().any()


def test_thrust_factors_scale_force_torque_and_consumption() -> None:
    factors = np.linspace(0.9, 1.1, COUNT)
    one = bank(factors=factors)
    one.command(only(20, 0.1), None)
    one.advance(dry=False)
    assert np.linalg.norm(one.force) == pytest.approx(10.0 * factors[20], rel=1e-14)
    assert one.thrust == pytest.approx(10.0 * factors[20], rel=1e-14)


def test_misalignment_has_the_asked_for_size_and_leaves_the_thrust() -> None:
    """Two directions across of each jet, 100 banks: 4,800 components; their deviation is known to 1 % (1 sigma), bound 4 %."""
    spec = Thrusters(misalignment_deg=0.5)
    forces = np.empty((100, COUNT, 3))
    for seed in range(100):
        one = bank(spec, seed)
        for k in range(COUNT):
            one.command(only(k, 0.016), None)
            one.advance(dry=False)
            forces[seed, k] = one.force
    np.testing.assert_allclose(np.linalg.norm(forces, axis=2), spec.force_n, rtol=1e-14)
    across = np.cross(np.asarray(spec.directions), forces / spec.force_n)
    bases = [np.linalg.svd(np.asarray(direction)[None, :])[2][1:] for direction in spec.directions]
    tilts = np.einsum("kij,skj->ski", bases, across).ravel()
    assert np.std(tilts) == pytest.approx(math.radians(0.5), rel=0.04)
    assert abs(np.mean(tilts)) < 4.0 * math.radians(0.5) / math.sqrt(tilts.size)


def test_misalignment_is_the_seeds() -> None:
    spec = Thrusters()
    first, same, other = (bank(spec, seed) for seed in (7, 7, 8))
    for one in (first, same, other):
        one.command(np.full(COUNT, 0.1), None)
        one.advance(dry=False)
    assert np.array_equal(first.torque, same.torque) and not np.array_equal(first.torque, other.torque)
