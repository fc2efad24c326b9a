"""Materials follow from names and colours; none gives back more light than it gets."""

from __future__ import annotations

import math

import numpy as np
import pytest

from proxops.lab.cell import builtin
from proxops.lab.surface import Finish
from proxops.lab.urdf_drawing import read_drawing
from proxops.optics.scene import palette
from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh_file import mesh_of, read_mesh
from proxops.optics.scene.palette import albedo_of, finish_material, linear_of, material_of
from proxops.optics.scene.urdf_mesh import urdf_mesh

NAMED = [value for value in vars(palette).values() if isinstance(value, Material)]


@pytest.mark.parametrize("material", NAMED, ids=lambda material: material.name)
def test_a_material_reflects_no_more_than_it_gets(material: Material) -> None:
    """Light straight down: what leaves into the half space, over what came, by the formula of material.py."""
    angle = (np.arange(2000) + 0.5) * math.pi / 4000
    half = np.cos(0.5 * angle)  # between the light's direction (the normal) and the eye's
    lobe = material.specular * (material.exponent + 2.0) / (8.0 * math.pi) * half**material.exponent
    out = (material.albedo / math.pi + lobe) * np.cos(angle) * 2.0 * math.pi * np.sin(angle)
    assert float(np.sum(out) * math.pi / 4000) <= 1.0
    assert 0.0 <= material.albedo + material.specular <= 1.0 and 0.0 <= material.infrared <= 1.0


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("mli_gold", palette.MLI_GOLD), ("MLI_Silver", palette.MLI_SILVER), ("cell_blue", palette.SOLAR_CELL),
        ("lens", palette.LENS_GLASS),
        ("kuka_orange", palette.ORANGE_PAINT), ("kuka_black", palette.BLACK_PAINT), ("lidar_white", palette.WHITE_PAINT),
        ("frame_grey", palette.ALUMINIUM), ("aluminium", palette.ALUMINIUM), ("steel", palette.STEEL),
        ("molton", palette.BLACK_CLOTH),
    ],
)  # fmt: skip
def test_names_of_models_mean_materials(name: str, wanted: Material) -> None:
    assert material_of(name, (0.5, 0.5, 0.5, 1.0)) is wanted


def test_a_name_that_says_nothing_is_paint_of_its_colour() -> None:
    grey = material_of("thing", (0.5, 0.5, 0.5, 1.0))
    assert grey.albedo == pytest.approx(0.214, abs=1e-3)  # sRGB
    assert grey == material_of("other", (0.5, 0.5, 0.5, 1.0))
    assert linear_of((1.0, 0.0, 0.04045)) == pytest.approx((1.0, 0.0, 0.0031308), rel=1e-5)
    assert albedo_of((1.0, 1.0, 1.0)) == palette.MOST_ALBEDO and albedo_of((0.0, 0.0, 0.0)) == 0.01


def test_metals_shine_and_rough_ones_widely() -> None:
    matt, metal = (finish_material("x", (0.5, 0.5, 0.5), 0.5, share) for share in (0.0, 1.0))
    assert metal.specular > 5.0 * matt.specular and metal.albedo < 0.5 * matt.albedo
    assert finish_material("x", (0.5, 0.5, 0.5), 0.2, 1.0).exponent > 10.0 * metal.exponent
    assert finish_material("solar panel", (0.5, 0.5, 0.5), 0.5, 0.0) is palette.SOLAR_CELL


def test_a_file_without_materials_is_grey_and_with_them_is_not() -> None:
    read = read_mesh(builtin("models", "client_bus.obj"))
    assert read.mesh.palette == (palette.GREY_PAINT,) and read.warnings == ()
    (link,) = read_drawing(builtin("models", "client_mockup.urdf"), "port")
    surface = next(solid.surface for solid in link.visuals if solid.surface is not None)
    assert mesh_of(surface, palette.MLI_GOLD).palette == (palette.MLI_GOLD,)
    assert surface.finishes == (Finish(),)


def test_the_shipped_client_is_made_of_what_its_names_say() -> None:
    client = urdf_mesh(builtin("models", "client_mockup.urdf"))
    assert {palette.MLI_GOLD, palette.SOLAR_CELL, palette.WHITE_PAINT, palette.ALUMINIUM} <= set(client.palette)
