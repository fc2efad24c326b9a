"""A pytest plugin: tests are collected once, by one process, which then forks its workers.

One worker has the tests that keep wall-clock time (marked "live"); the others share the rest file by file, in the order of
collection, and give way to it. Each sends its reports back through a pipe; the first process tells them as if they were its
own. Several processes that collect for themselves, as with pytest-xdist, would each import all tests and all that they import.
"""

from __future__ import annotations

import json
import os
import select
import signal
import struct
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import IO, Any, Final, NamedTuple, NoReturn

import pytest

LENGTH: Final = struct.Struct("<I")
TICKET: Final = struct.Struct("<H")  # number of a file; a pipe holds 32,000 of them
Items = list[pytest.Item]


class Worker(NamedTuple):
    pid: int
    reports: int  # end of the pipe that its reports come from


class Workers:
    """``shared``: how many share the tests that keep no time. ``nicer``: by how much these give way."""

    def __init__(self, shared: int, nicer: int) -> None:
        self._shared, self._nicer = shared, nicer

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        if session.testsfailed:
            raise session.Interrupted(f"{session.testsfailed} errors while collecting")
        live = [item for item in session.items if item.get_closest_marker("live")]
        files = by_file([item for item in session.items if not item.get_closest_marker("live")])
        tickets = tickets_for(len(files))
        turns: list[Callable[[], Iterator[pytest.Item]]] = [lambda: iter(live)] if live else []
        turns += [lambda: (item for number in taken(tickets) for item in files[number])] * (
            self._shared if files else 0
        )
        base = session.config._tmp_path_factory.getbasetemp()  # type: ignore[attr-defined]
        workers = []
        for number, turn in enumerate(turns):
            (base / f"worker{number}").mkdir()
            workers.append(self._forked(session, number, turn, 0 if live and not number else self._nicer))
        os.close(tickets)
        try:
            listen(session, workers)
        finally:
            for worker in workers:
                os.close(worker.reports)
        return True

    def _forked(
        self, session: pytest.Session, number: int, turn: Callable[[], Iterator[pytest.Item]], nicer: int
    ) -> Worker:
        reading, writing = os.pipe()
        sys.stdout.flush()
        pid = os.fork()
        if pid:
            os.close(writing)
            return Worker(pid, reading)
        code = 1
        try:
            os.close(reading)
            os.nice(nicer)
            factory = session.config._tmp_path_factory  # type: ignore[attr-defined]
            factory._basetemp = factory.getbasetemp() / f"worker{number}"
            work(session, turn(), os.fdopen(writing, "wb"))
            code = 0
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(code)  # the first process ends the session


def by_file(items: Items) -> list[Items]:
    files: dict[object, Items] = {}
    for item in items:
        files.setdefault(item.path, []).append(item)
    return list(files.values())


def tickets_for(files: int) -> int:
    """A pipe with the number of each file: who reads one has it, and nobody else."""
    reading, writing = os.pipe()
    for number in range(files):
        os.write(writing, TICKET.pack(number))
    os.close(writing)
    return reading


def taken(tickets: int) -> Iterator[int]:
    while ticket := os.read(tickets, TICKET.size):
        yield TICKET.unpack(ticket)[0]


class Sender:
    """In a worker: what is told of a test goes to the first process."""

    def __init__(self, config: pytest.Config, pipe: IO[bytes]) -> None:
        self._config, self._pipe = config, pipe

    def pytest_runtest_logstart(self, nodeid: str, location: tuple[str, int | None, str]) -> None:
        self._send({"begun": nodeid, "location": location})

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        self._send(self._config.hook.pytest_report_to_serializable(config=self._config, report=report))

    def _send(self, said: dict[str, Any]) -> None:
        data = json.dumps(said, default=str).encode()
        self._pipe.write(LENGTH.pack(len(data)) + data)
        self._pipe.flush()


def work(session: pytest.Session, items: Iterator[pytest.Item], pipe: IO[bytes]) -> None:
    """Run what comes; the next test is known before one ends, for fixtures that both use."""
    plugins = session.config.pluginmanager
    capture = plugins.getplugin("capturemanager")
    capture.stop_global_capturing()  # its files are those of the first process
    capture.start_global_capturing()
    capture.suspend_global_capture()
    plugins.unregister(name="terminalreporter")
    plugins.register(Sender(session.config, pipe))
    item = next(items, None)
    while item is not None:
        following = next(items, None)
        session.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
        item = following


def listen(session: pytest.Session, workers: list[Worker]) -> None:
    """Tell what the workers send until all of them have ended; one that dies fails the test it was in."""
    config, open_pipes = session.config, {worker.reports: worker for worker in workers}
    within: dict[int, dict[str, Any]] = {}
    while open_pipes:
        for pipe in select.select(list(open_pipes), [], [])[0]:
            worker, head = open_pipes[pipe], read_exactly(pipe, LENGTH.size)
            if len(head) < LENGTH.size:
                del open_pipes[pipe]
                _, status = os.waitpid(worker.pid, 0)
                if status:
                    tell_death(config, within.get(worker.pid), status)
                continue
            said = json.loads(read_exactly(pipe, *LENGTH.unpack(head)))
            if "begun" in said:
                within[worker.pid] = said
            else:
                report = config.hook.pytest_report_from_serializable(config=config, data=said)
                config.hook.pytest_runtest_logreport(report=report)
        if session.shouldstop or session.shouldfail:
            stop(session, workers)


def read_exactly(pipe: int, count: int) -> bytes:
    """Less at the end only."""
    data = b""
    while len(data) < count and (part := os.read(pipe, count - len(data))):
        data += part
    return data


def tell_death(config: pytest.Config, within: dict[str, Any] | None, status: int) -> None:
    nodeid = within["begun"] if within else "a worker, before its first test"
    location = tuple(within["location"]) if within else ("", None, nodeid)
    code = os.waitstatus_to_exitcode(status)
    words = f"the worker ended with status {code} in this test or behind it; the file it had next was not run"
    report = pytest.TestReport(nodeid, location, {}, "failed", words, "call")
    config.hook.pytest_runtest_logreport(report=report)


def stop(session: pytest.Session, workers: list[Worker]) -> NoReturn:
    for worker in workers:
        os.kill(worker.pid, signal.SIGINT)
    raise session.Interrupted(session.shouldstop or session.shouldfail)
