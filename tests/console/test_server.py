"""The console's server against pages that behave and pages that do not, on a live facility."""

from __future__ import annotations

import contextlib
import json
import os
import signal
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
from websockets.sync.client import ClientConnection

from proxops.console.attendance import MOST
from proxops.console.doorstep import PLACES
from proxops.console.viewer import CREDIT, DEAF_S
from proxops.core.messages import AXES
from proxops.lab.any_cell import load_cell
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
    # The virtual robots' repeatability.
    assert actual == pytest.approx([status["axes"][name] for name in AXES], abs=1e-4)
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
    # The difference of the clocks can only get smaller: then a cycle looks older, not younger.
    assert (spans <= 1e-3).all()


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


def test_a_flood_of_stops_does_not_swallow_the_next_one(served: Served, page: PageSocket) -> None:
    watcher = PageSocket(served.port, "watcher")
    assert page.ask("take_control")["ok"]
    assert page.ask("safe_stop")["ok"]
    served.wait_mode("STOPPED")
    for k in range(60):
        watcher.say(kind="do", sequence=k + 1, sent_ms=0.0, ttl_ms=800.0, do="safe_stop", **{"with": {}})
    for k in range(60):
        assert watcher.wait("done", sequence=k + 1)["ok"]
    assert page.ask("reset")["ok"]
    served.wait_mode("READY")
    assert page.ask("safe_stop")["ok"]
    assert served.ask("status")["mode"] in ("STOPPING", "STOPPED")
    served.wait_mode("STOPPED")
    watcher.close()


def test_a_stop_counts_even_if_its_page_goes_at_once(served: Served) -> None:
    page = PageSocket(served.port)
    page.say(kind="do", sequence=1, sent_ms=0.0, ttl_ms=800.0, do="safe_stop", **{"with": {}})
    page.drop()
    served.wait_mode("STOPPED", 5.0)


def test_a_watcher_cannot_starve_the_operator(served: Served, page: PageSocket) -> None:
    watcher = PageSocket(served.port, "watcher")
    assert page.ask("take_control")["ok"]
    for k in range(100):
        watcher.say(
            kind="do", sequence=k + 1, sent_ms=watcher.now_ms, ttl_ms=800.0, do="rename", **{"with": {"name": "w"}}
        )
    assert not watcher.wait("done", ok=False)["ok"]
    assert page.ask("select", source="manual")["ok"] and page.ask("select", source="none")["ok"]
    watcher.close()


def test_a_heartbeat_holds_from_when_it_was_made(served: Served, page: PageSocket) -> None:
    """One beat of a jog, good for 200 ms: what was made long ago moves the robot less far."""
    page.ask("take_control")
    assert page.ask("select", source="manual")["ok"]
    ways = []
    for age_ms in (0.0, 120.0):
        before = served.ask("status")["setpoint"]["robot1_a1"]
        beat = {"system": "IJT", "robot": "robot1", "component": "a1", "direction": 1, "speed": 1.0, "hold_ms": 200.0}
        assert page.ask("jog", age_ms=age_ms, ttl_ms=800.0, **beat)["ok"]
        time.sleep(0.3)
        wait_until(lambda: still(served), 3.0, "standstill")
        ways.append(served.ask("status")["setpoint"]["robot1_a1"] - before)
    # Sped up for 200 ms or 80 ms and slowed down alike: ways like 6 to 1, less when the first beat itself was late.
    assert ways[0] > 1e-4 and ways[1] < 0.5 * ways[0]
    page.ask("select", source="none")


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


def test_a_crowd_at_the_door_keeps_nobody_out(served: Served) -> None:
    """Websockets that never greet give way to those who come later."""
    crowd = [open_socket(served.port) for _ in range(3)]
    lines = []
    for _ in range(PLACES + 20):
        line = socket.create_connection(("127.0.0.1", served.port), 10)
        line.sendall(handshake(served.port))
        lines.append(line)
    page = PageSocket(served.port, "operator")
    assert page.ask("take_control")["ok"]
    page.close()
    for strange in crowd:
        with pytest.raises(ConnectionClosed, match="no greeting"):
            strange.recv(timeout=5)
    for line in lines:
        line.close()


def test_silent_connections_are_cut(served: Served) -> None:
    """Half open, or with a request that never ends; the page is served all the while."""
    silent = [socket.create_connection(("127.0.0.1", served.port), 10) for _ in range(300)]
    slow = socket.create_connection(("127.0.0.1", served.port), 10)
    slow.sendall(b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n")
    assert urllib.request.urlopen(served.address, timeout=5).status == 200

    def gone(line: socket.socket) -> bool:
        line.setblocking(False)
        with contextlib.suppress(BlockingIOError):
            try:
                return line.recv(1) == b""
            except ConnectionError:
                return True
        return False

    def slow_is_gone() -> bool:
        with contextlib.suppress(OSError):
            slow.setblocking(True)
            slow.sendall(b"X: y\r\n")
        return gone(slow)

    wait_until(lambda: slow_is_gone() and all(gone(line) for line in silent), 15.0, "the end of all that is silent")
    assert urllib.request.urlopen(served.address, timeout=5).status == 200
    for line in (*silent, slow):
        line.close()


def test_more_viewers_than_there_is_room_for(served: Served) -> None:
    """Who finds no place is told why. A page that hangs loses its place to one that comes, unless it holds control."""
    pages = [PageSocket(served.port, f"v{k}", take=False) for k in range(MOST)]
    assert pages[0].ask("take_control")["ok"]
    assert closed_with(newcomer(served)) == (1013, "too many viewers")
    # They read on all the while, or pings would find them dead.
    wait_until(lambda: any(map(lost, pages)) or greets(served), DEAF_S + 10.0, "a place of one that has hung")
    gone = [page for page in pages if lost(page)]
    assert [page.socket.close_code for page in gone] == [1013] and gone != [pages[0]]
    for page in pages:
        if page not in gone:
            page.drop()
    wait_until(lambda: greets(served), 10.0, "room for a page again")


def newcomer(served: Served) -> ClientConnection:
    made = open_socket(served.port)
    made.send(json.dumps({"kind": "hello", "version": 1, "name": "late"}))
    return made


def closed_with(line: ClientConnection) -> tuple[int, str]:
    with pytest.raises(ConnectionClosed) as closed:
        line.recv(timeout=5)
    assert closed.value.rcvd is not None
    return closed.value.rcvd.code, closed.value.rcvd.reason


def lost(page: PageSocket) -> bool:
    """Its place has been given away."""
    try:
        page.listen(0.01)
        return False
    except ConnectionClosed:
        return True


# ---------------------------------------------------------------------- uploads
def upload(served: Served, secret: str | None, data: bytes = b"1 2 3\n", **headers: str) -> tuple[int, str]:
    """Status and error of a trajectory that is sent from the page."""
    given = {"X-Proxops": "1", "Origin": served.address.rstrip("/"), **headers}
    if secret is not None:
        given["X-Proxops-Secret"] = secret
    request = urllib.request.Request(served.address + "api/trajectory?name=a.txt", data, given, method="POST")
    try:
        return urllib.request.urlopen(request, timeout=10).status, ""
    except urllib.error.HTTPError as refused:
        return refused.code, json.loads(refused.read())["error"]


def test_an_upload_proves_whose_page_it_comes_from(served: Served, page: PageSocket) -> None:
    watcher = PageSocket(served.port, "watcher")
    assert page.ask("take_control")["ok"]
    assert watcher.hello["secret"] != page.hello["secret"]
    assert upload(served, None)[0] == upload(served, "guessed")[0] == upload(served, str(page.hello["id"]))[0] == 400
    code, said = upload(served, watcher.hello["secret"])
    assert code == 409 and "holds control" in said
    assert upload(served, page.hello["secret"], Origin="http://evil.example")[0] == 403
    assert page.hello["secret"] not in json.dumps(watcher.messages)
    assert upload(served, page.hello["secret"]) == (200, "")
    told = page.wait("upload", 60.0, phase="checked")  # not the watcher: a page that hears nothing meanwhile is cut off
    assert not told["feasible"] and told["errors"][0]["line"] == 1
    refused = page.ask("load_upload", number=told["number"])
    assert not refused["ok"] and "no file that may run" in refused["error"]
    watcher.close()


def test_an_upload_that_breaks_off_leaves_no_trace(served: Served, page: PageSocket) -> None:
    assert page.ask("take_control")["ok"]
    head = [
        "POST /api/trajectory?name=b.txt HTTP/1.1", f"Host: 127.0.0.1:{served.port}", "X-Proxops: 1",
        f"Origin: http://127.0.0.1:{served.port}", f"X-Proxops-Secret: {page.hello['secret']}", "Content-Length: 1000",
    ]  # fmt: skip
    with socket.create_connection(("127.0.0.1", served.port), 3) as line:
        line.sendall("\r\n".join([*head, "", "begun"]).encode())
        wait_until(lambda: "just arriving" in upload(served, page.hello["secret"])[1], 5.0, "one upload at a time")
    page.messages.clear()
    wait_until(lambda: upload(served, page.hello["secret"])[0] == 200, 5.0, "room for another")
    assert page.wait("upload", 60.0, phase="checking")["name"] == "a.txt"
    assert "Traceback" not in (served.folder.parent / "stderr.txt").read_text()


# ---------------------------------------------------------------------- the end of the console, not of the hall
def test_a_console_that_is_killed_comes_back(served: Served, page: PageSocket) -> None:
    tick, console = served.ask("status")["tick"], served.console_pid()
    os.kill(console, signal.SIGKILL)
    wait_until(lambda: greets(served), 20.0, "another console")
    assert served.console_pid() != console
    assert served.ask("status")["tick"] > tick and served.ask("status")["mode"] == "READY"
    assert "the console has ended (exit code -9): restarted" in (served.folder.parent / "stderr.txt").read_text()
