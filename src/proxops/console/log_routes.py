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
from starlette.responses import JSONResponse, Response, StreamingResponse
from starlette.routing import Route

from proxops.console import log_desk
from proxops.console.csv_pieces import Download
from proxops.console.log_differences import curves_and_differences
from proxops.console.packed import pack
from proxops.console.worker import Busy, Worker
from proxops.core.errors import BadInput

Answer = Callable[[Request], Awaitable[Response]]
T = TypeVar("T")
PIXELS: Final = (100, 4000)
NAMES: Final = 64
HZ: Final = (0.1, 250.0)
SAMPLES: Final = 5000  # of one request
GONE: Final = 499  # nobody hears it


class LogRoutes:
    """The requests, and the process that answers them. ``close`` ends it."""

    def __init__(self, folder: Path) -> None:
        self._folder = str(folder)
        self._worker = Worker()

    def routes(self, guarded: Callable[[Answer], Answer]) -> list[Route]:
        """``guarded``: lets in only our own page and puts errors into words."""
        answers = {
            "/api/logs": self._list, "/api/log": self._open, "/api/log/curves": self._curves,
            "/api/log/samples": self._samples, "/api/log/csv": self._csv,
        }  # fmt: skip
        return [Route(path, guarded(_bounded(answer)), methods=["GET"]) for path, answer in answers.items()]

    def close(self) -> None:
        self._worker.close()

    async def _ask(self, request: Request, function: Callable[..., T], *arguments: object) -> T:
        return await _while_heard(request, self._worker.ask(function, self._folder, *arguments))

    async def _list(self, request: Request) -> Response:
        return JSONResponse(await self._ask(request, log_desk.list_runs))

    async def _open(self, request: Request) -> Response:
        return JSONResponse(await self._ask(request, log_desk.open_log, _id(request)))

    async def _curves(self, request: Request) -> Response:
        t0, t1 = _span(request)
        pixels = round(_number(request, "pixels", *PIXELS))
        found = await self._ask(request, curves_and_differences, _id(request), _names(request), t0, t1, pixels)
        head = {name: found[name] for name in ("records_per_column", "exact", "sampled")}
        arrays = {"t": found["t"]}
        for name in found["low"]:
            arrays |= {f"low {name}": found["low"][name], f"high {name}": found["high"][name]}
        return _packed(head, arrays)

    async def _samples(self, request: Request) -> Response:
        t0, t1 = _span(request)
        count = math.floor((t1 - t0) * _number(request, "hz", *HZ)) + 1
        if count > SAMPLES:
            raise BadInput("too many samples at once", value=count, bound=f"at most {SAMPLES}")
        times = np.linspace(t0, t1, max(count, 2)).tolist()
        found = await self._ask(request, log_desk.samples, _id(request), times, _names(request))
        return _packed({}, {"t": found["t"], **found["values"]})

    async def _csv(self, request: Request) -> Response:
        t0, t1 = _span(request) if "t0" in request.query_params else (None, None)
        wanted = Download(self._folder, _id(request), tuple(_names(request)), t0, t1)
        pieces = wanted.pieces(self._worker)
        first = await _while_heard(request, anext(pieces))  # errors still get their words
        name = re.sub(r"[^A-Za-z0-9._-]+", "_", wanted.id.removesuffix(".mcap")).strip("._") or "run"
        headers = {"Content-Disposition": f'attachment; filename="{name[-100:]}.csv"'}
        return StreamingResponse(_joined(first, pieces), media_type="text/csv; charset=utf-8", headers=headers)


async def _joined(first: bytes, rest: AsyncIterator[bytes]) -> AsyncIterator[bytes]:
    yield first
    async for piece in rest:
        yield piece


def _packed(head: dict[str, Any], arrays: dict[str, Any]) -> Response:
    return Response(pack(head, arrays), media_type="application/octet-stream")


# --- requests that nobody should wait for, or that nobody waits for any more
class _GoneAway(Exception):
    """The page has closed the connection."""


def _bounded(answer: Answer) -> Answer:
    async def answered(request: Request) -> Response:
        try:
            return await answer(request)
        except Busy as reason:
            return JSONResponse({"error": str(reason)}, 503)
        except _GoneAway:
            return Response(status_code=GONE)

    return answered


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


# --- what stands in the address
def _text(request: Request, name: str) -> str:
    given = request.query_params.get(name, "")
    if not given:
        raise BadInput(f"{name} is missing in the request")
    return given


def _id(request: Request) -> str:
    return _text(request, "id")


def _number(request: Request, name: str, least: float = -math.inf, most: float = math.inf) -> float:
    given = _text(request, name)
    try:
        number = float(given)
    except ValueError:
        number = math.nan
    if not (math.isfinite(number) and least <= number <= most):
        bound = f"{least:g} to {most:g}" if math.isfinite(most) else "a finite number"
        raise BadInput(name, value=repr(given[:40]), bound=bound)
    return number


def _span(request: Request) -> tuple[float, float]:
    t0, t1 = _number(request, "t0"), _number(request, "t1")
    if not t0 < t1:
        raise BadInput("the span of time is empty", value=f"{t0} to {t1} s", bound="t0 before t1")
    return t0, t1


def _names(request: Request) -> list[str]:
    names = list(dict.fromkeys(name for name in _text(request, "names").split(",") if name))
    if not 0 < len(names) <= NAMES:
        raise BadInput("names of variables", value=len(names), bound=f"1 to {NAMES}")
    return names
