"""All eyes of a run: what becomes of one whose process dies or freezes, and who gets the images."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
from small_eyes import moment, order, small_sensors

from proxops.core.errors import BadInput
from proxops.core.image_frame import FrameReader
from proxops.core.imaging_table import FolderSensor
from proxops.core.scenery_table import Scenery
from proxops.ground.sensor_log import Arrival
from proxops.ground.viewer_ring import ViewerRing
from proxops.runs.child_patience import ChildPatience
from proxops.runs.eyes import Eyes, EyeSetting
from proxops.runs.image_log import ImageLog, sensor_log
from proxops.runs.image_orders import DrawingFailed, Drawn, ImageOrders, ImageSetting
from proxops.runs.image_pool import ImagePool
from proxops.runs.image_port import image_port

CYCLE_S = 0.02
CAMERA = small_sensors()[:1]
DRAWN = ImageSetting(CAMERA, (False,), Scenery(), 1, None, False)
PATIENCE = "proxops.runs.work_line.PATIENCE_S"


class Watched:
    """Eyes on a clock that goes on when it is told to, with what they tell."""

    def __init__(self, eyes: Eyes) -> None:
        self.eyes, self.t, self.told = eyes, 0.0, list[tuple[str, str]]()
        eyes.tell = lambda name, words: self.told.append((name, words))

    @property
    def pid(self) -> int:
        assert self.eyes._orders is not None
        return self.eyes._orders.pids[0]

    def until(self, done: Callable[[list[Drawn]], object], patience_s: float = 60.0) -> list[Drawn]:
        found: list[Drawn] = []
        end = time.monotonic() + patience_s
        while not done(found):
            assert time.monotonic() < end, self.told
            found += self.eyes.look(self.t, lambda: moment(self.t))
            self.t += CYCLE_S
            time.sleep(0.001)
        return found


@pytest.fixture
def live() -> Iterator[Watched]:
    watched = Watched(Eyes(EyeSetting(DRAWN), waits=False, restarts=1))
    yield watched
    watched.eyes.close()


def test_live_a_killed_process_is_told_once_and_started_again_once(live: Watched) -> None:
    first = live.until(len)
    os.kill(live.pid, signal.SIGKILL)
    live.until(lambda _: live.told)
    again = live.until(len)  # from the second process
    assert again[0].image.number > first[0].image.number
    assert [name for name, _ in live.told] == ["images_not_drawn"] and "started again" in live.told[0][1]
    os.kill(live.pid, signal.SIGKILL)
    live.until(lambda _: len(live.told) == 2)
    assert "no more images" in live.told[1][1] and live.eyes.next_s == np.inf
    for _ in range(10):
        assert not live.eyes.look(live.t, moment)
    assert len(live.told) == 2


@pytest.mark.parametrize("restarts", [0, 1])
def test_live_a_process_that_is_killed_before_it_can_draw_is_told(
    restarts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    wait_ready = ImagePool.wait_ready

    def killed(pool: ImagePool) -> None:
        os.kill(pool.pids[0], signal.SIGKILL)
        wait_ready(pool)

    monkeypatch.setattr(ImagePool, "wait_ready", killed)
    with pytest.raises(DrawingFailed):
        Eyes(EyeSetting(DRAWN), waits=True)
    watched = Watched(Eyes(EyeSetting(DRAWN), waits=False, restarts=restarts))
    try:
        watched.until((lambda found: found) if restarts else (lambda _: watched.told))
        assert [name for name, _ in watched.told] == ["images_not_drawn"]
        assert ("started again" if restarts else "no more images") in watched.told[0][1]
    finally:
        watched.eyes.close()


def test_live_a_frozen_process_keeps_nobody_waiting_and_is_replaced(
    live: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    live.until(len)
    frozen = live.pid
    os.kill(frozen, signal.SIGSTOP)
    monkeypatch.setattr(PATIENCE, 0.3)
    live.until(lambda _: live.told)
    assert "neither answers nor works" in live.told[0][1] and live.pid != frozen
    monkeypatch.setattr(PATIENCE, 60.0)
    live.until(len)


@pytest.mark.parametrize(("number", "words"), [(signal.SIGKILL, "has ended"), (signal.SIGSTOP, "neither answers")])
def test_in_lockstep_a_process_that_is_of_no_use_ends_the_wait(
    number: signal.Signals, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    watched = Watched(Eyes(EyeSetting(DRAWN), waits=True))
    monkeypatch.setattr(PATIENCE, 0.3)
    os.kill(watched.pid, number)
    with pytest.raises(DrawingFailed, match=words):
        watched.until(len)
    watched.eyes.close()


def test_orders_that_are_not_read_hold_nobody_up() -> None:
    """More than any socket holds: their sender goes on, and all are drawn in the end."""
    orders = ImageOrders(DRAWN)
    orders.wait_ready()
    os.kill(orders.pid, signal.SIGSTOP)
    many = order(0, 0, *(moment(1e-6 * k) for k in range(2000)))  # some 300 kB each
    for _ in range(8):
        orders.give(many)
    assert orders.take(block=False) is None and len(orders._unsent) > 0
    os.kill(orders.pid, signal.SIGCONT)
    assert all(orders.take(block=True) is not None for _ in range(8))
    orders.close()


def test_slow_is_not_frozen(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who uses the processor is alive; who was held himself has not waited."""
    now, used = [0.0], [1.0]
    monkeypatch.setattr("proxops.runs.child_patience.time.monotonic", lambda: now[0])
    monkeypatch.setattr(ChildPatience, "_processor_s", lambda self: used[0])
    patience = ChildPatience(os.getpid())
    now[0] += 1e4
    assert not patience.ended(3.0)
    now[0] += 1.5
    used[0] += 0.01
    assert not patience.ended(3.0)
    now[0] += 1.9
    assert not patience.ended(3.0)
    now[0] += 1.9
    assert patience.ended(3.0)
    patience.heard()
    assert not patience.ended(3.0)


def test_one_that_froze_while_it_worked_is_not_waited_for_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    now, used = [0.0], [1.0]
    monkeypatch.setattr("proxops.runs.child_patience.time.monotonic", lambda: now[0])
    monkeypatch.setattr(ChildPatience, "_processor_s", lambda self: used[0])
    patience = ChildPatience(os.getpid())
    used[0] += 0.5
    while not patience.ended(60.0):
        now[0] += 0.25
    assert now[0] <= 62.0


def test_processor_time_of_a_process_is_found() -> None:
    """Of this one; none of one that is gone."""
    assert ChildPatience(os.getpid())._processor_s() > 0.1 and ChildPatience(2**22 + 1)._processor_s() == 0.0


def test_every_image_is_served_and_own_ones_are_recorded_without_a_truth(tmp_path: Path) -> None:
    from proxops.core.grey_picture import png

    for k in range(4):
        (tmp_path / f"{k}.png").write_bytes(png(np.full((24, 32), 10 * k, np.uint8)))
    (tmp_path / "frames.csv").write_text("t_s,file\n" + "".join(f"{0.5 * k},{k}.png\n" for k in range(4)))
    spec = FolderSensor(kind="folder", name="own", path=str(tmp_path), width=32, height=24, log_hz=1.0)
    port = image_port("127.0.0.1:0", ["own"])
    watched = Watched(Eyes(EyeSetting(None, (spec,)), waits=True, images=port))
    with socket.create_connection(port.getsockname()) as client:
        log, ring = sensor_log((spec,)), ViewerRing.create(64)
        recorder = ImageLog(log, ring)
        images = watched.until(lambda found: len(found) == 4)
        for drawn in images:
            recorder.put(drawn, Arrival(0, 10**18, drawn.image.t))
        watched.eyes.poll()
        client.settimeout(5.0)
        reader, got = FrameReader(), list[tuple[str, int]]()
        while len(got) < 4:
            got += [(header.sensor, header.number) for header, _ in reader.feed(client.recv(65_536))]
        assert got == [("own", k) for k in range(4)]
        assert ring.ring.head > 0
        ring.close()
    watched.until(lambda _: watched.told)
    for _ in range(5):
        watched.eyes.look(watched.t, moment)
    assert [name for name, _ in watched.told] == ["images_stopped"]
    watched.eyes.close()


def test_images_are_served_to_this_machine_only() -> None:
    with pytest.raises(BadInput, match="ssh -L"):
        image_port("0.0.0.0:47260", ["eye"])
    with pytest.raises(BadInput, match="nothing here sees"):
        image_port("127.0.0.1:0", [])
    with pytest.raises(BadInput, match="does not fit a frame"):
        image_port("127.0.0.1:0", ["a" * 15 + "_orbit"])
    with pytest.raises(BadInput, match="not an address"):
        image_port("47260", ["eye"])
