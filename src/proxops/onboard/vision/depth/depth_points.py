"""Beams of a depth image: along the lines of sight of its lens, without stray light, without flying pixels, ranges unwrapped.

Stray light: a share s of the mean phasor of the picture lies in every pixel; the measured mean is (1 + s) of the true one. A
flying pixel lies over an edge and is neither here nor there: in a row or column of three its range bends by more than noise may.
Modulated light has the range modulo c / 2f: it is taken nearest to a distance that is expected, or tried.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.images import DepthImage
from proxops.core.lens import Lens
from proxops.maths.rotation import Array
from proxops.onboard.vision.depth.beams import Beams
from proxops.onboard.vision.depth.distance_noise import INTENSITY_OF_WHITE, DistanceNoise
from proxops.optics.render.distortion import lines_of_sight

BRIGHTEST: Final = 3.0  # of white: what sends back more than that is nearer than it seems
ROUNDED: Final = 1.0 / INTENSITY_OF_WHITE  # of amplitudes, twice as much as may be
BEND_M: Final = 0.04  # that a surface may show in three pixels, beside noise
BEND_SIGMAS: Final = 4.0
PERIOD_SHARE: Final = 2.0 * math.pi


class DepthPoints:
    """Of one lens."""

    def __init__(self, lens: Lens, noise: DistanceNoise, modulation_wrap_m: float) -> None:
        x, y = lines_of_sight(lens)
        sight = np.stack([x, y, np.ones_like(x)], axis=-1)
        self._sight: Array = sight / np.linalg.norm(sight, axis=-1, keepdims=True)
        v, u = np.mgrid[: lens.height, : lens.width]
        self._pixel = np.stack([u, v], axis=-1).astype(np.float32)
        self._noise, self._period = noise, modulation_wrap_m
        self.shape = lens.height, lens.width

    def beams(self, image: DepthImage, about_m: float | None) -> Beams:
        """All that came back. ``about_m``: distance near which ranges are unwrapped."""
        amplitude = image.intensity / INTENSITY_OF_WHITE
        measured = np.isfinite(image.range_m) & (image.range_m > 0.0) & (amplitude > 0.0)
        stray = self._noise.stray_share / (1.0 + self._noise.stray_share) / measured.size
        range_m, amplitude = self._without(stray, image.range_m[measured].astype(np.float64), amplitude[measured])
        if math.isfinite(self._noise.wrap_m) and about_m is not None:
            range_m = unwrapped(range_m, about_m, self._noise.wrap_m)
        sigma = np.hypot(self._noise.per_amplitude_m / np.maximum(amplitude, 1e-6), self._noise.floor_m)
        end = range_m[:, None] * self._sight[measured]
        phase = (PERIOD_SHARE / self._period) * range_m
        none, spot, pixel = np.zeros(len(end)), np.full(len(end), self._noise.spot_rad), self._pixel[measured]
        spacing = 2.0 * self._noise.spot_rad
        beams = Beams(np.zeros_like(end), end, sigma, phase, none, pixel, spot, pixel, spacing)
        seen = (range_m > 0.0) & (amplitude * range_m**2 < BRIGHTEST)
        seen &= amplitude > self._noise.least_signal + ROUNDED  # else that was but stray light
        return beams if seen.all() else beams.some(seen)

    def _without(self, stray: float, range_m: Array, amplitude: Array) -> tuple[Array, Array]:
        """Without the share ``stray`` of the sum of all phasors."""
        if stray == 0.0:
            return range_m, amplitude
        angle = PERIOD_SHARE / self._period * range_m
        phasor = amplitude * np.exp(1j * angle)
        cleaned = phasor - stray * phasor.sum()
        turn = np.angle(cleaned * np.exp(-1j * angle)) * self._period / PERIOD_SHARE
        return range_m + turn, np.abs(cleaned)

    def smooth(self, beams: Beams) -> Beams:
        """Without flying pixels."""
        u, v = beams.seen[:, 0].astype(np.int64), beams.seen[:, 1].astype(np.int64)
        range_m, sigma = np.full(self.shape, np.nan), np.zeros(self.shape)
        range_m[v, u] = np.linalg.norm(beams.end, axis=1)
        sigma[v, u] = beams.sigma
        allowed = BEND_M + BEND_SIGMAS * math.sqrt(6.0) * sigma
        flying = np.zeros(self.shape, np.bool_)
        with np.errstate(invalid="ignore"):
            flying[1:-1] |= np.abs(range_m[:-2] - 2.0 * range_m[1:-1] + range_m[2:]) > allowed[1:-1]
            flying[:, 1:-1] |= np.abs(range_m[:, :-2] - 2.0 * range_m[:, 1:-1] + range_m[:, 2:]) > allowed[:, 1:-1]
        return beams.some(~flying[v, u])


def unwrapped(range_m: Array, about_m: float, wrap_m: float) -> Array:
    """The same phases, as near to ``about_m`` as may be."""
    return np.asarray(range_m + wrap_m * np.rint((about_m - range_m) / wrap_m))
