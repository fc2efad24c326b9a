"""Recognises a person's push in the readings of a force sensor while it lasts, and weighs it when it is over.

The arm holds the module, so its sensor shows more than the push: an offset that drifts, noise, and the arm's own answer after the
push (paper 002, section 3.2). A derivative has no offset but loses weak pushes in the noise. Here the level is tested:

QUIET    A line through the past (``force_baseline``) is the zero. It takes a reading in only when that is older than the longest
         window, so a push that is not yet certain has not bent it. ``push_search`` looks for a window that no noise explains.
PUSH     The line is frozen. Readings less the line are summed up; the push ends where the length of the sum, less an allowance
         for each sample, has been largest. That is known as soon as it has fallen far enough below.
COUNTER  The other way round than the push, or nearly: the arm's answer, ignored. At least as long as the push, until the readings
         are back on the line. Another push is found all the same unless it is opposite to the last.

What lasts longer than any push is a new offset: the line is learnt again. A wrench is six numbers, force (N) then torque (N m),
about the sensor's origin in its axes; inside, each is divided by its noise.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from enum import IntEnum
from typing import Final, NamedTuple

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.maths.finite import all_finite
from proxops.maths.rotation import Array
from proxops.touch.force_baseline import BASELINE_DTYPE, SIX, forget
from proxops.touch.impulse_phases import DETECTOR_DTYPE, ENDED, NONSENSE, advance_to_event, put_recent, take

SHAPE: Final = (SIX,)  # of a reading
SLOWEST_S: Final = 0.02  # between two readings: a push of 20 ms must not fall between them


class PushPhase(IntEnum):
    QUIET = 0
    PUSH = 1
    COUNTER = 2


PHASES: Final = tuple(PushPhase)
NO_WRENCH: Final = np.zeros(SIX)
NO_WRENCH.flags.writeable = False


@dataclass(frozen=True)
class ImpulseSettings:
    """Noise of one reading, and what counts as a push."""

    force_noise_N: float = 1.0
    torque_noise_Nm: float = 0.1
    drift_change: float = 0.5  # sigma/s, by which the drift wanders in a second: how fast the baseline learns
    threshold: float = 7.5  # sigma of a window's sum: at 4 ms no false alarm in 80 hours; at 7 five
    allowance: float = 0.5  # sigma: a level below it is no part of a push
    gap_s: float = 0.06  # a pause this long ends a push
    calm: float = 4.0  # sigma of the sum over ``calm_s``: below it the counter-impulse is over
    calm_against: float = 1.0  # likewise, of its part against the push
    calm_s: float = 0.1
    window_s: float = 0.1  # the longest
    margin_s: float = 0.02  # before the beginning of a push, not taken into the baseline
    rewind_s: float = 0.05  # how far back the physics can be corrected
    longest_push_s: float = 1.0
    longest_counter_s: float = 1.0


@dataclass(frozen=True, eq=False)
class Impulse:
    """A push that is over. Times in seconds since the detector's first reading."""

    t_start: float
    t_crossed: float  # when it was certain
    t_end: float
    impulse: Array  # (6) N s and N m s
    peak: Array  # (6) the wrench at its strongest
    correction: Array  # (6) what the impulse has beyond the wrenches handed out: to be applied once


class PushVerdict(NamedTuple):
    """On one reading."""

    phase: PushPhase
    began: int  # how many samples ago the push began, in the sample in which it became certain; else -1
    wrench: Array  # (6) to be applied now: free of offset, zero unless in a push
    ended: Impulse | None  # the push that is over, in the sample in which that became certain


class ImpulseDetector:
    """One for each sensor. Call ``step`` with every reading, ``dt`` apart. ``felt`` (6): the newest one, free of offset."""

    def __init__(self, settings: ImpulseSettings | None = None, dt: float = PERIOD_S) -> None:
        self.settings, self.dt = settings or ImpulseSettings(), dt
        s = self.settings
        if not 0.0 < dt <= SLOWEST_S or not all(0.0 < value < math.inf for value in vars(s).values()):
            raise BadInput(
                "an impulse detector needs noise, a threshold and a fast cycle", value=(dt, s), bound="dt up to 0.02 s"
            )
        self.sigma = np.repeat([s.force_noise_N, s.torque_noise_Nm], 3)
        self._whitened, self._room = np.zeros(SIX), np.zeros((2, SIX))
        self.felt = np.zeros(SIX)
        self.reset()

    def reset(self) -> None:
        """Forget everything, time included."""
        self._record, self._baseline = np.zeros(1, DETECTOR_DTYPE), np.zeros(1, BASELINE_DTYPE)
        s, d, b = self.settings, self._record[0], self._baseline[0]
        for name in ("window", "margin", "rewind", "longest_push", "longest_counter", "calm"):
            d[f"n_{name}"] = max(1, int(getattr(s, f"{name}_s") / self.dt + 1e-9))  # never longer than asked for
        d["threshold"], d["allowance"], d["calm"] = s.threshold, s.allowance, s.calm
        d["calm_against"] = s.calm_against
        d["drop"], d["now"] = s.allowance * s.gap_s / self.dt, -1
        b["wander"], b["dt"] = s.drift_change**2, self.dt
        forget(self._baseline, -1)
        self._ring = np.zeros((max(d["n_window"], d["n_calm"], d["n_rewind"]) + 2, SIX))
        self._state = self._record, self._baseline, self._ring
        # Fields that every reading asks for, seen once: of a record they cost a microsecond each.
        self._views = self._record["now"], self._record["wrench"][0], self._record["phase"], self._record["began"]

    def step(self, wrench: Array) -> PushVerdict:
        """Take a reading in. One that is no number is refused, and changes nothing."""
        if wrench.shape != SHAPE:
            refuse_nonsense(wrench)
        event = take(*self._state, wrench, self.sigma, self._whitened, self._room, self.felt)
        if event == NONSENSE:
            refuse_nonsense(wrench)
        _, handed_out, told, began = self._views
        phase, ended = PHASES[told[0]], self._finished() if event == ENDED else None
        return PushVerdict(
            phase, int(began[0]), handed_out * self.sigma if phase is PushPhase.PUSH else NO_WRENCH, ended
        )

    def impulses(self, readings: Array) -> list[Impulse]:
        """All that end within a record (n, 6): the same as step by step, but fast."""
        refuse_nonsense(readings)
        found, k = [], 0
        while k < len(readings):
            k, event = advance_to_event(self._record, self._baseline, self._ring, readings, k, self.sigma, self._room)
            if event == ENDED:
                found.append(self._finished())
        return found

    def recent(self, n: int) -> Array:
        """(n, 6) The last n readings, the present one included, free of offset, oldest first. When a verdict says ``began``,
        ``recent(began + 1)`` is the push so far and its last row is the verdict's wrench."""
        now = int(self._views[0][0])
        if not 0 <= n <= min(now + 1, len(self._ring)):
            raise BadInput(
                "no such readings any more", where="impulse detector", value=n, bound=f"0 … {len(self._ring)}"
            )
        out: Array = np.empty((n, SIX))
        put_recent(self._baseline, self._ring, now, self.sigma, out)
        return out

    def _finished(self) -> Impulse:
        d, scale = self._record[0], self.sigma * self.dt
        start, crossed, end = (float(d[name] * self.dt) for name in ("start", "crossed", "end"))
        correction = (d["best"] - d["applied"]) * scale
        return Impulse(start, crossed, end, d["best"] * scale, d["peak"] * self.sigma, correction)


def refuse_nonsense(wrench: Array) -> None:
    """A reading that is no number is a fault of the sensor, not a force of zero."""
    if wrench.shape[-1] != SIX or not (all_finite(wrench) if wrench.ndim == 1 else np.isfinite(wrench).all()):
        bad = wrench if wrench.ndim == 1 else wrench[~np.isfinite(wrench).all(axis=-1)][:1]
        raise BadInput(
            "no wrench", where="impulse detector", value=bad, bound="six finite numbers", way_out="stop the run"
        )
