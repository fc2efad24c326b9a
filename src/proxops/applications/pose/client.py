"""The client as it is believed: a shipped model by its name, or a mesh of the user's."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.orbit_surroundings import CLIENT, CLIENT_FULL, craft_mesh, shipped_craft

SHIPPED: Final = {"client": CLIENT, "client_mockup": CLIENT, "client_full": CLIENT_FULL}


def client_named(model: str, scale: float) -> tuple[Mesh, tuple[str, ...]]:
    """In the target's frame, and what is to be known about the file."""
    if not (math.isfinite(scale) and 1e-6 <= scale <= 1e4):
        raise BadInput("--model-scale", value=scale, bound="1e-6 … 1e4")
    path, name = Path(model), model.removesuffix(".urdf")
    if path.is_file():
        found = craft_mesh(path, scale)
        if not len(found.mesh.triangles):
            raise BadInput(
                "the model has no faces", where=model, way_out="a mesh with triangles, or a URDF with visuals"
            )
        return found.mesh, found.warnings
    if name in SHIPPED:
        return shipped_craft(SHIPPED[name], scale), ()
    raise BadInput(
        "--model: no such file", value=model, bound=f"a URDF, STL, OBJ, glTF; {', '.join(SHIPPED)}",
    )  # fmt: skip
