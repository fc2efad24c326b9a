"""The hall as one tree of links: rail, robots and mock-ups, each with what it looks like and what moves it.

A link's pose at axes ``q`` is T_lab_parent @ T_parent_joint @ (a turn about, or a way along, ``axis`` by ``q[drive]``); parents
come first. Console and log draw the hall from this; ``shapes.body_poses`` is the same chain for the kernels.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.lab.cell import Cell, model_path
from proxops.lab.mockup import PORT
from proxops.lab.urdf import ARM_AXES, LINKS
from proxops.lab.urdf_drawing import DrawnLink, read_drawing

RAIL_AXIS: Final = "e1"
FRAMES: Final = {
    f"robot{k}/{link}": f"{frame}{k}"
    for k in (1, 2)
    for link, frame in ((LINKS[0], "base"), (LINKS[-1], "flange"), (f"mockup/{PORT}", "port"))
}
"""Links whose frame has a name of its own in ``core.frames``."""


@dataclass(frozen=True, eq=False)
class TreeLink:
    """One link of the tree. ``parent`` is a place in the list, -1 the lab; ``drive`` the axis that moves it, -1 for none."""

    name: str
    parent: int
    drive: int
    T_parent_joint: NDArray[np.float64]
    drawn: DrawnLink

    @property
    def frame(self) -> str:
        """Name of its coordinate frame."""
        return FRAMES.get(self.name, self.name)


def hall_links(cell: Cell) -> tuple[TreeLink, ...]:
    """Every link, parents before children."""
    file, source = cell.file, cell.source
    base1, base2 = cell.hall["base1"][0], cell.hall["base2"][0]
    T_lab_rail, T_carriage_base = base1.copy(), base1.copy()
    T_lab_rail[:3, :3], T_carriage_base[:3, 3] = np.eye(3), 0.0
    found: list[TreeLink] = []
    hang(found, "", T_lab_rail, model_path(source, file.rail.model), "rail", "", {RAIL_AXIS: 0})
    for k, (robot, on, base) in enumerate(zip(cell.robots, ("carriage", ""), (T_carriage_base, base2), strict=True)):
        axes = {axis: 1 + 6 * k + i for i, axis in enumerate(ARM_AXES)}
        name = f"robot{k + 1}/"
        hang(found, on, base, model_path(source, robot.model), LINKS[0], name, axes)
        port = (cell.tool.T_flange_port1, cell.tool.T_flange_port2)[k]
        hang(found, f"{name}{LINKS[-1]}", port, cell.mockups[k].path, PORT, f"{name}mockup/", {})
    return tuple(found)


def hang(
    found: list[TreeLink],
    on: str,
    T_on_root: NDArray[np.float64],
    path: Path,
    root: str,
    prefix: str,
    axes: dict[str, int],
) -> None:
    """Hang a model's tree on a link that is there already (or on the lab)."""
    numbers = {link.name: i for i, link in enumerate(found)}
    for drawn in read_drawing(path, root):
        is_root = drawn.name == root
        parent = numbers.get(on, -1) if is_root else numbers[prefix + drawn.parent]
        numbers[prefix + drawn.name] = len(found)
        T_parent_joint = T_on_root if is_root else drawn.T_parent_joint
        found.append(TreeLink(prefix + drawn.name, parent, axes.get(drawn.joint, -1), T_parent_joint, drawn))
