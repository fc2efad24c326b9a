"""Relative navigation against a small truth of its own: honest about its errors at every range, with delay, biases, outliers and
gaps; never misled by what is no measurement. The truth is in tests/shared/approach_truth.py."""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import pytest
from approach_truth import PERIOD_S, Approach, Flight, board, navigation, without_delay

from proxops.core.flight import Floats, Measurements, RelativeMeasurement
from proxops.core.sensor_table import Sensor
from proxops.lab.cell import Cell
from proxops.onboard.navigation import TRIAL_FIRST, TRIAL_RELIEF, Navigation
from proxops.onboard.relative_model import NO_HALL, NOISE, SlowErrors

# Biases are drawn once per run, so that samples of one run say nearly the same: runs count, not samples.
RUNS = 200
FALSE_ALARM = 1e-3  # of a filter that is exactly consistent, at one sampled time of one bin
SAMPLES = range(125, 251, 25)  # cycles: every 2.5 s from 12.5 s on
BOUNDS = (4.4038, 23.3367)  # chi-square, 12 degrees of freedom, two-sided 95 %
# First and last beginning of a run such that all of it stays in its bin; m/s towards the client.
BINS = {"25-15": (17.5, 25.0, 0.05), "15-8": (10.5, 15.0, 0.05), "8-4": (5.0, 8.0, 0.02), "4-2.5": (3.1, 4.0, 0.01)}


def nees(spec: Approach, cycles: range, ignore_delay: bool = False) -> Floats:
    """Of one run at sampled cycles."""
    flight, nav = Flight(spec), navigation(spec)
    found = []
    for k in range(cycles[-1] + 1):
        m = flight.measure(k)
        nav.step(without_delay(m) if ignore_delay else m, flight.acceleration(k))
        if k in cycles:
            found.append(flight.nees(k, nav.estimate))
    return np.array(found)


def spread(bin_name: str, runs: int, **changes: float) -> list[Approach]:
    """Runs of a bin, half of them with a slow client, half with a quick one."""
    first, last, speed = BINS[bin_name]
    seed = 10_000 * (1 + list(BINS).index(bin_name))
    ranges = np.random.default_rng(seed).uniform(first, last, runs)
    return [
        replace(
            Approach(seed + k, range_m=float(ranges[k]), speed_m_s=speed, tumble_deg_s=(0.2, 3.0)[k % 2]), **changes
        )
        for k in range(runs)
    ]


def fewest_inside(runs: int) -> int:
    """Of so many independent runs of a consistent filter fewer are inside with a probability of at most ``FALSE_ALARM``."""
    below = 0.0
    for k in range(runs + 1):
        below += math.comb(runs, k) * 0.95**k * 0.05 ** (runs - k)
        if below > FALSE_ALARM:
            return k
    return runs


def inside(found: Floats) -> float:
    return float(np.mean((found > BOUNDS[0]) & (found < BOUNDS[1])))


@pytest.mark.parametrize("bin_name", BINS)
def test_consistent_in_every_range(bin_name: str) -> None:
    """With the sensor's biases, the hall's errors, a clock's error of 3 ms, inertia and thrust known to 3 %. At each of the
    sampled times by itself: the runs are independent, the times of one run are not."""
    found = np.array([nees(spec, SAMPLES) for spec in spread(bin_name, RUNS)])
    for at_one_time in found.T:
        assert inside(at_one_time) * RUNS >= fewest_inside(RUNS) - 0.5  # 179
    assert inside(found) >= 0.93
    assert 9.0 < found.mean() < 14.0  # 12 is exact; less: too cautious


def test_a_filter_that_ignores_the_delay_fails_the_same_test() -> None:
    found = np.array([nees(spec, SAMPLES, ignore_delay=True) for spec in spread("15-8", 10)])
    assert inside(found) < 0.5


def test_a_filter_that_knows_of_no_bias_fails_the_same_test() -> None:
    """The runs have the biases of the data sheet; this filter was told that there are none, neither in the hall."""
    bad = []
    for spec in spread("8-4", 10):
        flight = Flight(spec)
        told = Sensor.model_validate({"bias_m": 0.0, "boresight_deg": 0.0, "attitude_bias_deg": 0.0})
        nav = Navigation(board(), told, hall=NO_HALL)
        for k in range(401):
            nav.step(flight.measure(k), flight.acceleration(k))
        bad.append(flight.nees(400, nav.estimate))
    assert inside(np.array(bad)) < 0.5


def test_errors_are_small_near_the_client() -> None:
    """At 3 m: what biases (2 mm, both mass centres 5 mm), boresight and attitude bias (0.1 deg) allow; noise is averaged out."""
    ends = []
    for spec in spread("4-2.5", 20):
        flight, nav = Flight(spec), navigation(spec)
        for k in range(401):
            nav.step(flight.measure(k), flight.acceleration(k))
        ends.append(flight.error(400, nav.estimate))
    rms = np.sqrt(np.mean(np.square(np.array(ends)).reshape(20, 4, 3), axis=(0, 2)))
    assert rms[0] < 0.010  # m
    assert rms[1] < 0.0005  # m/s
    assert rms[2] < math.radians(0.25)
    assert rms[3] < math.radians(0.02)  # rad/s


def test_outliers_are_refused_and_good_ones_are_not() -> None:
    wrong = Sensor.model_validate({"outlier_share": 0.1, "dropout_share": 0.0})
    accepted = rejected = 0
    values = []
    for spec in spread("15-8", 10, sensor=wrong):
        flight, nav = Flight(spec), navigation(spec)
        for k in range(401):
            nav.step(flight.measure(k), flight.acceleration(k))
            accepted, rejected = accepted + nav.accepted, rejected + nav.rejected
            assert nav.restarts == 0
        values.append(flight.nees(400, nav.estimate))
    share = rejected / (accepted + rejected)
    assert share == pytest.approx(0.1, abs=0.02)  # 4000 measurements: 0.005 is one standard deviation
    assert np.mean(values) < 20.0


@pytest.mark.parametrize("tumble", [0.2, 3.0])
def test_a_gap_of_20_s_is_survived_honestly(tumble: float) -> None:
    found, wide = [], []
    for seed in range(60):
        spec = Approach(seed, range_m=12.0, tumble_deg_s=tumble, duration_s=60.0)
        flight, nav = Flight(spec), navigation(spec)
        for k in range(601):
            flight.sensor.blind = 300 <= k < 500
            nav.step(flight.measure(k), flight.acceleration(k))
            if k == 299:
                before = nav.estimate.covariance
            if k in (400, 500):
                found.append(flight.nees(k, nav.estimate))
        assert nav.restarts == 0
        assert nav.age_s < 0.5
        wide.append(nav.estimate.covariance[0, 0] < 4.0 * before[0, 0])
    assert inside(np.array(found)) >= 0.865  # 60 runs, two samples alike: 95 % less three binomial standard deviations
    assert all(wide)


def test_age_grows_in_a_gap_and_the_estimate_goes_on() -> None:
    flight = Flight(Approach(1, range_m=10.0))
    nav = navigation(flight.spec)
    assert nav.age_s == math.inf
    for k in range(401):
        flight.sensor.blind = k > 200
        nav.step(flight.measure(k), flight.acceleration(k))
    assert nav.age_s == pytest.approx(20.0, abs=0.11)
    assert nav.accepted == nav.rejected == 0
    assert np.linalg.norm(flight.error(400, nav.estimate)[:3]) < 0.2


def test_it_begins_with_honest_covariance() -> None:
    """From the first cycle with an estimate on."""
    found = []
    for seed in range(100):
        flight = Flight(Approach(seed, range_m=20.0, duration_s=3.0, tumble_deg_s=(0.2, 3.0)[seed % 2]))
        nav = navigation(flight.spec)
        for k in range(31):
            nav.step(flight.measure(k), flight.acceleration(k))
            if nav.ready:
                found.append(flight.nees(k, nav.estimate))
                break
    assert len(found) == 100
    assert inside(np.array(found)) >= 0.88  # 95 % less three binomial standard deviations


@pytest.mark.parametrize("rate_hz", [1.0, 7.0, 25.0])
def test_other_rates_of_the_sensor(rate_hz: float) -> None:
    """Exposures between the flight software's cycles. The truth exposes at the cycle after they are due."""
    spec = Approach(4, range_m=10.0, tumble_deg_s=3.0, sensor=Sensor.model_validate({"rate_hz": rate_hz}))
    assert np.all(nees(spec, range(150, 401, 50)) < 32.9)  # chi-square, 12 degrees of freedom, 99.9 %


def test_a_push_that_nobody_told_of_makes_a_new_filter() -> None:
    flight = Flight(Approach(6, range_m=10.0, duration_s=60.0))
    shift = np.clip(flight.t - 20.0, 0.0, None)[:, None] * np.array([0.3, -0.2, 0.1])
    flight.y[:, 0:3] += shift
    flight.y[flight.t > 20.0, 3:6] += np.array([0.3, -0.2, 0.1])
    nav = navigation(flight.spec)
    flight.sensor.spec = Sensor.model_validate({"field_of_view_deg": 180.0})
    for k in range(280):
        nav.step(flight.measure(k), flight.acceleration(k))
    assert nav.restarts == 1
    assert flight.nees(279, nav.estimate) < 32.9
    assert np.linalg.norm(flight.error(279, nav.estimate)[3:6]) < 0.02


def bad(m: Measurements, kind: int) -> tuple[RelativeMeasurement, ...]:
    """A measurement that is none."""
    p, q = np.array([0.0, 0.0, 10.0]), np.array([1.0, 0.0, 0.0, 0.0])
    t = m.t - 0.1
    return (
        (RelativeMeasurement(t, np.full(3, np.nan), q),),
        (RelativeMeasurement(t, p, np.array([np.inf, 0.0, 0.0, 0.0])),),
        (RelativeMeasurement(t, p, np.zeros(4)),),
        (RelativeMeasurement(math.nan, p, q),),
        (RelativeMeasurement(m.t + 5.0, p, q),),
        (RelativeMeasurement(t, p[:2], q),),
    )[kind]


@pytest.mark.parametrize("kind", range(6))
def test_what_is_no_measurement_is_refused_and_counted(kind: int) -> None:
    flight, twin = Flight(Approach(2, range_m=10.0)), Flight(Approach(2, range_m=10.0))
    nav, calm = navigation(flight.spec), navigation(twin.spec)
    for k in range(200):
        m = flight.measure(k)
        calm.step(twin.measure(k), twin.acceleration(k))
        nav.step(replace(m, relative=m.relative + bad(m, kind)), flight.acceleration(k))
        assert nav.rejected == calm.rejected + 1
    assert nav.refused == 200
    assert np.array_equal(nav.estimate.position, calm.estimate.position)  # nothing of it came in


def test_own_instruments_without_numbers_do_not_poison_it() -> None:
    flight = Flight(Approach(2, range_m=10.0))
    nav = navigation(flight.spec)
    none3 = np.full(3, np.nan)
    for k in range(401):
        m = flight.measure(k)
        if k < 3 or 200 <= k < 210:
            m = replace(m, q_eci_chaser=np.full(4, np.nan), p_eci_chaser=none3, v_eci_chaser=none3)
        nav.step(m, flight.acceleration(k))
    assert nav.ready
    assert np.isfinite(nav.estimate.covariance).all()
    assert flight.nees(400, nav.estimate) < 32.9
    with pytest.raises(ValueError, match="no number"):
        nav.step(m, none3)


def test_late_ones_out_of_order_are_dropped_and_counted() -> None:
    jumpy = Sensor.model_validate({"rate_hz": 10.0, "jitter_ms": 300.0})
    flight = Flight(Approach(2, range_m=10.0, sensor=jumpy))
    nav = navigation(flight.spec)
    for k in range(401):
        nav.step(flight.measure(k), flight.acceleration(k))
    assert nav.late > 20
    assert flight.nees(400, nav.estimate) < 32.9


def test_it_is_ready_after_a_few_that_agree_and_the_same_twice() -> None:
    first, second = (Flight(Approach(9, range_m=15.0)) for _ in range(2))
    nav, other = navigation(first.spec), navigation(second.spec)
    taken = 0
    for k in range(100):
        nav.step(first.measure(k), first.acceleration(k))
        other.step(second.measure(k), second.acceleration(k))
        taken += nav.accepted
        if not nav.ready:
            assert taken < TRIAL_FIRST
            with pytest.raises(RuntimeError, match="ready"):
                _ = nav.estimate
    assert nav.ready
    assert np.array_equal(nav.estimate.covariance, other.estimate.covariance)


def test_the_history_stays_bounded() -> None:
    flight = Flight(Approach(3, range_m=10.0))
    nav = navigation(flight.spec)
    size = nav._history.rows.shape
    for k in range(401):
        flight.sensor.blind = k > 100
        nav.step(flight.measure(k), flight.acceleration(k))
    assert nav._history.rows.shape == size
    assert size[0] * PERIOD_S < 2.0
    assert TRIAL_RELIEF > TRIAL_FIRST


@pytest.mark.parametrize("factor", [0.85, 1.3])
def test_it_learns_how_noisy_its_sensor_is(factor: float) -> None:
    """A data sheet is right to 10 %: a filter that knows no better claims too much or too little by as much."""
    spec = Approach(5, range_m=12.0, tumble_deg_s=0.2, duration_s=80.0)
    flight, nav = Flight(spec), navigation(spec)
    flight.sensor.noise_factor = factor
    for k in range(801):
        nav.step(flight.measure(k), flight.acceleration(k))
    assert nav._filter is not None
    assert math.sqrt(1.0 + nav._filter.x[NOISE]) == pytest.approx(factor, rel=0.06)


def test_the_lead_of_attitudes_is_that_of_the_shipped_hall(cell: Cell) -> None:
    """Its time stamps are those of the rail (``hall_latency_s``); the arms turn the ports."""
    rail, arms = cell.file.rail.servo, (cell.file.robot1.servo, cell.file.robot2.servo)
    for arm in arms:
        lead_ms = rail.dead_time_ms + rail.time_constant_ms - arm.dead_time_ms - arm.time_constant_ms
        assert SlowErrors().attitude_lead_s == pytest.approx(1e-3 * lead_ms)
    assert NO_HALL.attitude_lead_s == 0.0
