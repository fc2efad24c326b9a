"""Follows commands of a file or of the network: converts each into axes, coasts over losses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.facility.sources import CommandSource, Supply
from proxops.lab.cell import Cell
from proxops.lab.coordinates import OK, axes_from_values, robot_of
from proxops.safety.motion import Motion, Rest, Wish
from proxops.safety.rules import Rule, Stop


class Follower(Motion):
    """Motion of a run. It begins where the set-point is, which is at the first command."""

    def __init__(self, cell: Cell, commands: CommandSource, setpoint: NDArray[np.float64]) -> None:
        self._hall, self._commands = cell.hall, commands
        self._last, self._before = setpoint.copy(), setpoint.copy()  # axes of the newest command and of the one before
        self._coasted = 0  # cycles since the newest command

    def step(self) -> Wish:
        supply = self._commands.latest()
        if supply is Supply.FRESH:
            return self._convert()
        if isinstance(supply, Stop):
            return supply
        return Rest.DONE if supply is Supply.END else self._coast()

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

    def _coast(self) -> NDArray[np.float64]:
        """Nothing new: go on at the pace of the last two commands, per cycle of their sender."""
        self._coasted += 1
        return self._last + (self._last - self._before) * (self._coasted / self._commands.steps)
