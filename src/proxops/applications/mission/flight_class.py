"""A flight software as a class in the user's Python file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, cast

from proxops.core.channel import FLIGHT_PORT, LOOPBACK
from proxops.core.flight import FlightSoftware
from proxops.core.mission import MissionFile
from proxops.core.user_class import UserPart, made_of, split_name

FORMS: Final = f"path/to/file.py:ClassName or udp://{LOOPBACK}:{FLIGHT_PORT}"
PART: Final = UserPart(
    "flight software", "step", "step(self, measurements) -> Commands", "mission_file", "the mission's data", FORMS
)


@dataclass(frozen=True)
class FlightClass:
    """``path/to/file.py:ClassName``. Nothing of the user's has run before ``made``."""

    path: str
    name: str

    @classmethod
    def named(cls, given: str) -> FlightClass:
        """What the user's word stands for, if there is such a file; ``BadInput`` otherwise."""
        return cls(*split_name(given, PART))

    def made(self, file: MissionFile) -> FlightSoftware:
        """An object of the class, made with what is known on board; ``BadInput`` says what is wrong with the file."""
        return cast(FlightSoftware, made_of(self.path, self.name, PART, file))
