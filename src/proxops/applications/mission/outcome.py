"""How a mission went, from truth."""

from __future__ import annotations

import math
from dataclasses import dataclass, field

import numpy as np

from proxops.applications.mission.vision.tally import VisionTally
from proxops.core.flight import Floats
from proxops.core.vocabulary import AbortCause, MissionEnd, MissionPhase, SensorSource
from proxops.space.audit import FIGURES


@dataclass(eq=False)
class Outcome:
    """``news`` counts what may have changed in it, or in what the sensors look at."""

    end: MissionEnd = MissionEnd.UNDER_WAY
    t: float = 0.0
    contact: Floats | None = None  # gap, lateral, tilt, roll, closing rate, lateral rate, angular rate
    abort: AbortCause = AbortCause.NONE
    phase: MissionPhase = MissionPhase.NONE
    propellant_kg: float = 0.0  # used
    failure: str = ""  # of the flight software
    least_distance_m: float = math.inf  # of the centres of mass
    measurements: dict[SensorSource, int] = field(default_factory=lambda: dict.fromkeys(SensorSource, 0))
    audit: Floats = field(default_factory=lambda: np.zeros(FIGURES))  # greatest of each
    images: VisionTally = field(default_factory=VisionTally)  # that the craft navigated by
    nees: list[tuple[float, float]] = field(default_factory=list)  # distance and value, once a second
    news: int = 0
