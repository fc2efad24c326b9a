"""The log viewer's requests, asked by raw ASGI calls against a small recorded log."""

from __future__ import annotations

import asyncio
import json
import multiprocessing
import os
import signal
import struct
from collections.abc import AsyncIterator, Callable, Coroutine, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray
from small_log import START_NS, small_pool, write_log
from starlette.applications import Starlette

from proxops.console import csv_pieces, worker
from proxops.console.access import Gate, guarded
from proxops.console.log_differences import curves_and_differences
from proxops.console.log_routes import DOWNLOADS, LogRoutes
from proxops.console.worker import NICE, WAITING, Busy, Worker
from proxops.core.errors import BadInput, Refused
from proxops.core.messages import EVENT_DTYPE, PERIOD_NS
from proxops.ground.export import export_csv
from proxops.ground.log import Log

COUNT = 1000
POOL = small_pool(COUNT)
RUN = "demo/run.mcap"
OURS = {"host": "127.0.0.1:8930", "x-proxops": "1"}


@dataclass
class Answer:
    status: int = 0
    headers: dict[str, str] = field(default_factory=dict)
    body: bytes = b""

    @property
    def error(self) -> str:
        return str(json.loads(self.body)["error"])

    def unpacked(self) -> tuple[dict[str, Any], dict[str, NDArray[np.float64]]]:
        """By the description of the format, not by the code that packs it."""
        length, zero = struct.unpack_from("<II", self.body)
        assert zero == 0 and length % 8 == 0
        head = json.loads(self.body[8 : 8 + length])
        values, at, arrays = np.frombuffer(self.body[8 + length :], "<f8"), 0, {}
        for name, count in head["arrays"]:
            arrays[name] = values[at : at + count]
            at += count
        assert at == values.size
        return head, arrays


class Server:
    """The routes in a loop of their own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.loop = asyncio.Runner()
        self.routes = LogRoutes(folder)
        self.app = Starlette(routes=self.routes.routes(partial(guarded, Gate("127.0.0.1", None))))

    def get(self, path: str, headers: dict[str, str] = OURS, method: str = "GET", **query: object) -> Answer:
        return self.loop.run(self.asked(path, headers, method, query))

    async def asked(self, path: str, headers: dict[str, str], method: str, query: dict[str, object]) -> Answer:
        answer = Answer()
        first = [{"type": "http.request", "body": b"", "more_body": False}]

        async def receive() -> dict[str, Any]:
            if first:
                return first.pop()
            await asyncio.Event().wait()  # the page stays
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            if message["type"] == "http.response.start":
                answer.status = message["status"]
                answer.headers = {name.decode(): value.decode() for name, value in message["headers"]}
            else:
                answer.body += message.get("body", b"")

        scope = {
            "type": "http", "method": method, "path": path, "query_string": urlencode(query).encode(),
            "headers": [(name.encode(), value.encode()) for name, value in headers.items()],
            "asgi": {"version": "3.0", "spec_version": "2.3"},
        }  # fmt: skip
        await self.app(scope, receive, send)
        return answer


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    folder = tmp_path_factory.mktemp("runs")
    events = np.zeros(1, EVENT_DTYPE)
    events["tick"], events["severity"], events["name"], events["text"] = 700, 4, b"stop", b"stopped"
    events["utc_ns"] = START_NS + 700 * PERIOD_NS
    write_log(folder / "demo" / "run.mcap", POOL, events, {"cell": "epos"})
    made = Server(folder)
    yield made
    made.routes.close()
    made.loop.close()


def test_the_shelf_and_a_run_as_json(server: Server) -> None:
    runs = json.loads(server.get("/api/logs").body)
    assert [run["id"] for run in runs] == [RUN]
    log = json.loads(server.get("/api/log", id=RUN).body)
    assert log["records"] == COUNT and log["events"][0]["text"] == "stopped"
    assert {"actual.rail", "state.mode"} <= {column["path"] for column in log["columns"]}


def test_curves_are_the_least_and_greatest_of_the_records(server: Server) -> None:
    answer = server.get("/api/log/curves", id=RUN, names="actual.rail,state.mode", t0=0, t1=10, pixels=100)
    head, arrays = answer.unpacked()
    assert head["records_per_column"] == 10 and head["sampled"] == []
    rail = POOL["actual"]["rail"].reshape(100, 10)
    assert arrays["low actual.rail"].tolist() == rail.min(axis=1).tolist()
    assert arrays["high actual.rail"].tolist() == rail.max(axis=1).tolist()
    assert set(arrays) == {
        "t",
        *(f"{side} {name}" for side in ("low", "high") for name in ("actual.rail", "state.mode")),
    }


def test_a_difference_is_that_of_each_record(server: Server) -> None:
    name = "setpoint.rail-actual.rail"
    head, arrays = server.get("/api/log/curves", id=RUN, names=name, t0=0, t1=10, pixels=100).unpacked()
    difference = (POOL["setpoint"]["rail"] - POOL["actual"]["rail"]).reshape(100, 10)
    assert arrays[f"low {name}"].tolist() == difference.min(axis=1).tolist()
    assert arrays[f"high {name}"].tolist() == difference.max(axis=1).tolist()
    assert set(arrays) == {"t", f"low {name}", f"high {name}"} and head["sampled"] == []


def test_a_difference_over_a_long_span_is_sampled_and_says_so(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("proxops.ground.log_curves.READ_BLOCKS", 1)
    monkeypatch.setattr("proxops.ground.log_curves.RECORDS_PER_PIXEL", 0)
    name = "setpoint.rail-actual.rail"
    found = curves_and_differences(str(server.folder), RUN, [name, "actual.rail"], 0.0, 10.0, 100)
    assert not found["exact"] and found["sampled"] == [name]
    # Times of columns lie between two records; a sample is the record before.
    rows = np.floor(found["t"] / 0.004 + 1e-6).astype(int)
    assert found["low"][name].tolist() == (POOL["setpoint"]["rail"] - POOL["actual"]["rail"])[rows].tolist()
    assert (found["high"]["actual.rail"] >= POOL["actual"]["rail"][rows]).all()


def test_samples_for_the_replay(server: Server) -> None:
    _, arrays = server.get("/api/log/samples", id=RUN, names="actual.robot1_a1", t0=1, t1=2, hz=25).unpacked()
    assert arrays["t"] == pytest.approx(1 + 0.04 * np.arange(26), abs=1e-9)
    assert arrays["actual.robot1_a1"].tolist() == POOL["actual"]["robot1_a1"][250:501:10].tolist()


@pytest.mark.parametrize("values", [csv_pieces.VALUES, 100])
def test_csv_in_pieces_is_the_csv_of_the_command_line(
    server: Server, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, values: int
) -> None:
    monkeypatch.setattr(csv_pieces, "VALUES", values)
    names = ["clock.tick", "actual.rail"]
    answer = server.get("/api/log/csv", id=RUN, names=",".join(names))
    export_csv(Log.open(server.folder / RUN), tmp_path / "line.csv", names)
    assert answer.body == (tmp_path / "line.csv").read_bytes()
    assert answer.headers["content-disposition"] == 'attachment; filename="demo_run.csv"'
    assert answer.headers["content-type"].startswith("text/csv")


def test_csv_of_a_span_has_its_records_only(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(csv_pieces, "VALUES", 50)
    answer = server.get("/api/log/csv", id=RUN, names="clock.tick", t0=1, t1=3)
    assert [int(line) for line in answer.body.decode().split("\n")[1:-1]] == list(range(250, 751))


@pytest.mark.parametrize(
    ("path", "changed", "word"),
    [
        ("/api/log", {"id": "../secret.mcap"}, "not the id of a run"),
        ("/api/log", {"id": "/etc/passwd"}, "not the id of a run"),
        ("/api/log", {"id": "demo/other.mcap"}, "no such run"),
        ("/api/log", {"id": ""}, "id is missing"),
        ("/api/log/curves", {"names": "actual.nothing"}, "no such variable"),
        ("/api/log/curves", {"names": "actual.rail-actual.nothing"}, "no such variable"),
        ("/api/log/curves", {"names": "a-b-c"}, "no such variable"),
        ("/api/log/curves", {"names": ","}, "names of variables"),
        ("/api/log/curves", {"names": ",".join(f"actual.a{k}" for k in range(65))}, "1 to 64"),
        ("/api/log/curves", {"t0": "nan"}, "-1e+09 to 1e+09"),
        ("/api/log/curves", {"t1": "inf"}, "-1e+09 to 1e+09"),
        ("/api/log/curves", {"t0": "soon"}, "-1e+09 to 1e+09"),
        ("/api/log/curves", {"t0": 2, "t1": 2}, "t0 before t1"),
        ("/api/log/curves", {"pixels": 99}, "100 to 4000"),
        ("/api/log/curves", {"pixels": 4001}, "100 to 4000"),
        ("/api/log/samples", {"hz": 0}, "0.1 to 2000"),
        ("/api/log/samples", {"t1": 1e9}, "too many samples"),
        ("/api/log/samples", {"t0": -1e308, "t1": 1e308}, "-1e+09 to 1e+09"),
        ("/api/log/csv", {"t0": -1e308}, "-1e+09 to 1e+09"),
        ("/api/log/csv", {"t1": ""}, "t1 is missing"),
        ("/api/log/csv", {"names": "nothing.at_all"}, "no such variable"),
    ],
)
def test_what_cannot_be_answered_is_refused_in_words(
    server: Server, path: str, changed: dict[str, object], word: str
) -> None:
    sound = {"id": RUN, "names": "actual.rail", "t0": 0, "t1": 1, "pixels": 100, "hz": 25}
    answer = server.get(path, **{**sound, **changed})
    assert answer.status == 400 and word in answer.error


def test_a_span_far_beyond_the_run_is_cut_to_it(server: Server) -> None:
    answer = server.get("/api/log/csv", id=RUN, names="clock.tick", t0=-1e9, t1=1e9)
    assert answer.body.count(b"\n") == COUNT + 1


NUMBER = st.floats().map(repr) | st.integers().map(str) | st.text(max_size=8)
WORDS = st.sampled_from(["actual.rail", "state.mode", "setpoint.rail-actual.rail", "-", "actual.rail-", ","])


@settings(max_examples=60, deadline=None)
@given(
    path=st.sampled_from(["", "/curves", "/samples", "/csv"]),
    id=st.just(RUN) | st.text(max_size=20) | st.sampled_from(["a/" * 300 + ".mcap", "x" * 300 + ".mcap", "\0.mcap"]),
    names=st.lists(WORDS | st.text(max_size=8), max_size=4).map(",".join),
    numbers=st.fixed_dictionaries({}, optional={name: NUMBER for name in ("t0", "t1", "pixels", "hz")}),
)
@example(path="/samples", id=RUN, names="actual.rail", numbers={"t0": "-1e308", "t1": "1e308", "hz": "250"})
@example(path="/csv", id=RUN, names="actual.rail", numbers={"t0": "-1e308", "t1": "1e308"})
def test_any_question_is_answered_or_refused(
    server: Server, path: str, id: str, names: str, numbers: dict[str, str]
) -> None:
    answer = server.get(f"/api/log{path}", id=id, names=names, **numbers)
    assert answer.status == 200 or (answer.status == 400 and answer.error)


def test_errors_name_the_run_and_not_where_it_lies(server: Server) -> None:
    (server.folder / "bad").mkdir()
    bad = server.folder / "bad" / "run.mcap"
    bad.write_bytes(b"not a log at all")
    try:
        for path in ("/api/log", "/api/log/curves", "/api/log/samples", "/api/log/csv"):
            answer = server.get(path, id="bad/run.mcap", names="actual.rail", t0=0, t1=1, pixels=100, hz=25)
            assert answer.status == 400 and answer.error.startswith("bad/run.mcap: not an MCAP log")
    finally:
        bad.unlink()
        bad.parent.rmdir()
    answer = server.get("/api/log/csv", id=RUN, names="nothing.at_all")
    assert answer.status == 400 and str(server.folder) not in answer.error


def test_downloads_are_few_and_hold_up_nobody_else(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two that never end: a third is told so, plots and lists are answered; with the end of one there is room again."""

    async def test() -> None:
        ends = asyncio.Event()

        async def pieces(self: csv_pieces.Download, worker: Worker) -> AsyncIterator[bytes]:
            yield await worker.ask(str.encode, "a\n")
            await ends.wait()

        monkeypatch.setattr(csv_pieces.Download, "pieces", pieces)

        async def ask(path: str) -> Answer:
            return await server.asked(path, OURS, "GET", {"id": RUN, "names": "clock.tick"})

        under_way = [asyncio.create_task(ask("/api/log/csv")) for _ in range(DOWNLOADS)]
        await asyncio.sleep(0)
        third = await ask("/api/log/csv")
        assert third.status == 503 and "downloads are under way" in third.error
        assert (await ask("/api/logs")).status == 200
        under_way.pop().cancel()
        await asyncio.sleep(0.05)
        again = asyncio.create_task(ask("/api/log/csv"))
        await asyncio.sleep(0.05)
        ends.set()
        assert (await again).status == 200 and (await under_way[0]).body == b"a\n"
        assert server.routes._downloads == 0

    server.loop.run(test())


def test_downloads_have_a_process_of_their_own(server: Server, tmp_path: Path) -> None:
    """One that is at work for long does not hold up a list."""

    async def test() -> None:
        gate = tmp_path / "gate"
        os.mkfifo(gate)
        writing = asyncio.create_task(server.routes._writer.ask(gate.read_bytes))
        await asyncio.sleep(0)
        answer = await server.asked("/api/logs", OURS, "GET", {})
        assert answer.status == 200 and not writing.done()
        await asyncio.to_thread(gate.write_bytes, b"go")
        assert await writing == b"go"

    server.loop.run(test())


def test_only_our_own_page_is_answered(server: Server) -> None:
    assert server.get("/api/logs", {"host": "127.0.0.1:8930"}).status == 403
    assert server.get("/api/logs", {**OURS, "origin": "http://elsewhere.example"}).status == 403
    assert server.get("/api/logs", {**OURS, "host": "elsewhere.example"}).status == 403
    assert server.get("/api/logs", method="POST").status == 405


# --- the process
def with_worker(test: Callable[[Worker], Coroutine[Any, Any, None]]) -> None:
    async def run() -> None:
        worker = Worker()
        try:
            await test(worker)
        finally:
            worker.close()

    asyncio.run(run())


def test_the_process_steps_back_and_ends_with_its_server() -> None:
    async def test(worker: Worker) -> None:
        assert await worker.ask(os.nice, 0) >= NICE
        own = await worker.ask(os.getpid)
        (process,) = (child for child in multiprocessing.active_children() if child.pid == own)
        worker.close()
        assert not process.is_alive()

    with_worker(test)


def test_a_process_that_dies_is_replaced() -> None:
    async def test(worker: Worker) -> None:
        first = await worker.ask(os.getpid)
        os.kill(first, signal.SIGKILL)
        assert await worker.ask(os.getpid) != first
        with pytest.raises(Refused, match="ended twice"):
            await worker.ask(os.abort)
        assert await worker.ask(abs, -3) == 3

    with_worker(test)


def test_what_nobody_wants_any_more_ends_with_its_process(tmp_path: Path) -> None:
    async def test(worker: Worker) -> None:
        first = await worker.ask(os.getpid)
        gate = tmp_path / "gate"
        os.mkfifo(gate)
        working = asyncio.create_task(worker.ask(gate.read_bytes, mortal=True))
        waiting = asyncio.create_task(worker.ask(os.getpid, mortal=True))
        await asyncio.sleep(0.05)
        waiting.cancel()  # its turn has not come: the one at work goes on
        await asyncio.sleep(0.05)
        assert not working.done() and worker._pool is not None
        working.cancel()
        await asyncio.gather(working, return_exceptions=True)
        assert await worker.ask(os.getpid) != first

    with_worker(test)


def test_errors_come_with_their_words() -> None:
    async def test(worker: Worker) -> None:
        with pytest.raises(BadInput, match="not the id of a run"):
            await worker.ask(csv_pieces.last_time, "/nowhere", "x")

    with_worker(test)


def test_only_so_many_wait_and_those_who_leave_are_not_read(tmp_path: Path) -> None:
    async def test(worker: Worker) -> None:
        await worker.ask(os.getpid)  # the process is there
        gate = tmp_path / "gate"
        os.mkfifo(gate)
        waiting = [asyncio.create_task(worker.ask(gate.read_bytes))]
        waiting += [asyncio.create_task(worker.ask(os.mkdir, tmp_path / str(k))) for k in range(1, WAITING)]
        await asyncio.sleep(0)
        with pytest.raises(Busy, match="wait already"):
            await worker.ask(os.getpid)
        waiting[1].cancel()
        await asyncio.sleep(0)
        late = asyncio.create_task(worker.ask(os.getpid))  # there is room again
        await asyncio.to_thread(gate.write_bytes, b"go")
        await asyncio.gather(*waiting, late, return_exceptions=True)
        made = {path.name for path in tmp_path.iterdir()} - {"gate"}
        assert made == {str(k) for k in range(2, WAITING)}

    with_worker(test)


def test_a_full_waiting_room_is_told_with_503(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "WAITING", 0)
    answer = server.get("/api/logs")
    assert answer.status == 503 and "try again" in answer.error


def test_a_page_that_has_gone_is_not_waited_for(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    begun = asyncio.Event()

    async def forever(*_: object) -> AsyncIterator[bytes]:
        begun.set()
        await asyncio.Event().wait()
        yield b""

    async def leave() -> list[int]:
        statuses = []

        async def receive() -> dict[str, Any]:
            await begun.wait()
            return {"type": "http.disconnect"}

        async def send(message: Any) -> None:
            statuses.append(message.get("status", 0))

        scope = {
            "type": "http", "method": "GET", "path": "/api/log/csv", "asgi": {"version": "3.0"},
            "query_string": urlencode({"id": RUN, "names": "clock.tick"}).encode(),
            "headers": [(name.encode(), value.encode()) for name, value in OURS.items()],
        }  # fmt: skip
        await server.app(scope, receive, send)
        return statuses

    monkeypatch.setattr(csv_pieces.Download, "pieces", forever)
    assert server.loop.run(leave())[0] == 499
