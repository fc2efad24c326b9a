"""Images over loopback: served to several, lost whole by the slow, received with what is wrong named."""

from __future__ import annotations

import re
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.image_frame import FrameReader, frame_of
from proxops.core.images import CameraImage, Image
from proxops.sensors.image_client import AGAIN_S, ImageClient
from proxops.sensors.image_server import MOST_CLIENTS, PORT, WAITING, ImageServer
from proxops.sensors.image_stream import FROZEN_FRAMES, STOPPED_S, ImageStream, StreamCondition

RNG = np.random.default_rng(3)


def image(number: int, size: tuple[int, int] = (64, 48)) -> CameraImage:
    return CameraImage("near", number, 0.1 * number, 0.002, 0.0, 255, RNG.integers(0, 256, size[::-1], np.uint8))


@pytest.fixture
def server() -> Iterator[ImageServer]:
    own = ImageServer(("127.0.0.1", 0))
    yield own
    own.close()


class Line:
    """A server and its client on a made-up clock."""

    def __init__(self, server: ImageServer, stream: ImageStream | None = None) -> None:
        self.server, self.client, self.now_s = server, ImageClient(server.address, stream, most_bytes=1_000_000), 0.0
        for _ in range(3):
            self.client.poll(self.now_s)
            server.poll()

    def pass_on(self, *images: Image) -> list[Image]:
        found: list[Image] = []
        for one in images:
            self.now_s += 0.1
            self.server.send(one)
            found += self.wait_for(1)
        return found

    def wait_for(self, count: int) -> list[Image]:
        """Loopback hands on within microseconds; other processes may have the processor meanwhile."""
        found: list[Image] = []
        for _ in range(1000):
            self.server.poll()
            found += self.client.poll(self.now_s)
            if len(found) >= count or StreamCondition.WRONG_SIZE in self.client.stream.conditions:
                break
        return found

    @property
    def wrong(self) -> set[StreamCondition]:
        return set(self.client.stream.conditions)


def test_every_client_gets_every_image(server: ImageServer) -> None:
    one, other = Line(server), Line(server)
    sent = [image(k, (640, 480)) for k in range(5)]
    for k, own in enumerate(sent):
        (first,) = one.pass_on(own)
        (second,) = other.wait_for(1)
        for found in (first, second):
            assert isinstance(found, CameraImage)
            assert (found.number, found.t, found.exposure_s) == (k, pytest.approx(0.1 * k), 0.002)
            assert (found.pixels == own.pixels).all()
    assert one.wrong == set() and server.lost == 0
    assert list(server.clients.values()) == [(5, 0), (5, 0)]


def test_a_slow_client_loses_whole_images_and_nobody_waits_for_it(server: ImageServer) -> None:
    slow = socket.create_connection(server.address)
    server.poll()
    large = [image(k, (1000, 1000)) for k in range(40)]
    for own in large:
        server.send(own)
    ((_, (sent, lost)),) = server.clients.items()
    assert lost == server.lost > 0 and sent + lost + WAITING >= len(large)
    reader, numbers = FrameReader(), []
    slow.settimeout(5.0)
    while large[-1].number not in numbers:
        server.poll()
        numbers += [header.number for header, _ in reader.feed(slow.recv(1 << 22))]
    assert (reader.damaged, reader.skipped) == (0, 0)
    assert len(numbers) == len(large) - lost and numbers == sorted(numbers)
    slow.close()


def test_clients_come_and_go(server: ImageServer) -> None:
    many = [socket.create_connection(server.address) for _ in range(MOST_CLIENTS + 1)]
    for _ in range(100):
        server.poll()
        if len(server.clients) + server.refused == MOST_CLIENTS + 1:
            break
    assert (len(server.clients), server.refused) == (MOST_CLIENTS, 1)
    many[0].sendall(b"GET / HTTP/1.1\r\n\r\n")  # what they say is of no interest
    for one in many:
        one.close()
    for k in range(100):
        server.send(image(k))
        if not server.clients:
            break
    assert not server.clients


def test_a_port_that_is_taken_is_named(server: ImageServer) -> None:
    with pytest.raises(BadInput, match="another port"):
        ImageServer(server.address)


def test_a_frozen_image_is_named_until_it_moves(server: ImageServer) -> None:
    line, still = Line(server), image(0)
    for k in range(FROZEN_FRAMES):
        assert StreamCondition.FROZEN not in line.wrong
        line.pass_on(CameraImage("near", k, 0.1 * k, 0.002, 0.0, 255, still.pixels))
    assert line.wrong == {StreamCondition.FROZEN}
    assert f"{FROZEN_FRAMES} images" in line.client.stream.conditions[StreamCondition.FROZEN]
    line.pass_on(image(FROZEN_FRAMES))
    assert line.wrong == set()


def test_another_size_is_named_and_not_used(server: ImageServer) -> None:
    line = Line(server)
    assert len(line.pass_on(image(0), image(1, (48, 64)), image(2), image(3, (32, 32)))) == 2
    assert line.wrong == {StreamCondition.WRONG_SIZE}
    assert "32 x 32 instead of 64 x 48" in line.client.stream.conditions[StreamCondition.WRONG_SIZE]
    strict = Line(server, ImageStream((640, 480)))
    assert strict.pass_on(image(4)) == [] and StreamCondition.WRONG_SIZE in strict.wrong


def test_a_stream_that_stops_is_named(server: ImageServer) -> None:
    line = Line(server)
    line.pass_on(image(0))
    line.now_s += STOPPED_S - 0.1
    line.client.poll(line.now_s)
    assert line.wrong == set()
    line.client.poll(line.now_s + 0.2)
    assert line.wrong == {StreamCondition.STOPPED}
    line.now_s += 1.0
    line.pass_on(image(5))
    assert line.wrong == set() and line.client.stream.lost == 4


def test_a_server_that_goes_and_comes_back_is_found_again() -> None:
    server = ImageServer(("127.0.0.1", 0))
    line, at = Line(server), server.address
    line.pass_on(image(0))
    server.close()
    for _ in range(1000):
        line.client.poll(line.now_s)
        if line.wrong:
            break
    assert line.wrong == {StreamCondition.NOT_CONNECTED}
    line.now_s += AGAIN_S
    for _ in range(10):
        line.client.poll(line.now_s)
    assert "refused" in line.client.stream.conditions[StreamCondition.NOT_CONNECTED]
    line.server = ImageServer(at)
    line.now_s += 1.5 * AGAIN_S
    for _ in range(10):
        line.client.poll(line.now_s)
        line.server.poll()
    assert len(line.pass_on(image(1))) == 1 and line.wrong == set()
    line.server.close()
    line.client.close()


def test_damage_is_named_and_the_next_image_is_taken() -> None:
    listening = socket.create_server(("127.0.0.1", 0))
    client = ImageClient(listening.getsockname())
    client.poll(0.0)
    peer, _ = listening.accept()
    found: list[Image] = []
    for k in range(4):
        frame = bytearray(frame_of(image(k)))
        frame[200] ^= k == 1
        peer.sendall(bytes(frame))
        for _ in range(1000):
            found += client.poll(0.1 * k)
            if len(found) > k - (k >= 1) or StreamCondition.DAMAGED in client.stream.conditions:
                break
        assert (StreamCondition.DAMAGED in client.stream.conditions) == (k == 1)
    assert [one.number for one in found] == [0, 2, 3]
    peer.close()
    listening.close()
    client.close()


def test_the_client_on_the_page_takes_images(server: ImageServer) -> None:
    page = (Path(__file__).parents[2] / "docs" / "images_interface.md").read_text()
    (code,) = re.findall(r"```python\n(.*?)```", page, re.DOTALL)
    assert str(PORT) in code
    program = code.replace(str(PORT), str(server.address[1]))
    with subprocess.Popen([sys.executable, "-S", "-c", program], stdout=subprocess.PIPE, text=True) as client:
        while not server.clients and client.poll() is None:
            server.poll()
            time.sleep(0.002)
        for k in range(3):
            server.send(image(k))
        server.close()
        said, _ = client.communicate(timeout=20)
    assert said.splitlines() == [f"near {k} {0.1 * k:.3f} s 64 48 8" for k in range(3)]


def test_the_page_names_every_condition() -> None:
    page = (Path(__file__).parents[2] / "docs" / "images_interface.md").read_text()
    assert {f"| `{condition}` |" for condition in StreamCondition} <= {
        line[: line.find("|", 2) + 1] for line in page.splitlines()
    }
    assert f"{FROZEN_FRAMES} images in a row" in page and f"no image for {STOPPED_S:g} s" in page
