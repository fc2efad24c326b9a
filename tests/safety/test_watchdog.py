"""The watchdog's logic with a clock of the test's own: what is fresh, when it takes over, how it brakes. No processes."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxops.core.clock import STALL_NS
from proxops.core.messages import N_AXES, PERIOD_NS, PERIOD_S
from proxops.lab.any_cell import load_cell
from proxops.lab.links.exchange import Watch, WatchdogCause
from proxops.safety.braking import braking_time, braking_way, hard_braking_time
from proxops.safety.watchdog import AT_REST_NS, SetpointVerdict, Watchdog

HALL = load_cell().hall[0]
ACCELERATION = HALL["acceleration"]
PATIENCE = 3 * PERIOD_NS
START = 1_000 * PERIOD_NS
Array = np.ndarray


class Bench:
    """A watchdog that gets a set-point each cycle, with constant rates."""

    def __init__(self, rate: Array | None = None, cycles: int = 10) -> None:
        self.now, self.sequence = START, 0
        self.x, self.rate = np.zeros(N_AXES), np.zeros(N_AXES) if rate is None else rate
        self.dog = Watchdog(ACCELERATION, PATIENCE, START, self.x)
        for _ in range(cycles):
            self.cycle()

    def cycle(self) -> SetpointVerdict:
        self.now += PERIOD_NS
        self.sequence += 1
        self.x = self.x + self.rate * PERIOD_S
        verdict = self.dog.judge(self.sequence, self.now, self.now)
        if verdict is SetpointVerdict.FRESH:
            self.dog.follow(self.x)
        return verdict


def full_speed() -> Array:
    rate = np.array(HALL["speed"]) * 0.3
    rate[0] = 1.45
    return rate


def test_set_points_in_time_are_passed_on_exactly() -> None:
    bench = Bench(full_speed())
    assert (bench.dog.setpoint == bench.x).all()
    np.testing.assert_allclose(bench.dog.rate, bench.rate, rtol=1e-9)
    assert sum(bench.dog.refused.values()) == bench.dog.gaps == 0
    assert bench.dog.watch is Watch.WATCHING


@pytest.mark.parametrize(
    ("sequence", "sent", "verdict"),
    [
        (10, 1, SetpointVerdict.REPEATED),  # the same again
        (9, 1, SetpointVerdict.REPEATED),  # out of order
        (-(2**63), 1, SetpointVerdict.REPEATED),
        (11, 0, SetpointVerdict.REPEATED),  # a new number on an old time
        (11, -(2**62), SetpointVerdict.REPEATED),
        (11, 2, SetpointVerdict.FUTURE),  # later than now
        (11, 2**62, SetpointVerdict.FUTURE),
        (2**63 - 1, 1, SetpointVerdict.FUTURE),  # a number that no facility can have reached
        (16, 1, SetpointVerdict.FUTURE),
    ],
)
def test_replays_and_messages_from_the_future_are_refused_and_counted(
    sequence: int, sent: int, verdict: SetpointVerdict
) -> None:
    """``sent`` in cycles after the last; the present is one cycle after it."""
    dog = Bench().dog
    at = dog.last_ns + PERIOD_NS
    moment = dog.last_ns + sent * PERIOD_NS if abs(sent) < 10 else sent
    assert dog.judge(sequence, moment, at) is verdict
    assert dog.refused[verdict] == 1
    assert dog.lateness(sequence, moment, at) is WatchdogCause.NONE  # and say nothing about the facility
    assert (dog.sequence, dog.last_ns) == (10, at - PERIOD_NS)
    assert dog.judge(11, at, at) is SetpointVerdict.FRESH


def test_a_gap_is_counted_and_does_not_double_the_rate() -> None:
    bench = Bench(full_speed())
    bench.x = bench.x + bench.rate * PERIOD_S  # this one is lost
    bench.now, bench.sequence = bench.now + PERIOD_NS, bench.sequence + 1
    assert bench.cycle() is SetpointVerdict.FRESH
    assert bench.dog.gaps == 1
    np.testing.assert_allclose(bench.dog.rate, bench.rate, rtol=1e-9)


def test_it_takes_over_at_exactly_the_third_missed_cycle() -> None:
    dog = Bench(full_speed()).dog
    assert not dog.overdue(dog.last_ns + PATIENCE - 1)
    assert dog.overdue(dog.last_ns + PATIENCE)
    assert dog.deadline_ns == dog.last_ns + PATIENCE


def test_robots_at_rest_can_wait_for_their_next_set_point() -> None:
    dog = Bench().dog
    assert not dog.overdue(dog.last_ns + AT_REST_NS - 1) and dog.overdue(dog.last_ns + AT_REST_NS)
    assert dog.lateness(11, dog.last_ns + 100 * PERIOD_NS, dog.last_ns + 100 * PERIOD_NS) is WatchdogCause.NONE


def test_what_was_sent_at_the_third_missed_cycle_is_late_and_before_it_is_not() -> None:
    dog = Bench(full_speed()).dog
    sent = dog.last_ns + PATIENCE
    assert dog.lateness(11, sent, sent) is WatchdogCause.LATE
    assert dog.lateness(11, sent - 1, sent - 1) is WatchdogCause.NONE


def test_time_in_which_the_watchdog_itself_did_not_run_is_not_the_facilitys_silence() -> None:
    """One cycle more, once; a set-point that was sent in time and read late is followed."""
    dog = Bench(full_speed()).dog
    last, held_up = dog.last_ns, 20_000_000
    now = dog.deadline_ns + held_up
    assert dog.lateness(11, last + PERIOD_NS, now) is WatchdogCause.NONE  # it lay in the socket
    dog.wake(held_up)
    assert dog.deadline_ns == now + PERIOD_NS
    dog.wake(held_up)  # held up again before anything was heard: no second excuse
    assert dog.deadline_ns == now + PERIOD_NS
    assert dog.overdue(now + PERIOD_NS)
    assert dog.held_up == 1


def test_an_excuse_ends_with_the_next_set_point_and_has_a_bound() -> None:
    bench = Bench(full_speed())
    bench.dog.wake(5_000_000)
    bench.cycle()
    bench.dog.wake(0)
    assert bench.dog.deadline_ns == bench.now + PATIENCE
    bench.dog.wake(STALL_NS + 1)
    assert bench.dog.deadline_ns == bench.now + PATIENCE
    asleep = bench.now + PATIENCE + STALL_NS
    assert bench.dog.lateness(bench.sequence + 1, bench.now + PERIOD_NS, asleep) is WatchdogCause.HELD_UP
    assert bench.dog.judge(bench.sequence + 1, bench.now + PERIOD_NS, asleep) is SetpointVerdict.STALE


def braked(dog: Watchdog) -> Array:
    """Set-points of the whole brake, from the last one of the facility on."""
    rows = [dog.setpoint.copy()]
    for _ in range(5000):
        rested = dog.brake()
        rows.append(dog.setpoint.copy())
        if rested:
            return np.array(rows)
    raise AssertionError("it never rests")


@given(st.lists(st.floats(-1.0, 1.0), min_size=N_AXES, max_size=N_AXES))
def test_it_brakes_along_the_path_within_the_axes_limits_and_hard(shares: list[float]) -> None:
    rate = np.array(shares) * HALL["speed"]
    bench = Bench(rate)
    last, way = bench.x, bench.dog.rate * 0.5 * hard_braking_time(bench.dog.rate, ACCELERATION)
    bench.dog.take_over(WatchdogCause.SILENT, bench.now + PATIENCE)
    rows = braked(bench.dog)
    before = np.vstack([last - bench.dog.rate * PERIOD_S, rows])
    acceleration = np.abs(np.diff(before, 2, axis=0)) / PERIOD_S**2
    assert (acceleration <= ACCELERATION * 1.001 + 1e-6).all()
    np.testing.assert_allclose(rows[-1], last + way, atol=1e-9)
    np.testing.assert_allclose(bench.dog.rest, last + way, atol=1e-12)


def test_a_brake_that_runs_is_never_restarted_and_nothing_moves_it() -> None:
    one, other = Bench(full_speed()).dog, Bench(full_speed()).dog
    for dog in (one, other):
        dog.take_over(WatchdogCause.SILENT, dog.last_ns + PATIENCE)
    for k in range(700):
        if k % 40 == 7:
            other.take_over(WatchdogCause.GONE, other.last_ns + 1_000_000_000)
            other.wake(30_000_000)
            assert not other.overdue(other.last_ns + 10**12)
            assert other.lateness(99, other.last_ns + 10**12, other.last_ns + 10**12) is WatchdogCause.NONE
        assert one.brake() == other.brake()
        assert (one.setpoint == other.setpoint).all()
    assert other.cause is WatchdogCause.SILENT
    assert other.silence_ns == PATIENCE


def test_what_is_no_number_is_passed_on_and_braking_begins_at_the_last_good_one() -> None:
    bench = Bench(full_speed())
    bench.sequence, bench.now = bench.sequence + 1, bench.now + PERIOD_NS
    assert bench.dog.judge(bench.sequence, bench.now, bench.now) is SetpointVerdict.FRESH
    bench.dog.follow(np.full(N_AXES, np.nan))
    assert np.isnan(bench.dog.setpoint).all()
    bench.dog.take_over(WatchdogCause.SILENT, bench.now + PATIENCE)
    assert (bench.dog.setpoint == bench.x).all()
    assert np.isfinite(braked(bench.dog)).all()


def test_it_begins_anew_from_where_the_robots_stand() -> None:
    bench = Bench(full_speed())
    bench.dog.take_over(WatchdogCause.SILENT, bench.now + PATIENCE)
    braked(bench.dog)
    bench.dog.stand()
    standing = np.arange(N_AXES) * 0.1
    bench.dog.begin_anew(standing)
    assert bench.dog.watch is Watch.WATCHING
    assert (bench.dog.setpoint == standing).all() and not bench.dog.rate.any()


def test_a_patient_watchdog_doubts_a_moving_facility_after_three_cycles() -> None:
    """Then the system is asked whether it lives: the dead and the stopped get no more."""
    bench = Bench(full_speed())
    bench.dog.patience_ns = 25 * PERIOD_NS
    last = bench.dog.last_ns
    assert not bench.dog.doubtful(last + bench.dog.doubt_ns - 1)
    assert bench.dog.doubtful(last + bench.dog.doubt_ns) and not bench.dog.overdue(last + bench.dog.doubt_ns)
    assert not Bench().dog.doubtful(last + bench.dog.doubt_ns)  # at rest nothing is in doubt


@pytest.mark.parametrize("percent", range(0, 100, 5))
def test_a_facility_that_dies_while_it_brakes_is_braked_to_rest_no_further_on(percent: int) -> None:
    """The watchdog cannot know that a brake runs: its own must be shorter than what is left of that."""
    rate = full_speed()
    bench, seconds = Bench(rate), braking_time(rate, ACCELERATION)
    foretold = bench.x + rate * 0.5 * seconds
    begin, cycles = bench.x.copy(), int(seconds / PERIOD_S * percent / 100)
    for k in range(1, cycles + 1):
        bench.now, bench.sequence = bench.now + PERIOD_NS, bench.sequence + 1
        assert bench.dog.judge(bench.sequence, bench.now, bench.now) is SetpointVerdict.FRESH
        bench.dog.follow(begin + rate * braking_way(k * PERIOD_S, seconds))
    bench.dog.take_over(WatchdogCause.GONE, bench.now + PATIENCE)
    beyond = (braked(bench.dog)[-1] - foretold) * np.sign(rate)
    assert (beyond <= np.abs(rate) * PERIOD_S).all()  # of the cycle that its rate is a mean of


def test_set_points_that_the_watchdog_was_too_late_for_are_no_leap() -> None:
    """Held up for 40 to 80 ms it would skip what has aged and go on from the next: 57 mm in one cycle."""
    dog = Bench(full_speed()).dog
    sent = dog.last_ns + PERIOD_NS
    assert dog.lateness(11, sent, sent + STALL_NS) is WatchdogCause.HELD_UP
    assert dog.lateness(11, sent, sent + STALL_NS - 1) is WatchdogCause.NONE


def test_a_motion_that_began_while_the_watchdog_was_held_up_at_rest_is_no_leap() -> None:
    dog = Bench().dog
    sent, moved = dog.last_ns + 25 * PERIOD_NS, dog.setpoint + 1e-3
    assert dog.lateness(36, sent, sent + STALL_NS, dog.setpoint) is WatchdogCause.NONE
    assert dog.lateness(36, sent, sent + STALL_NS, moved) is WatchdogCause.HELD_UP
