"""One recorded image with all that is known of it: what an estimator gets, and beside it the truth, which it does not."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final, Protocol

import numpy as np

from proxops.applications.pose.beside import KnownBeside
from proxops.applications.pose.labels import ImageLabel
from proxops.core.images import DepthImage, Image
from proxops.core.imaging_table import ImagingSensor
from proxops.core.vision import Floats, PosePrediction
from proxops.maths.pose import inverse_pose
from proxops.onboard.vision.depth.distance_noise import INTENSITY_OF_WHITE
from proxops.onboard.vision.sight import EarthInView
from proxops.optics.scene.light import SUN_BAND_W_M2, DistantLight, Light
from proxops.optics.scene.orbit_lights import orbit_lights
from proxops.sensors.mount import T_craft_sensor
from proxops.sensors.staging import lamp_on_chaser

FROM_BEHIND: Final = DistantLight((0.0, 0.0, -1.0), SUN_BAND_W_M2)
"""Where nobody says what shines: a Sun behind the sensor."""
EXPECTED: Final = (0.2, math.pi)  # of a range that is expected: share of it, and no attitude at all


@dataclass(frozen=True, eq=False)
class RecordedSight:
    """``prediction`` stands in the labels or in the user's --start: nothing is expected unless somebody says so."""

    file: str
    image: Image
    truth: Floats | None
    prediction: PosePrediction | None
    lights: tuple[Light, ...]
    earth: EarthInView | None
    light: str = ""  # by the name of a data set


class RecordedImages(Protocol):
    """A folder or a log, gone through once."""

    sensor: ImagingSensor
    count: int
    timed: bool  # images follow one another at known times
    complaints: list[str]
    notes: list[str]  # what is assumed
    unread: int  # images
    range_m: float | None  # about which the client is searched

    def __iter__(self) -> Iterator[RecordedSight]: ...


class KnownLighting:
    """Lights of an image, from its label or the file beside it. ``lamps``: W/sr of the chaser's by the name of a data set's
    light."""

    def __init__(self, sensor: ImagingSensor, beside: KnownBeside, lamps: dict[str, float]) -> None:
        self._sensor, self._known, self._lamps = sensor, beside.light, lamps
        self.assumed = False  # the light of an image was

    def lights(self, label: ImageLabel) -> tuple[tuple[Light, ...], EarthInView | None]:
        known, found, view = self._known, list[Light](), None
        to_sun = label.to_sun if label.to_sun is not None else _vector(known.to_sun)
        to_earth = label.to_earth if label.to_earth is not None else _vector(known.to_earth)
        sunlit = label.sunlit if label.to_sun is not None else known.sunlit
        if to_earth is not None:
            view = EarthInView(to_earth, math.radians(known.earth_radius_deg))
        if to_sun is not None and view is not None:
            found += orbit_lights(_triple(to_sun), sunlit, _triple(view.direction), view.radius_rad)
        elif to_sun is not None:
            found.append(DistantLight(_triple(to_sun), sunlit * SUN_BAND_W_M2))
        found += self._lamp(label.light)
        if not found and self._sensor.gives == "camera":
            self.assumed = True
            found.append(FROM_BEHIND)
        return tuple(found), view

    def _lamp(self, light: str) -> tuple[Light, ...]:
        lamp = self._known.lamp
        if self._lamps.get(light):
            lamp = lamp.model_copy(update={"intensity_w_sr": self._lamps[light]})
        return lamp_on_chaser(lamp, inverse_pose(np.ascontiguousarray(T_craft_sensor(self._sensor))))


def about_range(range_m: float) -> PosePrediction:
    """Somewhere ahead at about that distance, any way round: it is searched for all the same."""
    place, turn = EXPECTED[0] * range_m, EXPECTED[1]
    T = np.array([0.0, 0.0, range_m, 1.0, 0.0, 0.0, 0.0])
    return PosePrediction(T, np.diag([place**2] * 3 + [turn**2] * 3), np.zeros(6))


def with_amplitude(image: Image) -> tuple[Image, bool]:
    """A depth image without its amplitude gets that of white surfaces; whether that was so."""
    if not isinstance(image, DepthImage) or image.intensity.any():
        return image, False
    with np.errstate(invalid="ignore", divide="ignore"):
        white = np.nan_to_num(INTENSITY_OF_WHITE / np.square(image.range_m.astype(np.float64)), posinf=0.0)
    return replace(image, intensity=np.clip(np.rint(white), 0, 65535).astype(np.uint16)), True


def _vector(given: tuple[float, float, float] | None) -> Floats | None:
    return None if given is None else np.array(given)


def _triple(v: Floats) -> tuple[float, float, float]:
    x, y, z = v.tolist()
    return x, y, z
