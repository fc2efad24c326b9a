"""What goes wrong in a mission, and when."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from proxops.core.errors import BadInput
from proxops.core.segments import Seconds
from proxops.core.strict_table import Strict, Triple, Whole, within


class SensorOutage(Strict):
    """The sensor is blind."""

    kind: Literal["sensor_outage"]
    at_s: Seconds
    duration_s: Seconds


class ImageFault(Strict):
    """Images show nothing (``dark``), the last one again with new numbers and times (``frozen``), or every third distance of the
    client late by 0.8 m (``ghosts``: a scan has them beside its own points)."""

    kind: Literal["image_fault"]
    at_s: Seconds
    duration_s: Seconds
    what: Literal["dark", "frozen", "ghosts"] = "dark"
    sensor: Annotated[str, Field(pattern=r"^([a-z][a-z0-9_]{0,19})?$")] = ""  # its name; all unless given


class StuckOpen(Strict):
    """A thruster fires from then on until its latch valve is closed."""

    kind: Literal["stuck_open"]
    at_s: Seconds
    thruster: Annotated[Whole, within(1, 24)]


class StuckClosed(Strict):
    """A thruster does not fire any more."""

    kind: Literal["stuck_closed"]
    at_s: Seconds
    thruster: Annotated[Whole, within(1, 24)]


class PushFault(Strict):
    """Something gives the chaser this change of velocity (LVLH) within a second."""

    kind: Literal["push"]
    at_s: Seconds
    dv_m_s: Triple


Fault = Annotated[SensorOutage | ImageFault | StuckOpen | StuckClosed | PushFault, Field(discriminator="kind")]


def check_faults(faults: tuple[Fault, ...], count: int) -> None:
    """BadInput for a fault of a thruster that is not there; there are ``count``."""
    for number, fault in enumerate(faults, 1):
        thruster = getattr(fault, "thruster", 1)
        if thruster > count:
            raise BadInput(f"fault {number}: no such thruster", value=thruster, bound=f"1 … {count}")
