"""Pushes of a micro-gravity run: those that were given beside those that were recognised, one to one, and what they took.

Where the truth is not known (a sensor on the network, no virtual hand) a recognised push stands for itself.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from proxops.applications.floating.application import FloatApplication, FloatingStage
from proxops.applications.floating.reaction import Reaction
from proxops.applications.floating.tables import SETTLE_S
from proxops.core.messages import PERIOD_S
from proxops.maths.rotation import Array
from proxops.touch.impulse_detector import Impulse
from proxops.touch.push import Push
from proxops.touch.push_detector import PushDetector

BEFORE_S: Final = 0.06  # a push may be dated this much before it truly began
REACTION_CYCLES: Final = 2  # from the crossing to another set-point
FORCE, TORQUE = slice(0, 3), slice(3, 6)


@dataclass(frozen=True, eq=False)
class Matched:
    """A recognised push and the scripted or live one that it was; None: nobody pushed, or nobody knows. Impulses (6) are in
    world axes about the sensor's origin; errors are those of the part, force or torque, that the true push mostly is."""

    reaction: Reaction
    found: Array
    part: slice
    push: Push | None = None
    given: Array | None = None

    @property
    def unit(self) -> str:
        return "N s" if self.part == FORCE else "N m s"

    @property
    def magnitude_error(self) -> float:
        assert self.given is not None
        return float(np.linalg.norm(self.found[self.part]) / np.linalg.norm(self.given[self.part]) - 1.0)

    @property
    def direction_error_deg(self) -> float:
        assert self.given is not None
        a, b = self.found[self.part], self.given[self.part]
        size = float(np.linalg.norm(a) * np.linalg.norm(b))
        return math.degrees(math.acos(min(1.0, max(-1.0, float(a @ b) / size)))) if size > 0.0 else 180.0


def floating_until(app: FloatApplication) -> float:
    """s, of the last cycle of the flight."""
    rows = app.rows[: app.count]
    floating = rows["t"][rows["stage"] == FloatingStage.FLOAT]
    return float(floating[-1]) if len(floating) else 0.0


def pushes_of(app: FloatApplication) -> list[Push]:
    """Those that fell into the flight."""
    hand = app.module.hand.pushes if app.module is not None else []
    return [push for push in hand if push.at_s >= SETTLE_S and push.end_s < floating_until(app)]


def matches(app: FloatApplication) -> list[Matched]:
    """Recognised pushes beside true ones."""
    return _one_to_one(app, [(r, r.impulse) for r in app.felt.reactions if r.impulse is not None])


def found_by(app: FloatApplication, detector: PushDetector) -> list[Matched]:
    """The same of another detector that is shown what was read; what it finds before the flight does not count."""
    rows = app.rows[: app.count]
    known = np.isfinite(rows["residual"]).all(axis=1)
    readings = rows["residual"][: len(rows) if known.all() else int(np.argmin(known))]
    found = []
    for impulse in detector.impulses(readings) if len(readings) else []:
        start, crossed, end = (round(t / PERIOD_S) for t in (impulse.t_start, impulse.t_crossed, impulse.t_end))
        if rows["stage"][crossed] == FloatingStage.FLOAT:
            t_start, t_crossed, t_end = (float(rows["t"][k]) for k in (start, crossed, end))
            dated = replace(impulse, t_start=t_start, t_crossed=t_crossed, t_end=t_end)
            found.append((Reaction(crossed, 0, impulse=dated), dated))
    return _one_to_one(app, found)


def _one_to_one(app: FloatApplication, impulses: list[tuple[Reaction, Impulse]]) -> list[Matched]:
    """Each true push is used once, by the one found that overlaps it most."""
    pairs = sorted(
        (
            (_shared(found, push), i, k)
            for i, (_, found) in enumerate(impulses)
            for k, push in enumerate(pushes_of(app))
        ),
        key=lambda pair: (-pair[0], pair[1], pair[2]),
    )
    given, used = pushes_of(app), dict[int, int]()
    for shared, i, k in pairs:
        if shared > 0.0 and i not in used and k not in used.values():
            used[i] = k
    return [_matched(app, r, found, given[used[i]] if i in used else None) for i, (r, found) in enumerate(impulses)]


def _shared(found: Impulse, push: Push) -> float:
    """s, that both last; with what a push may be dated too early."""
    return min(found.t_end + PERIOD_S, push.end_s) - max(found.t_start, push.at_s - BEFORE_S)


def _matched(app: FloatApplication, reaction: Reaction, impulse: Impulse, push: Push | None) -> Matched:
    """The flange hardly turns in a push."""
    R, bench = app.rotation_at(reaction.crossed), app.bench
    found = np.concatenate([R @ impulse.impulse[FORCE], R @ impulse.impulse[TORQUE]])
    if push is None:
        return Matched(reaction, found, FORCE)
    given, sensor = push.impulse.copy(), bench.file.sensor
    mostly_force = np.linalg.norm(given[FORCE]) / sensor.noise_N >= np.linalg.norm(given[TORQUE]) / sensor.noise_Nm
    given[TORQUE] += np.cross(R @ bench.T_flange_object[:3, 3], given[FORCE])  # from the module's frame to the sensor's
    return Matched(reaction, found, FORCE if mostly_force else TORQUE, push, given)


@dataclass(frozen=True)
class Budget:
    """Times of one reaction, from recorded cycles; None where it was not seen."""

    latency_ms: float | None  # from the true push to the crossing
    rewind_ms: float
    to_setpoint: int | None  # cycles from the crossing to the first set-point that differs
    to_visible_ms: float | None  # likewise, to one that differs by what encoders can show
    robot: int | None  # cycles from there to the encoders: the arm's own

    @property
    def to_motion(self) -> int | None:
        """Cycles from the crossing to the motion that follows from the first set-point that differs."""
        return None if self.to_setpoint is None or self.robot is None else self.to_setpoint + self.robot

    @property
    def push_to_motion_ms(self) -> float | None:
        if self.latency_ms is None or self.to_motion is None:
            return None
        return self.latency_ms + self.to_motion * PERIOD_S * 1e3


def budget(app: FloatApplication, reaction: Reaction, push: Push | None) -> Budget:
    """By the clock: lost cycles count."""
    t, r = app.rows["t"], reaction

    def cycles(begin: int, end: int) -> int | None:
        return None if begin < 0 or end < 0 else round(float(t[end] - t[begin]) / PERIOD_S)

    latency = None if push is None else (float(t[r.crossed]) - push.at_s) * 1e3
    visible = cycles(r.crossed, r.shown)
    return Budget(
        latency, r.rewind * PERIOD_S * 1e3, cycles(r.crossed, r.changed),
        None if visible is None else visible * PERIOD_S * 1e3, cycles(r.shown, r.moved),
    )  # fmt: skip


def judged_reactions(app: FloatApplication, after: int) -> list[Reaction]:
    """Those that had ``after`` cycles of flight left to show."""
    last = int(np.count_nonzero(app.rows["stage"][: app.count] <= FloatingStage.FLOAT)) - 1
    return [r for r in app.felt.reactions if r.crossed + after <= last]
