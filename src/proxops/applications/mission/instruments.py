"""What the chaser measures of itself in a cycle of its flight software: avionics, wheels, chamber pressures; in one kernel."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.core.flight import Floats
from proxops.core.sensor_table import Avionics
from proxops.maths.kernel import kernel
from proxops.maths.stack import vector
from proxops.sensors.avionics import READINGS, AvionicsSuite, put_readings
from proxops.space.pair import SpacecraftPair
from proxops.space.thrusters import take_pressure
from proxops.space.two_craft import World, wheel_rates


class Instruments:
    """Those of the chaser of ``pair``."""

    def __init__(self, spec: Avionics, rng: np.random.Generator, pair: SpacecraftPair) -> None:
        self._suite, self._pair, self._wheels = AvionicsSuite(spec, rng), pair, READINGS + int(pair.world["wheels"][0])
        self._count = self._wheels + pair.bank.count

    def read(self) -> tuple[Floats, Floats, Floats, Floats, Floats, Floats]:
        """Attitude, rate, position and velocity as ``AvionicsSuite.read`` gives them; rates of the wheels, rad/s; seconds of
        chamber pressure since it was read last."""
        pair, suite, out, wheels = self._pair, self._suite, np.empty(self._count), self._wheels
        read_instruments(pair.y, pair.world, pair.bank.row, suite.noise.row(), suite.errors, out)
        return out[:4], out[4:7], out[7:10], out[10:READINGS], out[READINGS:wheels], out[wheels:]


@kernel
def read_instruments(
    y: Floats, world: World, bank: NDArray[np.void], noise: Floats, errors: Floats, out: Floats
) -> None:
    """Readings of the avionics, of as many wheels as there are, of as many thrusters as there are."""
    w: Any = world[0]
    p, v, wheels = vector(3), vector(3), READINGS + w.wheels
    for i in range(3):
        p[i], v[i] = y[i] + y[6 + i], y[3 + i] + y[9 + i]
    put_readings(y[19:23], y[23:26], p, v, noise, errors, out[0:READINGS])
    wheel_rates(y, world, out[READINGS:wheels])
    take_pressure(bank, out[wheels:])
