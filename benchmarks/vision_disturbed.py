"""Flights on images alone in which something goes wrong with the images: what came of each, and what of its images was believed.

Part of ``python -m benchmarks vision_flights``. The camera's are flown in orbit's light at one image a second.
"""

from __future__ import annotations

import math
import multiprocessing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Final

from benchmarks.vision_conditions import ONCE_A_SECOND, condition, kept_away, within
from proxops.applications.mission.application import MissionApplication
from proxops.applications.mission.run_figures import RunFigures, figures_of
from proxops.applications.mission.seeing import Seeing
from proxops.applications.mission.software_flight import fly_in_software
from proxops.core.flight import OnboardData, onboard_data
from proxops.core.vision import Processed
from proxops.core.vocabulary import Doubt, MissionPhase, VisionState
from proxops.onboard.corridor import off_boresight

SEEDS: Final = range(1, 4)
CAMERA: Final = 'like = "approach_camera"\n' + ONCE_A_SECOND
Span = tuple[float, float]


@dataclass(frozen=True)
class Disturbed:
    """``span``: in which images are not what they should be, s; ``mates``: else it retreats."""

    text: str
    what: str
    span: Span
    mates: bool = True

    @property
    def toml(self) -> str:
        begin, end = self.span
        fault = f'[[fault]]\nkind = "image_fault"\nat_s = {begin}\nduration_s = {end - begin}\nwhat = "{self.what}"\n'
        return self.text + fault


PUSH: Final = '[[fault]]\nkind = "push"\nat_s = 400.0\ndv_m_s = [0.0, 0.005, 0.0]\n'
DISTURBED: Final[dict[str, Disturbed]] = {
    "dark for 4 s in the last 2 m": Disturbed(CAMERA, "dark", (800.0, 804.0)),
    "dark for 300 s from 8 m on": Disturbed(CAMERA, "dark", (300.0, 600.0), mates=False),
    "dark for 60 s at 5 m, pushed aside meanwhile": Disturbed(CAMERA + PUSH, "dark", (395.0, 455.0)),
    "frozen for 10 s at 12 m": Disturbed(CAMERA, "frozen", (200.0, 210.0)),
    "ghosts in scans for 60 s from 12 m on": Disturbed('like = "approach_lidar"\n', "ghosts", (200.0, 260.0)),
}


class Watched:
    """Of one flight: all answers, and moments: time, phase, true distance (m), the client's angle off the line of sight (rad)."""

    def __init__(self, data: OnboardData) -> None:
        self._data = data
        self.answers: list[Processed] = []
        self.moments: list[tuple[float, MissionPhase, float, float]] = []

    def begin(self, seeing: Seeing) -> None:
        if seeing.vision:
            seeing.vision.listeners.append(self.hear)

    def hear(self, processed: Processed, t: float) -> None:
        self.answers.append(processed)

    def look(self, application: MissionApplication) -> None:
        pair, data = application.pair, self._data
        sensor = data.sensor_place - data.mass_centre
        off = off_boresight(pair.y[6:9], pair.y[12:16], pair.y[19:23], data.target_mass_centre, sensor)
        self.moments.append((pair.t, application.outcome.phase, pair.distance_m, off))


@dataclass(frozen=True)
class Came:
    """Of one flight. Of images within the span: ``seen``, and of these ``believed``; until the first that was doubted:
    ``before``."""

    row: RunFigures
    seen: int
    believed: int
    before: int
    lost: bool
    searched: int  # whole images, from the beginning of the span on
    found: bool  # tracked at the end
    stood_s: float  # without measurements
    went_m: float  # and by how much the distance changed meanwhile
    off_deg: float  # off the line of sight at most, from the beginning of the span on


def flown(job: tuple[str, int]) -> Came:
    """A disturbance's name and a seed."""
    name, seed = job
    one = DISTURBED[name]
    mission = condition(one.toml)
    watched = Watched(onboard_data(mission.file))
    row = figures_of(mission, seed, fly_in_software(mission, seed, onlooker=watched))
    begin, end = one.span
    spoiled = [answer.found for answer in watched.answers if begin <= answer.found.t < end]
    doubted = next((k for k, found in enumerate(spoiled) if found.doubt is not Doubt.NONE), len(spoiled))
    since = [answer for answer in watched.answers if answer.found.t >= begin]
    stood = [moment for moment in watched.moments if moment[1] is MissionPhase.REACQUISITION and moment[0] >= begin]
    distances = [distance for _, _, distance, _ in stood]
    return Came(
        row, len(spoiled), sum(found.trusted for found in spoiled), doubted,
        any(answer.state is VisionState.LOST for answer in since), sum(answer.searched for answer in since),
        bool(since) and since[-1].state is VisionState.TRACK,
        stood[-1][0] - stood[0][0] if stood else 0.0, max(distances) - min(distances) if stood else 0.0,
        math.degrees(max((off for t, _, _, off in watched.moments if t >= begin), default=math.nan)),
    )  # fmt: skip


def disturbed(seeds: range = SEEDS) -> Iterator[tuple[str, float | str]]:
    """All of them, on all cores."""
    jobs = [(name, seed) for name in DISTURBED for seed in seeds]
    with multiprocessing.get_context("spawn").Pool() as pool:
        came = pool.map(flown, jobs, chunksize=1)
    for name, one in DISTURBED.items():
        yield from told(name, one, [flight for (other, _), flight in zip(jobs, came, strict=True) if other == name])


def told(name: str, one: Disturbed, came: list[Came]) -> Iterator[tuple[str, float | str]]:
    judge: Callable[[RunFigures], bool] = within if one.mates else kept_away
    ends = sum(judge(flight.row) for flight in came)
    yield f"{name}: {'mated within limits' if one.mates else 'retreated safely'}", f"{ends} of {len(came)}"
    yield f"{name}: of these images believed", f"{total(came, 'believed')} of {total(came, 'seen')}"
    yield f"{name}: images before the first that was doubted", max(flight.before for flight in came)
    yield f"{name}: wrong poses accepted", sum(flight.row.images[2] for flight in came if flight.row.images)
    if one.what == "dark" and any(flight.lost for flight in came):
        yield f"{name}: whole images searched", total(came, "searched")
        yield f"{name}: tracked at the end", f"{total(came, 'found')} of {len(came)}"
        yield f"{name}: stood [s]", round(max(flight.stood_s for flight in came), 1)
        yield f"{name}: distance meanwhile [m]", round(max(flight.went_m for flight in came), 3)
        yield f"{name}: client off the line of sight, at most [deg]", round(max(flight.off_deg for flight in came), 2)


def total(came: list[Came], figure: str) -> int:
    return sum(int(getattr(flight, figure)) for flight in came)
