"""What the relative filter assumes: the layout of its state, the craft as known on board, and the size of every error.

State (54 numbers) and error state (35): position r and velocity v of the chaser's centre of mass from the target's (eci axes,
inertial derivative), attitude q_eci_target with error δθ in the target's frame (q = q̂ Exp(δθ)), rate ω (target's frame),
the relative errors s of its principal moments of inertia (in units of what is known of them), and the slow errors: of the
measurement, in the sensor's frame, position bias (m), boresight (rad), attitude bias (rad) and the error of the exposure's time
stamp (s); of the target's mass centre (m, target's frame); of the range, a share; of the thrusters, a
scale along each axis of the chaser, one for those that push forward along it and one for those that push back. Beside these,
for each source of measurements: by how much the variance of its noise is greater than its data sheet, or what it says of itself,
has it (1: twice), and of how many measurements that was learnt.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.dispersion_table import Knowledge
from proxops.core.flight import R_CHASER_SENSOR, Floats, OnboardData
from proxops.core.sensor_table import Avionics, Sensor
from proxops.core.strict_table import Triple
from proxops.maths.record import one_layout
from proxops.maths.small_matrix import skew
from proxops.onboard.attitude_filter import ARCSEC

N_SOURCES: Final = 9  # the pose sensor and eight imaging sensors
Q, W, S, SLOW, NOISE, LEARNT = 6, 10, 13, 16, 36, 36 + N_SOURCES  # where they begin in the state
N_STATE: Final = LEARNT + N_SOURCES
N_ERROR: Final = 35
E_V, E_Q, E_W, E_S, E_SLOW = 3, 6, 9, 12, 15  # and in the error state
N_SLOW: Final = 20
N_SCALE: Final = 6
BIAS, BORESIGHT, ATTITUDE, CLOCK, CENTRE, SHARE, SCALE = 0, 3, 6, 9, 10, 13, 14  # among the slow errors

# Nothing in an approach changes a client's inertia: as good as constant. If it faded, its rate would be too uncertain.
INERTIA_TIME_S: Final = 1e6
# rad/s per sqrt(s): what is left of the torques. Air and sunlight make 3e-8 to 7e-8 rad/s² on the flagship's client. Their torque
# is known on board (``surface_force``), and what mass centre and moments change of it is in the state. The short tables of air
# and Sun leave 1 % of it, or 0.5e-9 rad/s², for 100 s and more: a sqrt(L).
RATE_WALK: Final = 0.01e-6
SURFACE_WALK: Final = 0.01 * math.sqrt(100.0)  # the same for greater torques, in lower orbits: times their rad/s²
HELD_RATE_WALK: Final = 1.1e-6  # of a client that holds its attitude: 2e-7 rad/s² of its control
# Thrusters, one standard deviation: what persists (mass, thrust of those that push to one side) and adds up in a burn, and what
# every cycle's impulse has anew, along its direction and across it, since now these and now those thrusters make it.
# A side has four thrusters, 3 % apart, of which now these and now those push: its scale changes from one burn to the next, some
# minutes later. By how much was not measured: an assumption between one burn and a whole approach.
THRUST_TIME_S: Final = 600.0
# Share of a scale's error in the whole thrust, across it, from each of the two sides: four thrusters, each turned by 0.3 deg,
# push 0.26 % aside, which is 0.06 times 3 % times the square root of two.
UNEVEN: Final = 0.06
THRUST_SHARE: Final = 0.007
THRUST_ANGLE: Final = math.radians(0.3)
CLOCK_TIME_S: Final = 1500.0  # a time stamp's error holds, about as long as an approach
# A data sheet's noise is right to 10 % (one standard deviation), its variance to 20 %. A measurement has six numbers: the mean of
# their normalised squares is right to sqrt(2/6). The variance as known weighs as much as (2/6) / 0.2² of them.
NOISE_KNOWN: Final = 8.3
NOISE_SETTLE: Final = 100  # measurements first: until then they tell more of the state than of the noise
NOISE_MEMORY: Final = 3000.0  # measurements: five minutes, the variance is then known to 1 %
NOISE_LEAST, NOISE_MOST = -0.75, 3.0  # half and twice the noise
# m/s per sqrt(s): drag and sunlight on two different craft 4e-8 m/s², oblateness 1e-7 m/s² at 25 m, 2e-8 at 5 m; for two minutes.
VELOCITY_WALK: Final = 0.5e-6


class Walks(NamedTuple):
    """How fast the hall's errors change, per square root of a second, in the sensor's axes. The axes of its robots are off by
    constants: what that makes of the poses changes with the postures. Both robots stand in the hall, and so does the line of
    sight: seen from the sensor these errors change little on the way, whatever the client does, and those about the
    line of sight hardly at all. The figures are the mean square of the change from one end of a part of the flagship's
    way to the other, over its duration, by the Jacobians along the postures of 18 flights: far 97 s, near 145 s, on the way
    parts of one to three minutes. Of the target's attitude the filter compares what it was before the fly-around and after
    it: there the parts are 335 s to the hold and 430 s from it. Near, the errors go on to the side to which they went before:
    a walk, which does not remember that, has 1.3 times the figures."""

    position_m: Triple
    chaser_deg: Triple
    target_deg: Triple


NONE: Final = (0.0, 0.0, 0.0)
STILL: Final = Walks(NONE, NONE, NONE)
ON_THE_WAY: Final = Walks((1.6e-5, 1.6e-5, 1.0e-5), (5e-4, 7e-4, 5e-5), (1.0e-3, 1.5e-3, 5.5e-4))
NEAR: Final = Walks((6.3e-5, 8.7e-5, 1.6e-5), (2.9e-3, 3.1e-3, 2e-4), (6.1e-3, 3.7e-3, 7e-4))
FAR: Final = Walks((7.7e-5, 9.1e-5, 7.0e-5), (3.1e-3, 2.5e-3, 9e-4), (6.1e-3, 5.8e-3, 5.1e-3))


@dataclass(frozen=True)
class SlowErrors:
    """What the test facility adds to the sensor's own errors (1 sigma): the hall's robots stand a little off, slowly varying
    with their posture, and the time stamp of an exposure is off. All zero for a sensor that looks at computed truth."""

    # In the sensor's axes: right, down, along the line of sight. A calibrated hall has 1.56 mm and 0.2 deg (three times the root
    # mean square of the length) at each plate; along the flagship's postures (three flights alike) the errors of the axes
    # make this of it. Most of the 0.2 deg is in the wrists, whose last axis turns a port about the line of sight.
    position_m: Triple = (0.0006, 0.0006, 0.00035)
    # The chaser's port turns the line of sight, as a misaligned boresight does; the target's robot stands in the hall, too.
    chaser_deg: Triple = (0.038, 0.025, 0.049)
    target_deg: Triple = (0.036, 0.030, 0.049)
    clock_s: float = 0.003
    # The time stamp is that of the rail, which makes the range: 8 ms dead time, 40 ms of its servo and a cycle. The arms make the
    # attitudes, and their servos need 12 ms instead of 40: what is seen of an attitude is so much newer.
    attitude_lead_s: float = 0.028
    near_m: float = 2.75  # between the ports' frames: nearer, both wrists fold until they mate
    far_m: float = 21.5  # further, the robots turn from the posture in which they joined into the one of the way
    way: Walks = ON_THE_WAY
    near: Walks = NEAR
    far: Walks = FAR
    range_share: float = 0.0  # of the range: of a picture, that tells it by the client's size


NO_HALL: Final = SlowErrors(NONE, NONE, NONE, 0.0, 0.0, way=STILL, near=STILL, far=STILL)


class RelativeModel(NamedTuple):
    """For the kernels."""

    axes: Floats  # (3, 3) columns: principal axes in the target's frame, right-handed
    moments: Floats  # (3) kg m²: principal
    free: float  # 1: it tumbles; 0: its control does what is needed to keep its rate
    target_mass_centre: Floats  # (3) target's frame
    sensor_place: Floats  # (3) from the chaser's centre of mass, in the sensor's frame
    R_sensor_chaser: Floats
    slow_sigma: Floats  # (20)
    slow_time: Floats  # (20) s
    near_time: Floats  # (20) s, with the centres of mass within ``near_m``
    far_time: Floats  # (20) s, beyond ``far_m``
    near_m: float
    far_m: float
    attitude_lead_s: float  # by which attitudes are newer than their time stamp
    period_s: float  # cycle of the flight software, for which an acceleration is the mean
    across_share: float
    along_share: float
    floor_m: float
    attitude_rad: float
    attitude_per_m: float
    rate_walk: float  # rad/s per sqrt(s)
    pull: float  # 1: the gravity gradient turns the client; 0: the mission has none
    surface: Floats  # (3, 3) rad/s² in the target's frame of a force in it (N) at its centre of pressure
    by_torque: Floats  # (3, 3) rad/s² of a torque (N m), in the target's frame
    moment_share: float  # one standard deviation of a principal moment of inertia, relative
    force: Floats  # (3) N, eci axes: of air and sunlight there, written anew as it changes


def record_of(model: RelativeModel) -> NDArray[np.void]:
    """(1) The same as a record: Numba takes a named tuple apart in every call from Python, field by field (5 us)."""
    record = np.zeros(1, _layout(tuple((name, np.shape(value)) for name, value in model._asdict().items())))
    for name, value in model._asdict().items():
        record[name] = value
    return record


@one_layout
def _layout(fields: tuple[tuple[str, tuple[int, ...]], ...]) -> np.dtype[np.void]:
    return np.dtype([(name, np.float64, shape) for name, shape in fields])


def relative_model(
    data: OnboardData, sensor: Sensor, avionics: Avionics, hall: SlowErrors, knowledge: Knowledge, held: bool = False,
    pulled: bool = True, lever: Floats | None = None,
) -> RelativeModel:  # fmt: skip
    """From the nominal data on board and the sensor's data sheet; ``held``: the client's attitude is under control, ``pulled``:
    the gravity gradient acts on it, ``lever``: from its centre of mass to its centre of pressure."""
    R_sensor_chaser = np.ascontiguousarray(R_CHASER_SENSOR.T)
    moments, axes = np.linalg.eigh(data.target_inertia)
    axes[:, 0] *= np.linalg.det(axes)  # ±1
    free = 0.0 if held else 1.0
    share = max(knowledge.inertia, 0.01) / 100.0
    sigma = slow_sigma(sensor, avionics, hall, knowledge)
    times, near_times, far_times = (slow_times(sigma, walks, hall) for walks in (hall.way, hall.near, hall.far))
    # The craft face each other: their centres of mass lie behind the ports' frames.
    behind_m = float(np.linalg.norm(data.mass_centre) + np.linalg.norm(data.target_mass_centre))
    return RelativeModel(
        np.ascontiguousarray(axes), moments, free, data.target_mass_centre,
        R_sensor_chaser @ (data.sensor_place - data.mass_centre), R_sensor_chaser, sigma, times, near_times, far_times,
        hall.near_m + behind_m, hall.far_m + behind_m, hall.attitude_lead_s,
        data.period_s, sensor.across_share, sensor.along_share, max(sensor.position_floor_m, 1e-5),
        math.radians(max(sensor.attitude_deg, 1e-3)), math.radians(sensor.attitude_deg_per_m),
        HELD_RATE_WALK if held else RATE_WALK, float(pulled), free * turn_by_surface(data.target_inertia, lever),
        (free if lever is not None else 0.0) * np.asarray(np.linalg.inv(data.target_inertia), np.float64), share, np.zeros(3),
    )  # fmt: skip


def turn_by_surface(inertia: Floats, lever: Floats | None) -> Floats:
    """(3, 3) angular acceleration of a force at ``lever`` from the centre of mass: J⁻¹ (lever x force)."""
    out: Floats = np.asarray(np.linalg.solve(inertia, skew(np.zeros(3) if lever is None else lever)), np.float64)
    return out


def slow_sigma(sensor: Sensor, avionics: Avionics, hall: SlowErrors, knowledge: Knowledge) -> Floats:
    """(20) standard deviation of the slow errors: a constant of the sensor's or of what is known, and the hall's."""
    tracker = math.hypot(avionics.star_tracker_arcsec, avionics.star_tracker_bias_arcsec) * ARCSEC
    constant, wander = np.zeros(N_SLOW), np.zeros(N_SLOW)
    # The chaser's centre looks like a bias.
    constant[BIAS : BIAS + 3] = math.hypot(sensor.bias_m, knowledge.mass_centre_m)
    constant[BORESIGHT : BORESIGHT + 3] = math.hypot(math.radians(sensor.boresight_deg), tracker)
    constant[ATTITUDE : ATTITUDE + 3] = math.radians(sensor.attitude_bias_deg)
    constant[CLOCK] = 1e-5
    constant[CENTRE : CENTRE + 3] = knowledge.mass_centre_m
    wander[BIAS : BIAS + 3] = hall.position_m
    wander[BORESIGHT : BORESIGHT + 3] = np.radians(hall.chaser_deg)
    wander[ATTITUDE : ATTITUDE + 3] = np.radians(hall.target_deg)
    wander[CLOCK] = hall.clock_s
    wander[SCALE:] = max(knowledge.thrust, 0.01) / 100.0
    out: Floats = np.hypot(np.maximum(constant, 1e-7), wander)  # keeps the variance above zero
    out[SHARE] = hall.range_share  # nothing, but in pictures
    return out


def slow_times(sigma: Floats, walks: Walks, hall: SlowErrors) -> Floats:
    """(20) s: correlation times of the slow errors, each a first-order Gauss-Markov process, so that they walk as told.

    One process stands for the sum of a constant (the sensor's) and of a wandering part (the hall's): it is as uncertain as the
    sum and, in the minutes in which it is far from forgotten, changes as the part does. Its time is 2 sigma² / walk².
    """
    walk = np.zeros(N_SLOW)
    walk[BIAS : BIAS + 3] = walks.position_m
    walk[BORESIGHT : BORESIGHT + 3] = np.radians(walks.chaser_deg)
    walk[ATTITUDE : ATTITUDE + 3] = np.radians(walks.target_deg)
    walk[CLOCK] = hall.clock_s * math.sqrt(2.0 / CLOCK_TIME_S)
    times = np.full(N_SLOW, 1e9)  # as good as constant
    moving = walk > 0.0
    times[moving] = 2.0 * (sigma[moving] / walk[moving]) ** 2
    times[SCALE:] = THRUST_TIME_S
    return times
