"""The bounce of a loop in ticks that feeds the delayed force back: as it comes, led, or watched. In one dimension and for
comparison only; what flies is ``docking_loop``."""

from __future__ import annotations

from typing import Final

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.touch.command_path import put_node
from proxops.touch.delayed_bounce import Hardware, flown, reading
from proxops.touch.passivity import watched_force
from proxops.touch.phase_lead import led_force

NONE, LEAD, PASSIVITY = range(3)
BEYOND: Final = 3.0  # ticks and a delay, after which the hardware is free too


@kernel
def ticked_bounce(
    device: Hardware, path: Array, x: float, v: float, mass: float, dt: float, tau: float, method: int, gauss: Array
) -> float:
    """Restitution of a mass (kg) that comes from ``x`` (m) with ``v`` (m/s); ``tau``: ticks of delay as believed, ``gauss``:
    a normal deviate for every tick."""
    before, stored, touched, v0 = 0.0, 0.0, False, v
    for tick in range(gauss.shape[0]):
        f = reading(device, path, tick, dt, gauss[tick])
        used = led_force(f, before, tau + 0.5) if method == LEAD else f
        before = f
        if method == PASSIVITY:
            used, stored = watched_force(used, v, stored, mass, dt)
        x, v = flown(x, v, used, mass, dt)
        put_node(path, tick + 1, x, v * dt)
        touched = touched or x > 0.0
        if touched and v < 0.0 and x < v * dt * (tau + BEYOND):
            break
    return -v / v0
