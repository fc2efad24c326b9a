"""An estimator on another computer: each sight is sent to it over TCP, and its answer waited for, but never for long."""

from __future__ import annotations

import socket
import sys
import time
from ipaddress import IPv4Address
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.imaging_table import ImagingSensor
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.own.answer_check import NoAnswer
from proxops.onboard.vision.own.sight_message import HEAD, answered, body_size, question
from proxops.onboard.vision.sight import Sight
from proxops.onboard.vision.unit import broken

SCHEME: Final = "tcp://"
FORM: Final = "tcp://HOST:PORT, the host by its number, such as tcp://192.168.1.20:47270"
CONNECT_S: Final = 1.0  # at most, for each image
MOST_TOLD: Final = 20  # complaints, on standard error


class RemoteEstimator:
    """``PoseEstimator``. A line on which an answer was late or made no sense is given up: what comes on it later belongs to
    another image. The next image opens a new one."""

    def __init__(self, name: str, sensor: ImagingSensor, limit_s: float) -> None:
        self._name, self._at = name, address_of(name)
        self._sensor, self._limit_s, self._told = sensor, limit_s, 0
        self._line: socket.socket | None = None
        try:
            self._connected(time.monotonic() + limit_s)
        except OSError as reason:
            raise BadInput(f"estimator: nobody answers: {reason.strerror or reason}", where=name) from None

    def estimate(self, sight: Sight) -> PoseFound:
        until = time.monotonic() + self._limit_s
        try:
            line = self._connected(until)
            line.settimeout(_left(until))
            line.sendall(question(sight, self._sensor, self._limit_s))
            size = body_size(_received(line, HEAD.size, until))
            return answered(_received(line, size, until), sight)
        except TimeoutError:
            return self._refused(sight, Doubt.STALE, f"no answer in {self._limit_s:g} s")
        except NoAnswer as reason:
            return self._refused(sight, Doubt.BROKEN, str(reason))
        except OSError as reason:
            return self._refused(sight, Doubt.BROKEN, f"the line is broken: {reason.strerror or reason}")

    def close(self) -> None:
        if self._line is not None:
            self._line.close()
        self._line = None

    def _connected(self, until: float) -> socket.socket:
        if self._line is None:
            self._line = socket.create_connection(self._at, timeout=min(CONNECT_S, _left(until)))
            self._line.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        return self._line

    def _refused(self, sight: Sight, doubt: Doubt, why: str) -> PoseFound:
        self.close()
        self._told += 1
        if self._told <= MOST_TOLD:
            print(f"{self._name}: image {sight.image.number} of {sight.image.sensor}: {why}", file=sys.stderr)
        return broken(sight.image, doubt)


def address_of(name: str) -> tuple[str, int]:
    """By number: to ask for a name may take seconds."""
    host, _, port = name.removeprefix(SCHEME).rpartition(":")
    host = "127.0.0.1" if host == "localhost" else host
    try:
        IPv4Address(host)
        if not (port.isascii() and port.isdigit() and 0 < int(port) < 65536):
            raise ValueError
    except ValueError:
        raise BadInput("no address of an estimator", value=repr(name), bound=FORM) from None
    return host, int(port)


def _left(until: float) -> float:
    left = until - time.monotonic()
    if left <= 0.0:
        raise TimeoutError
    return left


def _received(line: socket.socket, count: int, until: float) -> bytes:
    parts = bytearray()
    while len(parts) < count:
        line.settimeout(_left(until))
        part = line.recv(count - len(parts))
        if not part:
            raise NoAnswer("the line was closed")
        parts += part
    return bytes(parts)
