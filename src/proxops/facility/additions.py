"""What an application adds to a live facility: to what is recorded, and to what it can be asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from proxops.core.messages import Group
from proxops.facility.control import Verb
from proxops.ground.sensor_log import SensorLog


@dataclass(frozen=True)
class Additions:
    """``groups`` of variables; ``last_words``: some come when all is over; ``sensors`` whose images are recorded; ``verbs`` of
    the control channel."""

    groups: tuple[Group, ...] = ()
    last_words: bool = False
    sensors: SensorLog | None = None
    verbs: Mapping[str, Verb] = field(default_factory=dict)
