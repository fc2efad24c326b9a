"""What images cost, CPU ms of one core: to encode, hand over, record and read again, and as a frame for TCP.

640 x 480, noise of 8 bits, which nothing makes smaller, and a picture of a lit body before a black sky; the best of five turns.
"""

from __future__ import annotations

import resource
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from proxops.core.clock import LockstepClock
from proxops.core.image_frame import FrameReader, frame_of
from proxops.core.images import CameraImage
from proxops.core.imaging_table import CameraSensor
from proxops.facility.build import build
from proxops.ground.image_encoding import EncodedImage, decode, encode
from proxops.ground.log import Log
from proxops.ground.sensor_log import Arrival, SensorLog
from proxops.lab.any_cell import load_cell

TURNS, CALLS = 5, 30
CYCLES, EVERY = 2500, 25  # ten seconds of two cameras at 10 Hz
NAMES = ("left", "right")


def run() -> dict[str, float]:
    """One row for each figure."""
    found: dict[str, float] = {}
    for word, pixels in (("noise", noise()), ("picture", picture())):
        image = CameraImage("left", 0, 0.0, 0.01, 0.0, 255, pixels)
        encoded, frame = encode(image), frame_of(image)
        found[f"{word}_kB"] = len(encoded.parts["image"]) / 1000
        found[f"{word}_encode_ms"] = best_ms(lambda image=image: encode(image))
        found[f"{word}_decode_ms"] = best_ms(lambda encoded=encoded: decode(encoded))
        found[f"{word}_frame_ms"] = best_ms(lambda image=image: frame_of(image))
        found[f"{word}_received_ms"] = best_ms(lambda frame=frame: FrameReader().feed(frame))
    return {**found, **recorded()}


def recorded() -> dict[str, float]:
    """A hall at rest in lockstep, with images and without: the difference is theirs."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run.mcap"
        costs = [(_run(path, images=False), _run(path, images=True)) for _ in range(TURNS)]
        begin = time.process_time()
        count = sum(1 for name in NAMES for _ in Log.open(path).images(name))
        read_ms = (time.process_time() - begin) / count * 1e3
    idle, busy = min(without[1] for without, _ in costs), min(own[1] for _, own in costs)
    return {
        "push_ms": min(own[0] for _, own in costs) / count * 1e3, "recorder_ms": (busy - idle) / count * 1e3,
        "read_ms": read_ms, "lost_pieces": max(own[2] for _, own in costs),
    }  # fmt: skip


def _run(path: Path, *, images: bool) -> tuple[float, float, int]:
    """CPU s of handing over and of the recorder, and pieces that were lost."""
    sensors = SensorLog([CameraSensor(kind="camera", name=n, log_hz=10) for n in NAMES], {n: np.eye(4) for n in NAMES})
    encoded = {name: encode(CameraImage(name, 0, 0.0, 0.01, 0.0, 255, noise())) for name in NAMES}
    before, pushed, clock = _children_s(), 0.0, LockstepClock()
    hall = build(load_cell(), clock, seed=1, record=path, sensors=sensors if images else None)
    for cycle in range(CYCLES):
        if hall.viewer and cycle % EVERY == 0:
            begin = time.process_time()
            for one in encoded.values():
                hall.viewer.push(
                    sensors.messages(_at(one, cycle), Arrival(clock.tick + 1, clock.utc_ns(), cycle * 0.004))
                )
            pushed += time.process_time() - begin
        hall.facility.tick()
    assert hall.close() == 0
    return pushed, _children_s() - before, hall.viewer.lost if hall.viewer else 0


def _at(one: EncodedImage, cycle: int) -> EncodedImage:
    return EncodedImage(one.sensor, cycle // EVERY, cycle * 0.004, one.parts, one.width, one.height, 0.01, 0.0, 255)


def _children_s() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def best_ms(call: Callable[[], object]) -> float:
    """CPU time of one call."""
    found = []
    for _ in range(TURNS):
        begin = time.process_time()
        for _ in range(CALLS):
            call()
        found.append((time.process_time() - begin) / CALLS * 1e3)
    return min(found)


def noise() -> NDArray[np.uint8]:
    return np.random.default_rng(1).integers(0, 256, (480, 640), np.uint8)


def picture() -> NDArray[np.uint8]:
    """A body of 280 x 220 pixels with the noise of its light, before a sky with that of reading."""
    y, x = np.mgrid[:480, :640]
    body = (abs(x - 320) < 140) & (abs(y - 240) < 110)
    grain = np.random.default_rng(1).normal(0.0, 1.0, body.shape) * np.where(body, 4.0, 0.5)
    return np.clip(np.where(body, 90 + 40 * np.sin(x / 60), 2.0) + grain, 0, 255).astype(np.uint8)
