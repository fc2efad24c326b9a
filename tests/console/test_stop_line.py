"""The browser's stop: over a socket held open from the start, acknowledged only when the facility has acknowledged it."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.shared.control_bench import Bench, bench_of

from proxops.console.stop_line import StopLine
from proxops.core.errors import ProxopsError


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with bench_of() as made:
        yield made


async def serve(bench: Bench) -> None:
    while True:
        bench.cycle()
        await asyncio.sleep(0.001)


def test_it_is_connected_before_it_is_needed_and_told_when_it_is_done(bench: Bench) -> None:
    async def test() -> None:
        line = await StopLine.open(bench.control.sockets.stop)
        bench.cycle()
        assert len(bench.control.stops.listening.connections) == 1
        serving = asyncio.create_task(serve(bench))
        await asyncio.gather(line.stop("Anna"), line.stop("Ben"))
        assert bench.desk.stops == ["Anna", "Ben"]
        serving.cancel()
        line.close()

    asyncio.run(test())


def test_a_broken_line_is_made_anew(bench: Bench) -> None:
    async def test() -> None:
        line = await StopLine.open(bench.control.sockets.stop)
        bench.cycle()
        serving = asyncio.create_task(serve(bench))
        for _ in range(3):  # evicted, or a facility that was started anew
            (connection,) = bench.control.stops.listening.connections.values()
            bench.control.stops.listening.drop(connection)
            await line.stop("Anna")
        assert len(bench.desk.stops) == 3
        serving.cancel()
        line.close()

    asyncio.run(test())


@pytest.mark.parametrize("gone", [False, True])
def test_it_never_says_done_when_it_is_not_known(
    bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, gone: bool
) -> None:
    monkeypatch.setattr("proxops.console.stop_line.ANSWER_S", 0.01)

    async def test() -> None:
        line = await StopLine.open(tmp_path / "nobody" if gone else bench.control.sockets.stop)
        with pytest.raises(ProxopsError, match="has not acknowledged the stop"):
            await line.stop("Anna")
        line.close()
        bench.cycle(3)  # it hangs no more: what was sent is a stop all the same
        assert bool(bench.desk.stops) is not gone

    asyncio.run(test())
