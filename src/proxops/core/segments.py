"""Segments of scripted relative motion, as a scenario lists them one after the other; when each begins and ends.

The chaser is at ``distance`` along a line of sight, a unit vector from the target to the chaser in the target's frame.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Annotated, Literal

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from proxops.core.errors import BadInput
from proxops.core.ramp import STILL, Ramp, TooShort, ramp_for, ramp_over
from proxops.core.strict_table import Direction, Finite, Strict, Truth, within

DAY_S = 86_400
Duration = Annotated[Finite, within(0.001, DAY_S)]
Distance = Annotated[Finite, within(0, 100_000)]
Apart = Annotated[Finite, within(0.01, 100_000)]  # far enough to have a line of sight
Speed = Annotated[Finite, within(0.0001, 100)]
Acceleration = Annotated[Finite, within(0.0001, 10)]
Angle = Annotated[Finite, within(-360, 360)]
Seconds = Annotated[Finite, within(0, DAY_S)]


class ScriptStart(Strict):
    """Relative pose at t = 0. Nominally the chaser's -x axis looks at the target, turned there from parallel axes by the
    smallest rotation (half a turn about z from the side of -x); ``attitude_deg`` (ABC) is added in the chaser's frame."""

    distance_m: Apart
    direction: Direction = (1.0, 0.0, 0.0)
    attitude_deg: tuple[Angle, Angle, Angle] = (0.0, 0.0, 0.0)


class Hold(Strict):
    """Stand still relative to the target."""

    kind: Literal["hold"]
    duration_s: Duration


class Approach(Strict):
    """Straight along the line of sight to another distance (away from the target if that is larger). ``moving_start``:
    at full speed from its first moment; ``moving_end``: till its last."""

    kind: Literal["approach"]
    to_m: Distance
    speed_m_s: Speed
    acceleration_m_s2: Acceleration = 0.01
    moving_start: Truth = False
    moving_end: Truth = False


class FlyAround(Strict):
    """About an axis through the target, at constant distance; the chaser looks at the target and does not roll about the
    line of sight (so an axis along that line moves nothing)."""

    kind: Literal["fly_around"]
    angle_deg: Annotated[Finite, within(-3600, 3600)]
    rate_deg_s: Annotated[Finite, within(0.001, 90)]
    axis: Direction
    acceleration_deg_s2: Annotated[Finite, within(0.001, 90)] = 0.2


class Tumble(Strict):
    """The target tumbles free of torque, the chaser stays at its inertial place and attitude. An axisymmetric body:
    ``axis`` is the symmetry axis, ``spin_deg_s`` the body rate along it, ``nutation_deg`` its angle to the angular momentum,
    ``inertia_ratio`` axial over transverse. In the first and last ``soft_s`` seconds the same way is taken more slowly."""

    kind: Literal["tumble"]
    duration_s: Duration
    spin_deg_s: Annotated[Finite, within(-90, 90)]
    axis: Direction
    nutation_deg: Annotated[Finite, within(0, 80)] = 0.0
    inertia_ratio: Annotated[Finite, within(0.01, 2)] = 0.8
    soft_s: Annotated[Finite, within(0, DAY_S)] = 2.0

    @model_validator(mode="after")
    def _time_for_both_ends(self) -> Tumble:
        if 2.0 * self.soft_s > self.duration_s:
            half = f"0 … {0.5 * self.duration_s:g}, half of duration_s"
            context = {"key": "soft_s", "value": self.soft_s, "bound": half}
            raise PydanticCustomError("soft", "no time for a soft start and a soft end", context)
        return self


class Overshoot(Strict):
    """The faulty simulator: on along the line of sight without stopping, through the target if it lasts."""

    kind: Literal["overshoot"]
    speed_m_s: Speed
    duration_s: Duration


class Jump(ScriptStart):
    """Elsewhere in no time."""

    kind: Literal["jump"]


class Silence(Strict):
    """Hold, and send nothing."""

    kind: Literal["silence"]
    duration_s: Duration


Segment = Annotated[
    Hold | Approach | FlyAround | Tumble | Overshoot | Jump | Silence, Field(discriminator="kind")
]  # fmt: skip


@dataclass(frozen=True)
class Leg:
    """A segment with its times. ``ramp`` counts metres (approach, overshoot), radians (fly-around) or, for a tumble,
    seconds at full rate."""

    segment: Segment
    start_s: float
    duration_s: float
    distance_m: float  # at its start, along the line of sight; negative beyond the target
    sign: float  # of the ramp's way
    ramp: Ramp


def legs_of(start: ScriptStart, motion: tuple[Segment, ...], where: str) -> tuple[Leg, ...]:
    """When each segment begins; refuses what does not join."""
    legs: list[Leg] = []
    start_s, distance_m = 0.0, start.distance_m
    for i, segment in enumerate(motion):
        key = f"motion {i + 1} ({segment.kind})"
        leg = _leg(segment, start_s, distance_m, f"{where}: {key}")
        if legs and not {leg.segment.kind, legs[-1].segment.kind} & {"overshoot", "jump"}:
            _check_joint(_speed(legs[-1], at_end=True), _speed(leg, at_end=False), f"{where}: {key}")
        legs.append(leg)
        start_s += leg.duration_s
        if isinstance(segment, Jump):
            distance_m = segment.distance_m
        elif isinstance(segment, Approach):
            distance_m = segment.to_m
        elif isinstance(segment, Overshoot):
            distance_m -= leg.ramp.way
    return tuple(legs)


def _leg(segment: Segment, start_s: float, distance_m: float, where: str) -> Leg:
    sign, ramp = 1.0, STILL
    if isinstance(segment, Approach):
        s, way = segment, abs(segment.to_m - distance_m)
        sign = math.copysign(1.0, s.to_m - distance_m)
        try:
            ramp = ramp_over(way, s.speed_m_s, s.acceleration_m_s2, s.moving_start, s.moving_end)
        except TooShort as short:
            raise BadInput(
                "too short a way for starting or stopping", where=where, value=f"{way:g} m",
                bound=f"{short.needed:g} m or more at this speed_m_s and acceleration_m_s2",
            ) from None  # fmt: skip
    elif isinstance(segment, FlyAround):
        sign = math.copysign(1.0, segment.angle_deg)
        angle, rate, acceleration = abs(segment.angle_deg), segment.rate_deg_s, segment.acceleration_deg_s2
        ramp = ramp_over(math.radians(angle), math.radians(rate), math.radians(acceleration))
    elif isinstance(segment, Tumble):
        ramp = ramp_for(segment.duration_s, 1.0, segment.soft_s)
    elif isinstance(segment, Overshoot):
        sign, ramp = -1.0, ramp_for(segment.duration_s, segment.speed_m_s, 0.0)
    duration_s = segment.duration_s if isinstance(segment, Hold | Silence) else ramp.duration_s
    return Leg(segment, start_s, duration_s, distance_m, sign, ramp)


def _speed(leg: Leg, at_end: bool) -> float:
    """Range rate at one end of an approach, m/s."""
    if isinstance(leg.segment, Approach) and (leg.segment.moving_end if at_end else leg.segment.moving_start):
        return leg.sign * leg.ramp.rate
    return 0.0


def _check_joint(before: float, after: float, where: str) -> None:
    if before != after:
        raise BadInput(
            "the speed would jump", where=where, value=f"{after:g} m/s after {before:g} m/s",
            bound="the same range rate, except at the start, a jump or an overshoot",
            way_out="see moving_start and moving_end",
        )  # fmt: skip
