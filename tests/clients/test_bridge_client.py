"""The Python client of the bridge against a hall that is nothing but a socket, and the example against it and without."""

from __future__ import annotations

import socket
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import proxops
from proxops import BadInput, BridgeClient
from proxops.core.bridge_datagram import BridgeCommand, BridgeStatus, pack_command, pack_status, unpack_command

EXAMPLE = Path(__file__).parents[2] / "examples" / "04_bridge_client.py"
CHASER, TARGET = (7e6, 1.0, 2.0, 0.0, 0.6, 0.0, 0.8), (7e6, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
ONE, TWO, SUN = (1.0, 2.0, 3.0, 0.1, 0.2, 0.3), (4.0, 5.0, 6.0, 0.4, 0.5, 0.6), (0.0, 0.0, -1.0)


@pytest.fixture
def client(hall: Any) -> Any:
    end = BridgeClient(hall.address)
    yield end
    end.close()


def met(client: BridgeClient, hall: Any) -> None:
    """The hall knows where to answer."""
    client.send(CHASER, TARGET)
    hall.take()


def test_what_is_sent_is_what_is_packed(client: BridgeClient, hall: Any) -> None:
    client.send(CHASER, TARGET, chaser_velocity=ONE, target_velocity=TWO, sun=SUN, sent_ns=-3, sequence=41)
    assert hall.take() == pack_command(BridgeCommand(41, -3, CHASER, TARGET, ONE, TWO, SUN))
    client.send(np.array(CHASER), list(TARGET), sent_ns=4)
    assert hall.take() == pack_command(BridgeCommand(42, 4, CHASER, TARGET))


def test_numbers_and_times_grow_by_themselves(client: BridgeClient, hall: Any) -> None:
    for _ in range(3):
        client.send(CHASER, TARGET)
    sent = [unpack_command(hall.take()) for _ in range(3)]
    assert [c.sequence for c in sent] == [1, 2, 3]
    assert sent[0].sent_ns <= sent[1].sent_ns <= sent[2].sent_ns <= time.monotonic_ns()


def test_no_status_yet_is_none_and_does_not_block(client: BridgeClient) -> None:
    assert client.status() is None


def test_the_newest_status_counts_and_is_kept(client: BridgeClient, hall: Any, status: BridgeStatus) -> None:
    met(client, hall)
    later = replace(status, tick=status.tick + 1, utc_ns=status.utc_ns + 4_000_000, commanded_clearance_m=1.0)
    hall.answer(pack_status(status), pack_status(later), pack_status(status))
    assert client.status(wait_s=5.0) == later  # the last one was overtaken on the way
    assert client.status() == later


def test_a_facility_started_again_is_believed(client: BridgeClient, hall: Any, status: BridgeStatus) -> None:
    met(client, hall)
    anew = replace(status, tick=1, utc_ns=status.utc_ns + 1, commanded_clearance_m=1.0)
    hall.answer(pack_status(status), pack_status(anew))
    assert client.status(wait_s=5.0) == anew


def test_hostile_statuses_are_passed_over_and_counted(client: BridgeClient, hall: Any, status: BridgeStatus) -> None:
    met(client, hall)
    good = pack_status(replace(status, commanded_clearance_m=1.0))
    hall.answer(b"", good[:-1], good + b"\0", good[:-1] + bytes([good[-1] ^ 1]), b"\0" * 236, b"PXBS" * 59)
    assert client.status(wait_s=5.0) is None
    hall.answer(good)
    assert client.status(wait_s=5.0) == replace(status, commanded_clearance_m=1.0)
    assert client.malformed == 6
    assert "version" in client.last_malformed


def test_only_the_facility_is_heard(client: BridgeClient, hall: Any, status: BridgeStatus) -> None:
    met(client, hall)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as stranger:
        stranger.sendto(pack_status(status), hall.client)
    assert client.status() is None


def test_an_old_status_is_not_handed_out_for_ever(hall: Any, status: BridgeStatus) -> None:
    client = BridgeClient(hall.address, timeout_s=0.0)
    met(client, hall)
    hall.answer(pack_status(status))
    assert client.status(wait_s=5.0) is None
    assert client.malformed == 0
    client.close()


def test_nobody_there_is_no_error_and_a_facility_that_comes_up_is_found(hall: Any) -> None:
    client = BridgeClient(hall.address)
    hall.close()
    for _ in range(3):  # each meets a closed port, which the system reports with the next
        client.send(CHASER, TARGET)
        assert client.status() is None
    client.send(CHASER, TARGET)
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as up:
        up.bind(hall.address)
        up.settimeout(5.0)
        client.send(CHASER, TARGET)
        assert unpack_command(up.recv(4096)).sequence == 5
    client.close()


@pytest.mark.parametrize(
    ("arguments", "word"),
    [
        ({"chaser": CHASER[:6]}, "chaser pose has 6 values"),
        ({"target": (*TARGET, 0.0)}, "target pose has 8 values"),
        ({"chaser_velocity": ONE}, "one spacecraft only"),
        ({"chaser_velocity": ONE, "target_velocity": TWO[:3]}, "target velocity has 3 values"),
        ({"sun": (1.0,)}, "direction to the sun has 1 values"),
    ],
)
def test_what_cannot_be_sent_is_named(client: BridgeClient, arguments: dict[str, Any], word: str) -> None:
    with pytest.raises(BadInput, match=word):
        client.send(**{"chaser": CHASER, "target": TARGET, **arguments})


# --- the example ---


def run(*arguments: object) -> subprocess.Popen[str]:
    environment = {"PYTHONPATH": str(Path(proxops.__file__).parents[1])}
    command = [sys.executable, str(EXAMPLE), *map(str, arguments)]
    return subprocess.Popen(command, env=environment, stdout=subprocess.PIPE, text=True)


def test_the_example_flies_its_approach(hall: Any, status: BridgeStatus) -> None:
    """20 m until converged, then 0.2 mm a cycle; a rotating frame at 7000 km leaves that to a few nm."""
    example = run(1.2, hall.address[1])
    distances = []
    for k in range(300):
        command = unpack_command(hall.take())
        hall.answer(pack_status(replace(status, tick=k, utc_ns=k, converged=k >= 5)))
        distances.append(np.linalg.norm(np.subtract(command.chaser[:3], command.target[:3])))
        assert command.sequence == k + 1
        assert command.chaser[3:] == command.target[3:]
    out, _ = example.communicate(timeout=20)
    assert example.returncode == 0
    assert distances[:5] == pytest.approx([20.0] * 5, abs=1e-8)
    steps = -np.diff(distances)
    moving = steps > 1e-4
    assert moving.any()
    assert (np.diff(moving.astype(int)) != 0).sum() == 1  # it starts once and does not stop again
    assert steps[moving] == pytest.approx(0.05 * 0.004, abs=1e-8)
    assert "CONVERGING  cause LIMIT" in out
    assert len(EXAMPLE.read_text().splitlines()) <= 30


def test_the_example_says_so_when_nobody_answers(hall: Any) -> None:
    example = run(360, hall.address[1])  # the hall takes everything and answers nothing
    out, _ = example.communicate(timeout=20)
    assert example.returncode == 0
    assert out == "no facility answers: start one with proxops serve --bridge\n"
