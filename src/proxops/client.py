"""Clients of a running facility, light enough for any script: synchronous commands, the bridge, the operator's channel; and the
on-board computer, which a simulation asks."""

from __future__ import annotations

import os
import socket
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from proxops.core.bridge_datagram import BridgeCommand, BridgeStatus, unpack_status
from proxops.core.bridge_datagram import pack_command as pack_bridge_command
from proxops.core.channel import (
    BRIDGE_PORT,
    CONTROL_NAME,
    CONTROL_VERSION,
    FLIGHT_PORT,
    LOOPBACK,
    SYNC_PORT,
    TIME_TO_LIVE_MS,
)
from proxops.core.clock import monotonic_ns
from proxops.core.control_line import ControlLine, SealedLine, UnixLine
from proxops.core.control_sockets import address_of
from proxops.core.datagram import Answer, Command, Malformed, pack_command, unpack_answer
from proxops.core.errors import EXIT_BAD_INPUT, BadInput, Refused
from proxops.core.key_file import read_key
from proxops.core.vocabulary import System

if TYPE_CHECKING:
    from proxops.core.flight import FlightSoftware
    from proxops.core.flight_datagram import MeasurementsReceived
    from proxops.core.keyed_datagram import ClientSeal

STOP_TRIES: Final = 3
LOOK_S: Final = 0.05  # between two questions after a load
LOAD_S: Final = 120.0  # the facility gives a check less; this is for one that has fallen silent about it


class SyncClient:
    """Sends commands and takes answers. One object is one sender: the first that speaks is master. ``key``: the facility's
    (``proxops serve --key-file``)."""

    def __init__(
        self, address: tuple[str, int] = (LOOPBACK, SYNC_PORT), timeout_s: float = 1.0, *, key: bytes | None = None
    ) -> None:
        self._seal = _seal_of(key, b"proxops sync")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect(address)
        self._socket.settimeout(timeout_s)
        self.sequence, self._body = 0, b""

    def send(self, system: System, values: Sequence[float], *, alive: bool = True) -> int:
        """Send 22 doubles; returns the sequence number. ``alive=False`` ends a run in good order."""
        self.sequence += 1
        self._body = pack_command(Command(int(system), self.sequence, time.time_ns(), tuple(values), alive))
        self._send()
        return self.sequence

    def _send(self) -> None:
        self._socket.send(self._seal.seal(self._body) if self._seal else self._body)

    def receive(self) -> Answer | None:
        """The next answer, or None when none came in time. A challenge that was not known is answered by the newest command."""
        try:
            data: bytes | None = self._socket.recv(2048)
            if self._seal and (data := self._seal.open(data or b"")) is None:
                self._send()
                data = self._seal.open(self._socket.recv(2048))
            return unpack_answer(data or b"")
        except (TimeoutError, BlockingIOError, ConnectionError, Malformed):
            return None

    def exchange(self, system: System, values: Sequence[float], *, alive: bool = True) -> Answer | None:
        """Send and wait for the answer to this very command."""
        sequence = self.send(system, values, alive=alive)
        while (answer := self.receive()) is not None:
            if answer.sequence == sequence:
                return answer
        return None

    def close(self) -> None:
        self._socket.close()


class BridgeClient:
    """Sends the poses of two spacecraft and hears what the hall makes of them. One object is one sender, hence one master.

    Send every 4 ms and call ``status`` at least once a second: what nobody reads fills the socket, and the newest is lost.
    """

    def __init__(
        self, address: tuple[str, int] = (LOOPBACK, BRIDGE_PORT), timeout_s: float = 1.0, *, key: bytes | None = None
    ) -> None:
        """``timeout_s``: a status older than this is not handed out any more. ``key``: the facility's (``--key-file``)."""
        self._seal = _seal_of(key, b"proxops bridge")
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect(address)
        self._socket.settimeout(0.0)
        self._timeout_s = timeout_s
        self._newest: BridgeStatus | None = None
        self._heard_s = 0.0
        self.sequence = 0
        self.malformed = 0  # datagrams that were no status of ours
        self.last_malformed = ""

    def send(
        self,
        chaser: Sequence[float],
        target: Sequence[float],
        *,
        chaser_velocity: Sequence[float] | None = None,
        target_velocity: Sequence[float] | None = None,
        sun: Sequence[float] | None = None,
        sent_ns: int | None = None,
        sequence: int | None = None,
    ) -> None:
        """Send both poses, in any frame they share: x y z in m and the quaternion qx qy qz qw, SCALAR LAST as on the wire.

        Velocities (m/s, then rad/s, components in that frame) are given for both or for none; ``sun`` is the unit vector
        towards the sun. Unless given, ``sent_ns`` is this machine's monotonic clock and ``sequence`` counts on.
        """
        if (chaser_velocity is None) != (target_velocity is None):
            raise BadInput("velocity of one spacecraft only", bound="both or none")
        self.sequence = self.sequence + 1 if sequence is None else sequence
        command = BridgeCommand(
            self.sequence,
            time.monotonic_ns() if sent_ns is None else sent_ns,
            _of_length(7, chaser, "chaser pose"),
            _of_length(7, target, "target pose"),
            None if chaser_velocity is None else _of_length(6, chaser_velocity, "chaser velocity"),
            None if target_velocity is None else _of_length(6, target_velocity, "target velocity"),
            None if sun is None else _of_length(3, sun, "direction to the sun"),
        )
        self._put(pack_bridge_command(command))

    def status(self, wait_s: float = 0.0) -> BridgeStatus | None:
        """Newest status received, None when there is none or the hall has fallen silent; waits up to ``wait_s`` for the next."""
        self._socket.settimeout(wait_s)
        data = self._get()
        self._socket.settimeout(0.0)
        while data is not None:
            self._take(data)
            data = self._get()
        silent_s = time.monotonic() - self._heard_s
        return self._newest if silent_s <= self._timeout_s else None

    def close(self) -> None:
        self._socket.close()

    def _put(self, data: bytes) -> None:
        """Send, whoever listens. That an EARLIER datagram met a closed port is reported here, once: then try again."""
        sealed = self._seal.seal(data) if self._seal else data
        for _ in range(2):
            try:
                self._socket.send(sealed)
                return
            except ConnectionError:
                continue  # nobody listens: statuses stay away, which is how the caller learns it
            except BlockingIOError:
                return  # the send buffer is full: lost like any datagram, and counted by the hall

    def _get(self) -> bytes | None:
        """The next datagram, or None when none comes in time."""
        while True:
            try:
                return self._socket.recv(2048)
            except (BlockingIOError, TimeoutError):
                return None
            except ConnectionError:
                continue  # see _put

    def _take(self, data: bytes) -> None:
        """Keep a status unless a newer one has overtaken it; a restarted facility counts ticks anew but is later."""
        try:
            plain = self._seal.open(data) if self._seal else data
            if plain is None:  # a challenge: the next command has it
                return
            status = unpack_status(plain)
        except Malformed as error:
            self.malformed, self.last_malformed = self.malformed + 1, str(error)
            return
        newest = self._newest
        if newest is None or status.tick >= newest.tick or status.utc_ns >= newest.utc_ns:
            self._newest, self._heard_s = status, time.monotonic()


def _seal_of(key: bytes | None, label: bytes) -> ClientSeal | None:
    if key is None:
        return None
    from proxops.core.keyed_datagram import ClientSeal  # late: without a key nothing of it is needed

    return ClientSeal(key, label)


def _of_length(size: int, values: Sequence[float], what: str) -> tuple[float, ...]:
    if len(values) != size:
        raise BadInput(f"{what} has {len(values)} values", bound=str(size))
    return tuple(values)


class ControlClient:
    """Raises what the facility refused.

    ``control``: NAME of a facility of one's own, USER@NAME of another user's, a control socket's path, or HOST:PORT of another
    machine, which needs the key (its bytes, or the file that holds them).
    """

    def __init__(
        self, control: str | Path = CONTROL_NAME, timeout_s: float = 2.0, key: bytes | Path | None = None
    ) -> None:
        self._where = os.fspath(control)
        self._line: ControlLine
        if ":" in self._where and "/" not in self._where:
            if key is None:
                raise BadInput(
                    "control over the network needs a key", value=self._where, way_out="give --key-file FILE"
                )
            secret = read_key(key) if isinstance(key, Path) else key
            self._line = SealedLine(address_of(self._where), secret, timeout_s)
        else:
            self._line = UnixLine(self._where, timeout_s)
        self._sequence = 0

    def ask(self, verb: str, **arguments: object) -> Any:
        """Send one request and wait for its answer. A stop goes its own way."""
        if verb == "safe_stop":
            return self.safe_stop(str(arguments.get("by", "")))
        return self._ask(verb, arguments, None)

    def ask_with_file(self, verb: str, fd: int, **arguments: object) -> Any:
        """A request that hands over an open file, on this machine only. The descriptor here stays the caller's."""
        return self._ask(verb, arguments, fd)

    def _ask(self, verb: str, arguments: dict[str, object], fd: int | None) -> Any:
        self._sequence += 1
        request = {
            "proxops": CONTROL_VERSION, "sequence": self._sequence, "sent_ns": monotonic_ns(), "ttl_ms": TIME_TO_LIVE_MS,
            "do": verb, "with": arguments,
        }  # fmt: skip
        try:
            return _result(self._line.ask(request, fd))
        except OSError as error:
            raise Refused(
                f"no facility answers at {self._where} ({error.strerror or 'time is up'}): start one with proxops serve "
                "(for ctl push: proxops run float --realtime)"
            ) from None

    def safe_stop(self, by: str = "") -> None:
        """Returns when the facility has acknowledged the stop; tries again on a new way when it does not."""
        for _ in range(STOP_TRIES):
            try:
                _result(self._line.stop(by))
                return
            except OSError as error:
                why = error.strerror or "time is up"
        raise Refused(
            f"SAFE STOP NOT ACKNOWLEDGED by the facility at {self._where} ({why}): use a hardware emergency stop"
        )

    def close(self) -> None:
        self._line.close()


def _result(reply: dict[str, Any]) -> Any:
    if reply.get("ok"):
        return reply.get("result")
    told = str(reply.get("error", "refused"))
    raise BadInput(told) if reply.get("exit") == EXIT_BAD_INPUT else Refused(told)


def load_trajectory(control: ControlClient, file: Path, name: str | None = None) -> int:
    """Have the facility check a trajectory and put it on the desk; returns the number of lines. It gets a sealed copy of the
    file, read with the caller's rights. ``name``: what it shall call it, if not as the file is called."""
    from proxops.core.sealed_memory import sealed_copy
    from proxops.core.trajectory_size import LARGEST_BYTES

    fd = sealed_copy(file, "trajectory", LARGEST_BYTES)
    try:
        job = control.ask_with_file("load", fd, source=name or str(file))["job"]
    finally:
        os.close(fd)
    until = time.monotonic() + LOAD_S
    while (lines := loaded_lines(control.ask("status")["load"], job)) is None:
        if time.monotonic() > until:
            raise Refused(f"load: {file} is still being checked after {LOAD_S:g} s")
        time.sleep(LOOK_S)
    return lines


def loaded_lines(told: dict[str, Any], job: int) -> int | None:
    """How many lines of ``job`` are on the desk by status' word on loads; None while it is being checked. Raises why it was
    refused."""
    if told["job"] != job:
        raise Refused(f"load: another file has been loaded meanwhile, {told['source']}")
    if told["state"] == "refused":
        raise BadInput(told["error"]) if told["exit"] == EXIT_BAD_INPUT else Refused(told["error"])
    return int(told["lines"]) if told["state"] == "loaded" else None


class FlightComputer:
    """The on-board computer's end of ``--flight-software udp://…``: takes measurements, asks a flight software, answers.

    One object is one flight: whoever sends the first datagram of a flight is heard, nobody else. A number that comes again (its
    answer was lost, or late) gets the same answer again; the software is asked once for each.
    """

    def __init__(self, software: FlightSoftware, host: str = LOOPBACK, port: int = FLIGHT_PORT) -> None:
        import proxops.core.flight_datagram as flight_datagram  # late: the other clients do without numpy

        self._wire, self._software = flight_datagram, software
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind((host, port))
        self.address: tuple[str, int] = self._socket.getsockname()  # port 0 has become a real one
        self._simulation: Any = None  # its address, once it has spoken
        self._sequence, self._answer = 0, b""
        self.over = False  # the simulation has said that the flight is
        self.ignored = 0  # datagrams that were not for us: strangers, damaged, old

    def run(self, until_silent_s: float = 60.0) -> int:
        """Serve until the flight is over or nothing has come for so long; returns the number of cycles flown."""
        self._socket.settimeout(until_silent_s)
        with suppress(TimeoutError):
            while not self.over:
                self._serve(*self._socket.recvfrom(2048))
        return self._sequence

    def close(self) -> None:
        self._socket.close()

    def _serve(self, data: bytes, sender: Any) -> None:
        try:
            received = self._wire.unpack_measurements(data)
        except Malformed:
            self.ignored += 1
            return
        begins = self._simulation is None and received.start
        if not (begins or sender == self._simulation) or received.sequence < self._sequence:
            self.ignored += 1
        elif received.end:
            self.over = True
        else:
            if received.sequence > self._sequence:
                self._ask(received, sender)
            self._socket.sendto(self._answer, sender)

    def _ask(self, received: MeasurementsReceived, sender: Any) -> None:
        """Keep the software's answer. If it fails the simulation is told, and the error goes on its way here."""
        try:
            self._answer = self._wire.pack_commands(received.sequence, self._software.step(received.measurements))
        except Exception as error:
            text = f"{type(error).__name__}: {error}"
            self._socket.sendto(self._wire.pack_failure(received.sequence, text), sender)
            raise
        self._simulation, self._sequence = sender, received.sequence
