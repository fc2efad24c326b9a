"""A served hall with eyes, and what becomes of it when processes of theirs are killed: nothing but images is missed."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from child_pids import pid_below
from patient_cell import patient_cell

from proxops.client import ControlClient
from proxops.core.errors import Refused
from proxops.core.grey_picture import png
from proxops.core.image_frame import FrameReader
from proxops.ground.log import Log

SENSORS = """
[[sensor]]
kind = "camera"
name = "eye"
width = 96
height = 72
pixel_um = 49.5
focal_mm = 7.5
rate_hz = 10.0
log_hz = 10.0
[[sensor]]
kind = "folder"
name = "before"
path = "before"
width = 32
height = 24
log_hz = 10.0
loop = true
[[sensor]]
kind = "network"
name = "nobody"
at = "127.0.0.1:1"
"""
PATIENCE_S = 400.0  # a fresh clone compiles its kernels first


class Served:
    """The facility in another process, and who looks at its images."""

    def __init__(self, folder: Path) -> None:
        before = folder / "before"
        before.mkdir()
        for k in range(3):
            (before / f"{k}.png").write_bytes(png(np.full((24, 32), 50 * k, np.uint8)))
        (before / "frames.csv").write_text("t_s,file\n0.0,0.png\n0.1,1.png\n0.2,2.png\n0.3,lost.png\n")
        (folder / "sensors.toml").write_text(SENSORS)
        self.name, self.out = f"test-eyes-{os.getpid()}", folder / "serve"
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        command = [
            sys.executable, "-m", "proxops.cli", "serve", "--no-console", "--no-report", "--json", "--out", str(self.out),
            "--port", "0", "--bridge-port", "0", "--control", self.name, "--cell", str(patient_cell(folder)),
            "--sensors", str(folder / "sensors.toml"), "--images", f"127.0.0.1:{port}",
        ]  # fmt: skip
        self.process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        self.control, self._reader, self._port = ControlClient(self.name, 5.0), FrameReader(), port
        self.seen: list[tuple[str, int]] = []
        self._line: socket.socket | None = None

    def look(self) -> None:
        """Take what is served."""
        if self._line is None:
            try:
                self._line = socket.create_connection(("127.0.0.1", self._port), 1.0)
            except OSError:
                return
            self._line.setblocking(False)
        try:
            data = self._line.recv(1 << 20)
        except BlockingIOError:
            return
        self.seen += [(header.sensor, header.number) for header, _ in self._reader.feed(data)]

    def until(self, done: Callable[[], object]) -> None:
        end = time.monotonic() + PATIENCE_S
        while not done():
            assert self.process.poll() is None and time.monotonic() < end
            self.look()
            time.sleep(0.02)

    def sees_anew(self, sensor: str) -> None:
        self.seen.clear()
        self.until(lambda: any(name == sensor for name, _ in self.seen))

    def stands_ready(self) -> bool:
        try:
            return bool(self.control.ask("status")["mode"] == "READY")
        except Refused:
            return False

    def pid_of(self, module: str) -> int:
        return pid_below(self.process.pid, module)

    def close(self) -> None:
        if self._line:
            self._line.close()
        self.process.kill()
        self.process.wait()


def test_a_served_hall_goes_on_without_its_eyes(tmp_path: Path) -> None:
    hall = Served(tmp_path)
    try:
        hall.until(hall.stands_ready)
        hall.sees_anew("eye")
        hall.sees_anew("before")
        first = hall.pid_of("proxops.runs.image_child")
        os.kill(first, signal.SIGKILL)
        hall.until(lambda: hall.pid_of("proxops.runs.image_child") not in (0, first))  # once it is started again
        hall.sees_anew("eye")
        os.kill(hall.pid_of("proxops.runs.image_child"), signal.SIGKILL)
        hall.until(lambda: not hall.pid_of("proxops.runs.image_child"))
        for _ in range(10):  # at 10 Hz: by then it has been noticed
            hall.sees_anew("before")  # what nobody draws goes on
        os.kill(hall.pid_of("proxops.runs.hall_eyes"), signal.SIGKILL)
        time.sleep(0.5)
        assert hall.stands_ready()
        hall.control.ask("shut_down")
        assert hall.process.wait(60) == 0
    finally:
        hall.close()
    log = Log.open(hall.out / "run.mcap")
    names = [event["name"].decode() for event in log.events if event["name"].startswith(b"images")]
    expected = ["images_left_out", "images_not_connected", "images_not_drawn", "images_not_drawn", "images_process"]
    assert sorted(names) == expected
    assert len(list(log.images("eye"))) >= 2 and len(list(log.images("before"))) > 2
