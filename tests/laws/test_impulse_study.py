"""The requirement on impulse detection: 500 pushes and a quiet hour, for ours and for the paper's derivative."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from benchmarks.studies.impulse_study import (
    DRIFT,
    NOISE,
    OFFSET,
    PUSHES,
    Study,
    StudyFigures,
    background,
    matched,
    random_pushes,
    run_study,
)

from proxops.core.messages import PERIOD_S
from proxops.touch.impulse_detector import Impulse, ImpulseSettings
from proxops.touch.push import Push


def acceptable(f: StudyFigures) -> bool:
    """The required figures."""
    return (
        f.found_share >= 0.995
        and f.false_alarms == 0
        and f.spurious <= 2
        and f.magnitude_percent[0] <= 4.0
        and f.magnitude_percent[1] <= 12.0
        and f.direction_deg[0] <= 2.5
        and f.direction_deg[1] <= 8.0
    )


@pytest.fixture(scope="module")
def study() -> Study:
    return run_study(seed=2026)


def test_ours_is_acceptable_at_the_cycle_of_the_hall(study: Study) -> None:
    assert acceptable(study.ours), study.ours
    assert study.ours.latency_ms[0] <= 17.0


@pytest.mark.parametrize("seed", range(5))
def test_whatever_the_seed(seed: int) -> None:
    """Ten quiet minutes each: the hour of silence is the other test's."""
    ours = run_study(seed, quiet_s=600.0).ours
    assert acceptable(ours), ours
    assert ours.latency_ms[0] <= 18.0  # 500 delays that spread over 50 ms: the median is good to about 1 ms


def test_faster_readings_are_better(study: Study) -> None:
    """At 1 kHz with the same noise in each reading four times as many are summed up: errors shrink to about a half."""
    fast = run_study(2026, 0.001, quiet_s=300.0).ours
    assert acceptable(fast), fast
    assert fast.magnitude_percent[0] < 0.65 * study.ours.magnitude_percent[0]
    assert fast.latency_ms[0] < study.ours.latency_ms[0]


def test_the_derivative_set_for_silence_loses_weak_pushes(study: Study) -> None:
    paper = study.derivative
    assert paper.false_alarms == 0
    assert paper.found_share < 0.96
    assert paper.found_weak_share < 0.8
    assert paper.magnitude_percent[0] > 4.0
    assert paper.found_weak_share < study.ours.found_weak_share
    assert not acceptable(paper)


def test_a_threshold_too_low_is_caught() -> None:
    """The study can fail: at five sigmas noise alone crosses within minutes."""
    ours = run_study(0, ours=ImpulseSettings(threshold=5.0), quiet_s=600.0).ours
    assert ours.false_alarms > 0


def test_the_pushes_are_those_of_the_requirement() -> None:
    pushes = random_pushes(np.random.default_rng(5))
    size, lasts = np.array([p.impulse_Ns for p in pushes]), np.array([p.duration_s for p in pushes])
    assert len(pushes) == PUSHES
    assert 1.0 <= size.min() < 1.05 and 9.5 < size.max() <= 10.0
    assert np.median(size) == pytest.approx(np.sqrt(10.0), rel=0.15)  # log-uniform
    assert 0.02 <= lasts.min() < 0.023 and 0.297 < lasts.max() <= 0.3
    assert all(p.counter_share == 0.5 for p in pushes)
    gaps = [b.at_s - a.end_s for a, b in pairwise(pushes)]
    assert min(gaps) >= 1.0 and max(gaps) <= 3.0
    directions = np.array([p.impulse[:3] / p.impulse_Ns for p in pushes])
    assert np.abs(directions.mean(axis=0)).max() < 4.0 / np.sqrt(3.0 * PUSHES)  # all over the sphere, four sigmas


def test_the_background_is_that_of_the_requirement() -> None:
    record = background(np.random.default_rng(5), 300_000, PERIOD_S)
    means = record.reshape(-1, 250, 6).mean(axis=1)  # over a second: noise of 0.06
    assert (np.abs(means) < OFFSET + 0.3 * NOISE).all() and (np.abs(means).max(axis=0) > 0.8 * OFFSET).all()
    drift = np.abs(np.diff(means, axis=0))
    assert (drift < DRIFT + 0.5 * NOISE).all() and (drift.max(axis=0) > 0.8 * DRIFT).all()
    np.testing.assert_allclose(np.diff(record, axis=0).std(axis=0) / np.sqrt(2.0), NOISE, rtol=0.01)


def test_pairs_are_counted_right() -> None:
    def at(t: float) -> Impulse:
        return Impulse(t, t, t, np.ones(6), np.ones(6), np.zeros(6))

    pushes = [Push(1.0, (1.0, 0.0, 0.0), 1.0, 0.1), Push(3.0, (1.0, 0.0, 0.0), 1.0, 0.1)]
    pairs, spurious = matched(pushes, [at(0.5), at(1.05), at(1.1), at(2.0)])
    assert [push for push, _ in pairs] == pushes[:1] and spurious == 3
    assert len(matched(pushes, [at(1.0), at(3.19)])[0]) == 2
    assert matched(pushes, [at(3.25)]) == ([], 1)
