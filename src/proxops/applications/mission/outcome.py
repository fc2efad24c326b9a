"""How a mission went, from truth."""

from __future__ import annotations

import json
import math
import signal
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.applications.mission.vision.tally import VisionTally
from proxops.core.flight import Floats
from proxops.core.vocabulary import AbortCause, MissionEnd, MissionPhase, SensorSource
from proxops.space.audit import FIGURES

TOLD_TO_END: Final = 128 + signal.SIGTERM  # exit code of a process that the facility has ended in good order


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


def outcome_told(path: Path, code: int) -> Outcome:
    """As the application's process told it in a file when it ended, with ``code``; one that told nothing was ended with the
    facility."""
    failure = "" if code in (0, TOLD_TO_END) else f"the application's process ended by itself ({code})"
    outcome = Outcome(end=MissionEnd.FACILITY, failure=failure)
    if path.exists():
        values: dict[str, Any] = json.loads(path.read_text())
        outcome.end, outcome.t, outcome.failure = MissionEnd(values["end"]), values["t"], values["failure"]
    return outcome
