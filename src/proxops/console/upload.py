"""A trajectory file from the page: received, judged line by line in another process, put on the desk when it may run."""

from __future__ import annotations

import asyncio
import hashlib
import os
import tempfile
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from proxops.client import loaded_lines
from proxops.console import trajectory_check
from proxops.console.clerk import TimedVerb
from proxops.console.desk_line import Line
from proxops.console.turn import Turn
from proxops.console.upload_state import NONE, told
from proxops.console.viewer import Viewer
from proxops.console.worker import Worker
from proxops.core.errors import BadInput, ProxopsError, Refused
from proxops.core.sealed_memory import sealed_copy
from proxops.core.trajectory_size import LARGEST_BYTES

SILENCE_S: Final = 5.0  # between two pieces of a file
DESK_MS: Final = 1000.0
LOOK_S: Final = 0.1
NAME_LENGTH: Final = 100


@dataclass(frozen=True)
class Arrived:
    """A file that has arrived whole. ``number`` is what pages call it by."""

    number: int
    path: Path
    name: str
    digest: str


class Upload:
    """The file that was uploaded last, and what is known of it. ``tell`` hears of every change."""

    def __init__(
        self,
        cell: Path | None,
        user_tool: Path | None,
        line: Line,
        tell: Callable[[dict[str, Any]], None],
    ) -> None:
        self._cell, self._user_tool, self._line, self._tell = cell, user_tool, line, tell
        self._folder = tempfile.TemporaryDirectory(prefix="proxops-upload-")
        self._worker, self._turn = Worker(), asyncio.Lock()
        self._receiving = False
        self._file: Arrived | None = None
        self._checking: asyncio.Task[None] | None = None
        self._loading: set[asyncio.Task[None]] = set()
        self.state = NONE
        self.verbs: dict[str, TimedVerb] = {"load_upload": self._load}

    async def receive(self, name: str, chunks: AsyncIterator[bytes], demand: Callable[[], None]) -> None:
        """Take a file in, then judge it. Until it is here as a whole, all stays as it was. ``demand`` refuses who does not hold
        control (any more)."""
        demand()
        if self._receiving:
            raise Refused("upload: another file is just arriving")
        self._receiving = True
        part = Path(self._folder.name) / "arriving"
        try:
            digest = await _written(part, chunks, demand)
            self._accept(part, digest, "".join(c for c in name if c.isprintable())[-NAME_LENGTH:] or "trajectory")
        finally:
            part.unlink(missing_ok=True)
            self._receiving = False

    def _accept(self, part: Path, digest: str, name: str) -> None:
        """The newest file takes the place of the one before, whose check ends wherever it is."""
        if self._checking:
            self._checking.cancel()
        before, number = self._file, self._file.number + 1 if self._file else 1
        self._file = file = Arrived(number, Path(self._folder.name) / f"{number}.txt", name, digest)
        part.rename(file.path)
        if before:
            before.path.unlink(missing_ok=True)
        self._say(NONE | {"phase": "checking", "name": name, "number": number})
        self._checking = asyncio.create_task(self._check(file))

    async def _check(self, file: Arrived) -> None:
        try:
            arguments = (self._cell, self._user_tool, file.path, file.name)
            about = await self._worker.ask(trajectory_check.check, *arguments, mortal=True)
            state = told(about)
        except ProxopsError as error:
            state = NONE | {"phase": "checked", "name": file.name, "verdict": str(error)}
        self._say(state | {"number": file.number})

    async def _load(self, viewer: Viewer, arguments: dict[str, Any], turn: Turn) -> None:
        """Onto the desk: the very file that was found fit to run, and that the page means."""
        file = self._file
        if file is None or self.state["phase"] not in ("checked", "loaded") or not self.state["feasible"]:
            raise Refused("load: no file that may run has been uploaded")
        if arguments.get("number") != file.number:
            raise Refused(f"load: another file has been uploaded meanwhile, {file.name}")
        # It goes on when the page goes: nothing may be left half done.
        loading = asyncio.create_task(self._put(file, turn))
        self._loading.add(loading)
        loading.add_done_callback(self._over)
        await asyncio.shield(loading)

    async def _put(self, file: Arrived, turn: Turn) -> None:
        """One after another. Getting it ready takes its time: afterwards the page must still hold control. The facility
        checks it once more, with its own cell and tool."""
        async with self._turn:
            turn.check()
            fd = await asyncio.to_thread(_sealed, file)
            try:
                turn.demand()
                if self._file is not file:
                    raise Refused("load: another file has been uploaded meanwhile")
                job = (await self._line.ask("load", {"source": file.name}, DESK_MS, fd=fd))["job"]
            finally:
                os.close(fd)
            while loaded_lines((await self._line.ask("status", {}, DESK_MS))["load"], job) is None:
                await asyncio.sleep(LOOK_S)
            if self._file is file:
                self._say(self.state | {"phase": "loaded"})

    def _over(self, task: asyncio.Task[None]) -> None:
        self._loading.discard(task)
        if not task.cancelled():
            task.exception()  # heard, also when the page has gone

    def _say(self, state: dict[str, Any]) -> None:
        self.state = state
        self._tell(state)

    async def close(self) -> None:
        tasks = [*([self._checking] if self._checking else []), *self._loading]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)
        self._worker.close()
        self._folder.cleanup()


def _sealed(file: Arrived) -> int:
    """Descriptor of a sealed copy of the very file that was judged."""
    try:
        fd = sealed_copy(file.path, "trajectory", LARGEST_BYTES)
    except BadInput as error:
        raise Refused(f"load: the file is gone: {error.what}") from None
    if hashlib.sha256(os.pread(fd, LARGEST_BYTES, 0)).hexdigest() != file.digest:
        os.close(fd)
        raise Refused("load: the file is not the one that was checked")
    return fd


async def _written(path: Path, chunks: AsyncIterator[bytes], demand: Callable[[], None]) -> str:
    """Write what arrives; its digest. Who falls silent, or loses control on the way, is not waited for."""
    digest, size = hashlib.sha256(), 0
    with path.open("wb") as file:
        while True:
            try:
                chunk = await asyncio.wait_for(anext(chunks), SILENCE_S)
            except StopAsyncIteration:
                return digest.hexdigest()
            except TimeoutError:
                raise BadInput("upload: the file stopped arriving", value=f"{size} bytes") from None
            demand()
            size += len(chunk)
            if size > LARGEST_BYTES:
                raise BadInput("upload: the file is too large", bound=f"{LARGEST_BYTES} bytes")
            digest.update(chunk)
            file.write(chunk)
