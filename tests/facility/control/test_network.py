"""Control from other machines: nothing without the key, nothing twice, nothing late; a stop always."""

from __future__ import annotations

import json
import os
import socket
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest
from tests.shared.control_bench import Bench, bench_of, request

from proxops.client import ControlClient
from proxops.core.clock import monotonic_ns
from proxops.core.errors import BadInput, Refused
from proxops.core.sealed_datagram import (
    HEAD,
    NONCE_BYTES,
    SEAL_BYTES,
    DatagramKind,
    Sealed,
    is_sealed,
    opened,
    seal,
    session_key,
)
from proxops.facility.control.channel import control_settings
from proxops.facility.control.network import FIRST_WORD_NS, SESSIONS

KEY = b"sixteen bytes or more"


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with bench_of(bind=("127.0.0.1", 0), key=KEY) as made:
        yield made


class Far:
    """A client that can be told to do anything wrong."""

    def __init__(self, bench: Bench, key: bytes = KEY) -> None:
        network = bench.control.network
        assert network is not None
        self.bench, self.network, self.key = bench, network, key
        self.socket, self.stop_socket = (self._connected(network.address[1] + k) for k in range(2))
        self.nonce, self.session, self.session_key = os.urandom(NONCE_BYTES), 0, b""

    @staticmethod
    def _connected(port: int) -> socket.socket:
        made = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        made.connect(("127.0.0.1", port))
        made.setblocking(False)
        return made

    def say(self, data: bytes, stop: bool = False) -> bytes | None:
        """The answer within a few cycles."""
        via = self.stop_socket if stop else self.socket
        via.send(data)
        self.bench.cycle(5)
        try:
            return via.recv(60_000)
        except BlockingIOError:
            return None

    def greet(self) -> Sealed:
        hello = Sealed(DatagramKind.HELLO, 0, 0, 0, self.nonce, bytes(NONCE_BYTES))
        data = self.say(seal(hello, self.key))
        assert data is not None and is_sealed(data, self.key)
        welcome = opened(data)
        assert welcome is not None and (welcome.kind, welcome.nonce) == (DatagramKind.WELCOME, self.nonce)
        assert len(data) <= len(seal(hello, self.key))  # no more comes out than went in
        self.session = welcome.session
        self.session_key = session_key(self.key, self.nonce, welcome.body, welcome.session)
        return welcome

    def request(self, sequence: int, verb: str = "status", age_ns: int = 0) -> bytes:
        asked = Sealed(
            DatagramKind.REQUEST, self.session, sequence, monotonic_ns() - age_ns, self.nonce, request(verb, sequence)
        )
        return seal(asked, self.session_key)

    def ask(self, data: bytes) -> dict | None:
        answer = self.say(data)
        if answer is None:
            return None
        assert is_sealed(answer, self.session_key)
        return json.loads(answer[HEAD.size : -SEAL_BYTES])


def test_a_session(bench: Bench) -> None:
    far = Far(bench)
    far.greet()
    for sequence in (1, 2, 9):
        told = far.ask(far.request(sequence))
        assert told is not None and told["ok"]
    assert len(bench.desk.done) == 3


def test_a_replay_is_neither_carried_out_nor_answered(bench: Bench) -> None:
    far = Far(bench)
    far.greet()
    data = far.request(5)
    assert far.ask(data) is not None
    assert far.ask(data) is None
    assert far.ask(far.request(4)) is None
    thief = Far(bench)  # from elsewhere neither
    assert thief.say(data) is None
    assert len(bench.desk.done) == 1


def test_a_request_of_another_session_or_process_means_nothing(
    bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    one, two = Far(bench), Far(bench)
    one.greet()
    two.greet()
    asked = opened(one.request(1))
    assert asked is not None
    assert two.say(seal(replace(asked, session=two.session, nonce=two.nonce), one.session_key)) is None
    with bench_of(bind=("127.0.0.1", 0), key=KEY) as anew:  # the facility has been started anew
        assert Far(anew).say(one.request(1)) is None
    assert not bench.desk.done


def test_age_is_counted_by_the_facilitys_clock(bench: Bench) -> None:
    far = Far(bench)
    far.greet()
    old = far.ask(far.request(1, age_ns=6_000_000_000))
    assert old is not None and "too old" in old["error"]
    early = far.ask(far.request(2, age_ns=-2_000_000_000))
    assert early is not None and "from the future" in early["error"]
    assert not bench.desk.done


def test_a_session_is_begun_soon_or_never(bench: Bench) -> None:
    far = Far(bench)
    far.greet()
    far.network._now_ns = lambda: monotonic_ns() + FIRST_WORD_NS + 1_000_000  # type: ignore[method-assign]
    assert far.ask(far.request(1)) is None


def test_a_forgotten_session_cannot_be_played_again(bench: Bench) -> None:
    first = Far(bench)
    first.greet()
    data = first.request(1)
    assert first.ask(data) is not None
    for _ in range(SESSIONS):
        other = Far(bench)
        other.greet()
        assert other.ask(other.request(1)) is not None
    assert len(first.network._sessions) == SESSIONS
    assert first.ask(data) is None
    assert len(bench.desk.done) == 1 + SESSIONS


@pytest.mark.parametrize("key", [b"another key of ours", KEY + b"\n"])
def test_without_the_key_nothing_is_answered(bench: Bench, key: bytes) -> None:
    stranger, network = Far(bench, key), bench.control.network
    assert network is not None
    hello = Sealed(DatagramKind.HELLO, 0, 0, 0, stranger.nonce, bytes(NONCE_BYTES))
    asked = Sealed(DatagramKind.REQUEST, monotonic_ns(), 1, monotonic_ns(), stranger.nonce, request("status"))
    stop = Sealed(DatagramKind.STOP, 0, 1, 0, stranger.nonce, b"{}")
    for data in (seal(hello, key), seal(asked, key), b"", b"x", b"PXC2" + bytes(200), os.urandom(400)):
        assert stranger.say(data) is None
    for data in (seal(stop, key), b"", b"stop", os.urandom(90), seal(hello, KEY)):
        assert stranger.say(data, stop=True) is None
    assert not bench.desk.stops and not bench.desk.done and not network._sessions
    assert network.unsealed == 11


def test_every_bit_is_under_the_seal(bench: Bench) -> None:
    far = Far(bench)
    far.greet()
    data = bytearray(far.request(1))
    for at in range(0, len(data), 7):
        data[at] ^= 4
        assert far.say(bytes(data)) is None
        data[at] ^= 4
    assert not bench.desk.done


def test_a_stop_is_never_too_old_and_needs_no_session(bench: Bench) -> None:
    far = Far(bench)
    data = seal(Sealed(DatagramKind.STOP, 0, 1, 0, far.nonce, b'{"by": "Anna"}'), KEY)
    answer = far.say(data, stop=True)
    assert answer is not None and is_sealed(answer, KEY)
    told = opened(answer)
    assert told is not None and (told.kind, told.nonce) == (DatagramKind.STOPPED, far.nonce)
    assert bench.desk.stops == ["Anna"]


def test_a_key_holder_operates_and_does_not_maintain(bench: Bench) -> None:
    far = Far(bench)
    far.greet()
    told = far.ask(far.request(1, "interlock"))
    assert told is not None and "needs the role maintain" in told["error"]
    told = far.ask(far.request(2, "jog"))
    assert told is not None and told["ok"]


def test_the_client(bench: Bench, tmp_path: Path) -> None:
    network, over = bench.control.network, threading.Event()
    assert network is not None
    key_file = tmp_path / "key"
    key_file.touch(0o600)
    key_file.write_bytes(KEY)
    where = f"127.0.0.1:{network.address[1]}"
    serving = threading.Thread(target=lambda: [bench.cycle() for _ in iter(over.is_set, True)])
    serving.start()
    try:
        client = ControlClient(where, key=key_file)
        assert client.ask("status") == 1
        assert client.ask("status") == 2
        with pytest.raises(Refused, match="needs the role maintain"):
            client.ask("interlock")
        client.ask("safe_stop", by="Anna")
        assert bench.desk.stops == ["Anna"]
        client.close()
        wrong = ControlClient(where, timeout_s=0.05, key=b"some other secret")
        with pytest.raises(Refused, match="no facility answers"):
            wrong.ask("status")
        with pytest.raises(Refused, match="NOT ACKNOWLEDGED"):
            wrong.safe_stop()
        wrong.close()
        with pytest.raises(BadInput, match="needs a key"):
            ControlClient(where)
    finally:
        over.set()
        serving.join()


def test_control_from_other_machines_needs_a_key(tmp_path: Path) -> None:
    path = tmp_path / "key"
    path.write_bytes(KEY)
    path.chmod(0o600)
    assert control_settings("hall", None, "0.0.0.0:4000", path).bind == ("0.0.0.0", 4000)
    with pytest.raises(BadInput, match="needs a key"):
        control_settings("hall", None, "0.0.0.0:4000", None)
    for bad in ("4000", "host:", "host:x", ":1", "host:65535"):
        with pytest.raises(BadInput, match="HOST:PORT"):
            control_settings("hall", None, bad, path)
