"""``user_tool.val``: the spacecraft frames (ports) fixed to the two adapter plates, in mm and deg (paper, Figure 24)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proxops.core.decimal_text import read_decimal
from proxops.core.errors import BadInput
from proxops.core.user_file import read_text
from proxops.maths.pose import pose_from_abc

COMPONENTS = ("X", "Y", "Z", "A", "B", "C")
KEYS = tuple(f"USER_ROB{robot}_TOOL_{component}" for robot in (1, 2) for component in COMPONENTS)
LARGEST_BYTES = 64_000  # of the file: twelve short lines
REACH_LIMIT_MM = 5000.0  # a port further than this from its plate is a slip of units


@dataclass(frozen=True)
class UserTool:
    """Both tools: T_flange1_port1 and T_flange2_port2."""

    T_flange_port1: NDArray[np.float64]
    T_flange_port2: NDArray[np.float64]
    source: str

    @classmethod
    def read(cls, path: Path) -> UserTool:
        """Read a user tool file; every key once, nothing else."""
        return cls.parse(read_text(path, "the user tool", LARGEST_BYTES), str(path))

    @classmethod
    def parse(cls, text: str, source: str) -> UserTool:
        """Parse the twelve KEY=VALUE lines."""
        values: dict[str, float] = {}
        for number, line in enumerate(text.splitlines(), 1):
            if not line.strip():
                continue
            where = f"{source}, line {number}"
            key, equals, value = (part.strip() for part in line.partition("="))
            if not equals or key not in KEYS:
                raise BadInput(
                    "unknown key",
                    where=where,
                    value=repr(line.strip()),
                    bound="USER_ROB1|2_TOOL_X|Y|Z|A|B|C=number",
                )
            if key in values:
                raise BadInput(f"{key} is given twice", where=where)
            values[key] = _number(value, key, where)
        missing = [key for key in KEYS if key not in values]
        if missing:
            raise BadInput(f"missing {', '.join(missing)}", where=source, way_out="all twelve keys are needed")
        tools = [_pose([values[f"USER_ROB{robot}_TOOL_{c}"] for c in COMPONENTS]) for robot in (1, 2)]
        return cls(tools[0], tools[1], source)

    def swapped(self) -> UserTool:
        """Robot 1's tool on robot 2 and the other way round, to find out whether a user mixed them up."""
        return UserTool(self.T_flange_port2, self.T_flange_port1, f"{self.source} (swapped)")


def _number(text: str, key: str, where: str) -> float:
    bound = REACH_LIMIT_MM if key[-1] in "XYZ" else 360.0
    value = read_decimal(text)
    if value is None or not abs(value) <= bound:
        raise BadInput(
            f"{key} is not a usable number",
            where=where,
            value=repr(text),
            bound=f"±{bound:g} {'mm' if key[-1] in 'XYZ' else 'deg'}",
        )
    return value


def _pose(values: list[float]) -> NDArray[np.float64]:
    x, y, z = (v * 1e-3 for v in values[:3])
    return pose_from_abc(x, y, z, *np.radians(values[3:]))
