"""What surrounds two spacecraft and changes slowly: sun and Moon, sunlight, the density of the air."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.core.earth import MU_MOON_M3_S2, MU_SUN_M3_S2
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.space.atmosphere import density
from proxops.space.sky import moon_position, sun_position
from proxops.space.sunlight import sunlight
from proxops.space.two_craft import World

SKY_EVERY: Final = 1000  # cycles: in 4 s the Moon moves by 2e-5 rad
AIR_EVERY: Final = 25  # cycles: 0.1 s are 760 m of the orbit


class Surroundings:
    """``look`` every ``AIR_EVERY`` cycles fills its part of ``world`` (``two_craft``). ``air``: kind of atmosphere."""

    def __init__(self, world: World, air: int, epoch_tt: float) -> None:
        self._world, self._air, self._epoch_tt = world, air, epoch_tt
        world[0]["mu_third"] = MU_SUN_M3_S2, MU_MOON_M3_S2

    def look(self, y: Array, t: float, cycle: int) -> None:
        """At the state ``y`` of both craft, ``t`` seconds after the epoch."""
        look(y, self._world, self._air, self._epoch_tt + t, cycle % SKY_EVERY == 0)


@kernel
def look(y: Array, world: World, air: int, t_tt: float, at_sky: bool) -> None:
    """Air and light where the craft are; sun and Moon only if asked for."""
    w: Any = world[0]
    if at_sky:
        sun_position(t_tt, w.sun)
        moon_position(t_tt, w.moon)
    p, there = y[0:3], np.empty(3)
    for i in range(3):
        there[i] = p[i] + y[6 + i]
    w.density = density(air, p, w.sun)
    w.sunlight[0], w.sunlight[1] = sunlight(p, w.sun), sunlight(there, w.sun)
