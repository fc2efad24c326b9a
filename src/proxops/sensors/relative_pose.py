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
from proxops.core.sensor_table import Sensor
from proxops.maths.draws import Draws
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import put_unit
from proxops.maths.rotation import exponential, quat_from_matrix
from proxops.maths.triple import composed, inverse, quad, rotated, triple

DUE_SLACK_S = 1e-9  # a clock that counts in ticks meets the multiples of a period only to rounding
CHANCES, DRAWS = 3, 6  # random numbers per exposure: uniform (lost, wrong, late) and normal


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
        self._draws = Draws(rng, CHANCES, DRAWS)
        self._half_view = 0.5 * math.radians(spec.field_of_view_deg)
        self._place = np.array(spec.place_m)
        self._q_sensor_chaser = quat_from_matrix(np.ascontiguousarray(R_CHASER_SENSOR.T))
        self._seen = np.empty(7)  # T_sensor_target of the last exposure
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
        spec, drawn, measured = self.spec, self._draws.row(), np.empty(7)
        lost, wrong, late = drawn[:CHANCES].tolist()
        range_m, off_axis = see(T_target_chaser, self._q_sensor_chaser, self._place, self._seen)
        in_view = 0.0 < range_m <= spec.range_m and off_axis <= self._half_view
        if self.blind or lost < spec.dropout_share or not in_view:
            return False
        factor = self.noise_factor * (spec.outlier_size if wrong < spec.outlier_share else 1.0)
        disturbed(
            self._seen, *self.sigma(range_m), factor, drawn[CHANCES:], self.position_bias, self.boresight, self.attitude_bias,
            measured,
        )  # fmt: skip
        arrival = t + 1e-3 * (spec.delay_ms + late * spec.jitter_ms)
        self._count += 1
        heapq.heappush(self._queue, (arrival, self._count, RelativeMeasurement(shown_at, measured[:3], measured[3:])))
        return True

    def arrived(self, t: float) -> tuple[RelativeMeasurement, ...]:
        """What has arrived since the last call, in order of arrival."""
        out = []
        while self._queue and self._queue[0][0] <= t + DUE_SLACK_S:
            out.append(heapq.heappop(self._queue)[2])
        return tuple(out)

    def sigma(self, range_m: float) -> tuple[float, float, float]:
        """Noise at this range, one standard deviation: across (m), along the line of sight (m), attitude (rad)."""
        spec = self.spec
        across = math.hypot(spec.across_share * range_m, spec.position_floor_m)
        along = math.hypot(spec.along_share * range_m, spec.position_floor_m)
        attitude = math.hypot(spec.attitude_deg, spec.attitude_deg_per_m * range_m)
        return across, along, math.radians(attitude)


@kernel
def see(T_target_chaser: Floats, q_sensor_chaser: Floats, place: Floats, out: Floats) -> tuple[float, float]:
    """``out`` := T_sensor_target, packed, of a sensor at ``place`` in the chaser's frame; its range, and its angle off the line
    of sight."""
    q_chaser_target, q_sensor = inverse(quad(T_target_chaser, 3)), quad(q_sensor_chaser, 0)
    way = rotated(q_chaser_target, triple(T_target_chaser, 0))
    x, y, z = rotated(q_sensor, (-way[0] - place[0], -way[1] - place[1], -way[2] - place[2]))
    out[0], out[1], out[2] = x, y, z
    put_unit(composed(q_sensor, q_chaser_target), out[3:7])
    return math.sqrt(x * x + y * y + z * z), math.atan2(math.hypot(x, y), z)


@kernel
def disturbed(
    seen: Floats, across: float, along: float, attitude: float, factor: float, noise: Floats, position_bias: Floats,
    boresight: Floats, attitude_bias: Floats, out: Floats,
) -> None:  # fmt: skip
    """``out`` := what is measured of the true ``seen``, packed; ``noise``: six numbers in standard deviations, times
    ``factor``."""
    x, y, z = triple(seen, 0)
    range_m = math.sqrt(x * x + y * y + z * z)
    sight = (x / range_m, y / range_m, z / range_m)
    ahead = factor * (sight[0] * noise[0] + sight[1] * noise[1] + sight[2] * noise[2])
    turned = rotated(exponential(boresight), (x, y, z))
    for i in range(3):
        white = across * factor * noise[i] + (along - across) * ahead * sight[i]
        out[i] = turned[i] + position_bias[i] + white
    off = (
        boresight[0] + attitude_bias[0] + attitude * factor * noise[3],
        boresight[1] + attitude_bias[1] + attitude * factor * noise[4],
        boresight[2] + attitude_bias[2] + attitude * factor * noise[5],
    )
    put_unit(composed(exponential(off), quad(seen, 3)), out[3:7])
