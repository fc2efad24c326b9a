"""Every fault of a force stream trips, is named and stays; a sound stream trips nothing."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.force_source import ForceSample, wrench_of
from proxops.sensors.force_torque import ForceTorqueSensor, SensorFault, SensorTraits
from proxops.touch.force_limits import ForceLimits, Overload
from proxops.touch.force_watch import ForceWatch, StreamTraits

PERIOD = 0.004
TRUE = np.array([1.0, 2.0, -41.0, 0.5, 0.1, 0.0])


def stream(**change: object) -> StreamTraits:
    sensor = SensorTraits()
    values = {"range": sensor.range, "noise": sensor.noise, "resolution": sensor.resolution, "rate_hz": 250.0, **change}
    return StreamTraits(**values)  # type: ignore[arg-type]


def sound(n: int, seed: int = 1) -> list[ForceSample]:
    rows = TRUE + wrench_of(1.0, 0.05) * np.random.default_rng(seed).standard_normal((n, 6))
    return [ForceSample(i * PERIOD, row, i) for i, row in enumerate(rows)]


def first_fault(samples: list[ForceSample], watch: ForceWatch) -> tuple[int, str]:
    for i, sample in enumerate(samples):
        if fault := watch.step(i * PERIOD, sample):
            return i, fault
    return -1, ""


def test_a_sound_stream_trips_nothing() -> None:
    assert first_fault(sound(20_000), ForceWatch(stream())) == (-1, "")


def test_noise_of_one_step_of_the_resolution_does_not_look_stuck() -> None:
    coarse = wrench_of(1.0, 0.05)
    samples = [ForceSample(s.t, np.round(s.wrench / coarse) * coarse, s.sequence) for s in sound(20_000)]
    assert first_fault(samples, ForceWatch(stream(resolution=coarse))) == (-1, "")
    coarser = [ForceSample(s.t, np.round(s.wrench / 8.0) * 8.0, s.sequence) for s in sound(2000)]
    # Cannot be told, so not watched.
    assert first_fault(coarser, ForceWatch(stream(resolution=8.0 + 0.0 * coarse))) == (-1, "")


@pytest.mark.parametrize(
    ("fault", "text", "after"),
    [(SensorFault.LOST_CABLE, "lost cable, no reading for 24 ms", 6), (SensorFault.STUCK, "stuck, Fx exactly", 26),
     (SensorFault.NAN, "Fx is no number", 1)],
)  # fmt: skip
def test_faults_of_the_virtual_sensor_trip(fault: SensorFault, text: str, after: int) -> None:
    sensor, watch = ForceTorqueSensor(SensorTraits(), np.random.default_rng(3)), ForceWatch(stream())
    said = ""
    for i in range(300):
        sensor.fault = fault if i >= 200 else SensorFault.NONE
        sensor.read(i * PERIOD, TRUE)
        said = watch.step(i * PERIOD, sensor.latest(i * PERIOD))
        if said:
            break
    assert text in said
    assert 199 + after - 1 <= i <= 199 + after  # patience of 20 ms, stuck for 100 ms: counted from the last good one
    sensor.fault = SensorFault.NONE
    sensor.read(2.0, TRUE)
    assert watch.step(2.0, sensor.latest(2.0)) == said  # it stays
    watch.reset()
    assert watch.step(2.0, sensor.latest(2.0)) == ""


@pytest.mark.parametrize(
    ("axis", "value", "name"), [(0, 400.0, "Fx 400 N"), (2, -401.0, "Fz -401 N"), (4, -20.0, "Ty -20 N m")]
)
def test_saturation(axis: int, value: float, name: str) -> None:
    samples = sound(20)
    samples[10].wrench[axis] = value
    i, fault = first_fault(samples, ForceWatch(stream()))
    assert i == 10
    assert f"saturation, {name}" in fault
    samples[10].wrench[axis] = math.copysign(abs(value) - 1.5, value)  # below the range: no fault
    assert first_fault(samples, ForceWatch(stream(range=wrench_of(400.0, 20.0))))[0] == -1


def test_the_sensors_own_saturation_trips() -> None:
    sensor, watch = ForceTorqueSensor(SensorTraits(), np.random.default_rng(3)), ForceWatch(stream())
    sensor.read(0.0, 100.0 * TRUE)
    assert "saturation, Fz -400 N, range ±400 N" in watch.step(0.0, sensor.latest(0.0))


@pytest.mark.parametrize("bad", [math.nan, math.inf, -math.inf])
def test_no_number(bad: float) -> None:
    samples = sound(20)
    samples[5].wrench[5] = bad
    assert first_fault(samples, ForceWatch(stream())) == (5, "force sensor: Tz is no number")
    samples = sound(20)
    samples[5] = ForceSample(bad, samples[5].wrench, 5)
    assert "time is no number" in first_fault(samples, ForceWatch(stream()))[1]


def test_one_axis_alone_may_be_stuck() -> None:
    samples = sound(200)
    for sample in samples[100:]:
        sample.wrench[4] = 0.125
    i, fault = first_fault(samples, ForceWatch(stream()))
    assert i == 125
    assert "stuck, Ty exactly 0.125 for 100 ms" in fault
    # An axis without noise may stand.
    assert first_fault(samples, ForceWatch(stream(noise=wrench_of(1.0, 0.0)))) == (-1, "")


def test_time_goes_back() -> None:
    samples = sound(20)
    samples[7] = ForceSample(samples[5].t, samples[7].wrench, 7)
    i, fault = first_fault(samples, ForceWatch(stream()))
    assert i == 7
    assert "time goes back, 0.020000 s after 0.024000 s" in fault
    samples[7] = ForceSample(samples[6].t, samples[7].wrench, 7)
    assert "two different readings" in first_fault(samples, ForceWatch(stream()))[1]


@pytest.mark.parametrize(
    ("factor", "trips"), [(1.0, False), (1.04, False), (0.96, False), (1.06, True), (0.93, True), (2.0, True)]
)
def test_wrong_rate(factor: float, trips: bool) -> None:
    samples = [ForceSample(s.t * factor, s.wrench, s.sequence) for s in sound(200)]
    i, fault = first_fault(samples, ForceWatch(stream()))
    assert bool(fault) is trips
    if trips:
        assert i == 50
        assert f"wrong rate, {250.0 / factor:.5g} Hz" in fault


def test_jitter_and_lost_readings_are_no_wrong_rate() -> None:
    """Times off by up to half a period; every third reading missing, as the sensor's numbers tell."""
    rng = np.random.default_rng(4)
    samples = [ForceSample(s.t + rng.uniform(0, 0.5 * PERIOD), s.wrench, s.sequence) for s in sound(2000)]
    watch, last = ForceWatch(stream()), samples[0]
    for i, sample in enumerate(samples):
        last = last if i % 3 == 1 else sample
        assert watch.step(i * PERIOD, last) == ""
    fast = [ForceSample(s.t / 4.0, s.wrench, s.sequence) for s in sound(4000)]  # 1 kHz, looked at every 4 ms
    watch = ForceWatch(stream(rate_hz=1000.0))
    assert all(watch.step(i * PERIOD, fast[4 * i]) == "" for i in range(1000))


def test_nothing_at_all_is_a_lost_cable() -> None:
    watch = ForceWatch(stream())
    said = [watch.step(i * PERIOD, None) for i in range(10)]
    assert said[:6] == [""] * 6
    assert "lost cable, no reading for 24 ms, allowed 20 ms" in said[6]
    repeated = ForceWatch(stream())
    one = sound(1)[0]
    said = [repeated.step(i * PERIOD, ForceSample(one.t, one.wrench.copy(), 0)) for i in range(10)]
    assert "lost cable" in said[-1]  # the same reading again and again is none


@pytest.mark.parametrize(
    "wrong", [{"range": np.zeros(6)}, {"rate_hz": 0.0}, {"patience_s": 0.001}, {"noise": np.full(6, np.nan)}]
)
def test_absurd_traits_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="force stream"):
        stream(**wrong)


LIMITS = ForceLimits(retract_n=50.0, stop_n=100.0, retract_nm=5.0, stop_nm=10.0)


@pytest.mark.parametrize(
    ("wrench", "level", "rule", "margin"),
    [
        ((3, 4, 0, 0, 0, 0), Overload.NONE, "", 0.9),
        ((3, 4, 0, 0, 3, 0), Overload.NONE, "", 0.4),
        ((30, 40, 0, 0, 0, 0), Overload.RETRACT, "force limit", 0.0),
        ((0, 0, 75, 0, 0, 0), Overload.RETRACT, "force limit", -0.5),
        ((0, 0, -120, 0, 0, 9), Overload.STOP, "force limit", -0.2),
        ((0, 0, 0, 0, 0, -6), Overload.RETRACT, "torque limit", -0.2),
        ((60, 0, 0, 6, 8, 0), Overload.STOP, "torque limit", 0.0),
    ],
)
def test_force_limits(wrench: tuple[float, ...], level: Overload, rule: str, margin: float) -> None:
    verdict = LIMITS.judge(np.array(wrench, float))
    assert (verdict.level, verdict.rule) == (level, rule)
    assert verdict.margin == pytest.approx(margin)
    assert not rule or (rule in str(verdict) and level.name.lower() in str(verdict))


@pytest.mark.parametrize("axis", range(6))
@pytest.mark.parametrize("bad", [math.nan, math.inf])
def test_what_is_no_number_stops(axis: int, bad: float) -> None:
    wrench = np.zeros(6)
    wrench[axis] = bad
    assert LIMITS.judge(wrench).level is Overload.STOP


@pytest.mark.parametrize(
    "wrong", [(0.0, 1.0, 1.0, 1.0), (2.0, 1.0, 1.0, 1.0), (1.0, 1.0, 1.0, math.nan), (1.0, 1.0, 2.0, 1.0)]
)
def test_limits_in_the_wrong_order_are_refused(wrong: tuple[float, ...]) -> None:
    with pytest.raises(BadInput, match="force limits"):
        ForceLimits(*wrong)
