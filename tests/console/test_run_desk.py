"""A scenario from the page asks for its own client at the bridge, and never for a stranger that waits there."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from proxops.console.run_desk import RunDesk
from proxops.core.errors import Refused


class Line:
    """Answers as the facility would."""

    def __init__(self, waits: bool) -> None:
        self.asked: list[str] = []
        self._status = {"mode": "BRIDGED", "bridge": {"client": "10.0.0.2:6000", "new_client": waits}}

    async def ask(self, verb: str, arguments: dict[str, Any], ttl_ms: float) -> Any:
        self.asked.append(verb)
        return self._status if verb == "status" else None


class Runs:
    """An engine that only notes what it is told."""

    def __init__(self) -> None:
        self.started: list[str] = []

    def needs_bridge(self, name: str) -> bool:
        return True

    def state(self) -> dict[str, Any]:
        return {"phase": "idle", "name": None}

    def start(self, name: str) -> None:
        self.started.append(name)


def desk(line: Line) -> tuple[RunDesk, Runs]:
    made, runs = object.__new__(RunDesk), Runs()
    made.__dict__.update(_runs=runs, _line=line, _bridged=False, _lost="")
    return made, runs


def test_the_client_is_accepted_before_it_starts() -> None:
    line = Line(waits=False)
    made, runs = desk(line)
    asyncio.run(made._start(None, {"name": "extepos"}))  # type: ignore[arg-type]
    assert line.asked[-1] == "accept" and runs.started == ["extepos"]


def test_a_stranger_that_waits_is_not_accepted_by_starting_a_scenario() -> None:
    line = Line(waits=True)
    made, runs = desk(line)
    with pytest.raises(Refused, match=r"10\.0\.0\.2:6000 waits"):
        asyncio.run(made._start(None, {"name": "extepos"}))  # type: ignore[arg-type]
    assert "accept" not in line.asked and runs.started == []
