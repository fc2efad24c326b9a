"""The control socket: fair turns, bounded work and connections, roles by credentials, files handed over, errors told."""

from __future__ import annotations

import contextlib
import json
import os
import socket
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from tests.shared.control_bench import Bench, NotedDesk, bench_of, request
from tests.shared.open_files import open_files

from proxops.core import control_sockets
from proxops.core.clock import monotonic_ns
from proxops.core.errors import BadInput, Refused
from proxops.facility.control.channel import ControlChannel, ControlSettings
from proxops.facility.control.port import CONNECTIONS, REQUESTS
from proxops.facility.control.roles import AccessControl, Peer, Role
from proxops.lab.cell_file import Access

NOBODY = 65534


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    with bench_of() as made:
        yield made


def test_a_request_is_carried_out_and_answered(bench: Bench) -> None:
    person = bench.person()
    assert bench.ask(person, request("status", 7)) == {"sequence": 7, "ok": True, "result": 1, "mode": "READY"}


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"sent_ns": 0}, "too old"),
        ({"sent_ns": monotonic_ns() + 3_600_000_000_000}, "from the future"),
        ({"sequence": 0}, "not newer than 1"),
        ({"sequence": 1}, "not newer than 1"),
        ({"proxops": 1}, "another version"),
        ({"do": "fly"}, "no such request"),
        ({"with": []}, "no such request"),
        ({"ttl_ms": float("nan")}, "finite number"),
        ({"sequence": 2**70}, "whole number"),
    ],
)
def test_what_is_old_early_repeated_or_unknown_is_refused(bench: Bench, changes: dict, words: str) -> None:
    person = bench.person()
    assert bench.ask(person, request("status", 1))["ok"]
    told = bench.ask(person, request(**{"sequence": 2, **changes}))
    assert words in told["error"]
    assert len(bench.desk.done) == 1


def test_a_number_counts_for_its_own_connection(bench: Bench) -> None:
    for _ in range(3):
        assert bench.ask(bench.person(), request("status", 1))["ok"]


@pytest.mark.parametrize("data", [b"\xff" * 300, b"[" * 8000, b"{}", b"7" * 8000, b'"\\ud800"'])
def test_nonsense_is_answered(bench: Bench, data: bytes) -> None:
    assert bench.ask(bench.person(), data)["ok"] is False
    assert not bench.desk.failures


def test_a_huge_message_is_refused_and_the_connection_goes_on(bench: Bench) -> None:
    person = bench.person()
    assert "more than 8192 bytes" in bench.ask(person, request("status", 1, padding="x" * 50_000))["error"]
    assert bench.ask(person, request("status", 1))["ok"]


def test_a_flood_leaves_everybody_a_turn_and_costs_a_bounded_number_of_requests(bench: Bench) -> None:
    flooders, quiet = [bench.person() for _ in range(12)], bench.person()
    bench.cycle(10)
    for flooder in flooders:
        assert flooder.flood(b"x" * 10) > 50
    assert quiet.send(request("status"))
    cycles = 0
    while not bench.desk.done:
        before = sum(len(f.heard()) for f in flooders)
        bench.cycle()
        assert sum(len(f.heard()) for f in flooders) <= REQUESTS
        assert before == 0
        cycles += 1
        assert cycles <= len(flooders)


def test_a_peer_that_does_not_read_is_dropped(bench: Bench) -> None:
    slow, other = bench.person(), bench.person()
    for sequence in range(3000):
        slow.send(request("status", sequence))
        bench.cycle()
        if bench.control.port.listening.dropped:
            break
    assert bench.control.port.listening.dropped == 1
    assert slow.gone
    assert bench.ask(other, request())["ok"]


def test_a_full_house_evicts_who_has_been_silent_for_longest(bench: Bench) -> None:
    operator = bench.person()
    crowd = [bench.person() for _ in range(3)]
    bench.cycle(5)
    assert bench.ask(operator, request("status", 1))["ok"]
    for _ in range(2 * CONNECTIONS):
        crowd.append(bench.person())
        bench.cycle()
    listening = bench.control.port.listening
    assert len(listening.connections) == CONNECTIONS
    assert listening.evicted > CONNECTIONS
    assert crowd[0].gone and not crowd[-1].gone
    assert bench.ask(operator, request("status", 2))["ok"]  # it has spoken: the crowd that never did goes first


def test_descriptors_are_handed_over_or_closed(bench: Bench) -> None:
    person = bench.person()
    bench.cycle()
    before = open_files()
    with tempfile.TemporaryFile() as file:
        file.write(b"a trajectory")
        file.flush()
        for sequence, (data, ok) in enumerate(
            (
                (request("load"), True),
                (request("status"), False),  # takes no file
                (request("fly"), False),
                (request("load", sent_ns=0), False),
                (b"nonsense", False),
                (request("load", padding="x" * 9000), False),
                (b'{"do": "safe_stop"}', True),
                (request("drives"), False),
            ),
            1,
        ):
            text = data.replace(b'"sequence": 1', f'"sequence": {sequence}'.encode())
            os.lseek(file.fileno(), 0, os.SEEK_SET)
            socket.send_fds(person.socket, [text], [file.fileno()] * 3)
            bench.cycle()
            (answer,) = person.heard()
            assert answer["ok"] is ok, data
            if data.startswith(b'{"proxops"') and ok:
                assert answer["result"] == "a trajectory"
    assert open_files() == before


def test_a_descriptor_that_is_only_claimed_is_none(bench: Bench) -> None:
    told = bench.ask(bench.person(), request("load", **{"with": {"fd": 0}}))
    assert "internal error: KeyError" in told["error"]  # the verb of this bench found none
    os.fstat(0)


def test_an_error_of_ours_stops_the_hall_and_not_the_tick(bench: Bench) -> None:
    told = bench.ask(bench.person(), request("drives"))
    assert told["ok"] is False and "internal error: ZeroDivisionError" in told["error"]
    assert bench.desk.failures == ["control request: by zero"]
    assert bench.ask(bench.person(), request())["ok"]


def test_refusals_do_not_fill_the_log(bench: Bench) -> None:
    def refuse(arguments: dict) -> None:
        raise Refused("not now")

    bench.control._requests._verbs["jog"] = refuse  # type: ignore[index]
    people = [bench.person() for _ in range(4)]
    bench.cycle(2)
    for person in people:
        person.send(request("jog"))
    bench.cycle()
    assert len(bench.desk.told) == 1


# --- who may


def test_groups_have_what_the_cell_file_gives() -> None:
    entry = AccessControl(Access(watch_group="daemon", operate_group="nogroup", maintain_group="adm"))
    import grp

    watch, operate, maintain = (grp.getgrnam(name).gr_gid for name in ("daemon", "nogroup", "adm"))
    assert entry.role_of(Peer(4711, frozenset({4711}))) is None
    assert entry.role_of(Peer(4711, frozenset({4711, watch}))) is Role.WATCH
    assert entry.role_of(Peer(4711, frozenset({watch, operate}))) is Role.OPERATE
    assert entry.role_of(Peer(4711, frozenset({maintain}))) is Role.MAINTAIN
    assert entry.role_of(Peer(os.getuid(), frozenset())) is Role.MAINTAIN
    assert AccessControl(None).role_of(Peer(4711, frozenset({watch}))) is None
    with pytest.raises(BadInput, match=r"operate_group: no such group.*groupadd nowhere"):
        AccessControl(Access(operate_group="nowhere"))


def as_nobody(path: Path, data: bytes, groups: list[int], bench: Bench) -> dict:
    """What a process of another user hears; an errno when it cannot connect."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reading)
        try:
            os.setgroups(groups)
            os.setgid(NOBODY)
            os.setuid(NOBODY)
            with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as asked:
                asked.settimeout(20)
                asked.connect(str(path))
                with contextlib.suppress(BrokenPipeError):
                    asked.send(data)
                os.write(writing, asked.recv(4096))
        except OSError as error:
            os.write(writing, json.dumps({"errno": error.errno}).encode())
        finally:
            os._exit(0)
    os.close(writing)
    while os.waitpid(child, os.WNOHANG) == (0, 0):
        bench.cycle()
    with os.fdopen(reading) as pipe:
        return json.loads(pipe.read())


@pytest.mark.skipif(os.getuid() != 0, reason="only root can become somebody else")
def test_another_user_has_its_groups_role_and_nothing_without(monkeypatch: pytest.MonkeyPatch) -> None:
    import errno
    import grp

    monkeypatch.setattr(control_sockets.tempfile, "gettempdir", lambda: "/tmp")
    monkeypatch.delenv("XDG_RUNTIME_DIR", raising=False)
    daemon = grp.getgrnam("daemon").gr_gid
    with bench_of() as closed:
        sockets = closed.control.sockets
        assert as_nobody(sockets.control, request(), [], closed)["errno"] == errno.EACCES
        assert as_nobody(sockets.stop, b"stop", [], closed)["errno"] == errno.EACCES
    with bench_of(Access(watch_group="daemon")) as bench:
        sockets = bench.control.sockets
        assert "no access" in as_nobody(sockets.control, request(), [], bench)["error"]
        assert "no access" in as_nobody(sockets.stop, b"stop", [], bench)["error"]
        assert not bench.desk.stops
        assert as_nobody(sockets.control, request("status"), [daemon], bench)["ok"]
        told = as_nobody(sockets.control, request("jog"), [daemon], bench)
        assert told["error"] == f"jog needs the role operate, user id {NOBODY} has watch"
        assert as_nobody(sockets.control, b'{"do": "safe_stop"}', [daemon], bench)["ok"]
        assert as_nobody(sockets.stop, b"stop", [daemon], bench)["ok"]
        assert len(bench.desk.stops) == 2
    with bench_of(Access(operate_group="nogroup")) as bench:  # its first group
        assert as_nobody(bench.control.sockets.control, request("jog"), [], bench)["ok"]
        told = as_nobody(bench.control.sockets.control, request("interlock"), [], bench)
        assert "interlock needs the role maintain" in told["error"]


# --- where the sockets are


def test_sockets_are_the_owners_unless_groups_are_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(control_sockets.tempfile, "gettempdir", lambda: str(tmp_path))
    with bench_of() as bench:
        assert bench.control.sockets.control.parent == tmp_path / "proxops"
        for path in (bench.control.sockets.control, bench.control.sockets.stop):
            assert stat.S_IMODE(path.stat().st_mode) == 0o600
        assert stat.S_IMODE((tmp_path / "proxops").stat().st_mode) == 0o711
    assert list((tmp_path / "proxops").iterdir()) == []
    with bench_of(Access()) as bench:  # others cannot enter the private folder
        assert bench.control.sockets.control.parent == tmp_path / f"proxops-{os.getuid()}"
        assert stat.S_IMODE(bench.control.sockets.stop.stat().st_mode) == 0o666


def test_a_living_facility_keeps_its_name_and_a_dead_one_does_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    monkeypatch.setattr(control_sockets.tempfile, "gettempdir", lambda: str(tmp_path))
    first = ControlChannel(ControlSettings("hall"), NotedDesk(), {})
    for access in (None, Access()):  # in the other folder neither
        with pytest.raises(BadInput, match="is another facility running"):
            ControlChannel(ControlSettings("hall", access), NotedDesk(), {})
    assert first.sockets.control.is_socket()
    ControlChannel(ControlSettings("other"), NotedDesk(), {}).close()
    first.close()
    child = os.fork()
    if child == 0:  # it dies without a word
        ControlChannel(ControlSettings("hall"), NotedDesk(), {})
        os._exit(0)
    os.waitpid(child, 0)
    assert first.sockets.control.exists()
    ControlChannel(ControlSettings("hall"), NotedDesk(), {}).close()


def test_a_folder_that_is_not_ours_alone_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    folder = tmp_path / "proxops"
    folder.mkdir()
    folder.chmod(0o777)
    with pytest.raises(BadInput, match=r"written by others.*XDG_RUNTIME_DIR"):
        ControlChannel(ControlSettings("hall"), NotedDesk(), {})
    folder.rmdir()
    folder.symlink_to(tmp_path)
    with pytest.raises(BadInput, match="is not a folder"):
        ControlChannel(ControlSettings("hall"), NotedDesk(), {})
    folder.unlink()
    if os.getuid() == 0:
        folder.mkdir()
        os.chown(folder, NOBODY, NOBODY)
        with pytest.raises(BadInput, match=f"belongs to user id {NOBODY}"):
            ControlChannel(ControlSettings("hall"), NotedDesk(), {})
    for name in ("", "a/b", "..", "x" * 41, "a b"):
        with pytest.raises(BadInput):
            ControlChannel(ControlSettings(name), NotedDesk(), {})
