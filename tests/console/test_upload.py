"""Uploads: what has not arrived whole changes nothing, the newest file counts, and only what was judged is loaded."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from collections.abc import AsyncIterator, Callable, Coroutine
from pathlib import Path
from typing import Any

import pytest
from starlette.requests import ClientDisconnect

from proxops.console import trajectory_check, upload
from proxops.console.turn import Turn
from proxops.console.upload import Upload
from proxops.console.viewer import Viewer
from proxops.core.errors import BadInput, Refused
from proxops.core.sealed_memory import is_sealed

GOOD: dict[str, Any] = {
    "name": "a.txt", "lines": 2, "duration_s": 0.004, "errors": [], "errors_more": 0, "preflight": [], "may_run": True,
    "answer": None,
}  # fmt: skip


class Worker:
    """Judges everything to be good; works for as long as it is held up."""

    def __init__(self) -> None:
        self.free = asyncio.Event()
        self.free.set()
        self.cancelled: list[Path] = []

    async def ask(self, function: Callable[..., Any], *arguments: Any, mortal: bool = False) -> Any:
        assert function is trajectory_check.check and mortal
        file = arguments[2]
        try:
            await self.free.wait()
        except asyncio.CancelledError:
            self.cancelled.append(file)
            raise
        return GOOD | {"name": arguments[3]}

    def close(self) -> None: ...


class Line:
    """A facility that finds every file good, unless ``error`` says otherwise, once it is ``free``."""

    def __init__(self) -> None:
        self.loaded: list[tuple[str, bytes]] = []
        self.free, self.error = asyncio.Event(), ""
        self.free.set()

    async def ask(
        self, verb: str, arguments: dict[str, Any], ttl_ms: float = 0.0, age_ms: float = 0.0, fd: int | None = None
    ) -> Any:
        job = len(self.loaded)
        if verb == "status":
            state = "refused" if self.error else "loaded" if self.free.is_set() else "checking"
            return {"load": {"job": job, "state": state, "source": "", "lines": 2, "error": self.error, "exit": 2}}
        assert verb == "load" and fd is not None and is_sealed(fd)
        self.loaded.append((arguments["source"], os.pread(fd, 1000, 0)))
        return {"job": job + 1}


class Bench:
    """An upload with all that surrounds it."""

    def __init__(self) -> None:
        self.line, self.told, self.holding = Line(), list[dict[str, Any]](), True
        self.upload = Upload(None, None, self.line, self.told.append)
        self.worker = Worker()
        self.upload._worker = self.worker  # type: ignore[assignment]

    def demand(self) -> None:
        if not self.holding:
            raise Refused("not possible while watching")

    async def send(self, *chunks: bytes | Exception, name: str = "a.txt") -> None:
        await self.upload.receive(name, pieces(*chunks), self.demand)

    async def checked(self) -> None:
        assert self.upload._checking
        await self.upload._checking

    async def load(self, number: int, left_s: float = 1.0) -> None:
        turn = Turn("load_upload", time.monotonic() + left_s, self.demand)
        await self.upload.verbs["load_upload"](Viewer(1, "a"), {"number": number}, turn)

    @property
    def files(self) -> set[str]:
        return {path.name for path in Path(self.upload._folder.name).iterdir()}


async def pieces(*chunks: bytes | Exception) -> AsyncIterator[bytes]:
    for chunk in chunks:
        await asyncio.sleep(0)
        if isinstance(chunk, Exception):
            raise chunk
        yield chunk


def on_bench(test: Callable[[Bench], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        bench = Bench()
        try:
            await test(bench)
        finally:
            await bench.upload.close()

    asyncio.run(run())


def test_a_file_is_judged_and_put_on_the_desk() -> None:
    async def test(bench: Bench) -> None:
        with pytest.raises(Refused, match="no file"):
            await bench.load(1)
        await bench.send(b"one ", b"two", name="x\x00y.txt")
        assert bench.upload.state["phase"] == "checking"
        with pytest.raises(Refused, match="no file"):
            await bench.load(1)
        await bench.checked()
        assert bench.upload.state["feasible"] and bench.upload.state["number"] == 1
        await bench.load(1)
        assert bench.line.loaded == [("xy.txt", b"one two")]
        assert bench.told[-1]["phase"] == "loaded"

    on_bench(test)


@pytest.mark.parametrize(
    ("chunks", "error"),
    [((b"x" * 90, b"y" * 20), BadInput), ((b"x", ClientDisconnect()), ClientDisconnect), ((OSError(),), OSError)],
)
def test_what_does_not_arrive_whole_changes_nothing(
    monkeypatch: pytest.MonkeyPatch, chunks: tuple[Any, ...], error: type[Exception]
) -> None:
    monkeypatch.setattr(upload, "LARGEST_BYTES", 100)

    async def test(bench: Bench) -> None:
        await bench.send(b"good")
        await bench.checked()
        before = bench.upload.state
        with pytest.raises(error):
            await bench.send(*chunks)
        assert bench.upload.state is before and bench.files == {"1.txt"}
        await bench.load(1)
        assert bench.line.loaded == [("a.txt", b"good")]
        await bench.send(b"better")
        assert bench.upload.state["number"] == 2 and bench.files == {"2.txt"}

    on_bench(test)


def test_one_at_a_time_and_not_for_ever(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(upload, "SILENCE_S", 0.05)

    async def test(bench: Bench) -> None:
        async def stalled() -> AsyncIterator[bytes]:
            yield b"begun"
            await asyncio.Event().wait()

        first = asyncio.create_task(bench.upload.receive("slow", stalled(), bench.demand))
        await asyncio.sleep(0.01)
        with pytest.raises(Refused, match="just arriving"):
            await bench.send(b"other")
        with pytest.raises(BadInput, match="stopped arriving"):
            await first
        assert bench.upload.state["phase"] == "none" and bench.files == set()
        await bench.send(b"other")

    on_bench(test)


def test_who_loses_control_on_the_way_uploads_nothing() -> None:
    async def test(bench: Bench) -> None:
        async def interrupted() -> AsyncIterator[bytes]:
            yield b"one"
            bench.holding = False
            yield b"two"

        with pytest.raises(Refused, match="while watching"):
            await bench.upload.receive("a", interrupted(), bench.demand)
        with pytest.raises(Refused, match="while watching"):
            await bench.send(b"later")
        assert bench.told == [] and bench.files == set()

    on_bench(test)


def test_a_newer_file_ends_the_check_of_the_older() -> None:
    async def test(bench: Bench) -> None:
        bench.worker.free.clear()
        await bench.send(b"old")
        await asyncio.sleep(0)
        await bench.send(b"new", name="b.txt")
        bench.worker.free.set()
        await bench.checked()
        assert [path.name for path in bench.worker.cancelled] == ["1.txt"]
        assert bench.upload.state["name"] == "b.txt" and bench.files == {"2.txt"}
        assert [t["name"] for t in bench.told if t["phase"] == "checked"] == ["b.txt"]
        with pytest.raises(Refused, match="another file"):
            await bench.load(1)  # the page still showed the old one
        assert bench.line.loaded == []

    on_bench(test)


@pytest.mark.parametrize("change", ["control", "file"])
def test_what_changes_while_it_is_made_ready(change: str, monkeypatch: pytest.MonkeyPatch) -> None:
    free, sealed = threading.Event(), upload._sealed
    monkeypatch.setattr(upload, "_sealed", lambda file: free.wait(10) and sealed(file))

    async def test(bench: Bench) -> None:
        await bench.send(b"one")
        await bench.checked()
        loading = asyncio.create_task(bench.load(1))
        await asyncio.sleep(0.01)
        if change == "control":
            bench.holding = False
        else:
            bench.upload._file = upload.Arrived(2, bench.upload._file.path, "b", "")  # type: ignore[union-attr]
        free.set()
        with pytest.raises(Refused):
            await loading
        assert bench.line.loaded == [] and bench.upload.state["phase"] == "checked"

    on_bench(test)


@pytest.mark.parametrize(("change", "told"), [("replaced", "not the one that was checked"), ("removed", "gone")])
def test_only_the_very_file_that_was_judged_reaches_the_facility(change: str, told: str) -> None:
    async def test(bench: Bench) -> None:
        await bench.send(b"one")
        await bench.checked()
        path = bench.upload._file.path  # type: ignore[union-attr]
        path.write_bytes(b"two") if change == "replaced" else path.unlink()
        with pytest.raises(Refused, match=told):
            await bench.load(1)
        assert bench.line.loaded == []

    on_bench(test)


def test_what_the_facility_refuses_is_not_loaded() -> None:
    async def test(bench: Bench) -> None:
        await bench.send(b"one")
        await bench.checked()
        bench.line.error = "a.txt, line 1: AXIS_SPEED"
        with pytest.raises(BadInput, match="line 1: AXIS_SPEED"):
            await bench.load(1)
        assert bench.upload.state["phase"] == "checked"

    on_bench(test)


def test_a_turn_that_comes_too_late_loads_nothing() -> None:
    async def test(bench: Bench) -> None:
        await bench.send(b"one")
        await bench.checked()
        bench.line.free.clear()
        first = asyncio.create_task(bench.load(1))
        await asyncio.sleep(0)
        second = asyncio.create_task(bench.load(1, left_s=0.02))
        await asyncio.sleep(0.05)
        bench.line.free.set()
        await first
        with pytest.raises(Refused, match="too late"):
            await second
        assert len(bench.line.loaded) == 1

    on_bench(test)
