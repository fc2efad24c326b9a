"""The console's server against pages that behave and pages that do not, on a live facility."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import struct
import time
import urllib.error
import urllib.request
from typing import Any

import numpy as np
import pytest
from page_socket import PageSocket, open_socket
from served_console import Served, wait_until
from websockets.exceptions import ConnectionClosed, InvalidStatus, WebSocketException

from proxops.console.attendance import MOST
from proxops.console.viewer import CREDIT
from proxops.core.messages import AXES
from proxops.lab.cell import load_cell
from proxops.lab.coordinates import POV_AT_LAB, values_from_axes


@pytest.fixture(autouse=True)
def ready(served: Served) -> None:
    """Every test finds the hall ready, whatever the one before has left."""
    if served.ask("status")["mode"] != "READY":
        served.ask("safe_stop")
        served.wait_mode("STOPPED")
        served.ask("reset")
        served.wait_mode("READY")


@pytest.fixture
def page(served: Served) -> Any:
    made = PageSocket(served.port)
    yield made
    made.close()


def late_cycles(served: Served) -> int:
    return int(served.ask("status")["missed_cycles"])


# ---------------------------------------------------------------------- pages that behave
def test_frames_show_the_hall(served: Served, page: PageSocket) -> None:
    """Record and coordinate systems of a frame are those of the facility."""
    page.listen(0.5)
    record, status = page.record(), served.ask("status")
    actual = np.array(record["actual"].tolist())
    assert actual == pytest.approx(
        [status["axes"][name] for name in AXES], abs=1e-4
    )  # the virtual robots' repeatability
    assert page.hello["record_bytes"] == record.dtype.itemsize
    values, expected = np.frombuffer(page.frames[-1], "<f8", 176, 24).reshape(2, 4, 22), np.zeros(22)
    for system in range(1, 5):
        values_from_axes(load_cell().hall, system, actual, POV_AT_LAB, expected)
        assert values[1, system - 1] == pytest.approx(expected, abs=1e-12)


def test_the_time_of_a_cycle_is_never_too_young(served: Served, page: PageSocket) -> None:
    """A frame's cycle lies before the moment of sending, and keeps the pace of the facility's clock."""
    page.listen(1.5)
    heads = [struct.unpack_from("<BxxxIdd", frame) for frame in page.frames]
    utc_ms = [np.frombuffer(f, "<i8", 1, 24 + 8 * 176 + 16)[0] / 1e6 for f in page.frames]
    for _, _, cycle_ms, sent_ms in heads:
        assert cycle_ms <= sent_ms
    spans = np.diff([h[2] for h in heads]) - np.diff(utc_ms)
    assert (np.diff([h[1] for h in heads]) >= 1).all()
    assert (
        spans <= 1e-3
    ).all()  # the difference of the clocks can only get smaller: then a cycle looks older, not younger


def test_a_page_that_does_not_take_frames_gets_few(served: Served) -> None:
    lazy = PageSocket(served.port, take=False)
    lazy.listen(1.0)
    assert len(lazy.frames) == CREDIT
    lazy.say(kind="seen", frame=struct.unpack_from("<I", lazy.frames[0], 4)[0])
    lazy.listen(0.3)
    assert len(lazy.frames) == CREDIT + 1  # and it is the newest one, not the next
    age_ms = lazy.now_ms - struct.unpack_from("<d", lazy.frames[-1], 8)[0]
    assert age_ms < 600
    lazy.close()


def test_watching_is_not_commanding(served: Served, page: PageSocket) -> None:
    for verb in ("drives", "select", "jog", "interlock", "reset", "release_control", "run_start"):
        reply = page.ask(verb)
        assert not reply["ok"] and "take control first" in reply["error"]
    assert not page.ask("shut_down")["ok"]  # not for pages at all
    assert served.ask("status")["mode"] == "READY"


def test_control_goes_from_hand_to_hand_in_sight(served: Served) -> None:
    anna, ben = PageSocket(served.port, "Anna"), PageSocket(served.port, "Ben")
    assert anna.ask("take_control")["ok"]
    assert ben.wait("control", said="Anna has taken control")["holder"]["name"] == "Anna"
    assert "Anna holds control" in ben.ask("select", source="manual")["error"]
    assert "Anna holds control" in ben.ask("take_control")["error"]
    assert ben.ask("take_control", over=True)["ok"]
    assert anna.wait("control", said="Ben has taken control over from Anna")["holder"]["name"] == "Ben"
    assert ben.ask("select", source="manual")["ok"]
    served.wait_mode("MANUAL")
    assert (
        "Ben holds control"
        in anna.ask("jog", system="IJT", robot="robot1", component="a1", direction=1, speed=1.0)["error"]
    )
    assert ben.ask("select", source="none")["ok"]
    ben.close()
    assert anna.wait("control", said="Ben has left and released control")["holder"] is None
    anna.close()
    served.wait_mode("READY")


def test_requests_that_come_late_or_twice_do_nothing(served: Served, page: PageSocket) -> None:
    assert page.ask("take_control")["ok"]
    late = page.ask("select", age_ms=700, ttl_ms=600, source="manual")
    assert not late["ok"] and "too late" in late["error"]
    ahead = page.ask("select", age_ms=-5000, ttl_ms=600, source="manual")  # a clock that cannot be
    assert not ahead["ok"]
    assert page.ask("rename", name="once", sequence=50)["ok"]
    again = page.ask("select", sequence=50, source="manual")
    assert not again["ok"] and "not newer" in again["error"]
    assert served.ask("status")["mode"] == "READY"


def test_a_watcher_may_stop_the_hall_even_late(served: Served, page: PageSocket) -> None:
    assert page.ask("safe_stop", age_ms=60_000)["ok"]
    served.wait_mode("STOPPED")
    served.ask("reset")
    served.wait_mode("READY")


def test_jog_ends_with_its_page(served: Served) -> None:
    """Gone without a word: heartbeats end, the motion fades, the robots stand and stay."""
    page = PageSocket(served.port)
    page.ask("take_control")
    assert page.ask("select", source="manual")["ok"]
    for _ in range(15):
        assert page.ask("jog", system="IJT", robot="robot1", component="a1", direction=1, speed=0.1)["ok"]
        time.sleep(0.02)
    page.drop()
    wait_until(lambda: still(served), 3.0, "standstill")
    stands = served.ask("status")["setpoint"]
    assert stands["robot1_a1"] > 0.001  # it has moved
    time.sleep(0.3)
    assert served.ask("status")["setpoint"] == stands
    served.ask("select", source="none")
    served.wait_mode("READY")


def still(served: Served) -> bool:
    before = served.ask("status")["setpoint"]
    time.sleep(0.1)
    return bool(before == served.ask("status")["setpoint"])


# ---------------------------------------------------------------------- pages that do not
@pytest.mark.parametrize(
    "how",
    [
        {"origin": "http://evil.example"}, {"origin": None}, {"origin": "http://127.0.0.1:1"}, {"protocols": ()},
        {"protocols": ("graphql-ws",)},
    ],
)  # fmt: skip
def test_strangers_stay_out(served: Served, how: dict[str, Any]) -> None:
    with pytest.raises((InvalidStatus, ConnectionClosed, WebSocketException)):
        open_socket(served.port, **how).recv(timeout=3)


@pytest.mark.parametrize("path", ["api/hall", "api/logs"])
def test_data_is_only_for_our_page(served: Served, path: str) -> None:
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(served.address + path)
    assert refused.value.code == 403
    strange = urllib.request.Request(served.address + path, headers={"X-Proxops": "1", "Origin": "http://evil.example"})
    with pytest.raises(urllib.error.HTTPError) as refused:
        urllib.request.urlopen(strange)
    assert refused.value.code == 403


def test_no_way_out_of_the_page_s_folder(served: Served) -> None:
    for path in ("../server.py", "..%2fserver.py", "%2e%2e/server.py", "....//server.py", "static/../../server.py"):
        with socket.create_connection(("127.0.0.1", served.port), 3) as line:
            line.sendall(f"GET /{path} HTTP/1.1\r\nHost: 127.0.0.1\r\nConnection: close\r\n\r\n".encode())
            assert b" 404 " in line.makefile("rb").readline()


NONSENSE: list[str | bytes] = [
    "{", "null", "[" * 1000, json.dumps({"kind": "do"}), json.dumps({"kind": "hello", "version": 1, "name": "again"}),
    json.dumps({"kind": "do", "sequence": 1, "sent_ms": 0, "ttl_ms": 1, "do": "x", "with": {"a": [1] * 2000}}),
    os.urandom(200), "\x00" * 100,
]  # fmt: skip


@pytest.mark.parametrize("nonsense", NONSENSE, ids=range(len(NONSENSE)))
def test_nonsense_ends_only_its_own_connection(served: Served, page: PageSocket, nonsense: str | bytes) -> None:
    hostile = PageSocket(served.port)
    hostile.socket.send(nonsense)
    with contextlib.suppress(ConnectionClosed):
        for _ in range(8):
            hostile.socket.send(nonsense)
    page.frames.clear()
    page.listen(0.3)
    assert len(page.frames) > 2
    hostile.close()
    assert served.ask("status")["mode"] == "READY"


def test_first_words_that_are_no_greeting(served: Served) -> None:
    for word in (
        "x",
        "{}",
        json.dumps({"kind": "hello", "version": 99, "name": ""}),
        json.dumps({"kind": "ping", "at": 0}),
    ):
        strange = open_socket(served.port)
        strange.send(word)
        with pytest.raises(ConnectionClosed):
            while True:
                strange.recv(timeout=5)


def test_a_huge_frame_is_refused(served: Served, page: PageSocket) -> None:
    hostile = PageSocket(served.port)
    with pytest.raises(ConnectionClosed):
        hostile.socket.send("x" * 20_000_000)
        hostile.wait("never", 5)
    page.frames.clear()
    page.listen(0.3)
    assert len(page.frames) > 2


def test_a_flood_of_messages_is_cut_off(served: Served, page: PageSocket) -> None:
    hostile = PageSocket(served.port)
    with pytest.raises(ConnectionClosed):
        for k in range(200_000):
            hostile.say(kind="ping", at=float(k))
            if k % 500 == 0:
                hostile.listen(0.001)
    page.frames.clear()
    page.listen(0.4)
    assert len(page.frames) > 2
    assert served.ask("status")["mode"] == "READY"


def test_a_thousand_connections(served: Served) -> None:
    """More than there is room for are sent away; who was there before goes on, and there is room again afterwards."""
    page = PageSocket(served.port, "operator")
    assert page.ask("take_control")["ok"]
    crowd: list[socket.socket] = []
    for _ in range(1000):
        line = socket.create_connection(("127.0.0.1", served.port), 10)
        line.sendall(handshake(served.port))
        crowd.append(line)
    page.frames.clear()
    wait_until(lambda: page.listen(0.1) or len(page.frames) > 5, 20.0, "frames in a crowd")
    assert page.ask("select", source="manual")["ok"] and page.ask("select", source="none")["ok"]
    for line in crowd:
        line.close()
    page.close()
    served.wait_mode("READY")
    wait_until(lambda: greets(served), 20.0, "room for a page again")


def handshake(port: int) -> bytes:
    lines = [
        "GET /live HTTP/1.1", f"Host: 127.0.0.1:{port}", f"Origin: http://127.0.0.1:{port}", "Upgrade: websocket",
        "Connection: Upgrade", "Sec-WebSocket-Version: 13", "Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==",
        "Sec-WebSocket-Protocol: proxops",
    ]  # fmt: skip
    return "\r\n".join([*lines, "", ""]).encode()


def greets(served: Served) -> bool:
    try:
        PageSocket(served.port).close()
        return True
    except (OSError, TimeoutError, WebSocketException):
        return False


def test_more_viewers_than_there_is_room_for(served: Served) -> None:
    pages = [PageSocket(served.port, f"v{k}") for k in range(MOST)]
    with pytest.raises((ConnectionClosed, WebSocketException)):
        PageSocket(served.port)
    for page in pages:
        page.drop()
    wait_until(lambda: greets(served), 10.0, "room for a page again")
