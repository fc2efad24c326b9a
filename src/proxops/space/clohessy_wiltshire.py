"""Free motion near a target on a circular orbit, linearised: Clohessy and Wiltshire (1960), in lvlh.

x'' = 2 n z',  y'' = -n^2 y,  z'' = 3 n^2 z - 2 n x',  with x along the flight, y against the normal, z to the Earth.
Its error grows with the square of the distance and in proportion to the eccentricity that it leaves out.
Reference: Fehse, Automated Rendezvous and Docking of Spacecraft, section 3.2.
"""

from __future__ import annotations

import math

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array


@kernel
def clohessy_wiltshire_transition(n: float, t: float, phi: Array) -> None:
    """``phi`` (6, 6) := from place and velocity in lvlh to those ``t`` seconds later; ``n``: mean motion (rad/s)."""
    turn = n * t
    c, s = math.cos(turn), math.sin(turn)
    phi[:, :] = 0.0
    phi[0, 0] = 1.0
    phi[0, 2] = 6.0 * (turn - s)
    phi[0, 3] = (4.0 * s - 3.0 * turn) / n
    phi[0, 5] = 2.0 * (1.0 - c) / n
    phi[1, 1] = c
    phi[1, 4] = s / n
    phi[2, 2] = 4.0 - 3.0 * c
    phi[2, 3] = -2.0 * (1.0 - c) / n
    phi[2, 5] = s / n
    phi[3, 2] = 6.0 * n * (1.0 - c)
    phi[3, 3] = 4.0 * c - 3.0
    phi[3, 5] = 2.0 * s
    phi[4, 1] = -n * s
    phi[4, 4] = c
    phi[5, 2] = 3.0 * n * s
    phi[5, 3] = -2.0 * s
    phi[5, 5] = c
