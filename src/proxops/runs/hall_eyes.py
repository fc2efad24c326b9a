"""The process that looks into a served hall: ``python -m proxops.core.child proxops.runs.hall_eyes …``.

It reads what the robots show from the pool's ring, lets the pictures be drawn, and leaves them in the ring for recorder and
console. Nothing waits for it: when drawing is too slow, exposures are left out and told on the terminal at the end.
"""

from __future__ import annotations

import argparse
import pickle
import signal
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
from proxops.core.messages import PERIOD_S, POOL_DTYPE
from proxops.core.ring import Ring
from proxops.facility.installation import Installation
from proxops.ground.sensor_log import Arrival
from proxops.ground.viewer_ring import ViewerRing
from proxops.runs.image_log import ImageLog, sensor_log
from proxops.runs.image_orders import ImageOrders, ImageSetting
from proxops.runs.shutters import Shutters
from proxops.sensors.moment import HallMoment, Moment

CLOSED_S: Final = 2.0  # without a new record: the facility is gone
BEGUN_S: Final = 60.0  # until the first one


def start_hall_eyes(hall: Installation, setting: ImageSetting) -> HallEyes:
    """Beside a live facility that has a ring for images."""
    assert hall.viewer is not None
    words = child_command("proxops.runs.hall_eyes", "--pool", hall.rings[0].path, "--viewer", hall.viewer.ring.path)
    process = subprocess.Popen(words, env=child_environment(), stdin=subprocess.PIPE)
    assert process.stdin is not None
    with suppress(BrokenPipeError):  # it has said why
        process.stdin.write(pickle.dumps(setting))
        process.stdin.close()
    return HallEyes(process)


@dataclass
class HallEyes:
    """The process, as one that runs beside a facility."""

    process: subprocess.Popen[bytes]

    def finish(self) -> None:
        """It sees by itself that the facility has ended."""

    def close(self) -> None: ...


def look(pool: Path, viewer: Path, setting: ImageSetting) -> None:
    """Until the facility has ended."""
    orders = ImageOrders(setting)
    try:
        orders.wait_ready()
        ring = Ring.attach(pool, POOL_DTYPE)
        log = ImageLog(sensor_log(setting.sensors), ViewerRing.attach(viewer))
        shutters = Shutters(setting.sensors, orders, setting.seed, waits=False)
        watch(ring, shutters, log)
        if shutters.left_out:
            print(f"note: {shutters.left_out} exposures were left out: drawing was too slow", file=sys.stderr)
    finally:
        orders.close()


def watch(ring: Ring, shutters: Shutters, log: ImageLog) -> None:
    """Look at every record that comes, until none comes any more."""
    seen, begun, last_new = -1, None, time.monotonic()
    while not ring.closed:
        if time.monotonic() - last_new > (BEGUN_S if begun is None else CLOSED_S):
            print("note: the hall shows nothing any more: its imaging sensors end", file=sys.stderr)
            return
        record = ring.latest() if ring.head != seen else None
        if record is None:
            time.sleep(0.5 * PERIOD_S)
            continue
        seen, last_new, clock = ring.head, time.monotonic(), record["clock"]
        t = float(clock["t_sim"])
        begun = t if begun is None else begun  # sensors are switched on now: nothing is made up for
        shutters.look(t - begun, partial(_moment, t - begun, record))
        for drawn in shutters.arrived(t - begun):
            log.put(drawn, Arrival(int(clock["tick"]), int(clock["utc_ns"]), t - begun))


def _moment(t: float, record: NDArray[np.void]) -> Moment:
    shown = HallMoment(np.array(record["hall_truth"].tolist()), np.array(record["actual"].tolist()))
    return Moment(t, None, shown)


def main() -> None:
    parser = argparse.ArgumentParser(prog="proxops.runs.hall_eyes")
    for name in ("pool", "viewer"):
        parser.add_argument(f"--{name}", type=Path, required=True)
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the facility ends us, by ending
    options = parser.parse_args()
    look(options.pool, options.viewer, pickle.loads(sys.stdin.buffer.read()))


if __name__ == "__main__":
    main()
