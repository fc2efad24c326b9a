"""A trajectory file from the page: received, judged line by line in another process, put on the desk when it may run."""

from __future__ import annotations

import asyncio
import contextlib
import tempfile
from collections.abc import AsyncIterator, Callable
from pathlib import Path
from typing import Any, Final

from proxops.console import trajectory_check
from proxops.console.clerk import OwnVerb
from proxops.console.trajectory_check import LARGEST_BYTES
from proxops.console.viewer import Viewer
from proxops.console.worker import Worker
from proxops.core.errors import BadInput, ProxopsError, Refused

NONE: Final[dict[str, Any]] = {
    "kind": "upload", "phase": "none", "name": "", "lines": 0, "duration_s": 0.0, "errors": [], "errors_more": 0,
    "feasible": False, "verdict": "", "findings": [],
}  # fmt: skip
FINDINGS: Final = 50
NAME_LENGTH: Final = 100


class Upload:
    """The file that was uploaded last, and what is known of it. ``tell`` hears of every change."""

    def __init__(
        self,
        cell: Path | None,
        user_tool: Path | None,
        control: tuple[str, int],
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self._cell, self._user_tool, self._control, self._tell = cell, user_tool, control, tell
        self._folder = tempfile.TemporaryDirectory(prefix="proxops-upload-")
        self._worker = Worker()
        self._checking: asyncio.Task[None] | None = None
        self._number = 0
        self.state = NONE
        self.verbs: dict[str, OwnVerb] = {"load_upload": self._load}

    async def receive(self, name: str, chunks: AsyncIterator[bytes]) -> None:
        """Take a file in, then judge it. What was there before is forgotten."""
        self._number += 1
        number, name = self._number, "".join(c for c in name if c.isprintable())[-NAME_LENGTH:] or "trajectory"
        size = 0
        with self._path(number).open("wb") as file:
            async for chunk in chunks:
                size += len(chunk)
                if size > LARGEST_BYTES:
                    raise BadInput("the file is too large", where=name, bound=f"{LARGEST_BYTES} bytes")
                file.write(chunk)
        if number == self._number:
            self._say(NONE | {"phase": "checking", "name": name})
            self._checking = asyncio.create_task(self._check(number, name))

    async def _check(self, number: int, name: str) -> None:
        try:
            about = await self._worker.ask(
                trajectory_check.check, self._cell, self._user_tool, self._path(number), name
            )
            state = told(about)
        except ProxopsError as error:
            state = NONE | {"phase": "checked", "name": name, "verdict": str(error)}
        if number == self._number:
            self._say(state)

    async def _load(self, viewer: Viewer, arguments: dict[str, Any]) -> None:
        """Onto the desk, once it has been found fit to run."""
        if self.state["phase"] not in ("checked", "loaded") or not self.state["feasible"]:
            raise Refused("load: no file that may run has been uploaded")
        path, name = self._path(self._number), str(self.state["name"])
        await self._worker.ask(put_on_desk, self._control, self._cell, self._user_tool, path, name)
        self._say(self.state | {"phase": "loaded"})

    def _path(self, number: int) -> Path:
        return Path(self._folder.name) / f"{number}.txt"

    def _say(self, state: dict[str, Any]) -> None:
        self.state = state
        self._tell(state)

    async def close(self) -> None:
        if self._checking:
            self._checking.cancel()
            with contextlib.suppress(asyncio.CancelledError):
                await self._checking
        self._worker.close()
        self._folder.cleanup()


def put_on_desk(
    control: tuple[str, int], cell: Path | None, user_tool: Path | None, file: Path, name: str
) -> int:  # in the worker's process
    """Check once more and load; the number of lines."""
    return trajectory_check.load(control, trajectory_check.cell_of(cell, user_tool), file, name)


def told(about: dict[str, Any]) -> dict[str, Any]:
    """What the page shows of a check."""
    answer = about["answer"] or {}
    stops = about["preflight"]
    found = [{"where": f"line {f['line']}", "what": f["text"]} for f in stops]
    found += [{"where": f"bridge, {f['t_s']:.2f} s", "what": f["text"]} for f in answer.get("findings", [])]
    return NONE | {
        "phase": "checked", "name": about["name"], "lines": about["lines"], "duration_s": about["duration_s"],
        "errors": about["errors"], "errors_more": about["errors_more"], "feasible": about["may_run"],
        "verdict": _verdict(about, answer), "findings": found[:FINDINGS],
    }  # fmt: skip


def _verdict(about: dict[str, Any], answer: dict[str, Any]) -> str:
    if about["errors"]:
        count = len(about["errors"]) + about["errors_more"]
        return f"{count} {'line is' if count == 1 else 'lines are'} not as they should be; nothing was loaded."
    word = "The hall can play it as it is written." if about["may_run"] else "The hall cannot play it."
    return f"{word} {answer.get('verdict', '')}".strip()
