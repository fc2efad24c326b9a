"""What the log viewer asks of the server, all of it GET: runs, one run, curves of it, samples for replay, CSV."""

from __future__ import annotations

import asyncio
import contextlib
import math
import re
from collections.abc import AsyncIterator, Awaitable, Callable
from pathlib import Path
from typing import Any, Final, TypeVar

import numpy as np
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from proxops.console import log_desk
from proxops.console.csv_pieces import Download
from proxops.console.json_text import JsonAnswer
from proxops.console.log_differences import curves_and_differences
from proxops.console.log_query import names, number, run_id, span
from proxops.console.packed import pack
from proxops.console.worker import Busy, Worker
from proxops.core.errors import BadInput

Answer = Callable[[Request], Awaitable[Response]]
T = TypeVar("T")
PIXELS: Final = (100, 4000)
HZ: Final = (0.1, 2000.0)
SAMPLES: Final = 5000  # of one request
DOWNLOADS: Final = 2  # at a time
GONE: Final = 499  # nobody hears it


class LogRoutes:
    """The requests, and the processes that answer them: downloads have their own, so that nobody's plots wait for them.
    ``close`` ends both."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._worker, self._writer = Worker(), Worker()
        self._downloads = 0

    def routes(self, guarded: Callable[[Answer], Answer]) -> list[Route]:
        """``guarded``: lets in only our own page and puts errors into words."""
        answers = {
            "/api/logs": self._list, "/api/log": self._open, "/api/log/curves": self._curves,
            "/api/log/samples": self._samples, "/api/log/csv": self._csv,
        }  # fmt: skip
        return [Route(path, guarded(self._bounded(answer)), methods=["GET"]) for path, answer in answers.items()]

    def close(self) -> None:
        self._worker.close()
        self._writer.close()

    def _bounded(self, answer: Answer) -> Answer:
        """Tells who waits in vain; and errors name runs by their ids, not by where they lie on the server."""

        async def answered(request: Request) -> Response:
            try:
                return await answer(request)
            except Busy as reason:
                return JsonAnswer({"error": str(reason)}, 503)
            except _GoneAway:
                return Response(status_code=GONE)
            except BadInput as reason:
                raise BadInput(str(reason).replace(f"{self._folder}/", "")) from None

        return answered

    async def _ask(self, request: Request, function: Callable[..., T], *arguments: object) -> T:
        return await _while_heard(request, self._worker.ask(function, self._folder, *arguments))

    async def _list(self, request: Request) -> Response:
        return JsonAnswer(await self._ask(request, log_desk.list_runs))

    async def _open(self, request: Request) -> Response:
        return JsonAnswer(await self._ask(request, log_desk.open_log, run_id(request)))

    async def _curves(self, request: Request) -> Response:
        t0, t1 = span(request)
        pixels = round(number(request, "pixels", *PIXELS))
        found = await self._ask(request, curves_and_differences, run_id(request), names(request), t0, t1, pixels)
        head = {name: found[name] for name in ("records_per_column", "exact", "sampled")}
        arrays = {"t": found["t"]}
        for name in found["low"]:
            arrays |= {f"low {name}": found["low"][name], f"high {name}": found["high"][name]}
        return _packed(head, arrays)

    async def _samples(self, request: Request) -> Response:
        t0, t1 = span(request)
        count = math.floor((t1 - t0) * number(request, "hz", *HZ)) + 1
        if count > SAMPLES:
            raise BadInput("too many samples at once", value=count, bound=f"at most {SAMPLES}")
        times = np.linspace(t0, t1, max(count, 2)).tolist()
        found = await self._ask(request, log_desk.samples, run_id(request), times, names(request))
        return _packed({}, {"t": found["t"], **found["values"]})

    async def _csv(self, request: Request) -> Response:
        t0, t1 = span(request) if "t0" in request.query_params else (None, None)
        wanted = Download(self._folder, run_id(request), tuple(names(request)), t0, t1)
        if self._downloads >= DOWNLOADS:
            raise Busy(f"{DOWNLOADS} downloads are under way already; try again when one has ended")
        self._downloads += 1
        try:
            pieces = wanted.pieces(self._writer)
            first = await _while_heard(request, anext(pieces))  # errors still get their words
        except BaseException:
            self._download_over()
            raise
        name = re.sub(r"[^A-Za-z0-9._-]+", "_", wanted.id.removesuffix(".mcap")).strip("._") or "run"
        headers = {"Content-Disposition": f'attachment; filename="{name[-100:]}.csv"'}
        return _Streamed(_joined(first, pieces), headers, self._download_over)

    def _download_over(self) -> None:
        self._downloads -= 1


class _Streamed(StreamingResponse):
    """CSV as it is made; ``over`` is called at the end, whichever it is."""

    def __init__(self, pieces: AsyncIterator[bytes], headers: dict[str, str], over: Callable[[], None]) -> None:
        super().__init__(pieces, media_type="text/csv; charset=utf-8", headers=headers)
        self._over = over

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        try:
            await super().__call__(scope, receive, send)
        finally:
            self._over()


async def _joined(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece


def _packed(head: dict[str, Any], arrays: dict[str, Any]) -> Response:
    return Response(pack(head, arrays), media_type="application/octet-stream")


# --- requests that nobody should wait for, or that nobody waits for any more
class _GoneAway(Exception):
    """The page has closed the connection."""


async def _while_heard(request: Request, work: Awaitable[T]) -> T:
    """What ``work`` gives, unless the page goes away before."""
    working, leaving = asyncio.ensure_future(work), asyncio.ensure_future(_left(request))
    try:
        await asyncio.wait({working, leaving}, return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise _GoneAway
        return working.result()
    finally:
        for task in (working, leaving):
            task.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await leaving


async def _left(request: Request) -> None:
    while (await request.receive())["type"] != "http.disconnect":
        pass
