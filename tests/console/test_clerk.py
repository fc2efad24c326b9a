"""Requests on their way: each viewer has its own patience, the facility hears how old they are, turns can come too late."""

from __future__ import annotations

import asyncio
import json
import socket
import time
from pathlib import Path
from typing import Any, cast

import pytest

from proxops.console.attendance import Attendance
from proxops.console.clerk import REQUEST_BURST, Clerk
from proxops.console.desk_line import DeskLine
from proxops.console.requests import Request, understood
from proxops.console.turn import Turn
from proxops.console.viewer import Viewer
from proxops.core.clock import monotonic_ns
from proxops.core.errors import Refused


class Line:
    def __init__(self) -> None:
        self.asked: list[tuple[str, float, float]] = []
        self.arguments: dict[str, Any] = {}  # of the last request

    async def ask(
        self, verb: str, arguments: dict[str, Any], ttl_ms: float = 0.0, age_ms: float = 0.0, fd: int | None = None
    ) -> None:
        self.asked.append((verb, ttl_ms, age_ms))
        self.arguments = arguments

    async def stop(self, by: str) -> None:
        self.asked.append(("stop", 0.0, 0.0))

    def send(self, verb: str, arguments: dict[str, Any], ttl_ms: float) -> None:
        self.asked.append((verb, ttl_ms, 0.0))


class Desk:
    """A clerk between two viewers and a line that answers."""

    def __init__(self) -> None:
        self.attendance, self.line, self.turns = Attendance(), Line(), list[Turn]()
        self.anna, self.ben = self.attendance.enter("Anna"), self.attendance.enter("Ben")
        self.attendance.take(self.anna, over=False)
        timed = {"load_upload": self._load}
        self.clerk = Clerk(self.attendance, cast(DeskLine, self.line), self.line, lambda viewer: {}, {}, timed)

    async def _load(self, viewer: Viewer, arguments: dict[str, Any], turn: Turn) -> None:
        self.turns.append(turn)

    async def ask(self, viewer: Viewer, verb: str, age_ms: float = 0.0, **arguments: Any) -> Any:
        return await self.clerk.do(viewer, request(verb, arguments), age_ms)


def request(verb: str, arguments: dict[str, Any]) -> Request:
    said = {"kind": "do", "sequence": 1, "sent_ms": 0.0, "ttl_ms": 500.0, "do": verb, "with": arguments}
    made = understood(json.dumps(said))
    assert isinstance(made, Request)
    return made


def test_a_watcher_does_not_use_up_the_operator_s_requests() -> None:
    async def test() -> None:
        desk = Desk()
        with pytest.raises(Refused, match="too many requests"):
            for k in range(round(REQUEST_BURST) + 5):
                await desk.ask(desk.ben, "rename", name=f"Ben {k}")
        await desk.ask(desk.anna, "select", source="manual")
        assert desk.line.asked == [("select", 500.0, 0.0)]

    asyncio.run(test())


def test_nothing_is_kept_of_who_has_gone() -> None:
    async def test() -> None:
        desk = Desk()
        await desk.ask(desk.ben, "rename", name="Benjamin")
        desk.attendance.leave(desk.ben)
        desk.clerk.gone(desk.ben)
        assert not desk.clerk._patience

    asyncio.run(test())


def test_a_turn_that_comes_too_late_or_without_control() -> None:
    async def test() -> None:
        desk = Desk()
        await desk.ask(desk.anna, "load_upload", age_ms=100.0)
        (turn,) = desk.turns
        assert 300.0 < turn.left_ms <= 400.0  # of 500
        turn.check()
        desk.attendance.take(desk.ben, over=True)
        with pytest.raises(Refused, match="Ben holds control"):
            turn.check()
        with pytest.raises(Refused, match="too late"):
            Turn("load_upload", time.monotonic() - 0.01, lambda: None).check()

    asyncio.run(test())


def test_the_facility_hears_how_old_a_request_is(tmp_path: Path) -> None:
    """The moment it was made is what goes over the line, not that of sending."""

    def facility(asked: socket.socket) -> None:
        for _ in range(2):
            request = json.loads(asked.recv(9000))
            age_ms = (monotonic_ns() - request["sent_ns"]) * 1e-6
            reply = {"sequence": request["sequence"], "ok": True, "result": [age_ms, request["ttl_ms"]]}
            asked.send(json.dumps(reply).encode())

    async def test() -> None:
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET)
        listening.bind(str(tmp_path / "control"))
        listening.listen()
        line = await DeskLine.open(tmp_path / "control")
        serving = asyncio.create_task(asyncio.to_thread(facility, listening.accept()[0]))
        fresh, old = await line.ask("jog", {}, 800.0), await line.ask("jog", {}, 800.0, 300.0)
        assert fresh[1] == old[1] == 800.0
        assert 0.0 <= fresh[0] < 300.0 <= old[0]
        line.close()
        await serving
        listening.close()

    asyncio.run(test())


def test_only_who_holds_control_says_where_the_target_is_and_under_his_own_name() -> None:
    async def test() -> None:
        desk, word = Desk(), {"sensor": "eye", "number": 3, "right_px": 1.0, "down_px": 2.0, "radius_px": 9.0}
        with pytest.raises(Refused, match="Anna"):
            await desk.ask(desk.ben, "designate", **word)
        assert desk.line.asked == []
        await desk.ask(desk.anna, "designate", **word, by="Ben")
        assert desk.line.arguments == {**word, "by": "Anna"}

    asyncio.run(test())
