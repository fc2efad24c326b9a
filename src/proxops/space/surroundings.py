"""What surrounds two spacecraft and changes slowly: sun and Moon, sunlight, the density of the air."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.earth import MU_MOON_M3_S2, MU_SUN_M3_S2
from proxops.maths.rotation import Array
from proxops.space.atmosphere import density
from proxops.space.sky import moon_position, sun_position
from proxops.space.sunlight import sunlight
from proxops.space.two_craft import D, P

SKY_EVERY: Final = 1000  # cycles: in 4 s the Moon moves by 2e-5 rad
AIR_EVERY: Final = 25  # cycles: 0.1 s are 760 m of the orbit


class Surroundings:
    """``look`` every ``AIR_EVERY`` cycles fills its part of ``world``, a record of ``two_craft``. ``air``: kind of atmosphere."""

    def __init__(self, world: np.void, air: int, epoch_tt: float) -> None:
        self._world, self._air, self._epoch_tt = world, air, epoch_tt
        world["mu_third"] = MU_SUN_M3_S2, MU_MOON_M3_S2

    def look(self, y: Array, t: float, cycle: int) -> None:
        """At the state ``y`` of both craft, ``t`` seconds after the epoch."""
        w = self._world
        if cycle % SKY_EVERY == 0:
            sun_position(self._epoch_tt + t, w["sun"])
            moon_position(self._epoch_tt + t, w["moon"])
        w["density"] = density(self._air, y[P], w["sun"])
        w["sunlight"] = sunlight(y[P], w["sun"]), sunlight(y[P] + y[D], w["sun"])
