"""Synchronous interface and bridge under a key: only its holders are heard, nothing counts twice, floods stay cheap."""

from __future__ import annotations

import os
import socket
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from bridge_hall import IDENTITY, at

from proxops.bridge.port import BridgePort
from proxops.client import BridgeClient, SyncClient
from proxops.core.authenticator import SESSIONS, Authenticator
from proxops.core.bridge_datagram import COMMAND_SIZE as BRIDGE_SIZE
from proxops.core.bridge_datagram import BridgeCommand, status_body
from proxops.core.bridge_datagram import pack_command as pack_bridge
from proxops.core.datagram import COMMAND_SIZE, Command, Refusal, pack_command
from proxops.core.errors import BadInput
from proxops.core.key_file import demand_key, read_key
from proxops.core.keyed_datagram import BRIDGE_LABEL, CHALLENGE_SIZE, SYNC_LABEL, TRAILER_SIZE, ClientSeal
from proxops.core.messages import PERIOD_NS
from proxops.core.vocabulary import Mode, Severity, System
from proxops.facility.sync import SyncPort

KEY, OTHER = b"0123456789abcdef", b"another key, also long enough"
ANYWHERE = ("127.0.0.1", 0)
HOME = (0.0,) * 22
NAN = float("nan")
BODY = status_body(False, False, False, 1, 0, 0, 0, 2, 12, 0, 0, 0, 0, 0, (NAN,) * 6, (NAN,) * 7, (NAN,) * 7, (0,) * 6)


class Bench:
    """Both ports, a clock in the hand, and what they told."""

    def __init__(self, key: bytes | None = KEY) -> None:
        self.events: list[tuple[str, str]] = []
        self.sync = SyncPort(ANYWHERE, self._tell, key)
        self.bridge = BridgePort(ANYWHERE, self._tell, key=key)
        self.now_ns = 0
        self._ends: list[Any] = []

    def _tell(self, severity: Severity, code: str, text: str) -> None:
        self.events.append((code, text))

    def cycle(self) -> None:
        self.now_ns += PERIOD_NS
        self.sync.poll(True, False, self.now_ns)
        self.sync.answer(lambda system: np.zeros(22), Mode.ARMED, 0, self.now_ns)
        self.bridge.poll(self.now_ns)
        if self.bridge.listening:
            self.bridge.answer(BODY)

    def wait(self, seconds: float) -> None:
        for _ in range(round(seconds * 250)):
            self.cycle()

    def line(self, to: tuple[str, int]) -> socket.socket:
        opened = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        opened.connect(to)
        opened.setblocking(False)
        self._ends.append(opened)
        return opened

    def sync_client(self, key: bytes | None) -> SyncClient:
        self._ends.append(client := SyncClient(self.sync.address, 0.0, key=key))
        return client

    def bridge_client(self, key: bytes | None) -> BridgeClient:
        self._ends.append(client := BridgeClient(self.bridge.address, key=key))
        return client

    def close(self) -> None:
        for end in (*self._ends, self.sync, self.bridge):
            end.close()


@pytest.fixture
def bench() -> Iterator[Bench]:
    table = Bench()
    yield table
    table.close()


def named(port: SyncPort | BridgePort) -> dict[str, int]:
    return {refusal.name: count for refusal, count in port.counts.items() if count}


def heard(line: socket.socket) -> list[bytes]:
    found = []
    while True:
        try:
            found.append(line.recv(2048))
        except BlockingIOError:
            return found


def test_holders_of_the_key_are_taken_and_answered(bench: Bench) -> None:
    sync, bridge = bench.sync_client(KEY), bench.bridge_client(KEY)
    answers = []
    for _ in range(3):
        sync.send(System.IJT, HOME)
        bridge.send(at(5.0), IDENTITY)
        bench.cycle()
        answers.append(sync.receive())  # the first one is a challenge, upon which the command goes out again
        bench.cycle()
        answers.append(sync.receive())
        bridge.status()
    assert bench.sync.command is not None and bench.sync.command.sequence == 3
    assert [a.refusal for a in answers if a] == [0, 0, 0]
    status = bridge.status()
    assert status is not None and status.master and bridge.malformed == 0
    assert named(bench.sync) == {"CHALLENGE": 1} == named(bench.bridge)


@pytest.mark.parametrize(("key", "theirs", "name"), [(KEY, None, "KEY"), (KEY, OTHER, "CHALLENGE"), (None, KEY, "KEY")])
def test_others_are_refused_by_name(key: bytes | None, theirs: bytes | None, name: str) -> None:
    """Without the key, with another one, and with one where there is none. Nobody who is refused becomes master."""
    bench = Bench(key)
    try:
        sync, bridge = bench.sync_client(theirs), bench.bridge_client(theirs)
        for _ in range(5):
            sync.send(System.IJT, HOME)
            bridge.send(at(5.0), IDENTITY)
            bench.cycle()
        assert named(bench.sync) == {name: 5} == named(bench.bridge)
        assert bench.sync.master is None and bench.bridge.master is None
        assert sum(code == f"bridge.{name.lower()}" for code, _ in bench.events) == 1  # told once, then rarely
    finally:
        bench.close()


def test_who_lacks_the_key_is_told_so_but_rarely(bench: Bench) -> None:
    client = bench.bridge_client(None)
    for _ in range(100):
        client.send(at(5.0), IDENTITY)
        bench.cycle()
    status = client.status()
    assert status is not None and status.refusal is Refusal.KEY and not status.master
    line = bench.line(bench.bridge.address)
    for _ in range(300):
        line.send(pack_bridge(BridgeCommand(1, 0, at(5.0), IDENTITY)))
    bench.cycle()
    assert heard(line) == []


@pytest.mark.parametrize(
    ("label", "size", "packed"),
    [
        (SYNC_LABEL, COMMAND_SIZE, lambda n: pack_command(Command(3, n, 0, HOME))),
        (BRIDGE_LABEL, BRIDGE_SIZE, lambda n: pack_bridge(BridgeCommand(n, 0, at(5.0), IDENTITY))),
    ],
    ids=["sync", "bridge"],
)
def test_a_challenge_is_smaller_than_what_asks_for_it(
    bench: Bench, label: bytes, size: int, packed: Callable[[int], bytes]
) -> None:
    port: Any = bench.sync if label == SYNC_LABEL else bench.bridge
    line, seal = bench.line(port.address), ClientSeal(KEY, label)
    for n in range(50):
        line.send(seal.seal(packed(n)))
    bench.cycle()
    told = heard(line)
    assert 1 <= len(told) <= 8 and {len(data) for data in told} == {CHALLENGE_SIZE}
    assert size + TRAILER_SIZE > CHALLENGE_SIZE
    assert seal.open(told[0]) is None and seal.challenge == port._keys.challenge


def judge(keys: Authenticator, seal: ClientSeal, number: int, now_ns: int = 0) -> Refusal:
    return keys.judge(seal.seal(pack_bridge(BridgeCommand(number, 0, at(5.0), IDENTITY))), now_ns)[0]


def holder(keys: Authenticator, key: bytes = KEY, label: bytes = BRIDGE_LABEL) -> ClientSeal:
    seal = ClientSeal(key, label)
    seal.challenge = keys.challenge
    return seal


def test_what_was_heard_is_not_heard_again() -> None:
    keys = Authenticator(KEY, BRIDGE_LABEL, BRIDGE_SIZE, window=64, quiet_ns=100)
    one, two = holder(keys), holder(keys)
    assert judge(keys, one, 1000) is judge(keys, one, 1001) is Refusal.NONE
    assert judge(keys, one, 940, 100) is Refusal.NONE  # overtaken on the way: the input filter sorts that
    assert judge(keys, one, 937, 100) is Refusal.OLD_SEQUENCE
    assert judge(keys, one, 1001, 101) is Refusal.OLD_SEQUENCE  # and once it is quiet nothing overtakes any more
    assert judge(keys, two, 5) is Refusal.NONE  # numbers are each session's own
    assert judge(keys, one, 1001 + 2**31 + 1) is Refusal.LEAP
    assert judge(keys, one, 2**62 + 1) is Refusal.SEQUENCE
    assert judge(keys, one, 1002) is Refusal.NONE


def test_other_keys_ports_and_challenges_are_worth_nothing() -> None:
    keys = Authenticator(KEY, BRIDGE_LABEL, BRIDGE_SIZE)
    assert judge(keys, holder(keys, OTHER), 1) is Refusal.CODE
    assert judge(keys, holder(keys, label=SYNC_LABEL), 1) is Refusal.CODE
    good = holder(keys)
    assert judge(keys, good, 1) is Refusal.NONE
    keys.renew()
    assert judge(keys, good, 2) is Refusal.CHALLENGE


def test_sessions_without_end_cost_a_new_challenge_and_no_memory() -> None:
    keys = Authenticator(KEY, BRIDGE_LABEL, BRIDGE_SIZE)
    first = keys.challenge
    for _ in range(SESSIONS):
        assert judge(keys, holder(keys), 1) is Refusal.NONE
    assert judge(keys, holder(keys), 1) is Refusal.CHALLENGE
    assert keys.challenge != first


def test_a_recording_moves_nothing_once_its_client_is_gone(bench: Bench) -> None:
    """All that a session sent, and the end of it that was lost on the way, from another address."""
    seal, line = ClientSeal(KEY, BRIDGE_LABEL), bench.line(bench.bridge.address)
    seal.challenge = bench.bridge._keys.challenge  # type: ignore[union-attr]
    record = [seal.seal(pack_bridge(BridgeCommand(n, n * PERIOD_NS, at(5.0), IDENTITY))) for n in range(1, 60)]
    for data in record[:50]:
        line.send(data)
        bench.cycle()
    assert len(bench.bridge.samples) == 1
    stranger = bench.line(bench.bridge.address)
    for silent_s in (0.2, 3.0):
        bench.wait(silent_s)
        for data in record if silent_s > 2.0 else record[:50]:
            stranger.send(data)
            bench.cycle()
            assert not bench.bridge.samples
    assert bench.bridge.master is None


def test_a_new_session_under_the_same_key_is_the_same_client(bench: Bench) -> None:
    """The operator is not asked: who holds the key has been asked for."""
    for _ in range(2):
        client = bench.bridge_client(KEY)
        for _ in range(3):
            client.send(at(5.0), IDENTITY)
            bench.cycle()
            client.status()
        assert len(bench.bridge.samples) == 1 and not bench.bridge.place.waiting
        client.close()
        bench.wait(3.0)


# --- the file ---


def key_at(folder: Path, key: bytes, mode: int = 0o600) -> Path:
    path = folder / "key"
    path.write_bytes(key)
    path.chmod(mode)
    return path


def test_a_key_file_is_all_of_its_bytes(tmp_path: Path) -> None:
    assert read_key(key_at(tmp_path, KEY + b"\n")) == KEY + b"\n"


@pytest.mark.parametrize(
    ("key", "mode", "why"),
    [(KEY[:15], 0o600, "16 to 4096"), (bytes(5000), 0o600, "more than 4096"), (KEY, 0o640, "chmod 600"), (KEY, 0o604, "others")],
)  # fmt: skip
def test_a_weak_key_file_is_refused(tmp_path: Path, key: bytes, mode: int, why: str) -> None:
    with pytest.raises(BadInput, match=why):
        read_key(key_at(tmp_path, key, mode))


def test_what_is_no_file_is_refused_without_waiting(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe", 0o600)
    for path in (tmp_path / "pipe", tmp_path, tmp_path / "none"):
        with pytest.raises(BadInput, match="head -c 32"):
            read_key(path)


def test_beyond_loopback_a_key_is_demanded(tmp_path: Path) -> None:
    assert demand_key("127.0.0.1", None) is None is demand_key("localhost", None)
    assert demand_key("0.0.0.0", key_at(tmp_path, KEY)) == KEY
    for host in ("0.0.0.0", "192.168.1.5", "hall.example", ""):
        with pytest.raises(BadInput, match="--key-file"):
            demand_key(host, None)
