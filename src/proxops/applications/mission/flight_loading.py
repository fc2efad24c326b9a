"""From what the user names to a flight software: our own, a class in a Python file, or a computer at a UDP address."""

from __future__ import annotations

from importlib import import_module
from typing import Final, cast

from proxops.applications.mission.flight_class import FlightClass
from proxops.applications.mission.flight_link import RemoteFlightSoftware
from proxops.applications.mission.flight_process import FlightProcess
from proxops.core.channel import FLIGHT_PORT, LOOPBACK
from proxops.core.errors import BadInput
from proxops.core.flight import FlightSoftware
from proxops.core.mission import MissionFile

SCHEME: Final = "udp://"


def load_flight_software(
    name: str | None, file: MissionFile, uses_hall: bool | None = None, *, inside: bool = False
) -> FlightSoftware:
    """The flight software that ``name`` stands for, ready to fly; None is the one that comes with us. ``BadInput`` otherwise.
    It is told what is known on board; ``uses_hall`` overrides the file. A class of the user's runs in a process of its own
    unless ``inside``. Who loads it closes it: ``let_go``."""
    known, limit_s = (
        file.as_known_on_board(file.hall.use if uses_hall is None else uses_hall),
        file.flight.limit_ms * 1e-3,
    )
    if name is None:
        own = import_module("proxops.onboard.flight_software").RendezvousSoftware  # late: it compiles
        return cast(FlightSoftware, own(known))
    if name.startswith(SCHEME):
        return RemoteFlightSoftware(_address(name), wait_s=limit_s)
    user = FlightClass.named(name)
    return user.made(known) if inside else FlightProcess(user, known, limit_s)


def let_go(software: FlightSoftware) -> None:
    """End what was loaded and never flown."""
    if isinstance(software, FlightProcess | RemoteFlightSoftware):
        software.close()


def _address(name: str) -> tuple[str, int]:
    host, _, port = name.removeprefix(SCHEME).rpartition(":")
    if not host or not (port.isascii() and port.isdigit()) or not 1 <= int(port) <= 65535:
        raise BadInput(
            "no address of an on-board computer", value=repr(name), bound=f"as {SCHEME}{LOOPBACK}:{FLIGHT_PORT}"
        )
    return host, int(port)
