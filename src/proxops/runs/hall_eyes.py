"""The process that looks into a served hall: ``python -m proxops.core.child proxops.runs.hall_eyes …``.

It reads what the robots show from the pool's ring, lets the pictures be drawn, and leaves them in the ring for recorder and
console. Nothing waits for it: when drawing is too slow, exposures are left out and told on the terminal at the end.
"""

from __future__ import annotations

import argparse
import os
import pickle
import signal
import socket
import subprocess
import sys
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.child import child_command, child_environment
from proxops.core.errors import BadInput
from proxops.core.imaging_table import ImagingSensor
from proxops.core.messages import PERIOD_S, POOL_DTYPE
from proxops.core.ring import Ring
from proxops.facility.installation import Installation
from proxops.ground.sensor_log import Arrival
from proxops.ground.viewer_ring import ViewerRing
from proxops.runs.eyes import Eyes, EyeSetting
from proxops.runs.image_log import ImageLog, sensor_log
from proxops.runs.image_news import ENDED, ImageNews, ImageNewsWatch
from proxops.sensors.moment import HallMoment, Moment

CLOSED_S: Final = 2.0  # without a new record: the facility is gone
BEGUN_S: Final = 60.0  # until the first one
RESTARTS: Final = 1  # of the process that draws


def start_hall_eyes(hall: Installation, seen: HallSight, images: socket.socket | None = None) -> HallEyes:
    """Beside a live facility that has a ring for images. ``images``: listens for who wants every image."""
    assert hall.viewer is not None
    news, tells = os.pipe()
    words: list[object] = ["--pool", hall.rings[0].path, "--viewer", hall.viewer.ring.path, "--news", tells]
    words += ["--images", images.fileno()] if images else []
    process = subprocess.Popen(
        child_command("proxops.runs.hall_eyes", *words), env=child_environment(), stdin=subprocess.PIPE,
        pass_fds=(tells, *((images.fileno(),) if images else ())),
    )  # fmt: skip
    os.close(tells)
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it has said why
        process.stdin.write(pickle.dumps(seen))
        process.stdin.close()
    watch = ImageNewsWatch(news, hall.facility.events, process)
    hall.facility.surroundings.watchers.append(watch)
    return HallEyes(process, watch)


@dataclass(frozen=True)
class HallSight:
    """``sensors``: all of them, in the order of the log."""

    sensors: tuple[ImagingSensor, ...]
    setting: EyeSetting


@dataclass
class HallEyes:
    """The process, as one that runs beside a facility."""

    process: subprocess.Popen[bytes]
    watch: ImageNewsWatch

    def finish(self) -> None:
        """It sees by itself that the facility has ended."""

    def close(self) -> None:
        self.watch.close()


def look(options: argparse.Namespace, seen: HallSight) -> None:
    """Until the facility has ended."""
    images = socket.socket(fileno=options.images) if options.images is not None else None
    try:  # before scenes are built: a facility that ends meanwhile takes its rings' names along
        ring, viewer = Ring.attach(options.pool, POOL_DTYPE), ViewerRing.attach(options.viewer)
    except FileNotFoundError:
        return
    news = ImageNews(options.news)
    eyes = Eyes(seen.setting, waits=False, restarts=RESTARTS, images=images)
    eyes.tell = news.tell
    try:
        watch(ring, eyes, ImageLog(sensor_log(seen.sensors), viewer))
        if eyes.left_out:
            print(f"note: {eyes.left_out} exposures were left out: drawing was too slow", file=sys.stderr)
    finally:
        eyes.close()


def watch(ring: Ring, eyes: Eyes, log: ImageLog) -> None:
    """Look at every record that comes, until none comes any more."""
    seen, begun, last_new = -1, False, time.monotonic()
    while not ring.closed:
        eyes.poll()
        record = ring.latest() if ring.head != seen else None
        if record is None:  # looked for first: who was held himself for long has missed nothing yet
            if time.monotonic() - last_new > (CLOSED_S if begun else BEGUN_S):
                print("note: the hall shows nothing any more: its imaging sensors end", file=sys.stderr)
                return
            time.sleep(0.5 * PERIOD_S)
            continue
        seen, last_new, clock = ring.head, time.monotonic(), record["clock"]
        t, utc_ns, begun = float(clock["t_sim"]), int(clock["utc_ns"]), True
        for drawn in eyes.look(t, partial(_moment, t, utc_ns, record)):
            log.put(drawn, Arrival(int(clock["tick"]), utc_ns, t))


def _moment(t: float, utc_ns: int, record: NDArray[np.void]) -> Moment:
    shown = HallMoment(np.array(record["hall_truth"].tolist()), np.array(record["actual"].tolist()))
    return Moment(t, None, shown, utc_ns)


def main() -> None:
    parser = argparse.ArgumentParser(prog="proxops.runs.hall_eyes")
    for name in ("pool", "viewer"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    parser.add_argument("--news", type=int, required=True, help="descriptor of a pipe for what is wrong with images")
    parser.add_argument("--images", type=int, help="descriptor of the socket that listens for who wants images")
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the facility ends us, by ending
    options = parser.parse_args()
    try:
        look(options, pickle.loads(sys.stdin.buffer.read()))
    except BadInput as bad:  # what could not be found out before
        ImageNews(options.news).tell(ENDED, str(bad))
        sys.exit(bad.exit_code)


if __name__ == "__main__":
    main()
