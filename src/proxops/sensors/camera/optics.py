"""From radiance before the lens to electrons in a pixel.

Irradiance in the focal plane of a lens that is focused far away, at the angle a off its axis:

    E = π L cos⁴ a / (4 N²)          (L radiance, N f-number; the lens's transmission is in the quantum efficiency)

and electrons per second = E · pixel area · quantum efficiency / energy of a photon. That energy is the mean over the photons
of sunlight in the band: hc / <wavelength>, where <wavelength> = 657 nm is the mean over the power of a black body of 5772 K
(the Sun, IAU 2015 B3) from 400 to 1000 nm.
"""

from __future__ import annotations

from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.imaging_table import GreyCamera
from proxops.core.lens import Lens
from proxops.core.lens_map import lines_of_sight

PLANCK_C: Final = 6.62607015e-34 * 299_792_458.0  # J m
MEAN_WAVELENGTH_M: Final = 656.9e-9
PHOTON_J: Final = PLANCK_C / MEAN_WAVELENGTH_M  # 3.02e-19


def electrons_per_radiance(spec: GreyCamera, lens: Lens) -> NDArray[np.float64]:
    """(h, w): electrons per second for 1 W/m²/sr in the band."""
    area = (1e-6 * spec.pixel_um) ** 2
    on_axis = np.pi / (4.0 * spec.f_number**2) * area * spec.quantum_efficiency / PHOTON_J
    return on_axis * fall_off(lens)


def fall_off(lens: Lens) -> NDArray[np.float64]:
    """(h, w): cos⁴ of each pixel's angle off the axis."""
    x, y = lines_of_sight(lens)
    return 1.0 / np.square(1.0 + x * x + y * y)
