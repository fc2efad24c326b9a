"""What the relative filter assumes: the layout of its state, the craft as known on board, and the size of every error.

State (35 numbers) and error state (34): position r and velocity v of the chaser's centre of mass from the target's (eci axes,
inertial derivative), attitude q_eci_target with error δθ in the target's frame (q = q̂ Exp(δθ)), rate ω (target's frame),
the relative errors s of its principal moments of inertia (in units of what is known of them), and the slow errors: of the
measurement, in the sensor's frame, position bias (m), boresight (rad), attitude bias (rad) and the error of the exposure's time
stamp (s); of the target's mass centre (m, target's frame); of the thrusters, a
scale along each axis of the chaser, one for those that push forward along it and one for those that push back.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.dispersion_table import Knowledge
from proxops.core.flight import R_CHASER_SENSOR, Floats, OnboardData
from proxops.core.sensor_table import Avionics, Sensor
from proxops.maths.record import one_layout
from proxops.onboard.attitude_filter import ARCSEC

N_STATE: Final = 35
Q, W, S, SLOW = 6, 10, 13, 16  # where they begin in the state
N_ERROR: Final = 34
E_V, E_Q, E_W, E_S, E_SLOW = 3, 6, 9, 12, 15  # and in the error state
N_SLOW: Final = 19
N_SCALE: Final = 6
BIAS, BORESIGHT, ATTITUDE, CLOCK, CENTRE, SCALE = 0, 3, 6, 9, 10, 13  # among the slow errors

# Errors of inertia hold; they fade only so that old motion does not bind the filter for ever.
INERTIA_TIME_S: Final = 1000.0
# rad/s per sqrt(s): torques beside the gravity gradient's. Drag and sunlight make about 2.3e-8 rad/s² on the flagship's client,
# which lasts; the filter forgets a rate in two minutes (walk of the attitude bias over this walk): a² 120 s covers it.
RATE_WALK: Final = 0.25e-6
HELD_RATE_WALK: Final = 1.1e-6  # of a client that holds its attitude: 2e-7 rad/s² of its control
# Thrusters, one standard deviation: what persists (mass, thrust of those that push to one side) and adds up in a burn, and what
# every cycle's impulse has anew, along its direction and across it, since now these and now those thrusters make it.
THRUST_TIME_S: Final = 1000.0
# Share of a scale's error in the whole thrust, across it, from each of the two sides: four thrusters, each turned by 0.3 deg,
# push 0.26 % aside, which is 0.06 times 3 % times the square root of two.
UNEVEN: Final = 0.06
THRUST_SHARE: Final = 0.007
THRUST_ANGLE: Final = math.radians(0.3)
# m/s per sqrt(s): drag and sunlight on two different craft 4e-8 m/s², oblateness 1e-7 m/s² at 25 m, less nearer; for minutes.
VELOCITY_WALK: Final = 0.8e-6


@dataclass(frozen=True)
class SlowErrors:
    """What the test facility adds to the sensor's own errors (1 sigma): the hall's robots stand a little off, slowly varying
    with their posture, and the time stamp of an exposure is off. All zero for a sensor that looks at computed truth."""

    # A calibrated hall has 1.56 mm and 0.2 deg (three times the root mean square of the length) at each plate: 0.30 mm and 0.039
    # deg in each component. The ports stand 0.5 m ahead of them. Most of the 0.2 deg is in the wrists: their last axis turns
    # a port about its own axis and whose fourth does in part: there it is more than across.
    position_m: float = 0.0004
    chaser_deg: float = 0.036  # the chaser's port: turns the line of sight, as a misaligned boresight does
    chaser_roll_deg: float = 0.05  # about the line of sight
    target_deg: float = 0.04  # the target's port, which is seen from any side
    clock_s: float = 0.003
    # Axes are off by constants: what that makes of the pose changes with the postures, evenly for minutes: a rate e' that lasts
    # for L = 120 s is a walk of e'² L, so T = 2 h² / (e'² L). Along the flagship's postures (three runs alike) the target's port
    # turns by 0.02 to 0.15 mdeg/s, the chaser's by 0.02 to 0.1, while the rail does the range and the robots stand apart. With
    # the ports' frames within 2.75 m both wrists fold: 0.45 and 0.2 mdeg/s, which lasts until they mate (150 s).
    # Beyond 21.5 m the robots turn from the posture in which they joined into the one of the way: 2 mdeg/s for a minute.
    chaser_time_s: float = 1500.0
    target_time_s: float = 1500.0
    near_m: float = 2.75
    far_m: float = 21.5
    near_chaser_time_s: float = 500.0
    near_target_time_s: float = 100.0


NO_HALL: Final = SlowErrors(0.0, 0.0, 0.0, 0.0, 0.0)


class RelativeModel(NamedTuple):
    """For the kernels."""

    axes: Floats  # (3, 3) columns: principal axes in the target's frame, right-handed
    ratios: Floats  # (3) of its principal moments: (I_j − I_k)/I_i; 0: its control does what is needed to keep its rate
    ratio_slope: Floats  # (3, 3) see `ratio_slope`
    target_mass_centre: Floats  # (3) target's frame
    sensor_place: Floats  # (3) from the chaser's centre of mass, in the sensor's frame
    R_sensor_chaser: Floats
    slow_sigma: Floats  # (19)
    slow_time: Floats  # (19) s
    near_time: Floats  # (19) s, with the centres of mass within ``near_m`` or beyond ``far_m``
    near_m: float
    far_m: float
    period_s: float  # cycle of the flight software, for which an acceleration is the mean
    across_share: float
    along_share: float
    floor_m: float
    attitude_rad: float
    attitude_per_m: float
    rate_walk: float  # rad/s per sqrt(s)
    pull: float  # 1: the gravity gradient turns the client; 0: the mission has none


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
    pulled: bool = True,
) -> RelativeModel:  # fmt: skip
    """From the nominal data on board and the sensor's data sheet; ``held``: the client's attitude is under control, ``pulled``:
    the gravity gradient acts on it."""
    R_sensor_chaser = np.ascontiguousarray(R_CHASER_SENSOR.T)
    moments, axes = np.linalg.eigh(data.target_inertia)
    axes[:, 0] *= np.linalg.det(axes)  # ±1
    free = 0.0 if held else 1.0
    sigma, times = slow_errors(sensor, avionics, hall, knowledge)
    near = replace(hall, chaser_time_s=hall.near_chaser_time_s, target_time_s=hall.near_target_time_s)
    _, near_times = slow_errors(sensor, avionics, near, knowledge)
    # The craft face each other: their centres of mass lie behind the ports' frames.
    behind_m = float(np.linalg.norm(data.mass_centre) + np.linalg.norm(data.target_mass_centre))
    return RelativeModel(
        np.ascontiguousarray(axes), free * (np.roll(moments, -1) - np.roll(moments, -2)) / moments,
        free * ratio_slope(moments, max(knowledge.inertia, 0.01) / 100.0), data.target_mass_centre,
        R_sensor_chaser @ (data.sensor_place - data.mass_centre), R_sensor_chaser, sigma, times, near_times,
        hall.near_m + behind_m, hall.far_m + behind_m,
        data.period_s, sensor.across_share, sensor.along_share, max(sensor.position_floor_m, 1e-5),
        math.radians(max(sensor.attitude_deg, 1e-3)), math.radians(sensor.attitude_deg_per_m),
        HELD_RATE_WALK if held else RATE_WALK, float(pulled),
    )  # fmt: skip


def ratio_slope(moments: Floats, share: float) -> Floats:
    """(3, 3) change of (I_j − I_k)/I_i, row i, with the relative error of moment m, column, of one
    standard deviation (``share``)."""
    out = np.empty((3, 3))
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        out[i, j], out[i, k] = moments[j], -moments[k]
        out[i, i] = moments[k] - moments[j]
        out[i] *= share / moments[i]
    return out


def slow_errors(sensor: Sensor, avionics: Avionics, hall: SlowErrors, knowledge: Knowledge) -> tuple[Floats, Floats]:
    """Standard deviation and correlation time of the slow errors, each a first-order Gauss-Markov process.

    One process stands for the sum of a constant (sensor, variance c) and of a wandering part (hall, variance h, time T). Its
    variance is c + h and its time T (c + h)/h: so it begins as uncertain as the sum and forgets no faster than it.
    """
    tracker = math.hypot(avionics.star_tracker_arcsec, avionics.star_tracker_bias_arcsec) * ARCSEC
    constant = np.zeros(N_SLOW)
    # The chaser's centre looks like a bias.
    constant[BIAS : BIAS + 3] = math.hypot(sensor.bias_m, knowledge.mass_centre_m)
    constant[BORESIGHT : BORESIGHT + 3] = math.hypot(math.radians(sensor.boresight_deg), tracker)
    constant[ATTITUDE : ATTITUDE + 3] = math.radians(sensor.attitude_bias_deg)
    constant[CLOCK] = 1e-5
    constant[CENTRE : CENTRE + 3] = knowledge.mass_centre_m
    constant = np.maximum(constant, 1e-7)  # keeps the variance above zero
    wander = np.zeros(N_SLOW)
    wander[BIAS : BIAS + 3] = hall.position_m
    wander[BORESIGHT : BORESIGHT + 2] = math.radians(hall.chaser_deg)
    wander[BORESIGHT + 2] = math.radians(hall.chaser_roll_deg)
    wander[ATTITUDE : ATTITUDE + 3] = math.radians(hall.target_deg)
    wander[CLOCK] = hall.clock_s
    wander[SCALE:] = max(knowledge.thrust, 0.01) / 100.0
    variance = constant**2 + wander**2
    times = np.full(N_SLOW, 1e9)  # as good as constant
    moving = wander > 0.0
    wandering = np.full(N_SLOW, hall.target_time_s)
    wandering[BORESIGHT : BORESIGHT + 3] = hall.chaser_time_s
    times[moving] = wandering[moving] * variance[moving] / wander[moving] ** 2
    times[SCALE:] = THRUST_TIME_S
    return np.sqrt(variance), times
