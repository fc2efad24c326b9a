"""The motion that is asked for, sampled: relative poses as the hall would have to show them, as asked or changed a little."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.feasibility import SMALLEST_STEP_S
from proxops.bridge.rate_use import pose_rates

Floats = NDArray[np.float64]
Flags = NDArray[np.bool_]
MOST_SAMPLES: Final = 90_000  # half an hour in steps of 20 ms; a longer motion gets longer steps
NEAREST_M: Final = 0.01  # a shift leaves at least this distance
FAULTS: Final = frozenset({"overshoot", "jump", "silence"})  # segments that are wrong on purpose: told, but not counted


@dataclass(frozen=True)
class MotionPart:
    """A stretch of the motion with a name: a scenario's segment, or a whole file."""

    number: int
    kind: str
    text: str
    start_s: float
    end_s: float

    @property
    def counts(self) -> bool:
        return self.kind not in FAULTS


@dataclass(frozen=True)
class Change:
    """What is done to a motion: hall metres per metre, everything this much further away, everything at this speed."""

    scale: float = 1.0
    further_m: float = 0.0
    speed: float = 1.0


class Asked(Protocol):
    """Where a motion comes from. Times are the client's, positions as the client has them."""

    @property
    def name(self) -> str: ...
    @property
    def source(self) -> str: ...
    @property
    def duration_s(self) -> float: ...
    @property
    def parts(self) -> tuple[MotionPart, ...]: ...

    def at(self, t: Floats) -> tuple[Floats, Flags, Floats]:
        """T_target_chaser packed (n, 7), whether the client sends (n), the sun in the chaser's frame (n, 3)."""


@dataclass(frozen=True)
class ExaminedMotion:
    """Samples of the motion as the hall would have to show it."""

    t: Floats
    pose: Floats  # T_target_chaser packed, in hall metres
    relative: Floats  # (n, 6) its rates: m/s and rad/s in the target's frame
    sun: Floats
    sending: Flags
    part: NDArray[np.int64]
    fresh: Flags  # the client is elsewhere all at once, or back after a silence: the clutch closes anew
    parts: tuple[MotionPart, ...]
    step_s: float

    def __len__(self) -> int:
        return len(self.t)

    @property
    def distance_m(self) -> Floats:
        return np.asarray(np.linalg.norm(self.pose[:, :3], axis=1))

    @property
    def counts(self) -> Flags:
        """Samples that the hall must show."""
        return np.array([part.counts for part in self.parts])[self.part]


def motion_of(asked: Asked, change: Change) -> ExaminedMotion:
    """Sample a motion, changed as told."""
    duration = asked.duration_s / change.speed
    step = SMALLEST_STEP_S * max(1, math.ceil(duration / SMALLEST_STEP_S / MOST_SAMPLES))
    t: Floats = step * np.arange(1 + math.floor(duration / step + 1e-9), dtype=np.float64)
    pose, sending, sun = asked.at(t * change.speed)
    pose[:, :3] *= change.scale
    if change.further_m:
        distance = np.linalg.norm(pose[:, :3], axis=1)
        pose[:, :3] *= (np.maximum(distance + change.further_m, NEAREST_M) / np.maximum(distance, 1e-9))[:, None]
    parts = tuple(
        MotionPart(p.number, p.kind, p.text, p.start_s / change.speed, p.end_s / change.speed) for p in asked.parts
    )
    starts = np.array([p.start_s for p in parts])
    part = np.searchsorted(starts, t + 1e-9, side="right") - 1
    fresh = np.zeros(len(t), np.bool_)
    fresh[1:] = sending[1:] & ~sending[:-1]
    for p in parts:
        if p.kind == "jump":
            fresh[min(int(np.searchsorted(t, p.start_s - 1e-9)), len(t) - 1)] = True
    return ExaminedMotion(t, pose, _rates(pose, fresh, step), sun, sending, part, fresh, parts, step)


def _rates(pose: Floats, fresh: Flags, step_s: float) -> Floats:
    """Rates of a pose that is nowhere taken to move where it only appears."""
    rate = pose_rates(pose, step_s)
    k = np.flatnonzero(fresh)
    rate[k] = rate[np.minimum(k + 1, len(rate) - 1)]
    return rate
