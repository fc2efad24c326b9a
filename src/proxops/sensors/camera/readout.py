"""A pixel's charge and its way to a level: shot noise, full well, smear, read noise, gain, whole levels.

In this order, as in an interline CCD: electrons are counted (Poisson, light and dark together), what the well cannot hold runs
off into the drain (such chips do not bloom), on the way out each column picks up ``smear`` from what shines on it, the
amplifier adds its noise, the converter rounds.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.sensors.camera.counter_random import begin, normal, poisson

Picture = NDArray[np.float32]
TOO_MUCH: Final = 1e9  # electrons: no well holds a thousandth of it


@kernel
def read_out(
    light: Picture,
    response: Picture,
    smear: NDArray[np.float64],
    dark_e: float,
    full_well_e: float,
    read_noise_e: float,
    levels_per_e: float,
    black: float,
    white: float,
    key: np.uint64,
    pixels: NDArray[np.uint16],
) -> None:
    """``pixels`` (h, w) from ``light`` (W/m²/sr), ``response`` (electrons for each of those) and ``smear`` (w, electrons)."""
    height, width = light.shape
    for v in range(height):
        for u in range(width):
            mean = light[v, u] * float(response[v, u]) + smear[u] + dark_e
            state, electrons = poisson(begin(key, v * width + u), min(mean, TOO_MUCH))
            state, noise = normal(state)
            charge = min(electrons, full_well_e) + read_noise_e * noise
            pixels[v, u] = int(min(max(charge * levels_per_e + black, 0.0), white) + 0.5)


@kernel
def column_means(light: Picture, response: Picture, means: NDArray[np.float64]) -> None:
    """``means`` (w) of light times response."""
    height, width = light.shape
    means[:] = 0.0
    for v in range(height):
        for u in range(width):
            means[u] += light[v, u] * float(response[v, u])
    for u in range(width):
        means[u] /= height
