"""A trajectory that stays at home, to have everything compiled that a user's will need."""

from __future__ import annotations

from contextlib import suppress
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.vocabulary import System
from proxops.facility.trajectories.preflight import preflight
from proxops.lab.cell import Cell
from proxops.lab.coordinates import POV_AT_LAB, check_values, lines_from_axes
from proxops.lab.trajectory import Trajectory

STANDING_LINES: Final = 8


def standing(cell: Cell, system: System, lines: int = STANDING_LINES) -> Trajectory:
    """A trajectory that stays at home, in any system. A5 is kept off its singularity."""
    q = np.tile(cell.home, (lines, 1))
    q[:, [5, 11]] += 0.3
    values = np.empty((lines, 22))
    lines_from_axes(cell.hall, int(system), q, np.tile(POV_AT_LAB, (lines, 1)), values)
    return Trajectory(np.full(lines, system, np.int16), values, "warm-up")


def rehearse(cell: Cell) -> None:
    """Check one in every system. A hall in which home itself is not allowed refuses every file, one by one: not this."""
    for system in System:
        trajectory = standing(cell, system)
        with suppress(BadInput):
            preflight(cell, trajectory)
        check_values(int(system), trajectory.values[0])
