"""All ways to whoever runs the robots: Unix sockets for requests and for stops and, with a key, the same over the network.

``serve_stops`` comes first in a cycle and ``serve`` last, after the tick's own work. Each has a time of its own, whatever
arrives.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from proxops.core.channel import Address
from proxops.core.control_sockets import address_of
from proxops.core.errors import BadInput
from proxops.core.key_file import read_key
from proxops.facility.control.lock import ControlLock
from proxops.facility.control.network import NetworkControl
from proxops.facility.control.port import ControlPort
from proxops.facility.control.requests import Requests, Served, Verb
from proxops.facility.control.roles import AccessControl
from proxops.facility.control.stop_port import StopPort
from proxops.lab.cell_file import Access


@dataclass(frozen=True)
class ControlSettings:
    """Which facility on this machine (``0``: named after the process), who else may enter, and from which network."""

    name: str
    access: Access | None = None
    bind: Address | None = None
    key: bytes = b""


def control_settings(name: str, access: Access | None, bind: str | None, key_file: Path | None) -> ControlSettings:
    """As a person writes them: ``bind`` is HOST:PORT, and needs a key."""
    if bind is None:
        return ControlSettings(name, access)
    if key_file is None:
        raise BadInput(
            "--control-bind: control over the network needs a key", value=bind, way_out="give --key-file FILE"
        )
    return ControlSettings(name, access, address_of(bind), read_key(key_file))


class ControlChannel:
    """Owns the ports and the facility's claim to its name."""

    def __init__(
        self,
        settings: ControlSettings,
        desk: Served,
        verbs: Mapping[str, Verb],
        with_file: frozenset[str] = frozenset(),
    ) -> None:
        entry = AccessControl(settings.access)
        self._desk, self._requests = desk, Requests(desk, verbs, with_file)
        self._lock = ControlLock(settings.name, entry.open_to_others)
        self.name, self.sockets = self._lock.name, self._lock.sockets
        self._ports: list[ControlPort | StopPort | NetworkControl] = []
        self.network: NetworkControl | None = None
        try:
            self._open(settings, entry)
        except BadInput:
            self.close()
            raise

    def _open(self, settings: ControlSettings, entry: AccessControl) -> None:
        self.stops = StopPort(self.sockets.stop, entry, self._desk)
        self._ports.append(self.stops)
        self.port = ControlPort(self.sockets.control, entry, self._requests)
        self._ports.append(self.port)
        if settings.bind:
            self.network = NetworkControl(settings.bind, settings.key, self._requests, self.stops.stop)
            self._ports.append(self.network)
            self.stops.listening.watch(self.network.stop_socket)
            self.port.listening.watch(self.network.request_socket)

    def serve_stops(self) -> None:
        """First of all in a cycle."""
        try:
            if (others := self.stops.serve()) and self.network and self.network.stop_socket.fileno() in others:
                self.network.serve_stops()
        except Exception as error:  # an error of ours: the hall stops by its name, and the tick goes on
            self._desk.fail("stop port", error)

    def serve(self) -> None:
        """After the tick's own work."""
        self._requests.begin_cycle()
        try:
            if (others := self.port.serve()) and self.network and self.network.request_socket.fileno() in others:
                self.network.serve_requests()
        except Exception as error:  # an error of ours: the hall stops by its name, and the tick goes on
            self._desk.fail("control port", error)

    def close(self) -> None:
        for port in self._ports:
            port.close()
        self._ports.clear()
        self._lock.release()
