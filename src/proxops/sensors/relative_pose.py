"""The relative-pose sensor as a model: what a camera, a lidar or a marker tracker would make of the true relative pose.

An exposure sees T_sensor_target = (p, R) and measures

    p_measured = Exp(β) p + b + n,        R_measured = Exp(β + a + m) R        (components in the sensor's frame)

with the boresight misalignment β (the sensor is not mounted as it is believed to be: it turns the line of sight and the
attitude alike), the position bias b and the attitude bias a, drawn once, and white noise n, m. The noise along and across
the line of sight grows with the range. An outlier is a measurement whose noise is ``outlier_size`` times as large.
"""

from __future__ import annotations

import heapq
import math

import numpy as np

from proxops.core.flight import R_CHASER_SENSOR, Floats, RelativeMeasurement
from proxops.core.mission import Sensor
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit, quat_inverse, quat_product, turned
from proxops.maths.rotation import quat_from_matrix, quat_from_rotation_vector

DUE_SLACK_S = 1e-9  # a clock that counts in ticks meets the multiples of a period only to rounding
DRAWS = 6  # normal random numbers per exposure


class RelativePoseSensor:
    """Exposes at the multiples of its period; what it saw arrives later. The same seed gives the same measurements: every
    exposure draws the same count of random numbers, whether it sees the target or not."""

    def __init__(self, spec: Sensor, rng: np.random.Generator, noise_factor: float = 1.0) -> None:
        self.spec = spec
        self.blind = False
        self.noise_factor = noise_factor
        self.position_bias = spec.bias_m * rng.standard_normal(3)
        self.boresight = math.radians(spec.boresight_deg) * rng.standard_normal(3)
        self.attitude_bias = math.radians(spec.attitude_bias_deg) * rng.standard_normal(3)
        self._rng = rng
        self._place = np.array(spec.place_m)
        self._q_sensor_chaser = quat_from_matrix(np.ascontiguousarray(R_CHASER_SENSOR.T))
        self._exposures = 0  # multiples of the period that are done
        self._count = 0  # keeps equal times of arrival in the order of exposure
        self._queue: list[tuple[float, int, RelativeMeasurement]] = []

    def due(self, t: float) -> bool:
        """Whether a multiple of the period has come (at 0 already) that was not exposed yet."""
        return t >= self._exposures / self.spec.rate_hz - DUE_SLACK_S

    def expose(self, t: float, T_target_chaser: Floats, shown_at: float) -> bool:
        """Look at the target now; True if it was seen. ``T_target_chaser``: packed x y z qw qx qy qz of the body frames, as
        it was at ``shown_at`` (a hall shows what its robots were told a little earlier): the measurement's time."""
        self._exposures = math.floor((t + DUE_SLACK_S) * self.spec.rate_hz) + 1
        lost, wrong, late = self._rng.random(3)
        noise = self._rng.standard_normal(DRAWS)
        seen = seen_from(T_target_chaser, self._q_sensor_chaser, self._place)
        range_m = math.sqrt(seen[:3] @ seen[:3])
        if self.blind or lost < self.spec.dropout_share or not self._in_view(seen, range_m):
            return False
        factor = self.noise_factor * (self.spec.outlier_size if wrong < self.spec.outlier_share else 1.0)
        sigma = self.sigma(range_m)
        noise = factor * noise
        p, q = disturbed(seen, sigma, noise, self.position_bias, self.boresight, self.attitude_bias)
        arrival = t + 1e-3 * (self.spec.delay_ms + late * self.spec.jitter_ms)
        self._count += 1
        heapq.heappush(self._queue, (arrival, self._count, RelativeMeasurement(shown_at, p, q)))
        return True

    def arrived(self, t: float) -> tuple[RelativeMeasurement, ...]:
        """What has arrived since the last call, in order of arrival."""
        out = []
        while self._queue and self._queue[0][0] <= t + DUE_SLACK_S:
            out.append(heapq.heappop(self._queue)[2])
        return tuple(out)

    def sigma(self, range_m: float) -> Floats:
        """Noise at this range, one standard deviation: across (m), along the line of sight (m), attitude (rad)."""
        spec = self.spec
        across = math.hypot(spec.across_share * range_m, spec.position_floor_m)
        along = math.hypot(spec.along_share * range_m, spec.position_floor_m)
        attitude = math.hypot(spec.attitude_deg, spec.attitude_deg_per_m * range_m)
        return np.array([across, along, math.radians(attitude)])

    def _in_view(self, seen: Floats, range_m: float) -> bool:
        """Whether the target's origin is in the cone and near enough."""
        off_axis = math.atan2(math.hypot(seen[0], seen[1]), seen[2])
        return 0.0 < range_m <= self.spec.range_m and off_axis <= 0.5 * math.radians(self.spec.field_of_view_deg)


@kernel
def seen_from(T_target_chaser: Floats, q_sensor_chaser: Floats, place: Floats) -> Floats:
    """T_sensor_target, packed, of a sensor at ``place`` in the chaser's frame."""
    q_chaser_target = quat_inverse(T_target_chaser[3:7])
    p_chaser_target = -turned(q_chaser_target, T_target_chaser[0:3])
    out = np.empty(7)
    out[0:3] = turned(q_sensor_chaser, p_chaser_target - place)
    put_unit(quat_product(q_sensor_chaser, q_chaser_target), out[3:7])
    return out


@kernel
def disturbed(
    seen: Floats, sigma: Floats, noise: Floats, position_bias: Floats, boresight: Floats, attitude_bias: Floats
) -> tuple[Floats, Floats]:
    """Measured position and quaternion of the true ``seen``; ``noise``: six numbers in standard deviations."""
    range_m = math.sqrt(seen[0] ** 2 + seen[1] ** 2 + seen[2] ** 2)
    sight = seen[0:3] / range_m
    along = sight[0] * noise[0] + sight[1] * noise[1] + sight[2] * noise[2]
    n = sigma[0] * noise[0:3] + (sigma[1] - sigma[0]) * along * sight
    p = turned(quat_from_rotation_vector(boresight), seen[0:3]) + position_bias + n
    q = np.empty(4)
    off = boresight + attitude_bias + sigma[2] * noise[3:6]
    put_unit(quat_product(quat_from_rotation_vector(off), seen[3:7]), q)
    return p, q
