"""The process in which a user's flight software runs; ``flight_process.py`` starts it and is its other end.

``python -m proxops.applications.mission.flight_child LINE TRACE``, both numbers of open files: a socket for packets
(``core/flight_packet.py``), and a pipe into which the interpreter writes its stack when it is asked to (SIGUSR1, even in compiled
code) or crashes. The process ends with its parent.
"""

from __future__ import annotations

import ctypes
import faulthandler
import json
import os
import pickle
import resource
import signal
import socket
import sys
from contextlib import suppress
from io import TextIOWrapper
from pathlib import Path
from typing import Final

from proxops.applications.mission.flight_class import FlightClass
from proxops.applications.mission.flight_host import FlightHost, FlightSoftwareFailed, raised
from proxops.applications.mission.flight_process import ASKED_WHERE, EXIT_LINE_LOST
from proxops.core.errors import BadInput
from proxops.core.flight import FlightSoftware
from proxops.core.flight_packet import (
    PACKET_SIZE,
    pack_commands_packet,
    pack_failure_packet,
    unpack_measurements_packet,
)
from proxops.core.mission import MissionFile

ADDRESS_SPACE: Final = 16 << 30  # bytes: a leak ends in a MemoryError, not in the machine's memory
FIRST_TO_GO: Final = "1000"  # and if the machine has less, the kernel takes this process and not the simulation
ORDER_SIZE: Final = 1 << 18  # of the packet that says what to fly
_PR_SET_PDEATHSIG: Final = 1


def main() -> None:
    line_fd, trace_fd = map(int, sys.argv[1:3])
    _settle(trace_fd)
    line = socket.socket(fileno=line_fd)
    line.set_inheritable(False)
    os.register_at_fork(after_in_child=line.close)  # a copy of this process has nothing to say to the simulation
    user, file, limit_s, start_s = order(line)
    try:
        software = user.made(file)
    except BadInput as bad:
        line.send(json.dumps(_words(bad)).encode())
        return
    line.send(b"{}")
    try:
        serve(line, _host(software, file, limit_s, start_s))
    except OSError:  # of the line: the software has closed files that are not its own, or the simulation is gone
        sys.exit(EXIT_LINE_LOST)


def order(line: socket.socket) -> tuple[FlightClass, MissionFile, float, float]:
    """What to fly, with what is known on board, and the limits of an answer and of the first one; from our own parent."""
    user, file, limit_s, start_s = pickle.loads(line.recv(ORDER_SIZE))
    return user, file, limit_s, start_s


def serve(line: socket.socket, host: FlightHost) -> None:
    """Answer packets until the other end sends no more; then the software's ``close`` has its turn."""
    own, sequence = os.getpid(), 0
    while data := line.recv(PACKET_SIZE):
        received = unpack_measurements_packet(data)
        sequence = received.sequence
        try:
            answer = pack_commands_packet(sequence, host.step(received.measurements))
        except FlightSoftwareFailed as failure:
            answer = pack_failure_packet(sequence, failure.cause)
        except BaseException as error:
            # The user's own code: even its KeyboardInterrupt is its failure, ours never comes here.
            answer = pack_failure_packet(sequence, raised(error).cause)
        if os.getpid() != own:
            os._exit(0)  # a copy that the software made of itself and let return
        line.send(answer)
    try:
        host.close()
    except FlightSoftwareFailed as failure:
        line.send(pack_failure_packet(sequence + 1, failure.cause))
    line.close()


def _settle(trace_fd: int) -> None:
    """What holds for the whole life of the process, before anything of the user's runs."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is the run's affair
    ctypes.CDLL(None, use_errno=True).prctl(_PR_SET_PDEATHSIG, signal.SIGKILL)
    os.set_inheritable(trace_fd, False)
    faulthandler.enable(trace_fd, all_threads=False)
    faulthandler.register(ASKED_WHERE, trace_fd)  # of all threads: a signal may meet one that is not Python's
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    most = ADDRESS_SPACE if hard == resource.RLIM_INFINITY else min(ADDRESS_SPACE, hard)
    resource.setrlimit(resource.RLIMIT_AS, (most, most))
    with suppress(OSError):  # a system without /proc has no such order either
        Path("/proc/self/oom_score_adj").write_text(FIRST_TO_GO)
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            stream.reconfigure(line_buffering=True)  # what was printed is seen, however the process ends


def _host(software: FlightSoftware, file: MissionFile, limit_s: float, start_s: float) -> FlightHost:
    chaser = file.chaser
    thrusters, wheels = len(chaser.thrusters.places), len(chaser.wheels.axes)
    return FlightHost(software, thrusters, wheels, 1.0 / file.flight.rate_hz, limit_s, start_s)


def _words(bad: BadInput) -> dict[str, str | None]:
    value = None if bad.value is None else str(bad.value)
    return {"what": bad.what, "where": bad.where, "value": value, "bound": bad.bound, "way_out": bad.way_out}


if __name__ == "__main__":
    main()
