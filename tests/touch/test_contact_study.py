"""The study of the docking loop at the limits of a delay: true restitution, no energy out of nothing, a continuous command."""

import math

import numpy as np
import pytest
from benchmarks.studies.contact_case import Case, drawn, undeclared
from benchmarks.studies.contact_study import Outcome, bodies, docked, fed_back, within
from benchmarks.studies.delayed_bounce import LEAD, NONE, PASSIVITY
from benchmarks.studies.late_hall import LateHall

from proxops.core.messages import PERIOD_S
from proxops.space.contact_pair import contact_wrench
from proxops.touch.contact_samples import contact_threshold_n
from proxops.touch.docking_loop import LONGEST
from proxops.touch.overload import predicted_overload

LINEAR, FREE = 40, 24  # runs; as many as are enough for 99 % are flown by the benchmark


def quick(case: Case) -> bool:
    """A contact of fewer than 60 ticks: a run costs the square of them."""
    return math.pi / case.omega < 60 * PERIOD_S


def flown(seed: int, runs: int, linear: bool) -> list[tuple[Case, Outcome]]:
    rng, out = np.random.default_rng(seed), []
    while len(out) < runs:
        band = (0.0, 0.2) if len(out) % 2 else (0.2, 0.7 if linear else 0.5)
        case = drawn(rng, band) if linear else undeclared(rng, band)
        if quick(case):
            out.append((case, docked(case, exponent_free=not linear)))
    return out


@pytest.fixture(scope="module")
def linear() -> list[tuple[Case, Outcome]]:
    return flown(21, LINEAR, True)


@pytest.fixture(scope="module")
def free() -> list[tuple[Case, Outcome]]:
    return flown(22, FREE, False)


def test_linear_contacts_come_back_true(linear: list[tuple[Case, Outcome]]) -> None:
    """One may be off: B is three deviations of the noise, and a bit, in a hundred it is passed."""
    assert sum(within(case, found.restitution) for case, found in linear) >= LINEAR - 1
    assert all(abs(found.restitution - case.truth) <= 1.5 * max(0.005, case.bound) for case, found in linear)


def test_undeclared_laws_come_back_true(free: list[tuple[Case, Outcome]]) -> None:
    assert all(within(case, found.restitution, linear=False) for case, found in free)


def test_no_contact_returns_more_than_it_took(
    linear: list[tuple[Case, Outcome]], free: list[tuple[Case, Outcome]]
) -> None:
    for _, found in linear + free:
        assert found.touches == 1
        assert found.energy_share <= 1.0 + 1e-12
        assert found.energy_share == pytest.approx(found.restitution**2)  # central: nothing turns


def test_the_past_is_corrected_only_as_long_as_is_allowed(
    linear: list[tuple[Case, Outcome]], free: list[tuple[Case, Outcome]]
) -> None:
    """After tau and three ticks what still comes in is no force, only noise about none: it moves nothing that matters."""
    assert all(abs(found.in_time - found.restitution) < 0.002 for _, found in linear + free)
    assert sum(within(case, found.in_time) for case, found in linear) >= LINEAR - 1
    assert all(within(case, found.in_time, linear=False) for case, found in free)


def test_the_command_never_jumps(linear: list[tuple[Case, Outcome]], free: list[tuple[Case, Outcome]]) -> None:
    """The whole of a correction is at most what free flight goes in the blind phase, and FADE_S takes a tenth of it in a tick:
    in place of a jump the rate changes by less than one and a half of the incoming speed."""
    assert all(found.bend_share < 1.5 for _, found in linear + free)


def test_the_overload_is_not_underestimated(linear: list[tuple[Case, Outcome]]) -> None:
    for case, found in linear:
        threshold = contact_threshold_n(case.noise, case.dead) / case.peak
        predicted = predicted_overload(case.omega, case.tau, PERIOD_S, threshold, case.noise / case.peak, 1.0)
        assert found.overload <= predicted + 0.05


@pytest.mark.parametrize("tau_error", [-0.2e-3, 0.0, 0.2e-3])
def test_an_error_of_the_stamps_is_a_damping(tau_error: float) -> None:
    """Told too late a place, the contact seems to lose what it does not; the other way it would gain, and may not."""
    case = Case(300.0, 106.59e3, 5e-3, 20e-3, tau_error=tau_error)
    found = docked(case)
    assert found.energy_share <= 1.0 + 1e-12
    expected = 1.0 - max(0.0, -0.5 * math.pi * case.omega * tau_error)
    assert found.restitution == pytest.approx(expected, abs=5e-4)


@pytest.mark.parametrize(("mass", "stiffness", "tau"), [(653.0, 2e5, 40e-3), (100.0, 2e5, 15.6e-3), (50.0, 2e5, 11e-3)])
def test_at_the_limit_of_the_delay(mass: float, stiffness: float, tau: float) -> None:
    """omega tau = 0.7: by ten ticks of delay, and in contacts of 18 and of 12 ticks. No noise: what is left is the
    replay's own, whose steps of 0.25 ms do not hit the instant at which a damper's force is there at once."""
    for zeta in (0.0, 0.1):
        case = Case(mass, stiffness, 0.03, tau, zeta)
        assert case.omega * tau == pytest.approx(0.7, abs=0.005)
        assert docked(case).restitution == pytest.approx(case.truth, abs=6e-4)


def test_a_contact_longer_than_what_is_flown_again() -> None:
    """190 ticks: the first half of it stands when the second comes in."""
    case = Case(2000.0, 3.42e4, 0.03, 10e-3, 0.05)
    assert math.pi / case.omega > (LONGEST + 30) * PERIOD_S
    assert docked(case).restitution == pytest.approx(case.truth, abs=1e-3)


def test_a_declared_stiffness_saves_the_overload() -> None:
    case = Case(100.0, 2e5, 0.03, 15e-3, 0.05, gap=3.1e-3)
    known, unknown = docked(case, declared=True), docked(case)
    assert known.overload < 1.1 < 1.15 < unknown.overload
    assert within(case, known.restitution) and within(case, unknown.restitution)


def test_the_simpler_methods_fail_where_they_must() -> None:
    rng = np.random.default_rng(5)
    for _ in range(40):
        case = drawn(rng, (0.15, 0.7), most_dead=0.0, most_b=0.008)
        truth = case.truth
        assert fed_back(case, NONE) > truth + 0.1
        watched = fed_back(case, PASSIVITY)
        assert truth - 0.02 < watched <= 1.0 + 5.0 * case.noise / case.peak  # a guard: no energy made, but little lost
    slow = [drawn(rng, (0.0, 0.04), most_dead=0.0, most_b=0.003) for _ in range(40)]
    fast = [drawn(rng, (0.25, 0.7), most_dead=0.0, most_b=0.008) for _ in range(40)]
    assert sum(within(case, fed_back(case, LEAD)) for case in slow) > 30
    assert sum(within(case, fed_back(case, LEAD)) for case in fast) < 4


def test_the_hall_shows_a_cubic_late_and_touches_there() -> None:
    """A cubic course is shown exactly, its rate too, the force is that of where it is, the pose told that of the stamp."""
    case, late, skew = Case(300.0, 1e5, 0.03, 2.3 * PERIOD_S, 0.05), 2.3, 0.1
    true, _ = bodies(case)

    def place(ticks: float) -> float:
        return 1.6 - 1e-4 * ticks - 2e-6 * ticks**2 + 3e-8 * ticks**3

    def rate(ticks: float) -> float:
        return (-1e-4 - 4e-6 * ticks + 9e-8 * ticks**2) / PERIOD_S

    start, ahead = np.array([place(0.0), 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]), np.array([rate(0.0), 0.0, 0.0])
    hall = LateHall(true, case.tau, start, ahead, 0.0, 5.0, skew * PERIOD_S, np.random.default_rng(1))
    felt, wrench = None, np.zeros(6)
    for tick in range(20):
        felt = hall.feel(np.array([place(tick), 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
        now = tick - late
        if now >= 1.0:
            tip = float(true[0]["tip"][0])
            assert felt.pose[0] == pytest.approx(place(now + skew) + tip, abs=1e-12)
            assert felt.twist[0] == pytest.approx(rate(now + skew), rel=1e-9)
            ball = np.array([place(now) + tip, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])
            contact_wrench(true, ball, np.array([rate(now), 0.0, 0.0, 0.0, 0.0, 0.0]), wrench)
            expected = wrench[0] if wrench[0] >= 5.0 else 0.0
            assert felt.wrench[0] == pytest.approx(expected, abs=1e-6)
    assert hall.peak_n == pytest.approx(wrench[0]) and wrench[0] > 5.0


def test_the_hall_shows_a_turn_with_its_rate() -> None:
    case, rate = Case(300.0, 1e5, 0.03, 2.0 * PERIOD_S), 0.2  # rad/s about z
    true, _ = bodies(case)
    hall = LateHall(true, 1.7 * PERIOD_S, np.eye(7)[3], np.zeros(3), 0.0, 0.0, 0.0, np.random.default_rng(1))
    for tick in range(12):
        half = 0.5 * rate * tick * PERIOD_S
        felt = hall.feel(np.array([1.6, 0.0, 0.0, math.cos(half), 0.0, 0.0, math.sin(half)]))
    arm, turned_by = float(true[0]["tip"][0]), rate * (11 - 1.7) * PERIOD_S
    assert felt.twist[5] == pytest.approx(rate, rel=1e-9)
    assert felt.pose[:2] == pytest.approx([1.6 + arm * math.cos(turned_by), arm * math.sin(turned_by)], abs=1e-12)
    expected = [-rate * arm * math.sin(turned_by), rate * arm * math.cos(turned_by)]
    assert felt.twist[:2] == pytest.approx(expected, abs=1e-9)
