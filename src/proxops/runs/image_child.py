"""The process that draws pictures: ``python -m proxops.core.child proxops.runs.image_child FD``. It ends with its owner."""

from __future__ import annotations

import signal
import socket
import sys

from proxops.core.errors import BadInput
from proxops.ground.image_encoding import encode
from proxops.runs.image_orders import Drawn, ImageSetting
from proxops.runs.work_line import hear, say, step_back
from proxops.sensors.image_generator import ImageGenerator
from proxops.sensors.moment import PictureOrder


def serve(line: socket.socket) -> None:
    """First the setting, then orders, each answered by what was drawn."""
    heard = iter(hear(line))
    setting = next(heard)
    assert isinstance(setting, ImageSetting)
    try:
        generator = ImageGenerator(
            setting.sensors,
            setting.sees_hall,
            setting.scenery,
            setting.seed,
            setting.cell,
            setting.exchanged,
            setting.handed_over,
        )
        generator.warm_up()
    except BadInput as bad:
        say(line, bad)
        return
    say(line, "ready")
    for number, order in enumerate(heard):
        assert isinstance(order, PictureOrder)
        image, T_sensor_target = generator.take(order)
        encoded = encode(image) if setting.encoded else None
        say(line, Drawn(number, order.sensor, image, encoded, T_sensor_target))


def main() -> int:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for our owner: it lets us go
    step_back()
    line = socket.socket(fileno=int(sys.argv[1]))
    try:
        serve(line)
    except (BrokenPipeError, ConnectionResetError, StopIteration):  # the owner is gone, and nobody wants pictures
        return 0
    return 0
