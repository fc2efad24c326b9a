"""The docking interfaces against each other: what a docking standard bounds at the moment of contact."""

from __future__ import annotations

import math
from typing import Final

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, put_matrix
from proxops.maths.stack import matrix, vector
from proxops.maths.triple import composed, inverse, quad

COUNT: Final = 7  # of figures


@kernel
def interfaces(
    d: Array,
    dv: Array,
    q_t: Array,
    w_t: Array,
    q_c: Array,
    w_c: Array,
    from_centre_t: Array,
    from_centre_c: Array,
    out: Array,
) -> None:
    """Gap, lateral offset, tilt, roll, closing rate, lateral rate, angular rate. ``d``, ``dv``: centres of mass, chaser from
    target, eci axes; ``from_centre_*``: interface from the centre of mass in body axes. Seen in the target's turning frame."""
    R_t, R_tc, q_tc = matrix(3, 3), matrix(3, 3), vector(4)
    q_tc[0], q_tc[1], q_tc[2], q_tc[3] = composed(inverse(quad(q_t, 0)), quad(q_c, 0))
    put_matrix(q_t, R_t)
    put_matrix(q_tc, R_tc)
    place, speed, turning = vector(3), vector(3), vector(3)
    for i in range(3):
        place[i] = R_t[0, i] * d[0] + R_t[1, i] * d[1] + R_t[2, i] * d[2]
        speed[i] = R_t[0, i] * dv[0] + R_t[1, i] * dv[1] + R_t[2, i] * dv[2]
        turning[i] = R_tc[i, 0] * w_c[0] + R_tc[i, 1] * w_c[1] + R_tc[i, 2] * w_c[2]
    a, b = vector(3), vector(3)
    for i in range(3):
        a[i] = R_tc[i, 0] * from_centre_c[0] + R_tc[i, 1] * from_centre_c[1] + R_tc[i, 2] * from_centre_c[2]
        b[i] = place[i] + a[i]
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        speed[i] += turning[j] * a[k] - turning[k] * a[j] - (w_t[j] * b[k] - w_t[k] * b[j])
        place[i] = b[i] - from_centre_t[i]
    out[0], out[1] = place[0], math.hypot(place[1], place[2])
    out[2] = math.atan2(math.hypot(R_tc[1, 0], R_tc[2, 0]), R_tc[0, 0])
    out[3] = math.atan2(R_tc[2, 1] - R_tc[1, 2], R_tc[1, 1] + R_tc[2, 2])
    out[4], out[5] = -speed[0], math.hypot(speed[1], speed[2])
    for i in range(3):
        turning[i] -= w_t[i]
    out[6] = math.sqrt(turning[0] ** 2 + turning[1] ** 2 + turning[2] ** 2)
