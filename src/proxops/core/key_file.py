"""The key of the ports for clients: a file that only its owner can read. All of its bytes are the key."""

from __future__ import annotations

import ipaddress
import os
import stat
from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.keyed_datagram import KEY_LEAST

KEY_MOST: Final = 4096  # bytes
WAY_OUT: Final = "make one: (umask 077; head -c 32 /dev/urandom > FILE)"


def read_key(path: Path) -> bytes:
    """The key, or ``BadInput``: not a plain file, readable for others, too short or too long."""
    where = str(path)
    try:
        opened = os.open(path, os.O_RDONLY | os.O_NONBLOCK)  # a pipe does not keep us waiting
    except OSError as error:
        raise BadInput(f"cannot read the key: {error.strerror}", where=where, way_out=WAY_OUT) from None
    try:
        about = os.fstat(opened)
        if not stat.S_ISREG(about.st_mode):
            raise BadInput("the key is not a plain file", where=where, way_out=WAY_OUT)
        if about.st_mode & 0o077:
            mode = f"mode {stat.S_IMODE(about.st_mode):04o}"
            raise BadInput(
                "others may read the key", where=where, value=mode, bound="0600", way_out=f"chmod 600 {path}"
            )
        key = os.read(opened, KEY_MOST + 1)
    finally:
        os.close(opened)
    if not KEY_LEAST <= len(key) <= KEY_MOST:
        size = f"{len(key)} bytes" if len(key) <= KEY_MOST else f"more than {KEY_MOST} bytes"
        bound = f"{KEY_LEAST} to {KEY_MOST} bytes"
        raise BadInput("the key has not the right size", where=where, value=size, bound=bound, way_out=WAY_OUT)
    return key


def of_this_machine(host: str) -> bool:
    """Nobody else can reach a port there."""
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def demand_key(host: str, key_file: Path | None) -> bytes | None:
    """The key of the file; without one only this machine may reach the ports."""
    if key_file is not None:
        return read_key(key_file)
    if not of_this_machine(host):
        raise BadInput(
            "the synchronous interface and the bridge are only served to other machines with a key", value=f"--bind {host}",
            way_out=f"--key-file FILE ({WAY_OUT}), or stay on 127.0.0.1",
        )  # fmt: skip
    return None
