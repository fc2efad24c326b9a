"""The impulse detectors on single readings: what is handed out, when, and what is never taken for a push."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from benchmarks.studies.impulse_study import NOISE, background
from numpy.typing import NDArray
from scipy.integrate import quad

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S as DT
from proxops.touch.derivative_detector import DerivativeDetector, DerivativeSettings, rate_noise
from proxops.touch.impulse_detector import Impulse, ImpulseDetector, ImpulseSettings, PushPhase
from proxops.touch.push import HALF_SINE, SHAPES, Push

Array = NDArray[np.float64]


def readings(
    pushes: Sequence[Push] = (), seconds: float = 8.0, dt: float = DT, seed: int = 1, noise: float = 1.0
) -> Array:
    rng = np.random.default_rng(seed)
    t = np.arange(round(seconds / dt)) * dt
    return noise * rng.normal(size=(t.size, 6)) * NOISE + sum((p.wrenches(t) for p in pushes), np.zeros((t.size, 6)))


@dataclass
class Course:
    """What a user of the detector sees, and the impulse that the physics would have got."""

    phases: list[PushPhase] = field(default_factory=list)
    began: list[tuple[int, int]] = field(default_factory=list)  # (sample, samples ago)
    ended: list[tuple[int, Impulse]] = field(default_factory=list)
    given: Array = field(default_factory=lambda: np.zeros(6))
    totals: list[Array] = field(default_factory=list)  # given, at the end of each push


def course(record: Array, detector: ImpulseDetector) -> Course:
    seen = Course()
    for k, reading in enumerate(record):
        verdict = detector.step(reading)
        seen.phases.append(verdict.phase)
        if verdict.began >= 0:
            past = detector.recent(verdict.began + 1)
            assert (past[-1] == verdict.wrench).all()
            seen.given += past[:-1].sum(axis=0) * detector.dt
            seen.began.append((k, verdict.began))
        assert verdict.phase == PushPhase.PUSH or not verdict.wrench.any()
        seen.given += verdict.wrench * detector.dt
        if verdict.ended:
            seen.given += verdict.ended.correction
            seen.ended.append((k, verdict.ended))
            seen.totals.append(seen.given.copy())
    return seen


# --- the push itself ---


@pytest.mark.parametrize("shape", SHAPES)
def test_a_push_has_the_impulse_that_was_asked_for(shape: str) -> None:
    push = Push(1.0, (0.0, 3.0, 4.0), 2.0, 0.15, lever_m=(0.1, 0.0, 0.0), twist_Nms=(0.05, 0.0, 0.0), shape=shape)
    np.testing.assert_allclose(push.impulse, [0.0, 1.2, 1.6, 0.05, -0.16, 0.12], atol=1e-15)
    for i in range(6):
        whole = quad(lambda t, i=i: push.wrench(t)[i], push.at_s, push.end_s)[0]
        counter = quad(lambda t, i=i: push.wrench(t)[i], push.end_s, push.over_s)[0]
        assert whole == pytest.approx(push.impulse[i], abs=1e-10)
        assert counter == pytest.approx(-0.5 * push.impulse[i], abs=1e-10)
    assert not push.wrenches(np.array([0.0, 0.999, push.over_s, 9.0])).any()


@pytest.mark.parametrize(
    "wrong",
    [
        {"duration_s": 0.0},
        {"direction": (0.0, 0.0, 0.0)},
        {"impulse_Ns": math.nan},
        {"counter_share": -0.1},
        {"shape": "box"},
    ],
)
def test_an_absurd_push_is_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput):
        Push(**{"at_s": 1.0, "direction": (1.0, 0.0, 0.0), "impulse_Ns": 1.0, "duration_s": 0.1, **wrong})  # type: ignore[arg-type]


# --- one push ---


@pytest.mark.parametrize("dt", [DT, 0.001])
def test_a_push_is_handed_out_from_its_beginning_to_its_end(dt: float) -> None:
    push = Push(4.0, (1.0, -1.0, 0.5), 3.0, 0.1)
    seen = course(readings([push], dt=dt), ImpulseDetector(dt=dt))
    ((crossed, ago),), ((_, impulse),) = seen.began, seen.ended
    assert 0.0 < crossed * dt - push.at_s < 0.03
    # The force rises by 1,500 N/s, so it is above the noise within a sample or two.
    assert impulse.t_start == pytest.approx(push.at_s, abs=2.01 * DT)
    assert impulse.t_start == pytest.approx((crossed - ago) * dt) and impulse.t_crossed == pytest.approx(crossed * dt)
    assert impulse.t_end == pytest.approx(push.end_s, abs=2.01 * DT)
    # 25 readings (100 at 1 kHz) of 1 N sum up to 0.02 N s (0.01); three sigmas, and the line's own error.
    np.testing.assert_allclose(impulse.impulse[:3], push.impulse[:3], atol=0.08)
    np.testing.assert_allclose(impulse.impulse[3:], 0.0, atol=0.008)
    assert np.linalg.norm(impulse.peak[:3]) == pytest.approx(math.pi / 2 * 3.0 / 0.1, rel=0.08)


def test_wrenches_handed_out_and_the_correction_make_up_the_impulse() -> None:
    """Also for a shove so slow that it is certain only after more than the 50 ms that physics can be rewound."""
    pushes = [Push(3.0, (1.0, 0.2, 0.0), 4.0, 0.06), Push(5.5, (0.0, 0.1, -1.0), 1.0, 0.5)]
    seen = course(readings(pushes), ImpulseDetector())
    assert len(seen.ended) == 2
    np.testing.assert_allclose(seen.totals[0], seen.ended[0][1].impulse, atol=1e-12)
    np.testing.assert_allclose(seen.totals[1] - seen.totals[0], seen.ended[1][1].impulse, atol=1e-12)
    slow = seen.ended[1][1]
    assert slow.t_crossed - slow.t_start > 0.05 and seen.began[1][1] * DT <= 0.05
    assert np.abs(slow.correction).max() > 0.02


def test_the_past_does_not_depend_on_the_future() -> None:
    record = readings([Push(4.0, (1.0, 0.0, 0.0), 2.0, 0.2)], seconds=6.0)
    cut = 1040  # in the middle of the push
    other = record.copy()
    other[cut:] = 50.0
    first, second = ImpulseDetector(), ImpulseDetector()
    for k in range(cut):
        a, b = first.step(record[k]), second.step(other[k])
        assert a.phase == b.phase and a.began == b.began and (a.wrench == b.wrench).all()


def test_a_record_gives_the_same_as_step_by_step() -> None:
    record = readings([Push(3.0, (1.0, 0.0, 0.0), 2.0, 0.1), Push(5.0, (0.0, 1.0, 0.0), 1.2, 0.25)])
    for kind in (ImpulseDetector, DerivativeDetector):
        one, other = kind(), kind()
        stepped = [v.ended for v in map(one.step, record) if v.ended]
        at_once = other.impulses(record)
        assert len(stepped) == len(at_once) == 2 or kind is DerivativeDetector
        for a, b in zip(stepped, at_once, strict=True):
            assert a.t_end == b.t_end and (a.impulse == b.impulse).all() and (a.correction == b.correction).all()


def test_a_pure_twist_is_a_push_too() -> None:
    twist = Push(4.0, (0.0, 0.0, 0.0), 0.0, 0.2, twist_Nms=(0.0, 0.3, 0.0))
    ((_, impulse),) = course(readings([twist]), ImpulseDetector()).ended
    np.testing.assert_allclose(impulse.impulse[3:], [0.0, 0.3, 0.0], atol=0.012)  # 50 readings of 0.1 N m: 0.0028 N m s
    np.testing.assert_allclose(impulse.impulse[:3], 0.0, atol=0.12)


def test_a_push_without_counter_impulse_ends_by_itself() -> None:
    push = Push(4.0, (0.0, 0.0, 1.0), 3.0, 0.15, counter_share=0.0)
    seen = course(readings([push]), ImpulseDetector())
    ((known, impulse),) = seen.ended
    assert known * DT - push.end_s < 0.15
    assert impulse.impulse[2] == pytest.approx(3.0, abs=0.12)
    assert seen.phases[-1] == PushPhase.QUIET


# --- several ---


@pytest.mark.parametrize(
    "direction", [(0.0, 1.0, 0.0), (1.0, 0.0, 0.0), (0.7, 0.0, -0.7)], ids=["across", "the same way", "between"]
)
def test_a_second_push_into_the_counter_impulse_of_the_first_is_found(direction: tuple[float, float, float]) -> None:
    first = Push(4.0, (1.0, 0.0, 0.0), 3.0, 0.2)
    second = Push(4.35, direction, 3.0, 0.1)
    seen = course(readings([first, second]), ImpulseDetector())
    assert len(seen.ended) == 2
    assert abs(seen.began[1][0] * DT - second.at_s) < 0.04
    # The counter-impulse of the first still lasts and is felt with the second: 0.1 s at up to 7.9 N.
    assert np.linalg.norm(seen.ended[1][1].impulse[:3] - second.impulse[:3]) < 0.9


def test_a_push_back_is_found_once_the_counter_impulse_is_over() -> None:
    pushes = [Push(4.0, (1.0, 0.0, 0.0), 3.0, 0.1), Push(4.5, (-1.0, 0.0, 0.0), 3.0, 0.1)]
    first, second = (one for _, one in course(readings(pushes), ImpulseDetector()).ended)
    assert first.impulse[0] == pytest.approx(3.0, abs=0.1)
    assert second.impulse[0] == pytest.approx(-3.0, abs=0.1)


def test_a_counter_impulse_alone_is_never_handed_out() -> None:
    push = Push(4.0, (1.0, 0.0, 0.0), 10.0, 0.2, counter_share=0.8)
    seen = course(readings([push]), ImpulseDetector())
    assert len(seen.ended) == 1
    during = seen.phases[round((push.end_s + 0.05) / DT) : round(push.over_s / DT)]
    assert set(during) == {PushPhase.COUNTER}


# --- what is no push ---


def test_drift_alone_is_no_push() -> None:
    t = np.arange(15_000) * DT
    corner = 3.0 - np.abs((t % 12.0) - 6.0)  # 1 N/s up, 1 N/s down, six axes at once
    record = readings(seconds=60.0) + corner[:, None] * NOISE + 5.0 * NOISE
    seen = course(record, ImpulseDetector())
    assert not seen.began and set(seen.phases) == {PushPhase.QUIET}


def test_the_line_follows_offset_and_drift() -> None:
    """Without noise in the readings nothing is left of a straight line once it is learnt."""
    t = np.arange(5_000) * DT
    detector = ImpulseDetector()
    for value in 40.0 + 0.8 * t:
        detector.step(value * NOISE)
    assert np.abs(detector.recent(10) / NOISE).max() < 1e-6


def test_a_lasting_step_is_a_new_offset_after_a_second() -> None:
    record = readings(seconds=12.0)
    record[1000:, 0] += 6.0
    push = Push(9.0, (1.0, 0.0, 0.0), 2.0, 0.1)
    record += push.wrenches(np.arange(len(record)) * DT)
    seen = course(record, ImpulseDetector())
    step, after = (one for _, one in seen.ended)
    assert seen.ended[0][0] * DT == pytest.approx(5.0, abs=0.02)
    assert step.impulse[0] == pytest.approx(6.0, rel=0.1)  # 6 N for a second: nobody could know better
    assert after.t_start == pytest.approx(9.0, abs=0.01) and after.impulse[0] == pytest.approx(2.0, abs=0.1)


def test_another_noise_is_a_setting() -> None:
    """Ten times quieter: pushes of a tenth are found."""
    push = Push(4.0, (1.0, 0.0, 0.0), 0.1, 0.2)
    record = readings([push], noise=0.1)
    assert not ImpulseDetector().impulses(record)
    (one,) = ImpulseDetector(ImpulseSettings(force_noise_N=0.1, torque_noise_Nm=0.01)).impulses(record)
    assert one.impulse[0] == pytest.approx(0.1, rel=0.1)


# --- faults ---


@pytest.mark.parametrize("kind", [ImpulseDetector, DerivativeDetector])
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_no_number_is_refused_and_changes_nothing(
    kind: type[ImpulseDetector] | type[DerivativeDetector], bad: float
) -> None:
    record = readings([Push(3.0, (1.0, 0.0, 0.0), 2.0, 0.1)], seconds=4.0)
    one, other = kind(), kind()
    wrong = np.array([0.0, 0.0, 0.0, 0.0, bad, 0.0])
    for k, reading in enumerate(record):
        if k % 100 == 0:
            with pytest.raises(BadInput, match="six finite numbers"):
                one.step(wrong)
        a, b = one.step(reading), other.step(reading)
        assert a.phase == b.phase and (a.wrench == b.wrench).all()
    with pytest.raises(BadInput):
        one.impulses(np.vstack([record, wrong]))


@pytest.mark.parametrize("kind", [ImpulseDetector, DerivativeDetector])
def test_reset_forgets_everything(kind: type[ImpulseDetector] | type[DerivativeDetector]) -> None:
    record = readings([Push(3.0, (1.0, 0.0, 0.0), 2.0, 0.1)], seconds=5.0)
    used = kind()
    used.impulses(record[:780] + 30.0)  # stops in the middle of a push
    used.reset()
    again, fresh = used.impulses(record), kind().impulses(record)
    assert len(again) == len(fresh) == 1
    assert again[0].t_start == fresh[0].t_start and (again[0].impulse == fresh[0].impulse).all()


def test_settings_that_cannot_work_are_refused() -> None:
    for settings, dt in (
        (ImpulseSettings(force_noise_N=0.0), DT),
        (ImpulseSettings(threshold=math.nan), DT),
        (None, 0.0),
        (None, 0.1),
    ):
        with pytest.raises(BadInput):
            ImpulseDetector(settings, dt)
    with pytest.raises(BadInput):
        ImpulseDetector().recent(1)


# --- the paper's ---


def test_the_derivative_finds_a_steep_push_and_integrates_it() -> None:
    """Smoothing lags by alpha/(1 - alpha) = 9 samples, so a long steep push is needed for a fair impulse."""
    push = Push(3.0, (0.0, 1.0, 0.0), 10.0, 0.2)
    (one,) = DerivativeDetector().impulses(readings([push], seconds=6.0))
    assert one.impulse[1] == pytest.approx(10.0, rel=0.15)
    assert abs(one.t_start - 3.0) < 0.02


def test_the_derivative_is_eq_2_and_eq_3() -> None:
    """Against the sum that eq. 2 is when written out."""
    record = background(np.random.default_rng(3), 60, DT)
    smooth, rate = DerivativeDetector().curves(record)
    n = 59
    weights = np.array([0.1 * 0.9 ** (n - k) if k else 0.9**n for k in range(n + 1)])
    np.testing.assert_allclose(smooth[n], weights @ record, rtol=1e-12)
    np.testing.assert_allclose(rate[1:], np.diff(smooth, axis=0) / DT, rtol=1e-12)
    largest = np.linalg.norm(rate / NOISE, axis=1).max()
    assert DerivativeDetector().greatest_rate(record) == pytest.approx(largest, rel=1e-12)


def test_a_slow_push_escapes_the_derivative_but_not_the_level() -> None:
    record = readings([Push(4.0, (1.0, 0.0, 0.0), 1.0, 0.3, shape=HALF_SINE)])
    assert not DerivativeDetector().impulses(record)
    assert len(ImpulseDetector().impulses(record)) == 1


def test_the_papers_detector_hands_out_what_it_integrates_and_refuses_settings_that_find_nothing() -> None:
    """Handed out and correction together are the impulse, so that physics gets what was found; nothing is dated back."""
    detector, handed, ended = DerivativeDetector(), np.zeros(6), []
    for reading in readings([Push(3.0, (0.0, 1.0, 0.0), 4.0, 0.1)], seconds=6.0):
        verdict = detector.step(reading)
        handed += verdict.wrench * detector.dt
        np.testing.assert_array_equal(detector.recent(1)[0], verdict.wrench)
        ended += [verdict.ended] if verdict.ended is not None else []
    (one,) = ended
    np.testing.assert_allclose(handed + one.correction, one.impulse, atol=1e-12)
    with pytest.raises(BadInput, match="no such readings"):
        detector.recent(2)
    for bad in ({"alpha": 1.0}, {"threshold": 0.0}, {"threshold": math.nan}, {"back": -1.0}):
        with pytest.raises(BadInput, match="derivative detector"):
            DerivativeDetector(DerivativeSettings(**bad))


@pytest.mark.parametrize("alpha", [0.0, 0.8, 0.95])
def test_noise_of_the_derivative_is_the_closed_form(alpha: float) -> None:
    noise = np.random.default_rng(8).standard_normal((40_000, 6)) * NOISE
    detector = DerivativeDetector(DerivativeSettings(NOISE[0], NOISE[3], alpha))
    _, rate = detector.curves(noise)
    assert (rate[100:] / NOISE).std() == pytest.approx(rate_noise(alpha), rel=0.01)  # 240,000 numbers
