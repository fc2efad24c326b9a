"""Which looks saw the same side of the client, and how they lie to each other: what holds a long track together.

Two looks are laid over each other with their neighbours, so that there are points enough.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.experiment_result import Progress
from proxops.core.vision import Floats
from proxops.onboard.vision.inspection.registration import registered
from proxops.onboard.vision.inspection.track import Track, inverted

SAME_SIDE: Final = math.cos(math.radians(35.0))  # between the views of two looks
NEIGHBOURS: Final = 2  # looks before and after that go with one
PARTNERS: Final = 6  # of a look, beside those next to it
REACH_M: Final = 0.15
LEAST_SHARE: Final = 0.75


@dataclass(frozen=True, eq=False)
class Tie:
    """How look ``second`` lies in look ``first``; ``information`` as a registration has it."""

    first: int
    second: int
    T_first_second: Floats  # (4, 4), of the sensor's frames, as if the client had stood still
    information: Floats  # (6, 6)


def ties(track: Track, points: Sequence[Floats], progress: Progress) -> list[Tie]:
    """``points`` of each look in its sensor's frame."""
    views, found = track.views, []
    for k in range(1, len(track)):
        for j in [k - 1, *partners(views, k)]:
            tie = _tie(track, points, j, k)
            if tie is not None:
                found.append(tie)
        progress("tying", k + 1, len(track))
    return found


def partners(views: Floats, k: int) -> list[int]:
    """Looks long before ``k`` from the same side, spread over the time since."""
    before = np.arange(max(k - 2 * NEIGHBOURS, 0))
    near = before[views[before] @ views[k] > SAME_SIDE]
    if len(near) <= PARTNERS:
        return [int(j) for j in near]
    best = []
    for part in np.array_split(near, PARTNERS):
        best.append(int(part[np.argmax(views[part] @ views[k])]))
    return best


def _tie(track: Track, points: Sequence[Floats], j: int, k: int) -> Tie | None:
    T_client_sensor = inverted(track.T_sensor_client)
    target = _with_neighbours(track, T_client_sensor, points, j, () if j == k - 1 else (k,))
    T_first_second = track.T_sensor_client[j] @ T_client_sensor[k]
    found = registered(target, points[k], T_first_second, REACH_M)
    if found is None or found.share < LEAST_SHARE:
        return None
    return Tie(j, k, found.T_target_source, found.information)


def _with_neighbours(
    track: Track, T_client_sensor: Floats, points: Sequence[Floats], j: int, without: tuple[int, ...]
) -> Floats:
    """Points of look ``j`` and of those next to it, in its sensor's frame."""
    ends = (max(j - NEIGHBOURS, 0), min(j + NEIGHBOURS + 1, len(track)))
    parts = []
    for i in range(*ends):
        if i in without or (not without and i > j):
            continue
        T = track.T_sensor_client[j] @ T_client_sensor[i]
        parts.append(points[i] @ T[:3, :3].T + T[:3, 3])
    return np.concatenate(parts)
