"""From what the user names to a flight software: our own, a class in a Python file, or a computer at a UDP address."""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from proxops.applications.mission.flight_class import FlightClass
from proxops.applications.mission.flight_free_running import FreeRunningLink
from proxops.applications.mission.flight_link import RemoteFlightSoftware
from proxops.applications.mission.flight_process import FlightProcess
from proxops.core.channel import FLIGHT_PORT, LOOPBACK
from proxops.core.errors import BadInput
from proxops.core.flight import FlightSoftware
from proxops.core.mission import MissionFile

SCHEME: Final = "udp://"
Named = str | FlightSoftware | None
"""A name, or one that is there already; None: the one that comes with us."""


def load_flight_software(
    name: Named, file: MissionFile, uses_hall: bool | None = None, *, inside: bool = False
) -> FlightSoftware:
    """The flight software that ``name`` stands for, ready to be called once a cycle; None is the one that comes with us.
    ``BadInput`` otherwise. It is told what is known on board; ``uses_hall`` overrides the file. A class of the user's runs in a
    process of its own unless ``inside``. Who loads it closes it: ``let_go``."""
    if not (name is None or isinstance(name, str)):
        return name
    demand_line(file, name, realtime=False)
    if name is None:
        return own_flight_software(file, uses_hall)
    limit_s = file.flight.limit_ms * 1e-3
    if name.startswith(SCHEME):
        return RemoteFlightSoftware(_address(name), wait_s=limit_s)
    user, known = FlightClass.named(name), _known(file, uses_hall)
    return user.made(known) if inside else FlightProcess(user, known, limit_s)


def load_in_real_time(name: str | None, file: MissionFile, *, inside: bool = False) -> FlightSoftware | FreeRunningLink:
    """The same for a mission in wall time, where ``flight.waits = false`` has a meaning."""
    demand_line(file, name, realtime=True)
    if name is not None and not file.flight.waits:
        return FreeRunningLink(_address(name), file.flight.limit_ms * 1e-3)
    return load_flight_software(name, file, inside=inside)


def own_flight_software(file: MissionFile, uses_hall: bool | None = None) -> FlightSoftware:
    """The one that comes with us, whatever the file says of waiting: for rehearsals, too."""
    own = import_module("proxops.onboard.flight_software").RendezvousSoftware  # late: it compiles
    return cast(FlightSoftware, own(_known(file, uses_hall)))


def demand_line(file: MissionFile, name: str | None, *, realtime: bool) -> None:
    """``BadInput`` where nobody can be late: in lockstep, whose time is not wall time, and for software that has no line."""
    if file.flight.waits:
        return
    if not realtime:
        raise BadInput(
            "flight.waits: a mission in lockstep waits for every answer, its time is not wall time", value="false",
            way_out="run it with --realtime, or leave the key out",
        )  # fmt: skip
    if name is None or not name.startswith(SCHEME):
        raise BadInput(
            "flight.waits: only an on-board computer behind a line can run free", value=f"false for {name or 'our own software'}",
            bound=f"--flight-software {SCHEME}…", way_out="name one, or leave the key out",
        )  # fmt: skip


def let_go(software: FlightSoftware | FreeRunningLink) -> None:
    """End what was loaded and never flown."""
    if isinstance(software, FlightProcess | RemoteFlightSoftware | FreeRunningLink):
        software.close()


def _known(file: MissionFile, uses_hall: bool | None) -> MissionFile:
    return file.as_known_on_board(file.hall.use if uses_hall is None else uses_hall)


def _address(name: str) -> tuple[str, int]:
    host, _, port = name.removeprefix(SCHEME).rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 1 <= int(port) <= 65535:
        raise BadInput(
            "no address of an on-board computer", value=repr(name), bound=f"as {SCHEME}{LOOPBACK}:{FLIGHT_PORT}"
        )
    return host, int(port)
