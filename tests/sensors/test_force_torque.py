"""The virtual force/torque sensor: its errors are as large as asked for, and its faults look like faults."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.force_source import ForceSource, wrench_of
from proxops.sensors.force_torque import DeadZone, ForceTorqueSensor, SensorFault, SensorTraits, dead

TRUE = np.array([3.0, -2.0, 10.0, 0.1, -0.2, 0.3])
NOTHING = np.zeros(6)
QUIET = {"noise": NOTHING, "resolution": NOTHING}


def sensor(seed: int = 1, **traits: object) -> ForceTorqueSensor:
    return ForceTorqueSensor(SensorTraits(**traits), np.random.default_rng(seed))  # type: ignore[arg-type]


def readings(one: ForceTorqueSensor, count: int, wrench: np.ndarray = TRUE) -> np.ndarray:  # type: ignore[type-arg]
    rows = [one.read(i / one.traits.rate_hz, wrench) for i in range(count)]
    return np.array([row for row in rows if row is not None])


def test_equation_one() -> None:
    """Mean: the real wrench and the constant; spread: the noise, white, normal. Bounds: five standard errors."""
    n, offset = 20_000, np.array([1.0, -2.0, 3.0, 0.1, 0.2, -0.3])
    got = readings(sensor(offset=offset, resolution=NOTHING), n)
    noise = wrench_of(1.0, 0.05)
    assert np.all(np.abs(got.mean(axis=0) - TRUE - offset) < 5.0 * noise / math.sqrt(n))
    assert np.all(np.abs(got.std(axis=0) / noise - 1.0) < 5.0 / math.sqrt(2 * n))
    unit = (got - got.mean(axis=0)) / noise
    together = unit.T @ unit / n - np.eye(6)
    assert np.abs(together - np.diag(np.diag(together))).max() < 5.0 / math.sqrt(n)
    assert np.abs((unit[1:] * unit[:-1]).mean(axis=0)).max() < 5.0 / math.sqrt(n)
    assert np.all(np.abs((unit**4).mean(axis=0) - 3.0) < 5.0 * math.sqrt(96.0 / n))


def test_drift_is_a_rate_and_a_walk() -> None:
    steady = sensor(**QUIET, drift=wrench_of(0.5, 0.01))
    got = readings(steady, 1001)
    np.testing.assert_allclose(got[-1] - got[0], 4.0 * wrench_of(0.5, 0.01), atol=1e-12)
    ends = np.array([readings(sensor(seed, **QUIET, walk=wrench_of(0.3, 0.3)), 251)[-1] - TRUE for seed in range(200)])
    assert abs(ends.std() / 0.3 - 1.0) < 5.0 / math.sqrt(2 * ends.size)  # after one second
    one = sensor(**QUIET, drift=wrench_of(0.5, 0.0), walk=wrench_of(0.3, 0.1))
    np.testing.assert_allclose(readings(one, 500)[-1], TRUE + one.bias, atol=1e-12)


def test_range_and_resolution() -> None:
    limit = wrench_of(50.0, 2.0)
    got = readings(sensor(range=limit), 100, np.array([1e3, -1e3, 0, 9.0, -9.0, 0]))
    np.testing.assert_array_equal(got[:, [0, 1, 3, 4]], np.tile([50.0, -50.0, 2.0, -2.0], (100, 1)))
    got = readings(sensor(resolution=wrench_of(0.25, 0.125)), 100)
    np.testing.assert_array_equal(got[:, :3] % 0.25, 0.0)
    np.testing.assert_array_equal(got[:, 3:] % 0.125, 0.0)
    assert len(np.unique(got[:, 0])) > 5


@pytest.mark.parametrize(
    ("kind", "force", "reads"),
    [
        (DeadZone.NONE, 0.5, 0.5), (DeadZone.CUT, 0.99, 0.0), (DeadZone.CUT, -0.99, 0.0), (DeadZone.CUT, 1.5, 1.5),
        (DeadZone.CUT, -1.5, -1.5), (DeadZone.OFFSET, 0.99, 0.0), (DeadZone.OFFSET, 1.5, 0.5), (DeadZone.OFFSET, -1.5, -0.5),
    ],
)  # fmt: skip
def test_dead_zone(kind: DeadZone, force: float, reads: float) -> None:
    assert dead(force, 1.0, int(kind)) == reads
    got = readings(sensor(**QUIET, dead_n=1.0, dead_zone=kind), 1, np.full(6, force))[0]
    np.testing.assert_allclose(got[:3], reads, atol=1e-15)
    np.testing.assert_array_equal(got[3:], force)  # torques have none


def test_a_dead_reading_still_rustles() -> None:
    got = readings(sensor(dead_n=5.0, dead_zone=DeadZone.CUT), 200, np.full(6, 1.0))
    assert abs(got[:, 0].mean()) < 0.4
    assert got[:, 0].std() > 0.8


@pytest.mark.parametrize("kind", list(DeadZone))
def test_what_is_no_number_is_never_zero(kind: DeadZone) -> None:
    got = sensor(dead_n=1.0, dead_zone=kind).read(0.0, np.full(6, math.nan))
    assert got is not None
    assert np.isnan(got).all()


def test_reads_at_its_rate_only() -> None:
    one = sensor(rate_hz=100.0)
    times = [i * 0.004 for i in range(251) if one.read(i * 0.004, TRUE) is not None]
    assert len(times) == 101
    assert times[:3] == pytest.approx([0.0, 0.012, 0.02])  # the first cycle at or after a multiple of the period
    fast = sensor(rate_hz=1000.0)
    assert all(fast.read(i * 0.004, TRUE) is not None for i in range(100))
    last = fast.latest(0.4)
    assert last is not None
    assert (last.t, last.sequence) == (pytest.approx(0.396), 396)


def test_faults() -> None:
    one = sensor()
    source: ForceSource = one
    assert source.latest(0.0) is None
    good = one.read(0.0, TRUE)
    one.fault = SensorFault.LOST_CABLE
    assert one.read(0.004, TRUE) is None
    kept = source.latest(0.004)
    assert kept is not None
    assert kept.t == 0.0
    one.fault = SensorFault.STUCK
    for i in range(2, 5):
        np.testing.assert_array_equal(one.read(i * 0.004, 5.0 * TRUE), good)
    stuck = source.latest(0.016)
    assert stuck is not None
    assert stuck.t == 0.016  # times go on
    one.fault = SensorFault.NAN
    assert np.isnan(one.read(0.02, TRUE)).all()  # type: ignore[arg-type]


def test_the_same_seed_gives_the_same_errors_whatever_it_is_shown() -> None:
    plain, broken = sensor(7), sensor(7)
    for i in range(100):
        broken.fault = SensorFault.LOST_CABLE if 20 <= i < 60 else SensorFault.NONE
        a, b = plain.read(i * 0.004, TRUE), broken.read(i * 0.004, TRUE + 1.0)
        if b is not None:
            np.testing.assert_allclose(b - a, 1.0, atol=0.0101)  # type: ignore[operator]  # steps of the resolution


@pytest.mark.parametrize(
    "wrong",
    [
        {"noise": np.full(6, -1.0)}, {"noise": np.zeros(3)}, {"range": np.zeros(6)}, {"rate_hz": 0.0}, {"dead_n": -1.0},
        {"offset": np.full(6, math.nan)}, {"rate_hz": math.inf}, {"resolution": np.full(6, math.inf)},
    ],
)  # fmt: skip
def test_absurd_traits_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(BadInput, match="force sensor"):
        SensorTraits(**wrong)  # type: ignore[arg-type]
