"""Who has not greeted waits only so long, and gives way to those who come later."""

from __future__ import annotations

import asyncio

import pytest

from proxops.console import doorstep
from proxops.console.doorstep import PLACES, Doorstep


async def stand(step: Doorstep, greeted: asyncio.Event) -> str:
    try:
        async with step.standing():
            await greeted.wait()
            return "in"
    except TimeoutError:
        return "away"


def test_the_oldest_gives_way() -> None:
    async def test() -> None:
        step, greeted = Doorstep(), asyncio.Event()
        tasks = [asyncio.create_task(stand(step, greeted)) for _ in range(PLACES + 7)]
        await asyncio.sleep(0.01)
        assert len(step) == PLACES
        greeted.set()
        assert await asyncio.gather(*tasks) == ["away"] * 7 + ["in"] * PLACES
        assert len(step) == 0

    asyncio.run(test())


def test_silence_ends(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(doorstep, "GREETING_S", 0.01)

    async def test() -> None:
        step = Doorstep()
        assert await stand(step, asyncio.Event()) == "away" and len(step) == 0

    asyncio.run(test())
