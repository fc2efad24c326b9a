"""What a live facility serves beside its tick: people at the control channel, their trajectory files, an application's feed."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from proxops.facility.application_feed import MissionFeed
from proxops.facility.control import ControlChannel, ControlSettings, Verb
from proxops.facility.desk import WITH_FILE, desk_verbs
from proxops.facility.installation import Installation
from proxops.facility.trajectories import CheckerStart, TrajectoryIntake
from proxops.lab.any_cell import AnyCell
from proxops.lab.cell import Cell


def start_intake(cell: AnyCell) -> TrajectoryIntake | None:
    """Files are those of a hall. The checker's process is begun before all else, and compiles while this one does."""
    return TrajectoryIntake(CheckerStart(cell)) if isinstance(cell, Cell) else None


class Services:
    """``verbs``: what an application can be asked for, beside the desk's; ``shut_down``: whom to ask for the end."""

    def __init__(
        self, hall: Installation, settings: ControlSettings, intake: TrajectoryIntake | None, shut_down: Callable[[], None],
        verbs: Mapping[str, Verb],
    ) -> None:  # fmt: skip
        facility = hall.facility
        self._intake, self._duties, now_ns = intake, facility.duties, facility.clock.now_ns
        if intake:
            intake.serve(hall.desk, now_ns)
        self.control = ControlChannel(settings, hall.desk, {**desk_verbs(hall.desk, shut_down), **verbs}, WITH_FILE)
        self.mission = MissionFeed(facility.pool, now_ns) if isinstance(facility.cell, Cell) else None

    def attach(self, serve_requests: Callable[[], None]) -> None:
        """What is done in every cycle round the tick's own work, stops first and requests last. The bridge's and the synchronous
        interface's part is there already."""
        self._duties.attach("stops", poll=self.control.serve_stops, first=True)
        if self.mission:
            self._duties.attach("application", publish=self.mission.publish)
        self._duties.attach("control channel", answer=serve_requests)
        if self._intake:
            self._duties.attach("loading of trajectories", answer=self._intake.poll)

    @property
    def closing(self) -> tuple[Callable[[], None], ...]:
        """What is to be closed once no cycle follows, the last first."""
        parts = (self.mission, self._intake, self.control)
        return tuple(part.close for part in parts if part is not None)
