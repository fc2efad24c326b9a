"""Iterative closest point of our own: beams against the client's surface, in robust least squares.

Each step associates (``association``), weighs and solves for the pose and for what errors the beams share
(``normal_equations``); then R := Exp(δθ) R, p := p + δp. Weights are Geman and McClure's, w = 1/σ² · (k² / (k² + (e/σ)²))², with
σ the beam's noise across the surface and a scale that begins as wide as the prediction is and shrinks to the noise (graduated:
Black and Rangarajan 1996).
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
from proxops.onboard.vision.depth.shared_errors import SharedErrors, shared_errors

ACROSS_M: Final = 0.003  # of a place of the surface, beside noise: model, size of a beam's spot
SHRINK: Final = 0.5  # of the wide scale from step to step
STEPS: Final = 12  # at most, with the wide scale
LAST_STEPS: Final = 12  # at most, without it
MOST: Final = 2000  # beams that a pose is fitted to, or some more
FEW: Final = 500  # points of the wide steps
STILL: Final = (2e-4, 1e-4)  # m, rad: a step below that is the last
MOST_OFF: Final = 9.0  # square of deviations, as which counts what lies farther off
PULLS: Final = 0.5  # weight of a beam that ends beside the model: it pulls, but only one way
TELLS: Final = 0.05  # what it tells of the pose, as a share: that the outline is not nearer
FARTHEST: Final = (3.0, 0.02)  # that a step goes at the client's surface: times the wide scale, m at least
HARDLY: Final = 1e-9  # of the largest curvature: below that a direction is left alone


@dataclass(frozen=True, eq=False)
class Icp:
    """Where the model came to rest, and what lies there. Arrays have a row for each beam."""

    beams: Beams
    R: Array  # (3, 3) sensor from target
    p: Array  # (3) m
    shared: Array  # (k) errors that all have in common, in their deviations
    normal_matrix: Array  # (6 + k, 6 + k) Σ w a aᵀ
    gradient: Array  # (6 + k) Σ w a e
    weight: Array  # (n) 1/m²
    error: Array  # (n) m, across the surface, without the shared ones
    sigma: Array  # (n) m, likewise
    face: NDArray[np.int32]
    how: NDArray[np.uint8]

    @property
    def T_sensor_target(self) -> Array:
        return np.concatenate([self.p, quat_from_matrix(self.R)])


def icp(
    model: ClientModel, beams: Beams, noise: DistanceNoise, T_sensor_target: Array, wide_m: float, motion: Array,
    steps: int = STEPS, most: int = MOST,
) -> Icp:  # fmt: skip
    """From a first pose (7) that is off by about ``wide_m`` at the client's surface; to about ``most`` beams. ``motion`` (6): see
    ``SharedErrors``."""
    first = pose_from_packed(np.ascontiguousarray(T_sensor_target))
    R, p = np.ascontiguousarray(first[:3, :3]), np.ascontiguousarray(first[:3, 3])
    found = _matching(model, beams.thinned(FEW), noise, motion)
    shared, noisy = np.zeros(found.errors.count), found.noisy_m
    for _ in range(steps):
        if wide_m == 0.0:
            break
        R, p, shared, _ = _step(found.at(R, p, shared, wide_m), wide_m)
        wide_m = SHRINK * wide_m if wide_m > 0.5 * noisy else 0.0
    found = _matching(model, condensed(beams, most, lambda blocks: _mixed(model, blocks, R, p)), noise, motion)
    mixed = _mixed(model, found.beams, R, p)
    for _ in range(LAST_STEPS):
        R, p, shared, small = _step(found.at(R, p, shared, 0.0, mixed), 0.0)
        if small:
            break
    return found.at(R, p, shared, 0.0, _mixed(model, found.beams, R, p), TELLS)


def misfits(model: ClientModel, beams: Beams, noise: DistanceNoise, found: Icp, motion: Array) -> Array:
    """(n) squares of what each beam is off in its deviations, with the model where it was found; at most ``MOST_OFF``. Those over
    edges tell nothing, and have no number."""
    matching = _matching(model, beams, noise, motion)
    now = matching.at(found.R, found.p, found.shared, 0.0, _mixed(model, beams, found.R, found.p))
    off = np.minimum((now.error / now.sigma) ** 2, MOST_OFF)
    off[now.how == MISSED] = MOST_OFF
    off[now.how == MIXED] = np.nan
    return np.asarray(off)


def _matching(model: ClientModel, beams: Beams, noise: DistanceNoise, motion: Array) -> _Matching:
    noisy = float(np.median(beams.sigma)) if len(beams) else 0.0
    return _Matching(model, beams, noise, shared_errors(beams, noise, motion), noisy)


def _mixed(model: ClientModel, beams: Beams, R: Array, p: Array) -> NDArray[np.bool_]:
    """Beams that lie over an edge of the model."""
    out = np.zeros(len(beams), np.bool_)
    over_edges(model.surface, R, p, beams.origin, beams.end, beams.spot_rad, out)
    return out


@dataclass(frozen=True, eq=False)
class _Matching:
    """Of some beams with the model, wherever it stands."""

    model: ClientModel
    beams: Beams
    noise: DistanceNoise
    errors: SharedErrors
    noisy_m: float

    def at(
        self,
        R: Array,
        p: Array,
        shared: Array,
        wide_m: float,
        mixed: NDArray[np.bool_] | None = None,
        beside: float = PULLS,
    ) -> Icp:
        beams, n, unknowns = self.beams, len(self.beams), 6 + self.errors.count
        raw, rows, along = np.zeros(n), np.zeros((n, 6)), np.zeros(n)
        face, how = np.full(n, -1, np.int32), np.zeros(n, np.uint8)
        reach = 3.0 * wide_m + 6.0 * self.noisy_m + 0.05
        associate(self.model.surface, R, p, beams.origin, beams.end, reach, beams.spot_rad, raw, rows, along, face, how)
        if mixed is not None:
            how[(how == CAST) & mixed] = MIXED
        across = math.hypot(self.noise.angle_rad * float(np.linalg.norm(p)), ACROSS_M)
        part = np.where(face >= 0, self.model.part[face], -1).astype(np.int32)
        error, weight, sigma = np.zeros(n), np.zeros(n), np.ones(n)
        H, g, sums = np.zeros((unknowns, unknowns)), np.zeros(unknowns), np.zeros((self.model.parts, unknowns + 2))
        short = np.divide(raw, along, out=np.zeros(n), where=how == CAST)
        assemble(raw, rows, along, beams.sigma, how, part, self.errors.distance(short), beams.late_s, self.errors.motion,
                 shared, self.model.part_m, wide_m, across, beside, error, weight, sigma, sums, H, g)  # fmt: skip
        return Icp(beams, R, p, shared, H, g, weight, error, sigma, face, how)


def _step(now: Icp, wide_m: float) -> tuple[Array, Array, Array, bool]:
    """Damped (Levenberg): a direction of which beams tell next to nothing is not gone along by what noise says of it."""
    farthest = max(FARTHEST[0] * wide_m, FARTHEST[1])
    damped = now.normal_matrix + np.diag([farthest**-2] * 6 + [0.0] * (len(now.gradient) - 6))
    delta = _solved(damped, now.gradient)
    R = matrix_from_rotation_vector(np.ascontiguousarray(delta[3:6])) @ now.R
    small = float(np.linalg.norm(delta[:3])) < STILL[0] and float(np.linalg.norm(delta[3:6])) < STILL[1]
    return R, now.p + delta[:3], delta[6:], small


def _solved(H: Array, g: Array) -> Array:
    """Step of the pose in the directions that points determine, and the shared errors; these are one or less, as they are
    expected."""
    H = H + np.diag(np.concatenate([np.zeros(6), np.ones(len(g) - 6)]))
    value, vector = np.linalg.eigh(H)
    held = value > HARDLY * max(float(value[-1]), 1e-12)
    share = np.where(held, (vector.T @ g) / np.where(held, value, 1.0), 0.0)
    return np.asarray(vector @ share)
