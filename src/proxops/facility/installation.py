"""A facility that is ready to tick, its operator's desk, and all that must be closed after it. ``build.build`` makes one."""

from __future__ import annotations

from contextlib import ExitStack
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final

from proxops.core.ending import DONE, Ending
from proxops.core.messages import Group
from proxops.core.ring import Ring
from proxops.facility.desk import Desk
from proxops.facility.facility import Facility
from proxops.facility.ports import Ports
from proxops.facility.records import Records
from proxops.ground.recorder import EXIT_LOST, Recorder
from proxops.ground.viewer_ring import ViewerRing
from proxops.lab.links.remote import RemoteHall

FINISH_S: Final = 60.0  # patience with the recorder at the end of a run


@dataclass
class LastWords:
    """What is known only when a run is over and joins its log then: of an application that has said it would have some."""

    metadata: dict[str, str] = field(default_factory=dict)
    attachments: dict[str, bytes] = field(default_factory=dict)


class Installation:
    """``remote``: the robots' controllers, if they live in a process of their own."""

    def __init__(
        self, facility: Facility, ports: Ports, records: Records, recorder: Recorder | None, remote: RemoteHall | None
    ) -> None:  # fmt: skip
        self.facility, self.desk = facility, Desk(facility, ports.sync, ports.bridge)
        self.recorder, self.remote = recorder, remote
        self.last_words = LastWords()
        self._ports, self._records = ports, records

    @property
    def rings(self) -> tuple[Ring, Ring]:
        """Of the pool and of the events, for whoever looks on."""
        return self._records.rings

    @property
    def viewer(self) -> ViewerRing | None:
        """For images of sensors that go into the log, if there are any and there is one."""
        return self._records.viewer

    @property
    def groups(self) -> tuple[Group, ...]:
        """Of the pool, that an application has added."""
        return self._records.groups

    def farewell(self) -> None:
        """No set-point will follow, and that is as it should be: to be said before anything that takes time."""
        if self.remote:
            self.remote.farewell()

    def give_up(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """It is built and will not run, because of an ``error`` in what comes round it; for an ``ExitStack``."""
        self.close(Ending.of_error(error) if error else DONE)

    def close(self, ended: Ending = DONE) -> int:
        """Say how it ended and finish the log: 0 when it is whole, else the recorder's exit code or ``EXIT_LOST``."""
        codes: list[int] = []
        with ExitStack() as closing:  # whatever fails, the rest is closed; the log last
            closing.callback(lambda: codes.append(self._finish_log()))
            closing.callback(self._ports.close)
            if self.remote:
                closing.callback(self.remote.close)
            self.facility.events.end(ended)
        return codes[0]

    def _finish_log(self) -> int:
        if self.recorder is None:
            self._records.close()
            return 0
        code = self.recorder.finish(FINISH_S, self.last_words.metadata, self.last_words.attachments)
        return code or (EXIT_LOST if self._records.lost else 0)
