"""Sun and Moon as they pull: on a craft more or less than on the Earth."""

from __future__ import annotations

import math

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.triple import Vector
from proxops.space.gravity import battin


@kernel
def third_body(p: Vector, s: Vector, mu: float, out: Array) -> None:
    """``out`` := acceleration (m/s^2) that a body of ``mu`` (m^3/s^2) at s gives a craft at p, less what it gives the Earth.

    mu ((s - p) / |s - p|^3 - s / |s|^3), where the Sun's two terms agree in their first four digits: by Battin's f(q) with
    |s - p|^2 = |s|^2 (1 + q) nothing is lost. p and s from the Earth's centre, any common axes, metres.
    """
    s2 = s[0] * s[0] + s[1] * s[1] + s[2] * s[2]
    q = (p[0] * (p[0] - 2.0 * s[0]) + p[1] * (p[1] - 2.0 * s[1]) + p[2] * (p[2] - 2.0 * s[2])) / s2
    f, shrink = battin(q)
    k = -mu / (s2 * math.sqrt(s2)) * shrink
    for i in range(3):
        out[i] = k * (p[i] + f * s[i])
