"""A time-of-flight camera: modulated light, and in each pixel the phase with which it comes back, from four exposures.

A pixel gathers the light of all it sees as one phasor, sum of a exp(i φ) with a = reflectance · cos / R² and φ = 4 π f R / c:
over an edge the range lies between both sides, or beside them. Ranges begin anew at c / (2 f). The modulation is no pure sine:
what is left of its fourth harmonic shows as a wave on the range (Lindner and Kolb 2006, "Lateral and depth calibration of PMD-
distance sensors"). Light that went round another corner: a share of the picture's mean phasor lies in every pixel. Noise of
both parts of the phasor gives ranges a deviation of ``noise_m`` / amplitude (Lange and Seitz 2001, "Solid-state time-of-flight
range camera").
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.images import DepthImage
from proxops.core.imaging_table import TofSensor
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.optics.exposure import Exposure

LIGHT_M_S: Final = 299_792_458.0
INTENSITY_OF_WHITE: Final = 10_000.0  # in the picture, of a white wall at 1 m; the highest is 65,535
NEAREST_M: Final = 0.05  # nearer, nothing gets brighter
PHASES: Final = 4

Samples = NDArray[np.float32]


@dataclass(frozen=True)
class TimeOfFlightCamera:
    """``index``: which of the run's imaging sensors."""

    spec: TofSensor
    index: int
    seed: int

    @property
    def wrap_m(self) -> float:
        """Where ranges begin anew."""
        return LIGHT_M_S / (2e6 * self.spec.modulation_mhz)

    def develop(self, ranges: Samples, signals: Samples, exposure: Exposure) -> DepthImage:
        """From what the samples of each pixel (h, w, samples) see: range (m, inf: nothing) and reflectance · cos. With four of
        both, (4, h, w, samples), something moves from phase to phase."""
        self._judge(ranges, signals, exposure)
        phasor, mean_range = self._gathered(ranges, signals)
        phasor += self.spec.multipath_share * np.array([phasor[:, :, k].mean() for k in (0, 1)])
        normal = exposure.rng(self.seed).standard_normal((self.spec.height, self.spec.width, 3), dtype=np.float32)
        range_m = np.empty(mean_range.shape, np.float32)
        intensity = np.empty(mean_range.shape, np.uint16)
        spec = self.spec
        limits = np.array(
            [self.wrap_m, spec.noise_m, spec.floor_m, spec.wiggle_m, spec.least_intensity, spec.unwrapped]
        )
        _demodulate(phasor, mean_range, normal, limits, range_m, intensity)
        return DepthImage(spec.name, exposure.number, exposure.t_middle, range_m, intensity)

    def _gathered(self, ranges: Samples, signals: Samples) -> tuple[Array, Array]:
        """Phasor (h, w, 2) and mean range (h, w). Phases 0 and 2 give the real part, 1 and 3 the imaginary one: the two taps of a
        pixel take away what is not modulated."""
        shape = self.spec.height, self.spec.width
        per_meter = 2.0 * math.pi / self.wrap_m
        phases = [(ranges, signals)] if ranges.ndim == 3 else list(zip(ranges, signals, strict=True))
        phasors, means = np.empty((len(phases), *shape, 2)), np.empty((len(phases), *shape))
        for k, (near, bright) in enumerate(phases):
            _gather(
                np.ascontiguousarray(near, np.float32),
                np.ascontiguousarray(bright, np.float32),
                per_meter,
                phasors[k],
                means[k],
            )
        if len(phases) == 1:
            return phasors[0], means[0]
        phasor = 0.5 * np.stack([phasors[0::2, :, :, 0].sum(axis=0), phasors[1::2, :, :, 1].sum(axis=0)], axis=-1)
        return phasor, means[0]

    def _judge(self, ranges: Samples, signals: Samples, exposure: Exposure) -> None:
        size, where = (self.spec.height, self.spec.width), self.spec.name
        if exposure.sensor != self.index:
            raise BadInput("an exposure of another sensor", where=where, value=exposure.sensor)
        fits = ranges.ndim in (3, 4) and ranges.shape[-3:-1] == size and (ranges.ndim == 3 or len(ranges) == PHASES)
        if not fits or signals.shape != ranges.shape or ranges.shape[-1] == 0:
            bound = f"({size[0]}, {size[1]}, samples), or four of these"
            raise BadInput(
                "samples do not fit the sensor", where=where, value=(ranges.shape, signals.shape), bound=bound
            )
        if np.isnan(ranges).any() or not np.isfinite(signals).all():
            raise BadInput("a sample is not a number", where=where, bound="ranges in m or inf, finite signals")


@kernel
def _gather(ranges: Samples, signals: Samples, per_meter: float, phasor: Array, mean_range: Array) -> None:
    """Mean phasor over the samples of each pixel, and their range, weighted with their amplitudes."""
    height, width, samples = ranges.shape
    for v in range(height):
        for u in range(width):
            real, imaginary, amount, far = 0.0, 0.0, 0.0, 0.0
            known, cosine, sine = -1.0, 0.0, 0.0
            for s in range(samples):
                r = float(ranges[v, u, s])
                if not r < np.inf:
                    continue
                if known < 0.0:
                    known, cosine, sine = r, math.cos(per_meter * r), math.sin(per_meter * r)
                c, d = _near(per_meter * (r - known))
                a = float(signals[v, u, s]) / max(r, NEAREST_M) ** 2
                real, imaginary = real + a * (cosine * c - sine * d), imaginary + a * (sine * c + cosine * d)
                amount, far = amount + a, far + a * r
            phasor[v, u, 0], phasor[v, u, 1] = real / samples, imaginary / samples
            mean_range[v, u] = far / amount if amount > 0.0 else 0.0


@kernel
def _near(angle: float) -> tuple[float, float]:
    """Cosine and sine; most samples of a pixel lie close to its first, where a series takes a tenth of the time."""
    if abs(angle) > 0.1:
        return math.cos(angle), math.sin(angle)
    q = angle * angle
    return 1.0 - q * (0.5 - q * (1.0 / 24.0 - q / 720.0)), angle * (
        1.0 - q * (1.0 / 6.0 - q * (1.0 / 120.0 - q / 5040.0))
    )


@kernel
def _demodulate(
    phasor: Array, mean_range: Array, normal: Samples, limits: Array, range_m: Samples, intensity: NDArray[np.uint16]
) -> None:
    """``limits``: wrap, noise, floor, wiggle (m), least amplitude, and whether ranges go on beyond the wrap."""
    wrap, noise, floor, wiggle, least, unwrapped = limits
    per_meter = 2.0 * math.pi / wrap
    for v in range(range_m.shape[0]):
        for u in range(range_m.shape[1]):
            x = phasor[v, u, 0] + noise * per_meter * normal[v, u, 0]
            y = phasor[v, u, 1] + noise * per_meter * normal[v, u, 1]
            square = x * x + y * y
            amplitude = math.sqrt(square)
            intensity[v, u] = min(int(INTENSITY_OF_WHITE * amplitude + 0.5), 65535)
            if not amplitude >= least or amplitude == 0.0:
                range_m[v, u] = np.nan
                continue
            wave = 4.0 * x * y * (x * x - y * y) / (square * square)  # sin(4 phase)
            r = math.atan2(y, x) / per_meter + wiggle * wave + floor * normal[v, u, 2]
            turns = -math.floor(r / wrap)
            if unwrapped > 0.0:  # nothing is nearer than the lens
                turns = max(math.floor((mean_range[v, u] - r) / wrap + 0.5), math.ceil(-r / wrap))
            range_m[v, u] = r + wrap * turns
