"""What a client says: both spacecraft in its own frame, from their relative motion.

- ``lab``: the target at the origin.
- ``eci``: both on a circular orbit of 7,000 km, 98 degrees inclined. At that size a double holds a coordinate to 0.5 nm
  (half of 2^-30 m), so the relative position in the packets is off by up to 0.8 nm, and no better client could send it.
- ``lvlh``: origin at the target, x along the flight, z to the Earth, y against the orbit's normal; it turns with the orbit.

The target's attitude is given against inertial axes: still unless it tumbles (in lvlh it therefore turns back slowly).
"""

from __future__ import annotations

import math
from typing import Final, NamedTuple

import numpy as np

from proxops.core.earth import MU_M3_S2
from proxops.core.scenario import Frame
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import cross, quat_about, quat_inverse, quat_product, turned
from proxops.maths.rotation import Array, quat_from_matrix
from proxops.space.scripted import Relative

ORBIT_RADIUS_M: Final = 7.0e6
ORBIT_RATE: Final = math.sqrt(MU_M3_S2 / ORBIT_RADIUS_M**3)  # rad/s
COS_I: Final = math.cos(math.radians(98.0))
SIN_I: Final = math.sin(math.radians(98.0))
# Columns: along the flight, against the orbit's normal, to the Earth.
R_ECI_LVLH_START: Final = np.array([[0.0, 0.0, -1.0], [COS_I, SIN_I, 0.0], [SIN_I, -COS_I, 0.0]])
Y: Final = np.array([0.0, 1.0, 0.0])
LAB, ECI, LVLH = range(3)
NUMBERS: Final[dict[Frame, int]] = {"lab": LAB, "eci": ECI, "lvlh": LVLH}


class ClientPoses(NamedTuple):
    """Poses (x y z, qw qx qy qz) and velocities (dp/dt, angular rate), all in the client's frame."""

    chaser: Array
    target: Array
    chaser_velocity: Array
    target_velocity: Array


def poses_in_client_frame(frame: Frame, t_sim: float, relative: Relative) -> ClientPoses:
    """Both spacecraft at ``t_sim`` seconds after the start of the scenario."""
    out = np.zeros(26)
    _poses(NUMBERS[frame], t_sim, relative.pose, relative.velocity, relative.target_attitude, relative.target_rate, out)
    return ClientPoses(out[0:7], out[7:14], out[14:20], out[20:26])


@kernel
def orbit(t: float, p: Array, v: Array) -> None:
    """Position and velocity on the circular orbit, in ECI; it crosses the equator northwards at t = 0."""
    c, s = math.cos(ORBIT_RATE * t), math.sin(ORBIT_RATE * t)
    p[0], p[1], p[2] = ORBIT_RADIUS_M * c, ORBIT_RADIUS_M * s * COS_I, ORBIT_RADIUS_M * s * SIN_I
    speed = ORBIT_RADIUS_M * ORBIT_RATE
    v[0], v[1], v[2] = -speed * s, speed * c * COS_I, speed * c * SIN_I


@kernel
def lvlh_attitude(t: float) -> Array:
    """q_eci_lvlh: from where it stands at the equator, turning about its own -y."""
    return quat_product(quat_from_matrix(R_ECI_LVLH_START), quat_about(Y, -ORBIT_RATE * t))


@kernel
def _poses(frame: int, t: float, pose: Array, velocity: Array, attitude: Array, rate: Array, out: Array) -> None:
    """Chaser 0-6, target 7-13, their velocities 14-19 and 20-25. ``out`` comes as zeros."""
    out[10:14] = attitude
    out[23:26] = rate
    if frame == ECI:
        orbit(t, out[7:10], out[20:23])
    elif frame == LVLH:
        q_lvlh_eci = quat_inverse(lvlh_attitude(t))
        out[10:14] = quat_product(q_lvlh_eci, attitude)
        out[23:26] = turned(q_lvlh_eci, rate)
        out[24] += ORBIT_RATE  # seen from a frame that turns at this rate about its -y
    q = out[10:14]
    arm, drift, turning = turned(q, pose[0:3]), turned(q, velocity[0:3]), turned(q, velocity[3:6])
    swept = cross(out[23:26], arm)
    for k in range(3):
        out[k] = out[7 + k] + arm[k]
        out[14 + k] = out[20 + k] + swept[k] + drift[k]
        out[17 + k] = out[23 + k] + turning[k]
    out[3:7] = quat_product(q, pose[3:7])
