"""A safe stop is never dropped: each that is asked for is followed by one that is sent."""

from __future__ import annotations

import asyncio

import pytest

from proxops.console.safe_stops import SafeStops
from proxops.core.errors import ProxopsError


class Line:
    """Counts what is sent; answers when it is let go."""

    def __init__(self) -> None:
        self.sent, self.silent = 0, False

    async def stop(self, by: str) -> None:
        self.sent += 1
        await asyncio.sleep(0)
        if self.silent:
            raise ProxopsError("the facility does not answer")


def test_each_stop_is_followed_by_one_that_is_sent() -> None:
    async def test() -> None:
        line = Line()
        stops = SafeStops(line)
        for _ in range(5):  # a flood, then one more a moment later
            before = line.sent
            await asyncio.gather(*(stops.ask() for _ in range(60)))
            assert line.sent == before + 1  # they share one
            await stops.ask()
            assert line.sent == before + 2  # but never one that was sent before

    asyncio.run(test())


def test_a_stop_is_sent_even_if_its_page_goes_at_once() -> None:
    async def test() -> None:
        line = Line()
        stops = SafeStops(line)
        await stops.ask()
        asking = asyncio.create_task(stops.ask())
        await asyncio.sleep(0)
        asking.cancel()
        await asyncio.sleep(0.05)
        assert asking.cancelled() and line.sent == 2

    asyncio.run(test())


def test_silence_is_told_to_all_who_asked() -> None:
    async def test() -> None:
        line = Line()
        line.silent = True
        stops = SafeStops(line)
        told = await asyncio.gather(*(stops.ask() for _ in range(3)), return_exceptions=True)
        assert [type(each) for each in told] == [ProxopsError] * 3
        with pytest.raises(ProxopsError, match="does not answer"):
            await stops.ask()

    asyncio.run(test())
