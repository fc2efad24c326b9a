"""Follows commands of a file or of the network: converts each into axes, coasts over losses."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.facility.motion import Rest, Wish
from proxops.facility.sources import CommandSource, Supply
from proxops.lab.cell import Cell
from proxops.lab.coordinates import OK, axes_from_values, robot_of
from proxops.safety.rules import Rule, Stop


class Follower:
    """Motion of a run. It begins where the set-point is, which is at the first command."""

    def __init__(self, cell: Cell, commands: CommandSource, setpoint: NDArray[np.float64]) -> None:
        self._hall, self._commands = cell.hall, commands
        self._wish, self._last = setpoint.copy(), setpoint.copy()  # this cycle's, and that of the newest command
        self._stride = np.zeros_like(setpoint)  # per cycle of the sender

    def step(self) -> Wish:
        supply = self._commands.latest()
        if isinstance(supply, Stop):
            return supply
        if supply is Supply.END:
            return Rest.DONE
        if supply is Supply.COAST:
            self._wish += self._stride
            return self._wish
        return self._convert()

    def _convert(self) -> Wish:
        """Axes of the newest command, next to those of the one before."""
        commands = self._commands
        code, beyond = axes_from_values(self._hall, commands.system, commands.values, self._last, False, self._wish)
        if code != OK:
            return Stop(Rule.UNREACHABLE, value=beyond, detail=f"{robot_of(code)}, {commands.name}")
        np.subtract(self._wish, self._last, out=self._stride)
        self._stride /= commands.steps
        self._last[:] = self._wish
        return self._wish
