"""Motion by commands at the operator's desk: those of a file or of the network, from loading over the start to the run."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import Refused
from proxops.core.vocabulary import Mode, Source
from proxops.facility.desk.manual_desk import ManualDesk
from proxops.facility.facility import Facility
from proxops.facility.motions.follower import Follower, demand_at_command, start_posture
from proxops.facility.motions.mover import Mover, parse_order
from proxops.facility.possible import demand_evidence, forbid
from proxops.facility.sources import CommandSource, FileSource, SyncSource
from proxops.facility.sync import SyncPort
from proxops.facility.trajectories import CheckedTrajectory, TrajectoryIntake
from proxops.lab.any_cell import demand_hall
from proxops.safety.guard import Zones
from proxops.safety.modes import Event
from proxops.safety.reserve import RESERVE_M


class CommandDesk(ManualDesk):
    """What can be asked for of a hall that follows commands."""

    def __init__(self, facility: Facility, sync: SyncPort | None = None) -> None:
        super().__init__(facility)
        self.sync = sync
        self.checked: CheckedTrajectory | None = None  # on the desk for the asynchronous interface
        self.intake: TrajectoryIntake | None = None

    def offer(self, commands: CommandSource, zones: Zones) -> None:
        """Let a source of our own command, as a file would; ``zones`` are the guard's until it is let go of."""
        self.facility.go(Event.SELECT_ASYNC)
        self.facility.source, self.facility.commands = Source.ASYNC, commands
        self.facility.guard.watch(zones)

    def _take_commands(self, source: Source) -> None:
        """Of the network, or of the file on the desk."""
        f = self.facility
        if source is Source.SYNC and self.sync:
            self.sync.forget()
            f.commands = SyncSource(self.sync, demand_hall(f.cell, "sync").file.limits.sync_timeout_ms * 1e-3)
        elif source is Source.ASYNC and self.checked is not None:
            f.commands = FileSource(self.checked.trajectory)

    def load(self, checked: CheckedTrajectory) -> None:
        """Put a trajectory on the desk for the asynchronous interface. Nothing else than a checked one can be."""
        if not isinstance(checked, CheckedTrajectory):  # a slip of ours may not become a motion
            raise TypeError(f"the desk takes a CheckedTrajectory, not a {type(checked).__name__}")
        self._demand_load()
        self.checked = checked

    def begin_load(self, fd: int, source: str) -> int:
        """Have a user's file, a text in sealed memory ``fd``, checked and then loaded; the job's number. ``status`` tells
        what came of it."""
        self._demand_load()
        if self.intake is None:
            raise Refused("load: this run takes no files")
        return self.intake.begin(fd, source, self.facility.still)

    def _demand_load(self) -> None:
        if self.facility.mode not in (Mode.STANDBY, Mode.READY, Mode.STOPPED):
            raise Refused(f"load is not possible in {self.facility.mode.name}: select none first")

    def move_to_start(self, order: str) -> None:
        """Rail and robots to the first command, one after another."""
        f = self.facility
        units = parse_order(order)
        if f.mode not in (Mode.ARMED, Mode.AT_START):
            f.go(Event.MOVE_TO_START)  # raises with what is possible
        forbid(f.interlocks.forbids_start(Mode.MOVING_TO_START))
        demand_evidence(f, "move to start")
        assert f.commands is not None
        missing = f.commands.ready()
        if missing:
            raise Refused(f"move to start: {missing}")
        forbid(f.guard.zones.near(f.actual, 0.0))
        goal = self.start_posture()
        forbid(f.guard.zones.near(goal, RESERVE_M))
        f.motion = Mover(demand_hall(f.cell, "move to start"), f.guard.setpoint.copy(), goal, units)
        f.go(Event.MOVE_TO_START)

    def start_posture(self) -> NDArray[np.float64]:
        """Axes of the present command."""
        f = self.facility
        assert f.commands is not None
        return start_posture(demand_hall(f.cell, "move to start"), f.commands, f.guard.setpoint)

    def confirm(self) -> None:
        """Start the run. The command must still be where the robots are."""
        f = self.facility
        if f.mode is Mode.AT_START:
            forbid(f.interlocks.forbids_start(Mode.RUNNING))
            demand_evidence(f, "confirm")
            assert f.commands is not None
            missing = f.commands.ready()
            if missing:
                raise Refused(f"confirm: {missing}")
            demand_at_command(demand_hall(f.cell, "confirm"), f.commands, f.guard.setpoint)
        f.go(Event.CONFIRM)
        assert f.commands is not None
        f.motion = Follower(demand_hall(f.cell, "confirm"), f.commands, f.guard.setpoint, f.pool)
