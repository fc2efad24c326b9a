"""Where everything truly is at one time, and what a picture is asked for with: small enough to be sent in every exposure."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.imaging_table import LidarSensor, RenderedSensor, TofSensor
from proxops.maths.quaternion import put_unit, quat_inverse, quat_product, rotation_vector

Floats = NDArray[np.float64]
PHASES: Final = 4  # of a time-of-flight camera


@dataclass(frozen=True, eq=False)
class OrbitMoment:
    """Two craft in orbit. Directions in inertial axes (eci)."""

    T_target_chaser: Floats  # (7) of the body frames, packed
    q_eci_target: Floats  # (4)
    p_eci_target: Floats  # (3) m, of its centre of mass
    to_sun: Floats  # (3) of length one
    sunlit: float  # share of the Sun's disc in view
    earth_turn: float  # rad, of the Earth about its axis since the epoch of its own axes


@dataclass(frozen=True, eq=False)
class HallMoment:
    """What a hall's robots show."""

    T_port2_port1: Floats  # (7) as it truly stands, packed
    axes: Floats  # (13) as the robots report them


@dataclass(frozen=True, eq=False)
class Moment:
    """Either or both; ``t``: s on the run's clock. ``utc_ns``: of that, where the wall's clock is kept; else 0."""

    t: float
    orbit: OrbitMoment | None
    hall: HallMoment | None
    utc_ns: int = 0


@dataclass(frozen=True, eq=False)
class PictureOrder:
    """An exposure as its owner orders it: ``moments`` cover it in time, the first not after its begin, the last not before its
    end unless nothing moves."""

    sensor: int  # which of the run's imaging sensors
    number: int  # of its exposures, from 0
    t: float  # s, begin
    duration_s: float
    gain_db: float
    moments: tuple[Moment, ...]

    @property
    def times(self) -> Floats:
        """At which a picture wants poses: begin and end, and between them as often as there are moments."""
        count = max(2, len(self.moments)) if self.duration_s > 0.0 and len(self.moments) > 1 else 1
        return np.linspace(self.t, self.t + self.duration_s, count) if count > 1 else np.array([self.t])


def resampled(t: Floats, poses: Floats, at: Floats) -> Floats:
    """Packed poses (k, …, 7) at times ``t``, at other times: straight in position, on the shortest arc in attitude; held before
    the first and after the last."""
    if len(t) == 1:
        return np.repeat(poses, len(at), axis=0)
    place = np.clip(np.searchsorted(t, at, side="right") - 1, 0, len(t) - 2)
    share = np.clip((at - t[place]) / (t[place + 1] - t[place]), 0.0, 1.0)
    out = np.empty((len(at), *poses.shape[1:]))
    for row, first, s in zip(out, place, share, strict=True):
        before, after = poses[first].reshape(-1, 7), poses[first + 1].reshape(-1, 7)
        for one, a, b in zip(row.reshape(-1, 7), before, after, strict=True):
            _between(a, b, float(s), one)
    return out


def _between(a: Floats, b: Floats, share: float, out: Floats) -> None:
    way, half = np.empty(3), np.empty(4)
    rotation_vector(quat_product(quat_inverse(a[3:]), b[3:]), way)
    angle = share * float(np.linalg.norm(way))
    half[0] = np.cos(0.5 * angle)
    half[1:] = 0.5 * share * way * np.sinc(0.5 * angle / np.pi)
    out[:3] = a[:3] + share * (b[:3] - a[:3])
    put_unit(quat_product(np.ascontiguousarray(a[3:]), half), out[3:])


def fixed_exposure_s(spec: RenderedSensor) -> float:
    """Of a time-of-flight camera all its phases, of a LiDAR one scan; 0 for a camera, which has a control."""
    if isinstance(spec, LidarSensor):
        return spec.scan_s or 1.0 / spec.rate_hz
    return PHASES * 1e-3 * spec.exposure_ms if isinstance(spec, TofSensor) else 0.0
