"""One exposure of an imaging sensor: all that a picture needs, made where the truth is and handed to who draws it.

Nothing in it depends on what drew before: the same exposure gives the same image in any process and any order. Its random
numbers come from ``(seed, sensor, number)``.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.optics.scene.light import Light


@dataclass(frozen=True)
class Sky:
    """Behind everything, in orbit: what a line of sight meets that meets no body. Directions in the scene's frame."""

    to_sun: tuple[float, float, float]
    to_earth: tuple[float, float, float]
    earth_radius_rad: float  # angular, as seen from here
    orbit_radius_m: float  # distance of the Earth's centre
    # Of the Earth's own axes: its clouds turn with them.
    q_scene_earth: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    sunlit: float = 1.0  # share of the Sun's disc in view


@dataclass(frozen=True, eq=False)
class Exposure:
    """``T_scene_body`` (n, bodies, 7) and ``T_scene_sensor`` (n, 7): at n >= 1 times that are spread evenly from the begin to the
    end of the exposure, both included (n = 1: nothing moves)."""

    sensor: int  # which of the run's imaging sensors
    number: int  # of this sensor's exposures, from 0
    t: float  # s on the run's clock, begin
    duration_s: float
    gain_db: float
    T_scene_body: NDArray[np.float64]
    T_scene_sensor: NDArray[np.float64]
    lights: tuple[Light, ...]
    sky: Sky | None  # None: in a hall, where walls are bodies and what is left is black

    @property
    def t_middle(self) -> float:
        return self.t + 0.5 * self.duration_s

    def rng(self, seed: int) -> np.random.Generator:
        """Of this exposure alone."""
        return np.random.default_rng((seed, self.sensor, self.number))
