"""The smallest change with which a motion fits: its scale, its distance, or its speed; one at a time, tried until found.

Values are tried on a grid that prints well, outward from no change, then halved back to the first that fits. What is advised
has been examined: it fits with the hall's own choice of posture.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from proxops.core.vocabulary import Standstill
from proxops.facility.feasibility.examination import Examination, Examiner
from proxops.facility.feasibility.motion import Asked, Change, motion_of

SCALE_GRID: Final = 0.005
SCALES: Final = (200, 195, 190, 180, 170, 160, 140, 120, 100, 80, 60, 40, 30, 20, 14, 10, 6, 4, 2, 1)
DISTANCE_GRID_M: Final = 0.05
DISTANCES: Final = (0, *(2**k for k in range(22)))  # to 100 km, as far as a scenario goes
FURTHEST_M: Final = 25.0  # away from the target: the length of the hall
SPEED_GRID: Final = 0.01
SPEEDS: Final = (100, 95, 90, 80, 70, 60, 50, 40, 30, 20, 10, 5, 2, 1)
ELSEWHERE: Final = frozenset({Standstill.OUT_OF_REACH, Standstill.LIMIT, Standstill.WAY_BLOCKED})
ZONES: Final = frozenset({Standstill.COMMANDED_YELLOW, Standstill.COMMANDED_RED})
Say = Callable[[str], None]


@dataclass(frozen=True)
class Advice:
    """One change that makes a motion fit."""

    kind: str  # scale, distance, speed
    value: float  # [bridge] scale; m further away (negative: nearer); factor of the speed
    text: str


def advise(examiner: Examiner, asked: Asked, shown: Examination, say: Say) -> list[Advice]:
    """Every single change that helps, for an examination that does not fit."""
    scale = examiner.hall.settings.scale

    def fits(change: Change) -> bool:
        return examiner.fits(motion_of(asked, change))

    found: list[Advice] = []
    words = {p.cause.word for p in shown.pauses if shown.trouble[p.begin : p.end].any()}
    lags = bool((shown.lagging & shown.motion.counts).any())
    if words & ELSEWHERE or lags:
        say("a smaller scale")
        found += _scale(fits, scale)
    if words & (ELSEWHERE | ZONES):
        say("another distance")
        found += _distance(fits, scale, float(shown.motion.distance_m.max()))
    if lags or _hasty(examiner, shown):
        say("a slower motion")
        found += _speed(fits, scale)
    return found


def _hasty(examiner: Examiner, shown: Examination) -> bool:
    """Whether a zone or a limit was met because of speed: the yellow layer had grown, or the way to standstill."""
    grown = examiner.hall.minimum_layer_m + 1e-4
    return any(
        p.cause.word in (Standstill.LIMIT, Standstill.WAY_BLOCKED) or p.cause.layer_m > grown
        for p in shown.pauses
        if shown.trouble[p.begin : p.end].any()
    )


def smallest_step(ladder: tuple[int, ...], fits: Callable[[int], bool]) -> int | None:
    """The value nearest to ``ladder``'s first that fits: the first rung that does, halved back towards the one before."""
    for before, rung in pairwise(ladder):
        if fits(rung):
            bad, good = before, rung
            while abs(good - bad) > 1:
                middle = (good + bad) // 2
                bad, good = (bad, middle) if fits(middle) else (middle, good)
            return good
    return None


def _scale(fits: Callable[[Change], bool], scale: float) -> Iterator[Advice]:
    found = smallest_step(SCALES, lambda n: fits(Change(scale * n * SCALE_GRID)))
    if found is not None:
        value = scale * found * SCALE_GRID
        yield Advice("scale", value, f"it fits with scale {value:.4g} in [bridge] instead of {scale:.4g}")


def _distance(fits: Callable[[Change], bool], scale: float, longest_m: float) -> Iterator[Advice]:
    """Nearer or further, whichever is less."""
    steps = []
    for sign in (-1, 1):
        most = longest_m if sign < 0 else FURTHEST_M
        ladder = tuple(n for n in DISTANCES if n * DISTANCE_GRID_M < most)
        found = smallest_step(ladder, lambda n, s=sign: fits(Change(scale, s * n * DISTANCE_GRID_M)))  # type: ignore[misc]
        if found is not None:
            steps.append(sign * found)
    for step in sorted(steps, key=abs)[:1]:
        metres = step * DISTANCE_GRID_M
        word = "nearer" if metres < 0 else "further away"
        of_hall = "" if scale == 1.0 else f" ({abs(metres):.2f} m in the hall)"
        yield Advice(
            "distance", metres / scale, f"it fits if everything happens {abs(metres) / scale:.2f} m {word}{of_hall}"
        )


def _speed(fits: Callable[[Change], bool], scale: float) -> Iterator[Advice]:
    found = smallest_step(SPEEDS, lambda n: fits(Change(scale, 0.0, n * SPEED_GRID)))
    if found is not None:
        value = found * SPEED_GRID
        text = f"it fits at {value:.2f} of the speed (accelerations at {value * value:.4f})"
        yield Advice("speed", value, text)
