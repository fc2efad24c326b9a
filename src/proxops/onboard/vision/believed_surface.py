"""The client's surface as an estimator draws it: what nobody can know of it beforehand is taken at its mean."""

from __future__ import annotations

import math
from dataclasses import replace

from proxops.optics.scene.material import Material
from proxops.optics.scene.mesh import Mesh


def believed_surface(mesh: Mesh) -> Mesh:
    """Where each crinkle of a foil lies is known to nobody: their tilts go into the width of the lobe."""
    return replace(mesh, palette=tuple(_smoothed(one) for one in mesh.palette))


def _smoothed(material: Material) -> Material:
    tilt = math.radians(material.crinkle_deg)
    exponent = 1.0 / (1.0 / material.exponent + 0.5 * tilt * tilt)
    return replace(material, crinkle_deg=0.0, exponent=exponent)
