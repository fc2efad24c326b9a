"""Follows commands of a file or of the network: converts each into axes, coasts over losses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import Refused
from proxops.core.pool import Pool
from proxops.facility.motions.file_cycles import CommandViews, Lines, follow_lines
from proxops.facility.sources import CommandSource, FileSource, Supply
from proxops.facility.trajectories.preflight import outside_ranges
from proxops.lab.cell import Cell
from proxops.lab.coordinates import OK, axes_from_values, robot_of
from proxops.safety.motion import GuardedCycle, Motion, Passing, Rest, Wish
from proxops.safety.rules import Rule, Stop

Axes = NDArray[np.float64]


class Follower(Motion):
    """Motion of a run. It begins where the set-point is, which is at the first command."""

    def __init__(self, cell: Cell, commands: CommandSource, setpoint: Axes, pool: Pool | None = None) -> None:
        self._hall, self._commands = cell.hall, commands
        self._views = CommandViews.of(pool) if pool else None  # None: cycle by cycle
        self._last, self._before = setpoint.copy(), setpoint.copy()  # axes of the newest command and of the one before
        self._coasted = 0  # cycles since the newest command

    def step(self) -> Wish:
        supply = self._commands.latest()
        if supply is Supply.FRESH:
            return self._convert()
        if isinstance(supply, Stop):
            return supply
        return Rest.DONE if supply is Supply.END else self._coast()

    def usual_cycles(self, cycle: GuardedCycle, passing: Passing, most: int) -> int:
        """Lines of a file that follow each other."""
        source = self._commands
        if self._views is None or not isinstance(source, FileSource) or self._coasted:
            return 0
        first, systems, values = source.lines(most)
        lines = Lines(systems, values, first, self._last, self._before)
        passed = follow_lines(cycle, self._views, lines, passing, len(systems))
        if passed:
            source.taken(passed)
        return passed

    def _convert(self) -> Wish:
        """Axes of the newest command, next to those of the one before."""
        commands = self._commands
        self._last, self._before, self._coasted = self._before, self._last, 0
        code, beyond = axes_from_values(self._hall, commands.system, commands.values, self._before, False, self._last)
        if code != OK:
            return Stop(Rule.UNREACHABLE, value=beyond, detail=f"{robot_of(code)}, {commands.name}")
        return self._last

    def refused(self, stop: Stop) -> Stop:
        """With the line or sequence number of the command that broke the rule."""
        name = self._commands.name
        return Stop(stop.rule, stop.axis, stop.value, stop.bound, f"{name}, {stop.detail}" if stop.detail else name)

    def _coast(self) -> Axes:
        """Nothing new: go on at the pace of the last two commands, per cycle of their sender."""
        self._coasted += 1
        return self._last + (self._last - self._before) * (self._coasted / self._commands.steps)


def start_posture(cell: Cell, commands: CommandSource, setpoint: Axes) -> Axes:
    """Axes of the present command, nearest to home; endless axes nearest to where they are, so that none unwinds."""
    goal, reference = np.zeros(cell.n_axes), np.where(np.isinf(cell.axes.upper), setpoint, cell.home)
    code, beyond = axes_from_values(cell.hall, commands.system, commands.values, reference, True, goal)
    if code != OK:
        raise Refused(f"move to start: {Stop(Rule.UNREACHABLE, value=beyond, detail=robot_of(code))}")
    outside = outside_ranges(cell, goal)
    if outside:
        raise Refused(f"move to start: {outside}")
    return goal


def demand_at_command(cell: Cell, commands: CommandSource, setpoint: Axes) -> None:
    """Refuse to follow a command that is not where the robots are."""
    q = np.zeros(cell.n_axes)
    code, _ = axes_from_values(cell.hall, commands.system, commands.values, setpoint.copy(), False, q)
    away, bound = np.abs(q - setpoint), cell.guarded.jump
    if code != OK or (away > bound).any():
        i = int((away - bound).argmax())
        stop = Stop(Rule.JUMP, i + 1, float(away[i]), float(bound[i]))
        raise Refused(f"confirm: the command has moved away from the start: {stop}; move to start again")
