"""Scenarios from the page: the engine runs them, the desk gives the hall to the bridge for those that need it."""

from __future__ import annotations

import asyncio
from pathlib import Path
from typing import Any, Final

from proxops.console.clerk import OwnVerb
from proxops.console.desk_line import DeskLine
from proxops.console.facility_about import FacilityAbout
from proxops.console.scenario_run import ScenarioRuns
from proxops.console.viewer import Viewer
from proxops.core.errors import BadInput, ProxopsError, Refused

DESK_MS: Final = 1000.0
GOING: Final = ("starting", "running", "paused")
HALL_IS_OURS: Final = ("BRIDGED", "HALTING")


class RunDesk:
    """One run at a time. ``watch`` lets go of the hall once a run is over, and pauses one that has lost the hall (a stop, another
    source): its time does not go on without the robots, and they never follow it again unless somebody says so."""

    def __init__(self, about: FacilityAbout, folder: Path, line: DeskLine) -> None:
        self._runs, self._line = ScenarioRuns(about, folder), line
        self._bridged = False  # the bridge was selected for the present run
        self._lost = ""  # mode in which the present run lost the hall
        self.verbs: dict[str, OwnVerb] = {
            "run_start": self._start, "run_pause": self._pause, "run_resume": self._resume, "run_end": self._end,
        }  # fmt: skip

    def catalogue(self) -> list[dict[str, Any]]:
        return self._runs.catalogue()

    def state(self) -> dict[str, Any]:
        """For the pages; ``what`` is the kind of scenario."""
        state = self._runs.state()
        if self._lost and state["phase"] == "paused":
            state["message"] = (
                f"paused, as the bridge has lost the hall ({self._lost}); it goes on from here, with the bridge"
            )
        return {**state, "kind": "run", "what": state["kind"], "name": state["name"] or ""}

    async def watch(self, mode: str) -> None:
        """Called now and then."""
        if not self._bridged:
            return
        phase, ours = self._runs.state()["phase"], mode in HALL_IS_OURS
        if phase not in GOING:
            self._bridged = False
            if ours:
                await self._line.ask("select", {"source": "none"}, DESK_MS)
        elif not ours and phase != "paused":
            self._lost = mode
            self._runs.pause()

    async def _start(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        name = arguments.get("name")
        if not isinstance(name, str):
            raise BadInput("name of a scenario must be a text", value=repr(name)[:60])
        needs_bridge = self._runs.needs_bridge(name)
        if self._runs.state()["phase"] in GOING:
            raise Refused(f"{self._runs.state()['name']} is under way: end it first")
        if needs_bridge:
            await self._select_bridge()
            await self._ask_for_client()
        self._runs.start(name)
        self._bridged, self._lost = needs_bridge, ""

    async def _select_bridge(self) -> None:
        status = await self._line.ask("status", {}, DESK_MS)
        if status["mode"] != "BRIDGED":
            await self._line.ask("select", {"source": "bridge"}, DESK_MS)

    async def _ask_for_client(self) -> None:
        """Whoever starts a scenario asks for its client, not for a stranger that waits at the bridge."""
        bridge = (await self._line.ask("status", {}, DESK_MS))["bridge"]
        if bridge["new_client"]:
            raise Refused(f"{bridge['client']} waits at the bridge: end it, or accept it (proxops ctl accept)")
        await self._line.ask("accept", {"ahead": True}, DESK_MS)

    async def _pause(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        self._runs.pause()

    async def _resume(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        if self._bridged:
            await self._select_bridge()
        self._lost = ""
        self._runs.resume()

    async def _end(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        """Ending a process may take a moment: not on the loop that serves the pages."""
        await asyncio.to_thread(self._runs.end)

    async def close(self) -> None:
        try:
            await asyncio.to_thread(self._runs.close)
        except ProxopsError:
            return  # there was none
