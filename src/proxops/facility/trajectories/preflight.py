"""Preflight: a trajectory through conversion and guard before anything moves. What would stop the run is told by line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import N_AXES
from proxops.lab.cell import Cell
from proxops.lab.port_components import port_components
from proxops.lab.trajectory import BadLine, Trajectory, axes_of, swap_suspicion
from proxops.safety.guard import Guard
from proxops.safety.port_limits import FIRST_COMPONENT
from proxops.safety.range_rule import ROUNDING
from proxops.safety.rules import Rule, Stop
from proxops.safety.zone_watch import ZoneWatch


class Forbidden(BadLine):
    """A line that the guard does not let pass."""

    def __init__(self, index: int, stop: Stop, *, where: str, way_out: str = "") -> None:
        super().__init__(index, str(stop), where=where, way_out=way_out)
        self.stop = stop


def preflight(cell: Cell, trajectory: Trajectory) -> NDArray[np.float64]:
    """Axes of every line, or ``BadLine`` with the first one that cannot be run and the rule it breaks."""
    q = axes_of(cell, trajectory)
    outside = outside_ranges(cell, q[0])
    if outside:
        raise Forbidden(0, outside, where=trajectory.where(0), way_out=swap_suspicion(cell, trajectory, 0))
    done, stop = Guard(cell, np.zeros(6), ZoneWatch(cell)).judge_run(q)
    if stop:
        raise Forbidden(done, stop, where=trajectory.where(done))
    return q


def outside_ranges(cell: Cell, q: NDArray[np.float64]) -> Stop | None:
    """The worst range that posture ``q`` lies outside of. The guard judges motion; a goal must lie inside beforehand."""
    for i in range(N_AXES):
        lower, upper = float(cell.axes.lower[i]), float(cell.axes.upper[i])
        if not lower - ROUNDING <= q[i] <= upper + ROUNDING:
            return Stop(Rule.AXIS_RANGE, i + 1, float(q[i]), lower if q[i] < lower else upper)
    values, ports = np.empty((2, 6)), np.empty((2, 4, 4))
    port_components(cell.hall, q, np.zeros(2), values, ports)
    lower, upper = cell.hall["range_lower"][0], cell.hall["range_upper"][0]
    robot, k = np.unravel_index(int(np.argmin(np.minimum(values - lower, upper - values))), (2, 6))
    value = float(values[robot, k])
    if lower[robot, k] - ROUNDING <= value <= upper[robot, k] + ROUNDING:
        return None
    bound = float(lower[robot, k] if value < lower[robot, k] else upper[robot, k])
    rule = Rule.POSITION_RANGE if k < 3 else Rule.ATTITUDE_RANGE
    return Stop(rule, FIRST_COMPONENT + 6 * int(robot) + int(k), value, bound)
