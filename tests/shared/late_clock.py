"""A lockstep clock that can be late: the machine stood still for as long as a test says, once."""

from __future__ import annotations

from proxops.core.clock import LockstepClock


class LateClock(LockstepClock):
    late_s = 0.0  # of the next cycle

    def advance(self) -> float:
        super().advance()
        late_s, self.late_s = self.late_s, 0.0
        return late_s
