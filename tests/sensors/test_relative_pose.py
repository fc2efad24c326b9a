"""The relative-pose sensor: noise as specified, view, delay, dropouts, outliers; the same seed, the same measurements."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxops.core.flight import R_CHASER_SENSOR, Floats, RelativeMeasurement
from proxops.core.sensor_table import Sensor
from proxops.maths.pose import compose, inverse_pose, pose, pose_from_packed
from proxops.maths.quaternion import quat_inverse, quat_product, rotation_vector
from proxops.maths.rotation import quat_from_matrix, quat_from_rotation_vector
from proxops.sensors.relative_pose import RelativePoseSensor

AHEAD = np.array([10.0, 0.4, -0.3, 1.0, 0.0, 0.0, 0.0])  # the chaser on the target's +x side, parallel to it
CLEAN = {"bias_m": 0.0, "boresight_deg": 0.0, "attitude_bias_deg": 0.0, "outlier_share": 0.0, "dropout_share": 0.0}
EXACT = CLEAN | {
    "position_floor_m": 0.0,
    "across_share": 0.0,
    "along_share": 0.0,
    "attitude_deg": 0.0,
    "attitude_deg_per_m": 0.0,
}


def sensor(seed: int = 1, factor: float = 1.0, **changes: float) -> RelativePoseSensor:
    return RelativePoseSensor(Sensor.model_validate(changes), np.random.default_rng(seed), factor)


def expose_all(one: RelativePoseSensor, count: int, T: Floats = AHEAD) -> list[RelativeMeasurement]:
    for k in range(count):
        one.expose(k / one.spec.rate_hz, T, k / one.spec.rate_hz)
    return list(one.arrived(math.inf))


def truth(T: Floats) -> Floats:
    """T_sensor_target as 4x4, by way of pose matrices: another way than the sensor's quaternions."""
    T_chaser_sensor = pose(R_CHASER_SENSOR, np.array(Sensor().place_m))
    return compose(inverse_pose(T_chaser_sensor), inverse_pose(pose_from_packed(T)))


def test_without_errors_it_sees_the_pose() -> None:
    q = quat_from_rotation_vector(np.array([0.2, -0.3, 0.1]))
    T = np.array([6.0, 0.5, 0.2, *q])
    (seen,) = expose_all(sensor(**EXACT), 1, T)
    expected = truth(T)
    assert np.allclose(seen.p_sensor_target, expected[:3, 3], atol=1e-12)  # rounding
    assert abs(abs(float(seen.q_sensor_target @ quat_from_matrix(expected[:3, :3]))) - 1.0) < 1e-12
    assert seen.t == 0.0


def test_noise_along_across_and_in_attitude_grows_with_range() -> None:
    n = 4000
    for range_m in (2.0, 20.0):
        x, y, z = Sensor().place_m
        T = np.array([range_m - x, -y, -z, 1.0, 0.0, 0.0, 0.0])  # on the sensor's axis
        one = sensor(**CLEAN)
        seen = expose_all(one, n, T)
        expected = truth(T)
        p = np.array([m.p_sensor_target for m in seen]) - expected[:3, 3]
        turn = np.empty((n, 3))
        q = quat_inverse(quat_from_matrix(expected[:3, :3]))
        for k, m in enumerate(seen):
            rotation_vector(quat_product(m.q_sensor_target, q), turn[k])
        across, along, attitude = one.sigma(float(np.linalg.norm(expected[:3, 3])))
        assert across == pytest.approx(math.hypot(0.001, 0.0005 * range_m), rel=0.02)
        # A standard deviation of n samples is known to 1/sqrt(2 n) = 1.1 %; 5 % is beyond four of that.
        assert np.std(p, axis=0) == pytest.approx([across, across, along], rel=0.05)
        assert np.std(turn, axis=0) == pytest.approx([attitude] * 3, rel=0.05)
        assert np.all(abs(p.mean(axis=0)) < 5.0 * np.array([across, across, along]) / math.sqrt(n))


def test_noise_factor_scales_the_noise_not_the_bias() -> None:
    plain, double = sensor(seed=5), sensor(seed=5, factor=2.0)
    assert np.array_equal(plain.position_bias, double.position_bias)
    noise = [np.std([m.p_sensor_target for m in expose_all(one, 500)], axis=0) for one in (plain, double)]
    assert noise[1] == pytest.approx(2.0 * noise[0], rel=1e-6)  # the same draws


def test_boresight_turns_the_line_of_sight_and_the_attitude() -> None:
    one = sensor(**(EXACT | {"boresight_deg": 1.0}))
    (seen,) = expose_all(one, 1)
    expected = truth(AHEAD)
    moved = seen.p_sensor_target - expected[:3, 3]
    # To first order β × p; the second order is |β|² |p|/2, with |β| about 2 deg under 1.5 cm here.
    assert moved == pytest.approx(np.cross(one.boresight, expected[:3, 3]), abs=0.015)
    assert np.linalg.norm(moved) > 0.05
    turn = np.empty(3)
    rotation_vector(quat_product(seen.q_sensor_target, quat_inverse(quat_from_matrix(expected[:3, :3]))), turn)
    assert turn == pytest.approx(one.boresight, abs=1e-9)


def test_biases_are_drawn_with_their_size() -> None:
    many = [sensor(seed=k) for k in range(400)]
    # 1200 samples each: known to 2 %, 8 % is four of that.
    assert np.std([one.position_bias for one in many]) == pytest.approx(0.002, rel=0.08)
    assert np.std([one.boresight for one in many]) == pytest.approx(math.radians(0.03), rel=0.08)
    assert np.std([one.attitude_bias for one in many]) == pytest.approx(math.radians(0.1), rel=0.08)


@pytest.mark.parametrize(("off_deg", "sees"), [(29.5, True), (30.5, False), (180.0, False)])
def test_field_of_view(off_deg: float, sees: bool) -> None:
    one = sensor(**CLEAN)
    place = np.array(one.spec.place_m)
    a = math.radians(off_deg)
    target_from_chaser = place + 10.0 * np.array([-math.cos(a), math.sin(a), 0.0])
    T = np.array([*-target_from_chaser, 1.0, 0.0, 0.0, 0.0])
    assert len(expose_all(one, 1, T)) == sees


def test_range_and_blindness() -> None:
    assert not expose_all(sensor(**CLEAN), 1, np.array([401.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
    assert expose_all(sensor(**CLEAN), 1, np.array([399.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0]))
    one = sensor(**CLEAN)
    one.blind = True
    assert not expose_all(one, 3)


def test_due_at_multiples_of_the_period_of_a_ticking_clock() -> None:
    one = sensor(**CLEAN)
    exposed = []
    for k in range(500):
        t = k * 0.004
        if one.due(t):
            one.expose(t, AHEAD, t)
            exposed.append(t)
            assert not one.due(t)
    assert exposed == pytest.approx(np.arange(20) * 0.1, abs=1e-9)


def test_delay_and_jitter_and_order_of_arrival() -> None:
    one = sensor(rate_hz=50.0, delay_ms=100.0, jitter_ms=50.0, **CLEAN)
    exposed: dict[float, float] = {}
    for k in range(2000):
        t = k * 0.001
        if one.due(t):
            one.expose(t, AHEAD, t)
        exposed |= {m.t: t for m in one.arrived(t)}
    delays = np.array([arrival - t for t, arrival in exposed.items()])
    assert delays.min() >= 0.1 - 1e-9
    assert delays.max() <= 0.151 + 1e-9  # the clock looks every millisecond
    assert delays.mean() == pytest.approx(0.1255, abs=0.005)  # uniform: 14 ms/sqrt(92) is 1.5 ms
    assert list(exposed) != sorted(exposed)  # 50 ms of jitter at 20 ms apart: some overtake


def test_dropouts_and_outliers_come_as_often_as_they_should() -> None:
    n = 4000
    seen = expose_all(sensor(dropout_share=0.1, **{k: v for k, v in CLEAN.items() if k != "dropout_share"}), n)
    assert n - len(seen) == pytest.approx(400, abs=76)  # four binomial standard deviations of 19
    seen = expose_all(sensor(**(CLEAN | {"outlier_share": 0.05})), n)
    off = np.array([m.p_sensor_target for m in seen]) - truth(AHEAD)[:3, 3]
    far = np.any(abs(off) > 6.0 * np.array([0.0055, 0.0055, 0.021]), axis=1)
    # Of noise thirty times as large almost all is beyond six standard deviations in one of three components.
    assert 0.8 * 200 < np.sum(far) < 1.25 * 200


def test_the_seed_decides_and_what_is_lost_does_not_shift_the_rest() -> None:
    first, second = expose_all(sensor(seed=3), 50), expose_all(sensor(seed=3), 50)
    assert all(np.array_equal(a.p_sensor_target, b.p_sensor_target) for a, b in zip(first, second, strict=True))
    assert not np.array_equal(first[0].p_sensor_target, expose_all(sensor(seed=4), 1)[0].p_sensor_target)
    one = sensor(seed=3)
    one.blind = True
    one.expose(0.0, AHEAD, 0.0)
    one.blind = False
    for k in range(1, 50):
        one.expose(k / 10.0, AHEAD, k / 10.0)
    later = {m.t: m for m in one.arrived(math.inf)}
    assert all(np.array_equal(later[m.t].p_sensor_target, m.p_sensor_target) for m in first if m.t > 0.0)
