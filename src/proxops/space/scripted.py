"""Scripted relative motion: the segments of a scenario as a function of time, with its exact derivatives.

Every segment is the same closed form. With s(t) the way covered so far (``core/ramp.py``), the chaser's first pose in the
segment is turned about two axes through the target, and its distance changes:

    R_target_chaser = Rot(a, ka s) Rot(b, kb s) R0,    p = (d0 + kd s) Rot(a, ka s) Rot(b, kb s) u0

- approach, overshoot: ka = kb = 0, kd = +-1.
- fly-around about n: a = n, ka = 1; b = u0, kb = -n.u0 takes out the roll about the line of sight (parallel transport).
- tumble, s in seconds: the target's attitude is Rot(h, precession s) Rot(symmetry axis, spin s), h the angular momentum,
  and the chaser is seen through its inverse: a = symmetry axis, b = h.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.scenario import Scenario
from proxops.core.segments import FlyAround, Jump, Leg, ScriptStart, Silence, Tumble
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, quat_about, quat_inverse, quat_product, quat_to_direction, turned
from proxops.maths.rotation import Array, matrix_from_abc, quat_from_matrix

LEG_DTYPE = np.dtype(
    [
        ("start", "f8"), ("end", "f8"),
        ("rate", "f8"), ("rise", "f8"), ("cruise", "f8"), ("fall", "f8"),
        ("a", "f8", (3,)), ("ka", "f8"), ("b", "f8", (3,)), ("kb", "f8"),
        ("d0", "f8"), ("kd", "f8"),
        ("u0", "f8", (3,)),  # line of sight, from the target, in the target's frame
        ("q0", "f8", (4,)),  # R_target_chaser
        ("target0", "f8", (4,)),  # R_reference_target
        ("target_turns", "?"), ("sending", "?"),
    ]
)  # fmt: skip
Legs = NDArray[np.void]
X, Y, Z = np.eye(3)


class Relative(NamedTuple):
    """The chaser seen from the target, and the target's own attitude, at one moment."""

    pose: Array  # T_target_chaser packed: x y z, qw qx qy qz
    velocity: Array  # dp/dt and angular rate of the chaser against the target, both in the target's frame
    sending: bool
    target_attitude: Array  # qw qx qy qz of R_reference_target; reference: inertial axes, the target's own at t = 0
    target_rate: Array  # of the target against the reference, in the reference


class Script:
    """The motion of a scenario. Pure: any time may be asked for, in any order; beyond the last segment all stands still."""

    def __init__(self, scenario: Scenario) -> None:
        self._legs = np.zeros(len(scenario.legs), LEG_DTYPE)
        direction, attitude = _placed(scenario.start)
        target = np.array([1.0, 0.0, 0.0, 0.0])
        for row, leg in zip(self._legs, scenario.legs, strict=True):
            if isinstance(leg.segment, Jump):
                direction, attitude = _placed(leg.segment)
            _fill(row, leg, direction, attitude, target)
            direction, attitude, target = _end_of(row, leg.ramp.way)

    def relative(self, t_sim: float) -> Relative:
        """At ``t_sim`` seconds after the start."""
        out = np.empty(20)
        sending = relative_at(self._legs, t_sim, out)
        return Relative(out[0:7], out[7:13], sending, out[13:17], out[17:20])


@kernel
def covered(leg: Any, t: float) -> tuple[float, float]:
    """Way s and its rate at ``t``, not before the leg begins; after its end nothing moves."""
    way = leg.rate * (0.5 * leg.rise + leg.cruise + 0.5 * leg.fall)
    if t >= leg.end:
        return way, 0.0
    t -= leg.start
    if t < leg.rise:
        x = t / leg.rise
        return leg.rate * leg.rise * x * x * x * (1.0 - 0.5 * x), leg.rate * x * x * (3.0 - 2.0 * x)
    if t <= leg.rise + leg.cruise or leg.fall == 0.0:
        return leg.rate * (t - 0.5 * leg.rise), leg.rate
    x = (leg.rise + leg.cruise + leg.fall - t) / leg.fall  # the rise, backwards
    return way - leg.rate * leg.fall * x * x * x * (1.0 - 0.5 * x), leg.rate * x * x * (3.0 - 2.0 * x)


@kernel
def relative_at(legs: Legs, t: float, out: Array) -> bool:
    """Pose (7), velocity (6), target's attitude (4) and rate (3) into ``out``; whether the client sends."""
    t = max(t, 0.0)
    i = legs.size - 1
    while i > 0 and legs[i].start > t:
        i -= 1
    leg = legs[i]
    s, ds = covered(leg, t)
    about_a = quat_about(leg.a, leg.ka * s)
    turn = quat_product(about_a, quat_about(leg.b, leg.kb * s))
    sight, about_b = turned(turn, leg.u0), turned(about_a, leg.b)
    out[3:7] = quat_product(turn, leg.q0)
    for k in range(3):
        out[k] = (leg.d0 + leg.kd * s) * sight[k]
        out[10 + k] = ds * (leg.ka * leg.a[k] + leg.kb * about_b[k])
    swept = cross(out[10:13], out[0:3])
    for k in range(3):
        out[7 + k] = ds * leg.kd * sight[k] + swept[k]
    if leg.target_turns:
        # The chaser keeps its inertial attitude, so the target turns by the inverse of what it sees the chaser do.
        out[13:17] = quat_product(leg.target0, quat_inverse(turn))
        out[17:20] = -turned(out[13:17], out[10:13])
    else:
        out[13:17] = leg.target0
        out[17:20] = 0.0
    return bool(leg.sending)


def _placed(place: ScriptStart) -> tuple[Array, Array]:
    """Line of sight and R_target_chaser (quaternion) of a place given in the scenario."""
    nominal = quat_to_direction(np.array(place.direction))
    a, b, c = np.radians(place.attitude_deg)
    return np.array(place.direction), quat_product(nominal, quat_from_matrix(matrix_from_abc(a, b, c)))


def _fill(row: np.void, leg: Leg, direction: Array, attitude: Array, target: Array) -> None:
    """One leg as the kernel wants it."""
    segment, ramp = leg.segment, leg.ramp
    row["start"], row["end"] = leg.start_s, leg.start_s + leg.duration_s
    row["rate"], row["rise"], row["cruise"], row["fall"] = ramp.rate, ramp.rise_s, ramp.cruise_s, ramp.fall_s
    row["u0"], row["q0"], row["target0"] = direction, attitude, target
    row["a"], row["b"] = X, X
    row["d0"] = segment.distance_m if isinstance(segment, Jump) else leg.distance_m
    row["sending"] = not isinstance(segment, Silence)
    if isinstance(segment, FlyAround):
        row["a"], row["b"], row["ka"] = segment.axis, direction, leg.sign
        row["kb"] = -leg.sign * np.dot(segment.axis, direction)
    elif isinstance(segment, Tumble):
        precession, spin = tumble_rates(segment)
        row["a"], row["b"], row["ka"], row["kb"] = segment.axis, angular_momentum(segment), -spin, -precession
        row["target_turns"] = True
    else:
        row["kd"] = leg.sign


def tumble_rates(tumble: Tumble) -> tuple[float, float]:
    """Rates (rad/s) of an axisymmetric body free of torque: precession of the symmetry axis about the angular momentum, and
    turning of the body about that axis against the precessing plane."""
    axial_rate = math.radians(tumble.spin_deg_s)
    precession = tumble.inertia_ratio * axial_rate / math.cos(math.radians(tumble.nutation_deg))
    return precession, (1.0 - tumble.inertia_ratio) * axial_rate


def angular_momentum(tumble: Tumble) -> Array:
    """Its direction in the target's frame when the tumble begins: from the symmetry axis towards the target's z (towards
    its x if the axis is nearly z)."""
    axis = np.array(tumble.axis)
    towards = Z if abs(axis[2]) < 0.9 else X
    across = towards - np.dot(towards, axis) * axis
    nutation = math.radians(tumble.nutation_deg)
    momentum: Array = math.cos(nutation) * axis + math.sin(nutation) * across / np.linalg.norm(across)
    return momentum


def _end_of(row: np.void, way: float) -> tuple[Array, Array, Array]:
    """Line of sight, chaser's and target's attitude with which a leg ends."""
    turn = quat_product(quat_about(row["a"], row["ka"] * way), quat_about(row["b"], row["kb"] * way))
    target = quat_product(row["target0"], quat_inverse(turn)) if row["target_turns"] else row["target0"].copy()
    return turned(turn, row["u0"]), quat_product(turn, row["q0"]), target
