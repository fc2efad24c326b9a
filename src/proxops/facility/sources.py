"""Where commands come from in a run: a file, line by line, or the synchronous interface. Both speak of the same 22 doubles."""

from __future__ import annotations

from enum import Enum
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.core.datagram import Refusal
from proxops.core.messages import N_VALUES, PERIOD_NS, PERIOD_S
from proxops.facility.sync import SyncPort
from proxops.lab.coordinates import NOT_FINITE, OK, check_values
from proxops.lab.trajectory import Trajectory, explain_values
from proxops.safety.rules import Rule, Stop


class Supply(Enum):
    """What a source has for this cycle."""

    FRESH = "fresh"
    COAST = "coast"  # nothing new: go on as before for a few cycles
    END = "end"  # the source has said all


class CommandSource(Protocol):
    """A source of commands. ``system`` (0: none yet), ``values`` and ``sequence`` are those of the newest one."""

    values: NDArray[np.float64]
    steps: int  # cycles of the sender between the newest command and the one before

    @property
    def system(self) -> int: ...

    @property
    def sequence(self) -> int: ...

    @property
    def name(self) -> str:
        """How a message names the newest command."""
        ...

    def ready(self) -> Stop | None:
        """Why there is no command to begin with, if so."""
        ...

    def latest(self) -> Supply | Stop:
        """Take what there is for this cycle."""
        ...


class FileSource:
    """A trajectory, one line each cycle."""

    steps = 1

    def __init__(self, trajectory: Trajectory) -> None:
        self.trajectory = trajectory
        self.values = np.empty(N_VALUES)
        self._next = 0
        self._show(0)

    def lines(self, most: int) -> tuple[int, NDArray[np.int64], NDArray[np.float64]]:
        """The next ones, up to ``most``: number of the first, coordinate systems, values."""
        span, trajectory = slice(self._next, self._next + most), self.trajectory
        systems = np.array(trajectory.systems[span], np.int64)
        return self._next + trajectory.first_line, systems, np.array(trajectory.values[span])

    def taken(self, count: int) -> None:
        """So many of these have been followed."""
        self._next += count
        self._show(self._next - 1)

    def _show(self, index: int) -> None:
        self.system = int(self.trajectory.systems[index])
        # Copied: a trajectory in shared memory is read-only, for which the kernels would be compiled once more, in flight.
        self.values[:] = self.trajectory.values[index]
        self.sequence = index + self.trajectory.first_line

    @property
    def name(self) -> str:
        return f"line {self.sequence}"

    def ready(self) -> Stop | None:
        return None

    def latest(self) -> Supply | Stop:
        if self._next >= len(self.trajectory):
            return Supply.END
        self._show(self._next)
        self._next += 1
        code, index, value = check_values(self.system, self.values)
        if code != OK:  # files are checked when they are read; what lies in memory is checked when it is used
            rule = Rule.NOT_FINITE if code == NOT_FINITE else Rule.BAD_COMMAND
            return Stop(rule, value=value, detail=str(explain_values(code, index, value, self.name)))
        return Supply.FRESH


class SyncSource:
    """The synchronous interface as a source: silence and nonsense of the master end the run."""

    def __init__(self, port: SyncPort, timeout_s: float) -> None:
        self._port = port
        self._patience_ns = round(timeout_s / PERIOD_S) * PERIOD_NS
        self.values = port.values
        self.steps = 1

    @property
    def system(self) -> int:
        return self._port.command.system if self._port.command else 0

    @property
    def sequence(self) -> int:
        return self._port.command.sequence if self._port.command else -1

    @property
    def name(self) -> str:
        return f"seq {self.sequence}"

    def ready(self) -> Stop | None:
        if self._port.command is None or self._port.silent_ns > self._patience_ns:
            return self._silence()
        return None

    def latest(self) -> Supply | Stop:
        port = self._port
        if port.bad:
            rule = Rule.NOT_FINITE if port.bad[0] is Refusal.NOT_FINITE else Rule.BAD_COMMAND
            return Stop(rule, value=np.nan, detail=port.bad[1])
        if port.fresh and port.command:
            self.steps = max(1, port.steps)
            return Supply.FRESH if port.command.alive else Supply.END
        return self._silence() if port.silent_ns > self._patience_ns else Supply.COAST

    def _silence(self) -> Stop:
        last = f"last {self.name}" if self._port.command else "none yet"
        silent, bound = self._port.silent_ns * 1e-9, self._patience_ns * 1e-9
        return Stop(Rule.SILENCE, value=silent, bound=bound, detail=last)
