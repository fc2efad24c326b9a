"""What a jog button moves: one axis of any cell, or one component of a frame in the hall. The way so far gives the axes."""

from __future__ import annotations

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.core.vocabulary import System
from proxops.facility.motions.jog_button import JogButton
from proxops.facility.publication import HallPublication
from proxops.lab.cell import Cell
from proxops.lab.coordinates import OK, axes_from_values, robot_of, values_from_axes, wire_pose
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.safety.rules import Rule, Stop

Axes = NDArray[np.float64]


class Stroke(Protocol):
    """From where it began."""

    def begin(self, button: JogButton, setpoint: Axes) -> None: ...

    def axes(self, button: JogButton, gone: float, before: Axes, out: Axes) -> Stop | None:
        """Axes after a way of ``gone`` (m or rad), next to those ``before``; why there are none."""
        ...


class AxisStroke:
    """One axis at a time; its column is the axis' number."""

    def __init__(self, n_axes: int) -> None:
        self._start = np.zeros(n_axes)

    def begin(self, button: JogButton, setpoint: Axes) -> None:
        self._start[:] = setpoint

    def axes(self, button: JogButton, gone: float, before: Axes, out: Axes) -> Stop | None:
        out[:] = self._start
        out[button.column] += gone
        return None


class HallStroke:
    """Any of the hall's coordinate systems, by the 22 doubles of its commands."""

    def __init__(self, cell: Cell, told: HallPublication) -> None:
        self._hall, self._told = cell.hall, told
        self._start, self._values = np.zeros(22), np.zeros(22)

    def begin(self, button: JogButton, setpoint: Axes) -> None:
        values_from_axes(self._hall, int(button.system), setpoint, self._told.pov, self._start)
        self._values[:] = self._start

    def axes(self, button: JogButton, gone: float, before: Axes, out: Axes) -> Stop | None:
        self._put(button, gone)
        code, beyond = axes_from_values(self._hall, int(button.system), self._values, before, False, out)
        return Stop(Rule.UNREACHABLE, value=beyond, detail=f"{robot_of(code)}, jog") if code != OK else None

    def _put(self, button: JogButton, gone: float) -> None:
        """Move one component by the way so far; in CLW a turn is about the axes of the point of view."""
        if button.system is System.CLW and button.turning:
            start = 0 if button.column < 7 else 7
            turn = np.zeros(3)
            turn[button.column - start - 3] = gone
            R = matrix_from_rotation_vector(turn) @ wire_pose(self._start, start)[:3, :3]
            w, x, y, z = quat_from_matrix(R)
            self._values[start + 3 : start + 7] = x, y, z, w
        else:
            self._values[button.column] = self._start[button.column] + gone * button.scale
