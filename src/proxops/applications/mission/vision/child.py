"""The process that looks for the client in the images of one sensor. It is started as ``python -m proxops.core.child MODULE FD``
and ends with its owner."""

from __future__ import annotations

import signal
import socket
import sys
import traceback

from proxops.applications.mission.vision.known_client import known_client
from proxops.applications.mission.vision.order import VisionSetting
from proxops.core.errors import BadInput
from proxops.core.scenery_table import ORBIT_SUFFIX
from proxops.core.vision import PoseFound
from proxops.onboard.vision.own.named import estimator_named
from proxops.onboard.vision.sight import PoseEstimator, Sight
from proxops.onboard.vision.unit import at_time, broken
from proxops.runs.work_line import hear, say, step_back


def serve(line: socket.socket) -> None:
    """First the setting, then sights, each answered by what was found."""
    heard = iter(hear(line))
    setting = next(heard)
    assert isinstance(setting, VisionSetting)
    try:
        vision, sensor = setting.vision, setting.sensor
        name = vision.estimator_for(sensor.name.removesuffix(ORBIT_SUFFIX))
        client, limit_s = known_client(setting), vision.estimator_limit_s
        estimator = estimator_named(name, sensor, client, limit_s, vision.part_m)
    except BadInput as bad:
        say(line, bad)
        return
    say(line, "ready")
    for sight in heard:
        assert isinstance(sight, Sight)
        say(line, answer(estimator, sight))


def answer(estimator: PoseEstimator, sight: Sight) -> PoseFound:
    """Whatever an estimator does, there is an answer: a flight does not end because of one image."""
    try:
        return at_time(estimator.estimate(sight), sight.image)
    except Exception:  # it is told, and the image counts as one without a pose
        traceback.print_exc()
        return broken(sight.image)


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for our owner: it lets us go
    step_back()
    line = socket.socket(fileno=int(sys.argv[1]))
    try:
        serve(line)
    except (BrokenPipeError, ConnectionResetError, StopIteration):  # the owner is gone, and nobody wants poses
        return 0
    return 0
