"""Where the chaser itself is: GNSS as it comes; while that says nothing, on along the orbit."""

from __future__ import annotations

import math

import numpy as np

from proxops.core.earth import MU_M3_S2
from proxops.core.flight import Floats
from proxops.maths.kernel import kernel
from proxops.maths.rotation import copy_to


class OwnPlace:
    """``p_eci`` (m) and ``v_eci`` (m/s) of the last step, NaN before the first fix; the same arrays all the time."""

    def __init__(self) -> None:
        self.p_eci, self.v_eci = np.full(3, np.nan), np.full(3, np.nan)
        self._t = math.nan

    def step(self, t: float, p_eci: Floats, v_eci: Floats) -> None:
        """What GNSS says at ``t``; no numbers: nothing."""
        if not located(p_eci, v_eci, self.p_eci, self.v_eci):
            dt, p, v = t - self._t, self.p_eci.copy(), self.v_eci
            fall = -MU_M3_S2 / float(np.linalg.norm(p)) ** 3 * p
            self.p_eci[:], self.v_eci[:] = p + dt * v + 0.5 * dt * dt * fall, v + dt * fall
        self._t = t


@kernel
def located(p: Floats, v: Floats, p_out: Floats, v_out: Floats) -> bool:
    """Take place and velocity over if they are numbers."""
    known = math.isfinite(p[0] + p[1] + p[2]) and math.isfinite(v[0] + v[1] + v[2])
    if known:
        copy_to(p, p_out)
        copy_to(v, v_out)
    return known
