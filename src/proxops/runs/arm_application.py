"""A motion of one arm that keeps a row of every cycle, from its first wish until the arm stands after its last.

Time is the clock's, in whole cycles: where cycles are lost, time goes on without them. While the guard brakes, for whatever
cause, what is computed goes on and is recorded.
"""

from __future__ import annotations

from abc import abstractmethod
from typing import Final

import numpy as np

from proxops.core.vocabulary import Mode
from proxops.facility.facility import Facility
from proxops.lab.links.arm import Arm
from proxops.runs.row_groups import RowGroups
from proxops.safety.motion import Motion
from proxops.safety.rules import Rule

AFTER_STOP_S: Final = 0.5  # recorded after the arm has been told to stop
GIVE_UP_NS: Final = 2_000_000_000  # of standing, then it is over whatever was recorded of it


class ArmApplication(Motion):
    """``rows`` has one record for each cycle since the first wish; ``failure`` says why it ended early. ``told`` shows them in
    the facility's pool."""

    def __init__(self, facility: Facility, arm: Arm, told: RowGroups, row: np.dtype[np.void], longest_s: float) -> None:
        self._f, self._told, self._cycle_ns = facility, told, facility.clock.period_ns
        self._arm = arm
        self.rows = np.zeros(round(longest_s / self.cycle_s) + 2, row)
        told.attach(facility.pool, self.rows)
        self.count, self.failure = 0, ""
        self._began_ns, self._moved_ns = -1, 0  # by the clock: of the first cycle; when the facility moved last
        self._ended_at = -1  # rows that there were when it ended

    @property
    def cycle_s(self) -> float:
        return self._cycle_ns * 1e-9

    @property
    @abstractmethod
    def t(self) -> float:
        """s, when this cycle began; 0 in the first."""

    def now(self) -> float:
        """s since the first cycle."""
        return (self._f.clock.now_ns() - self._began_ns) * 1e-9 if self.begun else 0.0

    @property
    def begun(self) -> bool:
        return self._began_ns >= 0

    def begin(self) -> None:
        """This is the first cycle, unless there was one."""
        if not self.begun:
            self._began_ns = self._f.clock.now_ns()

    @property
    def ended(self) -> bool:
        """No more is wished for."""
        return self._ended_at >= 0

    @property
    def over(self) -> bool:
        """The arm stands and has been looked at for a while, or nothing more can be kept."""
        if not (self.begun and self._f.still):
            return False
        given_up = self._f.clock.now_ns() - self._moved_ns > GIVE_UP_NS  # whatever has become of us
        return (self._looked_at_long_enough and self._arm.at_rest) or self.full or given_up

    @property
    def _looked_at_long_enough(self) -> bool:
        return self.ended and self.count - self._ended_at > AFTER_STOP_S / self.cycle_s

    @property
    def full(self) -> bool:
        """No row is left."""
        return self.count == len(self.rows)

    def close(self) -> None:
        """Nothing is asked for any more."""

    # ------------------------------------------------------------------ attached to the facility's duties
    def poll(self) -> None:
        """Before the motion is asked."""
        if not self._f.still:
            self._moved_ns = self._f.clock.now_ns()

    def publish(self) -> None:
        """After the guard: what there is to keep of this cycle."""
        self.notice_stop()
        if self.begun and not self.full:
            self._keep_cycle()
        self._told.show(self.count)

    @abstractmethod
    def _keep_cycle(self) -> None:
        """Fill the next row, if this cycle is to have one."""

    def notice_stop(self) -> None:
        """Whoever has stopped the arm, this run is over."""
        stop = self._f.stop
        if stop is not None and self._f.mode in (Mode.STOPPING, Mode.STOPPED) and not self.failure:
            self._end()
            self.failure = f"interrupted after {self.t:.3f} s: {stop}" if stop.rule is Rule.OPERATOR else str(stop)

    def _end(self) -> None:
        if not self.ended:
            self._ended_at = self.count
