"""How well pushes are found: 500 seeded ones in noise, and an hour in which nobody pushes. Pure: a seed in, figures out.

Pushes have 1 to 10 N s (log-uniform) in 20 to 300 ms, random directions, half-sines and raised cosines in turn by chance, a
counter-impulse of 50 % that lasts one and a half times as long, and 1 to 3 s from the end of one to the beginning of the next
(the counter-impulse lies in that pause). White noise of 1 N and 0.1 N m on every axis and reading; offsets within 5 N (0.5 N m)
that drift with up to 1 N/s (0.1 N m/s) on every axis, all axes changing their drift at once, every 2 to 20 s. The pushes go
through the sensor's origin: their torque is nothing, so the torques only add noise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.maths.rotation import Array
from proxops.touch.derivative_detector import DerivativeDetector, DerivativeSettings
from proxops.touch.impulse_detector import Impulse, ImpulseDetector, ImpulseSettings
from proxops.touch.push import SHAPES, Push

PUSHES: Final = 500
QUIET_S: Final = 3600.0
NOISE: Final = np.repeat([1.0, 0.1], 3)  # N, N m
OFFSET: Final = 5.0 * NOISE
DRIFT: Final = 1.0 * NOISE  # 1/s
LEAD_S: Final = 3.0  # before the first push
LATE_S: Final = 0.1  # after the end of a push, in which it still counts as found
SILENT: Final = 1.02  # the baseline's threshold, by the greatest derivative in the quiet hour


@dataclass(frozen=True)
class StudyFigures:
    """Of one detector. Errors of pushes that were found: median and 95th percentile."""

    found_share: float
    false_alarms: int  # in the quiet hour
    spurious: int  # among the pushes
    magnitude_percent: tuple[float, float]
    direction_deg: tuple[float, float]
    latency_ms: tuple[float, float]  # from the beginning of the push until it is certain
    threshold: float  # of the level in sigmas, or of the derivative in sigmas a second
    found_weak_share: float  # of the pushes below 1.5 N s


@dataclass(frozen=True)
class Study:
    """Both detectors on the same readings."""

    ours: StudyFigures
    derivative: StudyFigures


def run_study(
    seed: int,
    dt: float = PERIOD_S,
    ours: ImpulseSettings | None = None,
    derivative: DerivativeSettings | None = None,
    quiet_s: float = QUIET_S,
) -> Study:
    """The derivative's threshold is not taken from its settings but set for silence in the quiet hour."""
    rng = np.random.default_rng(seed)
    pushes = random_pushes(rng)
    pushed, quiet = pushed_record(rng, pushes, dt), background(rng, round(quiet_s / dt), dt)
    level = ImpulseDetector(ours, dt)
    paper = derivative or DerivativeSettings()
    paper = replace(paper, threshold=SILENT * DerivativeDetector(paper, dt).greatest_rate(quiet))
    return Study(
        _figures(level, pushes, pushed, quiet, level.settings.threshold),
        _figures(DerivativeDetector(paper, dt), pushes, pushed, quiet, paper.threshold),
    )


def random_pushes(rng: np.random.Generator, count: int = PUSHES) -> list[Push]:
    """In the order of time."""
    pushes, t = [], LEAD_S
    for _ in range(count):
        impulse, lasts = math.exp(rng.uniform(0.0, math.log(10.0))), rng.uniform(0.02, 0.3)
        x, y, z = rng.normal(size=3)
        pushes.append(Push(t, (x, y, z), impulse, lasts, shape=SHAPES[rng.integers(2)]))
        t += lasts + rng.uniform(1.0, 3.0)
    return pushes


def pushed_record(rng: np.random.Generator, pushes: Sequence[Push], dt: float) -> Array:
    """(n, 6) What the sensor reads while somebody pushes."""
    readings = background(rng, math.ceil((pushes[-1].over_s + 1.0) / dt), dt)
    for push in pushes:
        during = np.arange(math.floor(push.at_s / dt), math.ceil(push.over_s / dt) + 1)
        readings[during] += push.wrenches(dt * during.astype(np.float64))
    return readings


def background(rng: np.random.Generator, n: int, dt: float) -> Array:
    """(n, 6) What the sensor reads while nobody pushes: noise on an offset that drifts, now this way and now that."""
    knots, levels = [0.0], [rng.uniform(-OFFSET, OFFSET)]
    while knots[-1] < n * dt:
        lasts = rng.uniform(2.0, 20.0)
        knots.append(knots[-1] + lasts)
        levels.append(np.clip(levels[-1] + lasts * rng.uniform(-DRIFT, DRIFT), -OFFSET, OFFSET))
    t, level = np.arange(n) * dt, np.array(levels)
    readings = rng.normal(size=(n, 6))
    readings *= NOISE
    for axis in range(6):
        readings[:, axis] += np.interp(t, knots, level[:, axis])
    return readings


def _figures(
    detector: ImpulseDetector | DerivativeDetector,
    pushes: Sequence[Push],
    pushed: Array,
    quiet: Array,
    threshold: float,
) -> StudyFigures:
    detector.reset()
    false_alarms = len(detector.impulses(quiet))
    detector.reset()
    pairs, spurious = matched(pushes, detector.impulses(pushed))
    true, found = (np.array([pair[k].impulse[:3] for pair in pairs]) for k in (0, 1))
    size, size_found = np.linalg.norm(true, axis=1), np.linalg.norm(found, axis=1)
    angle = np.degrees(np.arccos(np.clip((true * found).sum(axis=1) / (size * size_found), -1.0, 1.0)))
    weak, weak_found = (sum(push.impulse_Ns < 1.5 for push in some) for some in (pushes, [pair[0] for pair in pairs]))
    latency = np.array([1e3 * (one.t_crossed - push.at_s) for push, one in pairs])
    return StudyFigures(
        len(pairs) / len(pushes), false_alarms, spurious, _middle_and_tail(100.0 * np.abs(size_found / size - 1.0)),
        _middle_and_tail(angle), _middle_and_tail(latency), threshold, weak_found / weak,
    )  # fmt: skip


def matched(pushes: Sequence[Push], impulses: Sequence[Impulse]) -> tuple[list[tuple[Push, Impulse]], int]:
    """Each push with the first impulse that became certain during it; and how many impulses belong to no push, or to one that
    was found already."""
    pairs, k = [], 0
    for push in pushes:
        while k < len(impulses) and impulses[k].t_crossed < push.at_s:
            k += 1
        if k < len(impulses) and impulses[k].t_crossed <= push.end_s + LATE_S:
            pairs.append((push, impulses[k]))
            k += 1
    return pairs, len(impulses) - len(pairs)


def _middle_and_tail(values: Array) -> tuple[float, float]:
    median, tail = np.percentile(values, [50.0, 95.0])
    return float(median), float(tail)
