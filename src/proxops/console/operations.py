"""Everything of the console that lives as long as its server does: lines to the facility, watch, runs, uploads, clerk."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from proxops.console.attendance import Attendance
from proxops.console.clerk import Clerk
from proxops.console.desk_line import DeskLine
from proxops.console.facility_about import FacilityAbout
from proxops.console.greeting import greeting
from proxops.console.hall_watch import HallWatch
from proxops.console.run_desk import RunDesk
from proxops.console.stop_line import StopLine
from proxops.console.upload import Upload
from proxops.console.variable_lists import VariableLists, known_paths
from proxops.console.viewer import Viewer
from proxops.lab.any_cell import AnyCell
from proxops.lab.cell import Cell

LISTS: Final = "variable_lists"  # beside the runs


@dataclass(frozen=True)
class ConsolePlace:
    """Where the console is: the facility it shows, the folder of all runs, the files that the facility was started with."""

    about: FacilityAbout
    runs: Path
    cell: Path | None
    user_tool: Path | None


class Operations:
    """Wired by hand in ``life``."""

    def __init__(self, cell: AnyCell, place: ConsolePlace) -> None:
        self._place, self.attendance = place, Attendance()
        self._greeting = greeting(cell, place.about.groups, place.about.period_ns)
        self._lists = VariableLists(_lists_folder(cell, place.runs), known_paths(cell))
        self.watch = HallWatch(cell, place.about, self.attendance)
        self.watching: asyncio.Task[None] | None = None  # ends only by an error of ours

    @contextlib.asynccontextmanager
    async def life(self) -> AsyncIterator[None]:
        """Open the line to the desk, watch, and end everything with the server."""
        about, place = self._place.about, self._place
        line, stop_line = await DeskLine.open(about.control), await StopLine.open(about.stop)
        self._runs = RunDesk(about, place.runs, line)
        self.upload = Upload(place.cell, place.user_tool, line, self.attendance.tell_all)
        own = {**self._runs.verbs, "list_save": self._save_list, "list_delete": self._delete_list}
        of_all = frozenset({"list_save", "list_delete"})
        self.clerk = Clerk(self.attendance, line, stop_line, self._greet, own, self.upload.verbs, of_all)
        self.watching = watching = asyncio.create_task(self.watch.run(line, self._runs))
        try:
            yield
        finally:
            watching.cancel()
            await asyncio.gather(watching, return_exceptions=True)
            await self._runs.close()
            await self.upload.close()
            line.close()
            stop_line.close()

    def _greet(self, viewer: Viewer) -> dict[str, Any]:
        """The first message; the states follow it."""
        for state in (self.attendance.state(), self.upload.state, *self.watch.states()):
            viewer.tell(state)
        return self._greeting | {
            "id": viewer.id, "secret": viewer.secret, "events": list(self.watch.feed.events), "scenarios": self._runs.catalogue(),
            "lists": self._lists.all(),
        }  # fmt: skip

    # --- the console's own requests
    async def _save_list(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        self._lists.save(arguments.get("name"), arguments.get("paths"))
        self.attendance.tell_all({"kind": "lists", "lists": self._lists.all()})

    async def _delete_list(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        self._lists.delete(arguments.get("name"))
        self.attendance.tell_all({"kind": "lists", "lists": self._lists.all()})


def _lists_folder(cell: AnyCell, runs: Path) -> Path:
    """Lists of arms are about other variables than a hall's: they have a folder of their own."""
    return runs / LISTS if isinstance(cell, Cell) else runs / LISTS / cell.source.stem
