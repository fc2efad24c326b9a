"""The motion that shows a tool's mass, centre and inertia to a force sensor: each joint in four sines, from rest to rest.

Two slow sines turn the tool far (weight: mass and centre), two quick ones shake it (inertia). Every joint gets as much of its
sines as its range, speed and acceleration allow; the result is checked once more, sample by sample, before it counts.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.maths.pose import pose
from proxops.maths.rotation import matrix_from_quat, quat_from_matrix

DURATION_S: Final = 20.0
RAMP_S: Final = 1.5  # from rest to full swing, and back
SINES: Final = ((0.10, 1.0), (0.23, 0.6), (0.61, 0.3), (0.97, 0.2))  # Hz, share
HOME_DEG: Final = (0.0, -20.0, 0.0, 80.0, 0.0, 40.0, 0.0)  # A1 A2 E1 A3 A4 A5 A6: forearm level, tool half down
SWING_DEG: Final = (30.0, 12.0, 15.0, 15.0, 90.0, 60.0, 110.0)  # about home: the tool stays off floor and column
SPEED_UP_S: Final = 0.3  # to full speed; the arm's data sheet gives no accelerations
USED: Final = 0.7  # share of speeds and accelerations
FLOOR_M: Final = 0.35  # least height of the flange, and
COLUMN_M: Final = 0.30  # least distance from the arm's own axis: half a module and some room


@dataclass(frozen=True, eq=False)
class CalibrationMotion:
    """Rows every 4 ms: joints, and the flange's motion as calibration needs it (inertial, in the flange's axes)."""

    t: Floats
    q: Floats
    rate: Floats
    acceleration: Floats
    p_world_flange: Floats
    attitude: Floats  # q_world_flange, scalar first
    w: Floats
    alpha: Floats
    a: Floats


def calibration_motion(arm: ArmModel, excitation: float = 1.0) -> CalibrationMotion:
    """For an arm of seven joints, foot on the floor; ``excitation``: share of the full swing."""
    if arm.n != len(HOME_DEG):
        raise BadInput("calibration motion: not a seven-axis arm", where=arm.name, value=f"{arm.n} joints", bound="7")
    home = arm.angles(HOME_DEG, "calibration motion")
    t: Floats = np.arange(round(DURATION_S / PERIOD_S) + 1, dtype=float) * PERIOD_S
    waves = [_wave(t, joint) for joint in range(arm.n)]
    most, room = arm.speed / SPEED_UP_S, np.radians(SWING_DEG)
    swing = [
        excitation * _swing(*wave, *bounds)
        for wave, bounds in zip(waves, zip(room.tolist(), arm.speed.tolist(), most.tolist(), strict=True), strict=True)
    ]
    q, rate, acceleration = (np.column_stack([swing[j] * waves[j][k] for j in range(arm.n)]) for k in range(3))
    motion = flange_motion(arm, t, home + q, rate, acceleration)
    check_motion(arm, motion)
    return motion


def _wave(t: Floats, joint: int) -> tuple[Floats, Floats, Floats]:
    """Sines in a window and their first two derivatives. Phases differ by golden angles: no two joints go together."""
    u, du, ddu = np.zeros_like(t), np.zeros_like(t), np.zeros_like(t)
    for k, (hertz, share) in enumerate(SINES):
        omega, phase = 2.0 * math.pi * hertz, 2.399963 * (4 * joint + k)
        u += share * np.sin(omega * t + phase)
        du += share * omega * np.cos(omega * t + phase)
        ddu -= share * omega * omega * np.sin(omega * t + phase)
    s, ds, dds = _window(t)
    return s * u, ds * u + s * du, dds * u + 2.0 * ds * du + s * ddu


def _window(t: Floats) -> tuple[Floats, Floats, Floats]:
    """Zero at both ends, one between, with two continuous derivatives."""
    x = np.clip(np.minimum(t, t[-1] - t) / RAMP_S, 0.0, 1.0)
    sign = np.where(2.0 * t <= t[-1], 1.0, -1.0) / RAMP_S
    s = x**3 * (10.0 - 15.0 * x + 6.0 * x * x)
    return s, 30.0 * x**2 * (1.0 - x) ** 2 * sign, 60.0 * x * (1.0 - x) * (1.0 - 2.0 * x) / RAMP_S**2


def _swing(u: Floats, du: Floats, ddu: Floats, swing: float, speed: float, acceleration: float) -> float:
    """As much of a wave as swing, speed and acceleration allow."""
    bounds = ((u, swing), (du, USED * speed), (ddu, USED * acceleration))
    return min(bound / float(np.abs(wave).max()) for wave, bound in bounds)


class FlangeKinematics:
    """Where the tool frame of an arm is and how it moves, for one state of the joints after another."""

    def __init__(self, arm: ArmModel) -> None:
        self._pin, self._tool, self._data = arm.pin, arm.tool_id, arm.pin.createData()
        self._q, self._v, self._dv = arm.configuration(np.zeros(arm.n)), *np.zeros((2, N_BASE + arm.n))

    def put(self, q: Floats, rate: Floats, acceleration: Floats, out: Floats) -> None:
        """``out`` (16): place (3), attitude (4), then w, alpha and a (3 each) as in ``CalibrationMotion``."""
        import pinocchio

        pin, data, local = self._pin, self._data, pinocchio.ReferenceFrame.LOCAL
        self._q[N_BASE_Q:], self._v[N_BASE:], self._dv[N_BASE:] = q, rate, acceleration
        pinocchio.forwardKinematics(pin, data, self._q, self._v, self._dv)
        place = pinocchio.updateFramePlacement(pin, data, self._tool)
        moving = pinocchio.getFrameClassicalAcceleration(pin, data, self._tool, local)
        out[:3], out[3:7] = place.translation, quat_from_matrix(np.ascontiguousarray(place.rotation))
        out[7:10] = pinocchio.getFrameVelocity(pin, data, self._tool, local).angular
        out[10:13], out[13:] = moving.angular, moving.linear


def flange_motion(arm: ArmModel, t: Floats, q: Floats, rate: Floats, acceleration: Floats) -> CalibrationMotion:
    """Pose and inertial motion of the arm's tool frame, row by row."""
    course, rows = FlangeKinematics(arm), np.empty((len(t), 16))
    for given in zip(q, rate, acceleration, rows, strict=True):
        course.put(*given)
    place, attitude, w, alpha, a = (np.ascontiguousarray(part) for part in np.split(rows, [3, 7, 10, 13], axis=1))
    return CalibrationMotion(t, q, rate, acceleration, place, attitude, w, alpha, a)


def check_motion(arm: ArmModel, motion: CalibrationMotion) -> None:
    """BadInput for a joint beyond range, speed or acceleration, or a flange too near to floor or column."""
    most = arm.speed / SPEED_UP_S
    for j, name in enumerate(arm.joints):
        for what, values, low, high, unit in (
            ("angle", motion.q[:, j], arm.lower[j], arm.upper[j], "deg"),
            ("speed", motion.rate[:, j], -arm.speed[j], arm.speed[j], "deg/s"),
            ("acceleration", motion.acceleration[:, j], -most[j], most[j], "deg/s²"),
        ):
            worst = max((low - values.min(), values.min()), (values.max() - high, values.max()))
            if not worst[0] <= 0.0:
                raise BadInput(
                    f"calibration motion: {what} of {name}", value=f"{math.degrees(worst[1]):.1f} {unit}",
                    bound=f"{math.degrees(low):.1f} … {math.degrees(high):.1f} {unit}",
                )  # fmt: skip
    x, y, z = motion.p_world_flange.T
    for what, least, bound in (
        ("height of the flange", float(z.min()), FLOOR_M),
        ("distance of the flange from the arm's axis", float(np.hypot(x, y).min()), COLUMN_M),
    ):
        if not least >= bound:
            raise BadInput(f"calibration motion: {what}", value=f"{least:.3f} m", bound=f"at least {bound:g} m")


def flange_pose(arm: ArmModel, q: Floats) -> Floats:
    """T_world_flange (4, 4) of an arm that stands."""
    at = flange_motion(arm, np.zeros(1), q[None], np.zeros((1, q.size)), np.zeros((1, q.size)))
    return pose(matrix_from_quat(at.attitude[0]), at.p_world_flange[0])
