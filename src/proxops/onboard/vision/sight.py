"""What an estimator is given of one image, and what an estimator is. No truth: what a spacecraft knows and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from proxops.core.images import Image
from proxops.core.vision import Floats, PoseFound, PosePrediction
from proxops.optics.scene.light import Light


@dataclass(frozen=True, eq=False)
class EarthInView:
    """The Earth as it stands in the sensor's frame: it may lie behind the client."""

    direction: Floats  # (3) to its centre
    radius_rad: float  # angular


@dataclass(frozen=True, eq=False)
class Sight:
    """One image with all that is known on board when it was taken."""

    image: Image
    prediction: PosePrediction | None  # None: nobody knows where the client is, search for it
    # What shines on the client, in the sensor's frame at the image's time: the Sun by star tracker and ephemeris (to some
    # degrees; no irradiance in the Earth's shadow), earthshine, the chaser's own lamp.
    lights: tuple[Light, ...] = ()
    earth: EarthInView | None = None
    # An operator's word, for a search: the client's middle is within that many pixels of there (right, down, radius).
    designated: tuple[float, float, float] | None = None


class PoseEstimator(Protocol):
    """Keeps nothing from image to image: the same sight gives the same answer. Never raises for what is in an image."""

    def estimate(self, sight: Sight) -> PoseFound: ...
