"""A process that works for the console (reads logs, judges uploads): one request after another, behind everything else."""

from __future__ import annotations

import asyncio
import contextlib
import multiprocessing
import os
import threading
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from typing import Final, TypeVar

from proxops.core.errors import ProxopsError, Refused

NICE: Final = 10  # behind the console, which is behind the tick
WAITING: Final = 16  # requests that may wait, the one being read among them
T = TypeVar("T")


class Busy(ProxopsError):
    """Too many requests wait already."""


class Worker:
    """Starts its process with the first request and a new one when that has broken."""

    def __init__(self) -> None:
        self._pool: ProcessPoolExecutor | None = None
        self._turn = asyncio.Lock()
        self._waiting = 0

    async def ask(self, function: Callable[..., T], *arguments: object, mortal: bool = False) -> T:
        """What ``function``, a function of a module, gives in the process. Cancelled while it waits for its turn, it is
        never read; cancelled later, nobody hears the answer, and what is ``mortal`` ends with its process."""
        if self._waiting >= WAITING:
            raise Busy(f"{self._waiting} requests wait already; try again in a moment")
        self._waiting += 1
        try:
            async with self._turn:
                return await self._answer(function, arguments, mortal)
        finally:
            self._waiting -= 1

    async def _answer(self, function: Callable[..., T], arguments: tuple[object, ...], mortal: bool) -> T:
        for _ in range(2):
            pool = self._pool = self._pool or _pool()
            try:
                return await asyncio.get_running_loop().run_in_executor(pool, function, *arguments)
            except BrokenProcessPool:
                self._pool = None
                pool.shutdown(wait=False)
            except asyncio.CancelledError:
                if mortal:
                    self.close()
                raise
        raise Refused("the process that works on this has ended twice over it; is there memory left?")

    def close(self) -> None:
        """End the process, whatever it does; it only reads."""
        pool, self._pool = self._pool, None
        if pool is None:
            return
        # The executor gives no public way to end a process that is at work.
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)


def _pool() -> ProcessPoolExecutor:
    """Spawned, not forked: the console has threads and sockets that must not be copied."""
    return ProcessPoolExecutor(1, multiprocessing.get_context("spawn"), _begin)


def _begin() -> None:
    """In the process: step back, and never outlive the console."""
    with contextlib.suppress(OSError):
        os.nice(NICE)
    threading.Thread(target=_end_with_parent, daemon=True).start()


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        parent.join()
    os._exit(0)
