"""What stands and moves in a cell of arms as simple solids, body by body: its links, and the lab as the last one."""

from __future__ import annotations

import numpy as np

from proxops.core.errors import BadInput
from proxops.lab.arm_cell import ArmCell
from proxops.lab.shapes import Kind, Shape
from proxops.maths.pose import pose_from_abc


def arm_shapes(cell: ArmCell) -> tuple[Shape, ...]:
    """Collision solids of all links, what stands still (on the lab, the last body) and the floor."""
    lab, found = len(cell.links), []
    for body, link in enumerate(cell.links):
        solids = link.drawn.solids
        if link.drive >= 0 and not solids:
            raise BadInput(
                f"no collision shape on link {link.name}", where=str(cell.source),
                way_out="give it a primitive that encloses it: box, cylinder or sphere",
            )  # fmt: skip
        for i, solid in enumerate(solids, 1):
            kind: Kind = "box" if solid.kind == "box" else "cylinder" if solid.kind == "cylinder" else "sphere"
            found.append(Shape(f"{link.name}#{i}", body, kind, solid.size_m, solid.T_link_solid))
    for still in cell.file.solid:
        T = pose_from_abc(*still.xyz_lab_m, *np.radians(still.abc_deg))
        size = still.box_m or still.cylinder_m
        assert size is not None
        found.append(Shape(still.name, lab, "box" if still.box_m else "cylinder", size, T))
    if cell.file.zones.floor_z_m is not None:
        T = pose_from_abc(0.0, 0.0, cell.file.zones.floor_z_m, 0.0, 0.0, 0.0)
        found.append(Shape("floor", lab, "halfspace", (), T))
    return tuple(found)
