"""The port at which a run serves its images (docs/images_interface.md), opened before anything moves and handed to the process
that has them.
"""

from __future__ import annotations

import socket
import sys
from collections.abc import Iterable

from proxops.core.control_sockets import address_of
from proxops.core.errors import BadInput
from proxops.core.key_file import of_this_machine
from proxops.sensors.image_server import listening_at


def image_port(text: str, sensors: Iterable[str]) -> socket.socket:
    """Listens at HOST:PORT, on this machine only: frames carry no key. ``sensors``: names of those whose images are served."""
    host, port = address_of(text)
    if not of_this_machine(host):
        raise BadInput(
            "--images: frames over TCP carry no key, so they are served to this machine only", value=text, bound="127.0.0.1",
            way_out=f"from the other machine: ssh -L {port}:127.0.0.1:{port} THIS_MACHINE",
        )  # fmt: skip
    names = list(sensors)
    if not names:
        raise BadInput("--images: nothing here sees", value=text, way_out="give the file [[sensor]] tables of cameras")
    if long := [name for name in names if len(name) > 20]:
        raise BadInput("--images: a name does not fit a frame", value=long[0], bound="20 characters with its _orbit")
    opened = listening_at((host, port))
    print(f"images: {host}:{opened.getsockname()[1]}", file=sys.stderr, flush=True)
    return opened
