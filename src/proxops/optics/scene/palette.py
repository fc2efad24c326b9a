"""What surfaces are made of: named materials, and which of them a name in a URDF or the colours of a drawing mean.

Albedo and infrared share are hemispherical reflectances (400 to 1000 nm; 850 to 905 nm) as far as a source is known:
- white paint (Z-93, S13G/LO class): solar absorptance 0.15 to 0.20 (Henninger, Solar Absorptance and Thermal Emittance of
  Some Common Spacecraft Thermal-Control Coatings, NASA RP-1121, 1984), as recalled; so are bare aluminium (0.10 to 0.25
  absorbed) and aluminised and gold Kapton (0.10 to 0.15 and 0.3 to 0.4 absorbed).
- solar cells: 0.80 to 0.92 absorbed; behind their cover glass what they return is mostly a mirror's share (NASA RP-1121, as
  recalled).
- Molton (black stage cloth): 3 % in visible light. ASSUMED: dyed cloth is brighter in the near infrared, 10 %.

The split of
diffuse and mirror's share, the widths of lobes, the crinkles of foils and all infrared shares are ASSUMED.
"""

from __future__ import annotations

import re
from typing import Final

import numpy as np

from proxops.optics.scene.material import Material

WHITE_PAINT: Final = Material("white paint", 0.80, 0.04, 12.0, 0.78)
BLACK_CLOTH: Final = Material("black cloth", 0.03, 0.0, 1.0, 0.10)
BLACK_PAINT: Final = Material("black paint", 0.05, 0.02, 20.0, 0.05)
SOLAR_CELL: Final = Material("solar cell", 0.05, 0.08, 400.0, 0.08)
MLI_GOLD: Final = Material("MLI, gold", 0.15, 0.50, 120.0, 0.40, crinkle_deg=12.0, crinkle_m=0.02)
MLI_SILVER: Final = Material("MLI, silver", 0.15, 0.65, 120.0, 0.40, crinkle_deg=12.0, crinkle_m=0.02)
ALUMINIUM: Final = Material("aluminium", 0.35, 0.40, 40.0, 0.45)
STEEL: Final = Material("steel", 0.30, 0.30, 60.0, 0.35)
GREY_PAINT: Final = Material("grey paint", 0.27, 0.03, 15.0, 0.27)
ORANGE_PAINT: Final = Material("orange paint", 0.30, 0.04, 20.0, 0.60)
LENS_GLASS: Final = Material("lens glass", 0.01, 0.05, 800.0, 0.02)
CONCRETE: Final = Material("concrete floor", 0.28, 0.0, 1.0, 0.33)
DARK_WALL: Final = Material("dark wall paint", 0.10, 0.0, 1.0, 0.12)

_NAMED: Final = (  # the first that fits a material's name; the console's page reads the same words (finish.ts)
    (r"mli.*silver|silver.*mli|alumini[sz]ed", MLI_SILVER), (r"mli|foil|kapton|gold", MLI_GOLD), (r"cell|solar", SOLAR_CELL),
    (r"molton|cloth|curtain", BLACK_CLOTH), (r"lens|glass", LENS_GLASS), (r"orange", ORANGE_PAINT), (r"concrete", CONCRETE),
    (r"alu|frame", ALUMINIUM), (r"steel|metal|silver", STEEL), (r"white", WHITE_PAINT), (r"black|dark", BLACK_PAINT),
)  # fmt: skip
BY_NAME: Final = tuple((re.compile(pattern, re.IGNORECASE), material) for pattern, material in _NAMED)
LUMINANCE: Final = np.array([0.2126, 0.7152, 0.0722])  # of linear red, green and blue (ITU-R BT.709)
MOST_ALBEDO: Final = 0.90  # of a colour that is drawn fully white


def material_of(name: str, rgba: tuple[float, ...]) -> Material:
    """Of a material of a URDF: what its name says, or else paint of its colour (as a display has it, sRGB)."""
    for pattern, material in BY_NAME:
        if pattern.search(name):
            return material
    return paint(albedo_of(linear_of(rgba)))


def finish_material(name: str, linear_rgb: tuple[float, ...], roughness: float, metallic: float) -> Material:
    """Of a mesh file: by its name, or else what glTF's base colour (linear), roughness and metallic share come to."""
    for pattern, material in BY_NAME:
        if pattern.search(name):
            return material
    albedo = albedo_of(linear_rgb)
    exponent = min(
        max(2.0 / max(roughness, 0.03) ** 4 - 2.0, 1.0), 1000.0
    )  # Blinn-Phong with the width of alpha = roughness²
    specular = 0.04 * (1.0 - metallic) + albedo * metallic
    return Material(
        name or "drawn", round(albedo * (1.0 - 0.7 * metallic), 3), round(specular * 0.6, 3), exponent, albedo
    )


def paint(albedo: float) -> Material:
    """Matt, grey, as bright in the infrared; three digits of albedo, so that equal paints are one."""
    share = round(albedo, 3)
    return Material(f"paint {share:g}", share, 0.03, 15.0, share)


def linear_of(rgba: tuple[float, ...]) -> tuple[float, ...]:
    """Red, green and blue as shares of light from what a display is given (IEC 61966-2-1)."""
    return tuple(c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in rgba[:3])


def albedo_of(linear_rgb: tuple[float, ...]) -> float:
    """Grey value of a colour."""
    return float(min(max(LUMINANCE @ np.array(linear_rgb[:3]), 0.01), MOST_ALBEDO))
