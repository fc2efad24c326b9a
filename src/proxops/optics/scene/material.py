"""What a surface does with light: a diffuse share, a lobe round the mirror's direction, and crinkles.

Radiance towards the eye, for irradiance E at the surface (across the light's way) that comes from direction l, normal n, half
vector h = (l + v) / |l + v|:

    L = E (n·l) [ albedo / π + specular (exponent + 2) / (8 π) (n·h)^exponent ]        (normalised Blinn-Phong)

A crinkled foil is a mosaic of small mirrors: its normals are tilted by ``crinkle_deg`` (root mean square), by a fixed pattern of
cells of ``crinkle_m`` on the surface. ``infrared``: the diffuse share at 850 to 905 nm, where ToF cameras and LiDARs work.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True)
class Material:
    """Shares of the light, 0 to 1; see above."""

    name: str
    albedo: float
    specular: float = 0.0
    exponent: float = 20.0
    infrared: float = 0.5
    crinkle_deg: float = 0.0
    crinkle_m: float = 0.02


COLUMNS: Final = ("albedo", "specular", "exponent", "infrared", "crinkle_deg", "crinkle_m")
"""Of a row of ``Scene.materials``, in this order; degrees become radians there."""
