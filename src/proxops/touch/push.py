"""A person's push as a wrench over time: one pulse, and right after it the counter-impulse of the arm that holds the module.

Paper 002 (section 3.2, figure 4): "an impulse leads to a peak in the measurement which is followed by a peak in the opposing
direction". Only the pulse is what the free-floating module would have felt; the counter-impulse belongs to the arm.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.maths.rotation import Array

HALF_SINE: Final = "half_sine"  # sets in with a kink
RAISED_COSINE: Final = "raised_cosine"  # sets in softly
SHAPES: Final = (HALF_SINE, RAISED_COSINE)
Triple = tuple[float, float, float]


@dataclass(frozen=True)
class Push:
    """A push of ``impulse_Ns`` along ``direction`` at a point ``lever_m`` away from the sensor's origin, and a pure twist besides
    (either may be nothing). Everything in the sensor's axes, torques about its origin."""

    at_s: float
    direction: Triple
    impulse_Ns: float
    duration_s: float
    counter_share: float = 0.5  # of the push's impulse, the other way
    counter_stretch: float = 1.5  # duration of the counter-impulse, by that of the push
    lever_m: Triple = (0.0, 0.0, 0.0)
    twist_Nms: Triple = (0.0, 0.0, 0.0)
    shape: str = HALF_SINE

    def __post_init__(self) -> None:
        every = (self.at_s, *self.direction, self.impulse_Ns, self.duration_s, *self.lever_m, *self.twist_Nms)
        if not all(map(math.isfinite, (*every, self.counter_share, self.counter_stretch))):
            raise BadInput("a push with a number that is none", where="push", value=every)
        if self.duration_s <= 0.0 or self.counter_stretch <= 0.0:
            raise BadInput("a push must last", where="push.duration_s", value=self.duration_s, bound="greater than 0")
        if self.counter_share < 0.0:
            raise BadInput(
                "a negative counter-impulse", where="push.counter_share", value=self.counter_share, bound="0 or more"
            )
        if self.impulse_Ns != 0.0 and math.hypot(*self.direction) < 1e-6:
            raise BadInput("a push without direction", where="push.direction", value=self.direction)
        if self.shape not in SHAPES:
            raise BadInput("no such shape of a push", where="push.shape", value=self.shape, bound=", ".join(SHAPES))

    @cached_property
    def impulse(self) -> Array:
        """Impulse (N s) and its moment (N m s) of the push alone: what a detector should find."""
        length = math.hypot(*self.direction) or 1.0
        linear = self.impulse_Ns / length * np.asarray(self.direction)
        return np.concatenate([linear, np.cross(self.lever_m, linear) + np.asarray(self.twist_Nms)])

    @cached_property
    def end_s(self) -> float:
        """Of the push."""
        return self.at_s + self.duration_s

    @cached_property
    def over_s(self) -> float:
        """Of the counter-impulse."""
        return self.end_s + (self.counter_stretch * self.duration_s if self.counter_share else 0.0)

    def wrench(self, t: float) -> Array:
        """Force and torque at a time, counter-impulse included."""
        out: Array = self.wrenches(np.array([t]))[0]
        return out

    def wrenches(self, t: Array) -> Array:
        """Likewise, (n, 6)."""
        lasts = self.counter_stretch * self.duration_s
        course = pulse(t - self.at_s, self.duration_s, self.shape)
        course -= self.counter_share * pulse(t - self.end_s, lasts, self.shape)
        return course[:, None] * self.impulse


def pulse(t: Array, duration: float, shape: str) -> Array:
    """1/s; its integral is one. Nothing outside 0 … duration."""
    phase = np.clip(t / duration, 0.0, 1.0)
    if shape == HALF_SINE:
        return math.pi / (2.0 * duration) * np.sin(math.pi * phase) * (phase < 1.0)  # sin(pi) is not quite zero
    return (1.0 - np.cos(2.0 * math.pi * phase)) / duration
