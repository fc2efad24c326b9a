"""The console's process: ``python -m proxops.console``, started by its keeper with a socket that listens already."""

from __future__ import annotations

import argparse
import asyncio
import contextlib
import os
import resource
import signal
import socket
from pathlib import Path
from typing import Final

import uvicorn

from proxops.console.access import Gate
from proxops.console.connection_watch import ConnectionWatch
from proxops.console.facility_about import FacilityAbout
from proxops.console.keeper import ENDING
from proxops.console.operations import ConsolePlace
from proxops.console.page_protocol import PageProtocol
from proxops.console.requests import SIZE_LIMIT
from proxops.console.server import Console
from proxops.core.pulse import beat
from proxops.lab.any_cell import AnyCell, read_any_cell
from proxops.lab.user_tool import UserTool

NICE: Final = 5
LOOK_S: Final = 0.2


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="proxops.console")
    parser.add_argument("--facility", type=Path, required=True, help="facility.json of the served run")
    parser.add_argument("--runs", type=Path, required=True, help="folder of all runs")
    parser.add_argument("--fd", type=int, required=True, help="listening socket")
    parser.add_argument("--parent", type=int, required=True, help="process whose end ends this one")
    parser.add_argument("--pulse", type=int, required=True, help="pipe to the keeper, which listens for our heartbeat")
    parser.add_argument("--cell", type=Path)
    parser.add_argument("--user-tool", type=Path)
    return parser.parse_args()


def _step_back() -> None:
    """Behind the tick in every respect; Ctrl-C at the terminal is the facility's affair."""
    for number in (signal.SIGINT, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with contextlib.suppress(OSError):
        os.nice(NICE)
    with contextlib.suppress(OSError, ValueError):  # a flood of connections may not starve us of file numbers
        _, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, 65536), hard))


async def _beat(pulse: int) -> None:
    """The event loop's heartbeat, to its very end: closing may take a while."""
    try:
        while True:
            beat(pulse)
            await asyncio.sleep(LOOK_S)
    finally:
        beat(pulse, ENDING)


async def _serve(console: Console, listening: socket.socket, parent: int) -> None:
    config = uvicorn.Config(
        console.app(), log_level="warning", access_log=False, http="h11", ws=PageProtocol, ws_max_size=SIZE_LIMIT,
        ws_per_message_deflate=False, ws_ping_interval=2.0, ws_ping_timeout=4.0, timeout_keep_alive=5,
        timeout_graceful_shutdown=1, server_header=False, backlog=256,
    )  # fmt: skip
    server = uvicorn.Server(config)
    serving, watch = asyncio.create_task(server.serve([listening])), ConnectionWatch()
    while not serving.done() and os.getppid() == parent and not console.operations.watch.feed.closed:
        await asyncio.sleep(LOOK_S)
        watch.look(server.server_state.connections)
        if console.operations.watching and console.operations.watching.done():
            break
    server.should_exit = True
    watching = console.operations.watching
    await serving
    if watching and not watching.cancelled():
        watching.result()  # an error of ours is told at the terminal; pages see that the console is gone


async def _live(console: Console, listening: socket.socket, parent: int, pulse: int) -> None:
    beating = asyncio.create_task(_beat(pulse))
    try:
        await _serve(console, listening, parent)
    finally:
        beating.cancel()


def _console(cell: AnyCell, place: ConsolePlace, gate: Gate) -> Console | None:
    """None: the facility has ended already, and its rings with it."""
    try:
        return Console(cell, place, gate)
    except FileNotFoundError:
        return None


def main() -> None:
    """Serve until the facility has ended."""
    _step_back()
    options = _arguments()
    listening = socket.socket(fileno=options.fd)
    token = os.environ.pop("PROXOPS_TOKEN", None)
    cell = read_any_cell(options.cell, UserTool.read(options.user_tool) if options.user_tool else None)
    about, runs = FacilityAbout.read(options.facility), options.runs.resolve()
    place = ConsolePlace(about, runs, options.cell, options.user_tool)
    console = _console(cell, place, Gate(listening.getsockname()[0], token))
    if console:
        asyncio.run(_live(console, listening, options.parent, options.pulse))


if __name__ == "__main__":
    main()
