"""A grey CCD camera: radiance in, the picture out. Which parts, in which order: optics, point_spread, chip, readout.

Same spec, index and seed, same exposure, same radiance: the same bits, in any process, whatever was taken before.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.images import CameraImage
from proxops.core.imaging_table import GreyCamera
from proxops.core.lens import Lens
from proxops.core.lens_check import check_lens
from proxops.optics.exposure import Exposure
from proxops.sensors.camera.chip import make_chip
from proxops.sensors.camera.optics import electrons_per_radiance
from proxops.sensors.camera.point_spread import spread_light, weights
from proxops.sensors.camera.readout import column_means, read_out

Picture = NDArray[np.float32]
BRIGHTEST_RADIANCE = 1e9  # W/m²/sr; the Sun's disc has 1.4e7
SMEAR_WINDOW, SMEAR_FRAME_S = (
    10.0,
    1.0 / 60.0,
)  # of how chip makers measure smear: a tenth of the height, 1/60 s of light


class Camera:
    """``index``: which of the run's imaging sensors it is. ``lens``: from a calibration file, in place of the table's."""

    def __init__(self, spec: GreyCamera, index: int, seed: int, lens: Lens | None = None) -> None:
        self.spec, self.index, self.lens, self._seed = spec, index, lens or spec.lens, seed
        check_lens(self.lens, where=f"sensor {spec.name}")
        chip = make_chip(spec, index, seed)
        self._rate = (electrons_per_radiance(spec, self.lens) * chip.response).astype(
            np.float32
        )  # electrons/s for 1 W/m²/sr
        self._dead, self._stuck = chip.dead, np.where(chip.hot, self.white, 0)
        self._weights = weights(spec.blur_px)
        self._light, self._response = np.empty_like(self._rate), np.empty_like(self._rate)

    @property
    def white(self) -> int:
        return int(2**self.spec.bits) - 1

    def develop(self, radiance: Picture, exposure: Exposure) -> CameraImage:
        """The picture of ``radiance``: (h, w) W/m²/sr from 400 to 1000 nm, float32, mean over the exposure."""
        self._judge(radiance, exposure)
        pixels = np.empty(radiance.shape, np.uint8 if self.spec.bits == 8 else np.uint16)
        self._expose(radiance, exposure, pixels)
        pixels.ravel()[self._dead] = self._stuck
        return CameraImage(
            self.spec.name,
            exposure.number,
            exposure.t_middle,
            exposure.duration_s,
            exposure.gain_db,
            self.white,
            pixels,
        )

    def electrons_per_level(self, gain_db: float) -> float:
        """At 0 dB a full well is white."""
        span = (1.0 - self.spec.black_share) * self.white
        return self.spec.full_well_e / span / math.pow(10.0, gain_db / 20.0)

    def _expose(self, radiance: Picture, exposure: Exposure, pixels: NDArray[np.uint16]) -> None:
        spec, light = self.spec, radiance
        if spec.blur_px > 0.0:
            spread_light(np.ascontiguousarray(radiance), self._weights, self._light)
            light = self._light
        np.multiply(self._rate, np.float32(exposure.duration_s), out=self._response)
        read_out(
            np.ascontiguousarray(light),
            self._response,
            self._smear(light),
            spec.dark_e_s * exposure.duration_s,
            spec.full_well_e,
            spec.read_noise_e,
            1.0 / self.electrons_per_level(exposure.gain_db),
            spec.black_share * self.white,
            float(self.white),
            exposure.rng(self._seed).bit_generator.random_raw(1)[0],
            pixels,
        )

    def _smear(self, light: Picture) -> NDArray[np.float64]:
        """(w) electrons that a pixel of each column picks up on its way out, however long the exposure."""
        picked = np.zeros(self.spec.width)
        if self.spec.smear_share > 0.0:
            column_means(light, self._rate, picked)
            picked *= self.spec.smear_share * SMEAR_WINDOW * SMEAR_FRAME_S
        return picked

    def _judge(self, radiance: Picture, exposure: Exposure) -> None:
        shape = self.spec.height, self.spec.width
        if radiance.shape != shape or radiance.dtype != np.float32:
            got = f"{radiance.dtype} {radiance.shape}"
            raise BadInput(
                "not this camera's radiance", where=self._where(exposure), value=got, bound=f"float32 {shape}"
            )
        if not (radiance.min() >= 0.0 and radiance.max() <= BRIGHTEST_RADIANCE):  # as NaN is not, either
            bound = f"0 … {BRIGHTEST_RADIANCE:g} W/m²/sr everywhere"
            raise BadInput("radiance", where=self._where(exposure), value=(radiance.min(), radiance.max()), bound=bound)
        if not 0.0 < exposure.duration_s < math.inf:
            raise BadInput("no exposure", where=self._where(exposure), value=exposure.duration_s, bound="above 0 s")
        if not math.isfinite(exposure.gain_db):
            raise BadInput("no gain", where=self._where(exposure), value=exposure.gain_db, bound="finite")

    def _where(self, exposure: Exposure) -> str:
        return f"sensor {self.spec.name}, picture {exposure.number}"
