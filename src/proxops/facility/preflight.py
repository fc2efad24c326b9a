"""Preflight: a trajectory through conversion and guard before anything moves. What would stop the run is told by line."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.lab.cell import Cell
from proxops.lab.coordinates import Hall
from proxops.lab.trajectory import Trajectory, axes_of, swap_suspicion
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.safety.limits import GUARD_DTYPE, Guarded, judge, stand
from proxops.safety.rules import Rule, Stop


@kernel
def _judge_all(hall: Hall, guard: Guarded, wishes: Array, margins: Array, report: Array) -> tuple[int, int]:
    """(lines allowed, rule that forbids the next one or 0)."""
    stand(hall, guard, wishes[0])
    for k in range(wishes.shape[0]):
        rule = judge(hall, guard, wishes[k], margins, report)
        if rule:
            return k, rule
    return wishes.shape[0], 0


def preflight(cell: Cell, trajectory: Trajectory) -> NDArray[np.float64]:
    """Axes of every line, or ``BadInput`` with the first line that cannot be run and the rule it breaks."""
    q = axes_of(cell, trajectory)
    _start_within(cell, trajectory, q[0])
    report = np.zeros(3)
    done, rule = _judge_all(cell.hall, np.zeros(1, GUARD_DTYPE), q, np.zeros(6), report)
    if rule:
        stop = Stop(Rule(rule), int(report[0]), float(report[1]), float(report[2]))
        raise BadInput(str(stop), where=trajectory.where(done))
    return q


def _start_within(cell: Cell, trajectory: Trajectory, q: NDArray[np.float64]) -> None:
    """The start itself must lie inside all ranges: the guard only judges motion."""
    guard = np.zeros(1, GUARD_DTYPE)
    stand(cell.hall, guard, q)
    g = guard[0]
    i = int(np.argmin(g["axis_margin"]))
    if g["axis_margin"][i] < -1e-9:
        bound = cell.axes.lower[i] if q[i] < cell.axes.lower[i] else cell.axes.upper[i]
        stop = Stop(Rule.AXIS_RANGE, i + 1, float(q[i]), float(bound))
        raise BadInput(str(stop), where=trajectory.where(0), way_out=swap_suspicion(cell, trajectory, 0))
    robot, k = np.unravel_index(int(np.argmin(g["range_margin"])), (2, 6))
    margin = float(g["range_margin"][robot, k])
    if margin < -1e-9:
        what = "port" if k < 3 else "plate"
        unit, scale = ("m", 1.0) if k < 3 else ("deg", 180 / np.pi)
        name = ("x", "y", "z", "roll", "pitch", "yaw")[k]
        lower, upper = (float(cell.hall[f"range_{end}"][0][robot, k]) for end in ("lower", "upper"))
        rule = Rule.POSITION_RANGE if k < 3 else Rule.ATTITUDE_RANGE
        raise BadInput(
            f"{rule.name}: robot {robot + 1}'s {what} starts outside Table 3 in {name}",
            where=trajectory.where(0), value=f"{-margin * scale:.6g} {unit} outside",
            way_out=swap_suspicion(cell, trajectory, 0),
            bound=f"{lower * scale:.6g} … {upper * scale:.6g} {unit}",
        )  # fmt: skip
