"""Move to start: rail, robot 1 and robot 2 one after another, in the operator's order, jerk-limited (Ruckig)."""

from __future__ import annotations

from typing import Final

import numpy as np
import ruckig
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S, UNITS
from proxops.lab.cell import Cell
from proxops.safety.motion import JERK_TIME_S, Motion, Rest, Wish

DEFAULT_ORDER: Final = ("rail", "robot1", "robot2")


def parse_order(text: str) -> tuple[str, ...]:
    """The operator's order, each unit exactly once."""
    order = tuple(word.strip() for word in text.split(","))
    if sorted(order) != sorted(UNITS):
        raise BadInput("order must name each unit once", value=repr(text), bound="rail, robot1, robot2 in any order")
    return order


class Mover(Motion):
    """A move from one posture to another; ``step`` gives the wish of each cycle."""

    def __init__(
        self,
        cell: Cell,
        start: NDArray[np.float64],
        goal: NDArray[np.float64],
        order: tuple[str, ...] = DEFAULT_ORDER,
    ) -> None:
        share = cell.file.limits.move_to_start_share
        self._speed, self._acceleration = cell.guarded.speed * share, cell.guarded.acceleration * share
        self._goal = goal
        self._left = list(order)
        self.wish = start.copy()
        self.unit = ""
        self._begin()

    def _begin(self) -> None:
        """Plan the next unit that is not yet where it should be."""
        while self._left:
            self.unit = self._left.pop(0)
            span = UNITS[self.unit]
            if np.array_equal(self.wish[span], self._goal[span]):
                continue
            axes = span.stop - span.start
            self._otg, self._out = ruckig.Ruckig(axes, PERIOD_S), ruckig.OutputParameter(axes)
            plan = ruckig.InputParameter(axes)
            plan.current_position, plan.target_position = self.wish[span].tolist(), self._goal[span].tolist()
            plan.max_velocity, plan.max_acceleration = (
                self._speed[span].tolist(),
                self._acceleration[span].tolist(),
            )
            plan.max_jerk = (self._acceleration[span] / JERK_TIME_S).tolist()
            self._plan, self._span = plan, span
            return
        self.unit = ""

    def step(self) -> Wish:
        """Wish of this cycle; DONE once all units are at their goal."""
        if not self.unit:
            return Rest.DONE
        result = self._otg.update(self._plan, self._out)
        self.wish[self._span] = self._out.new_position
        self._out.pass_to_input(self._plan)
        if result == ruckig.Result.Finished:
            self.wish[self._span] = self._goal[self._span]
            self._begin()
        elif result != ruckig.Result.Working:
            raise RuntimeError(f"move to start of {self.unit}: trajectory generator answers {result}")
        return self.wish
