"""Commanded and actual curves in any coordinate system, continuous in angles and in quaternion signs."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.messages import N_VALUES
from proxops.core.vocabulary import System
from proxops.ground.log import Log
from proxops.ground.recorded import Floats, Recorded, stacked
from proxops.lab.cell import Cell
from proxops.lab.coordinates import LIN, POV, POV_AT_LAB, ROB1, ROB2, lines_from_axes

TURN_DEG: Final = 360.0
GIMBAL_LOCK_DEG: Final = 89.8  # |B| beyond which repeatability alone turns A and C by half a degree
POV_NAMES: Final = tuple(f"c{POV + i + 1}" for i in range(7))


@dataclass(frozen=True)
class Columns:
    """Names of a robot's doubles and of data lin in one system; which are angles, where a quaternion is."""

    what: str
    names: tuple[str, ...]
    units: tuple[str, ...]
    angles: tuple[int, ...]
    quaternion: int | None
    lin: tuple[str, str]


_ABC: Final = ("x", "y", "z", "A", "B", "C")
_QUATERNION: Final = ("x", "y", "z", "qx", "qy", "qz", "qw")
COLUMNS: Final = {
    System.IJT: Columns("axes", ("A1", "A2", "A3", "A4", "A5", "A6"), ("deg",) * 6, (), None, ("rail", "mm")),
    System.IDC: Columns("flange in base", _ABC, ("mm",) * 3 + ("deg",) * 3, (3, 4, 5), None, ("rail", "mm")),
    System.GLC: Columns("port in lab", _ABC, ("m",) * 3 + ("deg",) * 3, (3, 4, 5), None, ("data lin", "m")),
    System.CLW: Columns("port in point of view", _QUATERNION, ("m",) * 3 + ("",) * 4, (), 3, ("data lin", "m")),
}


@dataclass(frozen=True)
class Curves:
    """The 22 doubles of cycles in ``system``, as wished and as reported; wire units."""

    system: System
    commanded: Floats
    actual: Floats

    def robot(self, number: int) -> tuple[Floats, Floats]:
        """Columns of robot 1 or 2."""
        start, count = (ROB1, ROB2)[number - 1], len(COLUMNS[self.system].names)
        return self.commanded[:, start : start + count], self.actual[:, start : start + count]

    def lin(self) -> tuple[Floats, Floats]:
        return self.commanded[:, LIN], self.actual[:, LIN]


def curves_of(log: Log, data: Recorded, cell: Cell, system: System, every: int = 1) -> Curves:
    """Convert the recorded axes of every so many cycles; CLW as seen from the recorded point of view, else from the lab's
    origin."""
    pov = np.ascontiguousarray(_points_of_view(log)[::every])
    commanded, actual = (np.empty((len(pov), N_VALUES)) for _ in range(2))
    lines_from_axes(cell.hall, int(system), np.ascontiguousarray(data.wish[::every]), pov, commanded)
    lines_from_axes(cell.hall, int(system), np.ascontiguousarray(data.actual[::every]), pov, actual)
    columns = COLUMNS[system]
    for start in (ROB1, ROB2):
        if columns.angles:
            _leave_out_gimbal_lock(commanded, actual, start + columns.angles[0])
        for i in columns.angles:
            _unwrap(commanded[:, start + i], actual[:, start + i])
        if columns.quaternion is not None:
            four = slice(start + columns.quaternion, start + columns.quaternion + 4)
            _same_sign(commanded[:, four], actual[:, four])
    return Curves(system, commanded, actual)


def _points_of_view(log: Log) -> Floats:
    """Of each cycle: the point of view of the newest CLW command, of the first until then, else the lab."""
    given = np.flatnonzero(log.values("command.system") == System.CLW)
    if not given.size:
        return np.tile(POV_AT_LAB, (log.count, 1))
    newest = np.searchsorted(given, np.arange(log.count), side="right") - 1
    return stacked(log, "command", POV_NAMES)[given[np.maximum(newest, 0)]]


def _leave_out_gimbal_lock(commanded: Floats, actual: Floats, a: int) -> None:
    """NaN for A and C where B is ±90°: only their sum or difference is defined there, each alone is noise."""
    locked = (np.abs(commanded[:, a + 1]) > GIMBAL_LOCK_DEG) | (np.abs(actual[:, a + 1]) > GIMBAL_LOCK_DEG)
    for values in (commanded, actual):
        values[locked, a] = values[locked, a + 2] = np.nan


def _unwrap(commanded: Floats, actual: Floats) -> None:
    """Degrees that pass through full turns, the actual ones next to the commanded."""
    known = np.isfinite(commanded)
    commanded[known] = np.unwrap(commanded[known], period=TURN_DEG)
    off = actual - commanded
    actual[:] = commanded + off - TURN_DEG * np.round(off / TURN_DEG)


def _same_sign(commanded: Floats, actual: Floats) -> None:
    """Quaternions whose sign never flips between cycles; a quaternion and its negative are one attitude."""
    if len(commanded) > 1:
        turned = np.einsum("ij,ij->i", commanded[1:], commanded[:-1]) < 0.0
        commanded[1:] *= np.where(np.cumsum(turned) % 2, -1.0, 1.0)[:, None]
    actual *= np.where(np.einsum("ij,ij->i", commanded, actual) < 0.0, -1.0, 1.0)[:, None]
