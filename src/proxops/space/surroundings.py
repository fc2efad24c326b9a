"""What surrounds two spacecraft and changes slowly: sun and Moon, sunlight, the density of the air."""

from __future__ import annotations

from typing import Any, Final

from proxops.core.earth import MU_MOON_M3_S2, MU_SUN_M3_S2
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.space.atmosphere import density
from proxops.space.sky import moon_position, sun_position
from proxops.space.sunlight import sunlight
from proxops.space.two_craft import World

SKY_EVERY: Final = 1000  # cycles: in 4 s the Moon moves by 2e-5 rad
AIR_EVERY: Final = 25  # cycles: 0.1 s are 760 m of the orbit


@kernel
def look(y: Array, world: World, air: int, t_tt: float, at_sky: bool) -> None:
    """Fill its part of ``world`` (``two_craft``): air and light where the craft are, every ``AIR_EVERY`` cycles; sun and Moon,
    every ``SKY_EVERY``. ``air``: kind of atmosphere."""
    w: Any = world[0]
    if at_sky:
        w.mu_third[0], w.mu_third[1] = MU_SUN_M3_S2, MU_MOON_M3_S2
        sun_position(t_tt, w.sun)
        moon_position(t_tt, w.moon)
    p, there = y[0:3], vector(3)
    for i in range(3):
        there[i] = p[i] + y[6 + i]
    w.density = density(air, p, w.sun)
    w.sunlight[0], w.sunlight[1] = sunlight(p, w.sun), sunlight(there, w.sun)
