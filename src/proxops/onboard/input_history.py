"""What the chaser did in the last cycles: own attitude and rate, thrust, place in orbit. Measurements of the client come late and
are processed at the time of their exposure; from there the filter goes on through this history to now."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.flight import Floats
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import quat_product
from proxops.maths.rotation import matrix_from_quat, quat_from_rotation_vector

N_COLUMNS: Final = 20
T, ATTITUDE, RATE, THRUST, PLACE = 0, 1, 5, 8, 17  # columns: s; q_eci_chaser; rad/s; see `thrust_at`; m in eci


class InputHistory:
    """Rows of the last ``span_s`` seconds, newest last; bounded."""

    def __init__(self, span_s: float, period_s: float) -> None:
        self.rows: Floats = np.zeros((int(np.ceil(span_s / period_s)) + 2, N_COLUMNS))
        self.count = 0
        self.kept = self.rows[:0]  # (n, 20) oldest first

    def add(self, t: float, q_eci_chaser: Floats, w_eci_chaser: Floats, acceleration: Floats, p_eci: Floats) -> None:
        """``acceleration``: in the chaser's frame, mean since the row before."""
        self.count = min(self.count + 1, len(self.rows))
        push(self.rows, self.count > 1, t, q_eci_chaser, w_eci_chaser, acceleration, p_eci)
        self.kept = self.rows[len(self.rows) - self.count :]

    @property
    def begin(self) -> float:
        """Time of the oldest row."""
        return float(self.kept[0, T])


@kernel
def push(rows: Floats, again: bool, t: float, q: Floats, w: Floats, acceleration: Floats, p: Floats) -> None:
    """A newest row; the oldest is forgotten. ``again``: there is one before it."""
    last = rows.shape[0] - 1
    for i in range(last):
        for j in range(N_COLUMNS):
            rows[i, j] = rows[i + 1, j]
    put(rows[last], t, t - rows[last - 1, T] if again else 0.0, q, w, acceleration, p)


@kernel
def put(row: Floats, t: float, elapsed: float, q: Floats, w: Floats, acceleration: Floats, p: Floats) -> None:
    """Write a row; the thrust turns with the chaser: its attitude half-way is taken."""
    row[T] = t
    row[ATTITUDE : ATTITUDE + 4] = q
    row[RATE : RATE + 3] = w
    row[PLACE : PLACE + 3] = p
    R = matrix_from_quat(quat_product(q, quat_from_rotation_vector(-0.5 * elapsed * w)))
    for i in range(3):
        for j in range(3):
            row[THRUST + 3 * i + j] = R[i, j] * acceleration[j]


@kernel
def row_at(rows: Floats, t: float) -> int:
    """The row whose interval (the row before it … it) holds ``t``; the first or last one beyond the ends."""
    i: int = rows.shape[0] - 1
    while i > 0 and rows[i - 1, T] >= t:
        i -= 1
    return i


@kernel
def thrust_at(rows: Floats, i: int) -> Floats:
    """(3, 3) m/s²: column j is the acceleration by the thrust along the chaser's axis j, in eci axes; their sum is all."""
    out = np.empty((3, 3))
    for j in range(9):
        out[j // 3, j % 3] = rows[i, THRUST + j]
    return out


@kernel
def attitude_at(rows: Floats, t: float) -> tuple[Floats, Floats]:
    """q_eci_chaser and rate (chaser's frame) at ``t``: back from the next row, with the mean rate of the interval."""
    i = row_at(rows, t)
    w = rows[i, RATE : RATE + 3].copy()
    if i > 0:
        w = 0.5 * (w + rows[i - 1, RATE : RATE + 3])
    return quat_product(rows[i, ATTITUDE : ATTITUDE + 4], quat_from_rotation_vector((t - rows[i, T]) * w)), w
