"""Iterative closest point of our own: beams against the client's surface, in robust least squares.

Each step associates (``association``), weighs and solves for the pose, for what errors the beams share (``normal_equations``) and
for the shifts of the model's parts (``part_shifts``); then R := Exp(δθ) R, p := p + δp. Weights are Geman and McClure's,
w = 1/σ² · (k² / (k² + (e/σ)²))², with σ the beam's noise across the surface and a scale that begins as wide as the prediction is
and shrinks to the noise (graduated: Black and Rangarajan 1996). It has come to rest when a step is small beside the deviation.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.pose import pose_from_packed
from proxops.maths.rotation import Array, matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.vision.depth.association import CAST, MISSED, MIXED, associate, over_edges
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.blocks import condensed
from proxops.onboard.vision.depth.client_model import ClientModel
from proxops.onboard.vision.depth.distance_noise import DistanceNoise
from proxops.onboard.vision.depth.normal_equations import assemble
from proxops.onboard.vision.depth.part_shifts import PartShifts, part_shifts
from proxops.onboard.vision.depth.shared_errors import SharedErrors, shared_errors

ACROSS_M: Final = 0.003  # of a place of the surface, beside noise: model, size of a beam's spot
MOST: Final = 1200  # beams that a pose is fitted to, or some more
FEW: Final = 500  # points of the wide steps
STILL: Final = (2e-4, 1e-4)  # m, rad: a step below that is the last
STILL_SQUARE: Final = 0.02  # or one whose square is below that, in deviations
EDGES_MOVED: Final = 0.2  # of half a beam's width at the client: which beams lie over edges is asked again
MOST_OFF: Final = 9.0  # square of deviations, as which counts what lies farther off
RUNS_AWAY: Final = 1.3  # times the least mean square: a step may slide along a face and off it
PULLS: Final = 0.5  # weight of a beam that ends beside the model: it pulls, but only one way
TELLS: Final = 0.05  # what it tells of the pose, as a share: that the outline is not nearer
FARTHEST: Final = (3.0, 0.02)  # that a step goes at the client's surface: times the wide scale, m at least
HARDLY: Final = 1e-9  # of the largest curvature: below that a direction is left alone


@dataclass(frozen=True)
class Pace:
    shrink: float  # of the wide scale from step to step
    wide: int  # steps at most with it
    last: int  # steps at most without it


PATIENT: Final = Pace(0.75, 24, 12)
HASTY: Final = Pace(0.5, 5, 5)  # for a candidate of many


@dataclass(frozen=True, eq=False)
class Stand:
    """What is unknown, as it is held."""

    R: Array  # (3, 3) sensor from target
    p: Array  # (3) m
    shared: Array  # (k) errors that all have in common, in their deviations
    shift: Array  # (parts, 3) m, in the sensor's axes: how much each part of the model stands elsewhere


@dataclass(frozen=True, eq=False)
class Icp:
    """Where the model came to rest, and what lies there. Arrays have a row for each beam."""

    beams: Beams
    stand: Stand
    normal_matrix: Array  # (6 + k, 6 + k) Σ w a aᵀ without the parts' shifts
    gradient: Array  # (6 + k) Σ w a e, likewise
    parts: PartShifts
    weight: Array  # (n) 1/m²
    error: Array  # (n) m, across the surface, without the shared ones and the shifts
    sigma: Array  # (n) m, likewise
    face: NDArray[np.int32]
    how: NDArray[np.uint8]

    @property
    def R(self) -> Array:
        return self.stand.R

    @property
    def p(self) -> Array:
        return self.stand.p

    @property
    def T_sensor_target(self) -> Array:
        return np.concatenate([self.p, quat_from_matrix(self.R)])


def icp(
    model: ClientModel, beams: Beams, noise: DistanceNoise, T_sensor_target: Array, wide_m: float, motion: Array,
    pace: Pace = PATIENT,
) -> Icp:  # fmt: skip
    """From a first pose (7) that is off by about ``wide_m`` at the client's surface. ``motion`` (6): see ``SharedErrors``."""
    found = _matching(model, beams.thinned(FEW), noise, motion)
    stand, noisy = found.begun(T_sensor_target), found.noisy_m
    for _ in range(pace.wide):
        if wide_m == 0.0:
            break
        stand, _ = _step(found.at(stand, wide_m), _farthest(model, wide_m))
        wide_m = pace.shrink * wide_m if wide_m > 0.5 * noisy else 0.0
    few = condensed(beams, MOST, lambda blocks: _mixed(model, blocks, stand))
    found = _matching(model, few, noise, motion)
    return found.at(*_rested(found, stand, pace.last), TELLS)


def _rested(found: _Matching, stand: Stand, steps: int) -> tuple[Stand, float, NDArray[np.bool_]]:
    """Where it comes to rest, without a wide scale; and which beams lie over edges there."""
    model, beams = found.model, found.beams
    spot_m = float(beams.spot_rad.mean() * np.linalg.norm(stand.p)) if len(beams) else 0.0
    asked, mixed, farthest = stand, _mixed(model, beams, stand), _farthest(model, 0.0)
    best, least = stand, math.inf
    for _ in range(steps):
        now = found.at(stand, 0.0, mixed)
        off = _mean_off(now)
        if off < least:
            best, least = stand, off
        elif off > RUNS_AWAY * least:
            return best, 0.0, _mixed(model, beams, best)
        stand, small = _step(now, farthest)
        if spot_m > 0.0 and _moved(model, asked, stand) > EDGES_MOVED * spot_m:
            asked, mixed = stand, _mixed(model, beams, stand)
        elif small:
            break
    return stand, 0.0, mixed


def _mean_off(now: Icp) -> float:
    """Mean square of the errors in their deviations, as ``misfits`` has it."""
    off = np.minimum((now.error / now.sigma) ** 2, MOST_OFF)
    off[now.how == MISSED] = MOST_OFF
    told = now.how != MIXED
    return float(off[told].mean()) if told.any() else MOST_OFF


def _moved(model: ClientModel, one: Stand, other: Stand) -> float:
    """m, at the client's surface, roughly."""
    turn = float(np.linalg.norm(one.R - other.R)) * math.sqrt(0.5)
    return float(np.linalg.norm(one.p - other.p)) + model.radius * turn


def misfits(model: ClientModel, beams: Beams, noise: DistanceNoise, found: Icp, motion: Array) -> Array:
    """(n) squares of what each beam is off in its deviations, with the model where it was found; at most ``MOST_OFF``. Those over
    edges tell nothing, and have no number."""
    matching = _matching(model, beams, noise, motion)
    now = matching.at(found.stand, 0.0, _mixed(model, beams, found.stand))
    off = np.minimum((now.error / now.sigma) ** 2, MOST_OFF)
    off[now.how == MISSED] = MOST_OFF
    off[now.how == MIXED] = np.nan
    return np.asarray(off)


def _matching(model: ClientModel, beams: Beams, noise: DistanceNoise, motion: Array) -> _Matching:
    noisy = float(np.median(beams.sigma)) if len(beams) else 0.0
    return _Matching(model, beams, noise, shared_errors(beams, noise, motion), noisy)


def _mixed(model: ClientModel, beams: Beams, stand: Stand) -> NDArray[np.bool_]:
    """Beams that lie over an edge of the model."""
    out = np.zeros(len(beams), np.bool_)
    if beams.spot_rad.any():
        over_edges(model.surface, stand.R, stand.p, beams.origin, beams.end, beams.spot_rad, out)
    return out


@dataclass(frozen=True, eq=False)
class _Matching:
    """Of some beams with the model, wherever it stands."""

    model: ClientModel
    beams: Beams
    noise: DistanceNoise
    errors: SharedErrors
    noisy_m: float

    def begun(self, T_sensor_target: Array) -> Stand:
        first = pose_from_packed(np.ascontiguousarray(T_sensor_target))
        R, p = np.ascontiguousarray(first[:3, :3]), np.ascontiguousarray(first[:3, 3])
        return Stand(R, p, np.zeros(self.errors.count), np.zeros((self.model.parts, 3)))

    def at(self, stand: Stand, wide_m: float, mixed: NDArray[np.bool_] | None = None, beside: float = PULLS) -> Icp:
        beams, n, unknowns = self.beams, len(self.beams), 6 + self.errors.count
        raw, rows, along = np.zeros(n), np.zeros((n, 6)), np.zeros(n)
        face, how = np.full(n, -1, np.int32), np.zeros(n, np.uint8)
        reach = 3.0 * wide_m + 6.0 * self.noisy_m + 0.05
        associate(self.model.surface, stand.R, stand.p, beams.origin, beams.end, reach, beams.spot_rad, raw, rows, along,
                  face, how)  # fmt: skip
        if mixed is not None:
            how[(how == CAST) & mixed] = MIXED
        across = math.hypot(self.noise.angle_rad * float(np.linalg.norm(stand.p)), ACROSS_M)
        part = np.where(face >= 0, self.model.part[face], -1).astype(np.int32)
        error, weight, sigma = np.zeros(n), np.zeros(n), np.ones(n)
        H, g, sums = np.zeros((unknowns, unknowns)), np.zeros(unknowns), np.zeros((self.model.parts, 3, unknowns + 4))
        short = np.divide(raw, along, out=np.zeros(n), where=how == CAST)
        assemble(raw, rows, along, beams.sigma, how, part, self.errors.distance(short), beams.late_s, self.errors.motion,
                 stand.shared, stand.shift, wide_m, across, beside, error, weight, sigma, sums, H, g)  # fmt: skip
        parts = part_shifts(sums, self.model.part_m)
        return Icp(beams, stand, *parts.eliminated(H, g), parts, weight, error, sigma, face, how)


def _farthest(model: ClientModel, wide_m: float) -> Array:
    """(6) m and rad, of one step."""
    way_m = max(FARTHEST[0] * wide_m, FARTHEST[1])
    return np.repeat([way_m, way_m / model.radius], 3)


def _step(now: Icp, farthest: Array) -> tuple[Stand, bool]:
    """And whether that was a small one. Damped (Levenberg) by what is ``farthest`` (6): a direction of which beams tell next to
    nothing is not gone along by what noise says of it."""
    held = np.diag(np.concatenate([farthest**-2, np.zeros(len(now.gradient) - 6)]))
    x = _solved(now.normal_matrix + held, now.gradient)
    R = matrix_from_rotation_vector(np.ascontiguousarray(x[3:6])) @ now.R
    small = float(np.linalg.norm(x[:3])) < STILL[0] and float(np.linalg.norm(x[3:6])) < STILL[1]
    small |= float(x[:6] @ now.normal_matrix[:6, :6] @ x[:6]) < STILL_SQUARE
    return Stand(R, now.p + x[:3], x[6:], now.parts.shift(x)), small


def _solved(H: Array, g: Array) -> Array:
    """Step of the pose in the directions that points determine, and the shared errors; these are one or less, as they are
    expected."""
    H = H + np.diag(np.concatenate([np.zeros(6), np.ones(len(g) - 6)]))
    value, vector = np.linalg.eigh(H)
    held = value > HARDLY * max(float(value[-1]), 1e-12)
    share = np.where(held, (vector.T @ g) / np.where(held, value, 1.0), 0.0)
    return np.asarray(vector @ share)
