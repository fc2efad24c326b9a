"""How an unknown client stood before the sensor at each look. Its frame, ``client``, is laid down at the first."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxops.core.vision import Floats
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import matrix_from_quat, matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.vision.inspection.look import InspectionLook


@dataclass(frozen=True, eq=False)
class Track:
    """``looks`` that the client was found in, and where it was in each."""

    looks: tuple[InspectionLook, ...]
    T_sensor_client: Floats  # (n, 4, 4)

    def __len__(self) -> int:
        return len(self.looks)

    @property
    def times(self) -> Floats:
        return np.array([look.t for look in self.looks])

    @property
    def R_eci_client(self) -> Floats:
        """(n, 3, 3) with the craft's own attitude."""
        own = [matrix_from_quat(look.q_eci_sensor) for look in self.looks]
        return np.array([R @ T[:3, :3] for R, T in zip(own, self.T_sensor_client, strict=True)]).reshape(-1, 3, 3)

    @property
    def views(self) -> Floats:
        """(n, 3) of length one: from the client to the sensor, in the client's axes."""
        to_sensor = -np.einsum("nji,nj->ni", self.T_sensor_client[:, :3, :3], self.T_sensor_client[:, :3, 3])
        return np.asarray(to_sensor / np.linalg.norm(to_sensor, axis=1, keepdims=True))

    def extended(self, look: InspectionLook, T: Floats) -> Track:
        return Track((*self.looks, look), np.concatenate([self.T_sensor_client, T[None]]))

    def with_poses(self, T: Floats) -> Track:
        return Track(self.looks, T)

    def velocity(self, k: int) -> Floats:
        """(3) m/s of the client's origin from the sensor's, in inertial axes; by the looks before and after ``k``."""
        t, a, b = self.times, max(k - 1, 0), min(k + 1, len(self) - 1)
        if b == a:
            return np.zeros(3)
        ends = [matrix_from_quat(self.looks[j].q_eci_sensor) @ self.T_sensor_client[j, :3, 3] for j in (a, b)]
        return np.asarray((ends[1] - ends[0]) / (t[b] - t[a]))

    def motion(self, k: int, w_eci: Floats) -> Floats:
        """(6) of the client at look ``k``, that turns at ``w_eci``."""
        return relative_motion(self.looks[k], self.T_sensor_client[k, :3, 3], self.velocity(k), w_eci)


def relative_motion(look: InspectionLook, p_sensor: Floats, v_eci: Floats, w_eci: Floats) -> Floats:
    """(6) velocity of the client's origin, which is at ``p_sensor``, m/s, and its rate, rad/s, both against the sensor and in
    its axes; the sensor's own turn is the gyro's."""
    R = matrix_from_quat(look.q_eci_sensor).T
    return np.concatenate([R @ v_eci - np.cross(look.w_sensor, p_sensor), R @ w_eci - look.w_sensor])


def foretold(track: Track, look: InspectionLook, w_eci: Floats) -> Floats:
    """(3, 3) R_sensor_client of a client that goes on turning at ``w_eci``."""
    turn = matrix_from_rotation_vector(w_eci * (look.t - track.looks[-1].t))
    return np.asarray(matrix_from_quat(look.q_eci_sensor).T @ turn @ track.R_eci_client[-1])


def turn_between(R_a: Floats, R_b: Floats) -> Floats:
    """(3) rotation vector that takes the first attitude to the second, in the axes of what both are given in."""
    out = np.empty(3)
    rotation_vector(quat_from_matrix(np.ascontiguousarray(R_b @ R_a.T)), out)
    return out


def inverted(T: Floats) -> Floats:
    """(…, 4, 4) of poses."""
    out = np.zeros_like(T)
    out[..., :3, :3] = np.swapaxes(T[..., :3, :3], -1, -2)
    out[..., :3, 3] = -np.einsum("...ji,...j->...i", T[..., :3, :3], T[..., :3, 3])
    out[..., 3, 3] = 1.0
    return out
