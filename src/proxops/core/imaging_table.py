"""Sensors that see: cameras, time-of-flight cameras and LiDARs, as a scenario's ``[[sensor]]`` tables declare them.

All noise is one standard deviation. Figures of real devices and where they come from: docs/eyes.md.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Annotated, ClassVar, Literal, Self

import numpy as np
from numpy.typing import NDArray
from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from proxops.core.camera import MarkerSpec
from proxops.core.lens import Lens
from proxops.core.mounted_table import Gives, Lensed, Milliseconds, Mounted, Pinhole, Pixels
from proxops.core.own_sensor_table import FolderSensor, GenicamSensor, NetworkSensor, OwnSensor
from proxops.core.strict_table import Finite, Share, Triple, Truth, Whole, within
from proxops.maths.pose import pose
from proxops.maths.rotation import matrix_from_rotation_vector


class Rendered(Mounted):
    """One whose images are drawn: how late they are is ours to say."""

    delay_ms: Milliseconds = 100.0  # from the end of an exposure until the image is there
    jitter_ms: Milliseconds = 0.0  # added to it, uniform


class GreyCamera(Pinhole, Rendered):
    """Lens and chip of a grey camera of 640 x 480 (Prosilica GC-655M class: Sony ICX414AL, an interline CCD).

    Size and pixels are the chip's. A camera with this chip states a dynamic range of 68.7 dB (pco.pixelfly VGA, in Applied Optics
    45, 2006, p. 1758): full well over read noise. ASSUMED: that full well, and what is marked below.
    """

    gives: ClassVar[Gives] = "camera"
    f_number: Annotated[Finite, within(0.7, 64)] = 8.0  # white in the Sun takes 0.17 ms
    blur_px: Annotated[Finite, within(0, 20)] = 0.5  # point spread, sigma of a Gaussian
    focal_error_share: Annotated[Finite, within(0, 0.1)] = (
        0.0  # of calibration: one standard deviation, drawn from the seed
    )
    exposure_ms: Annotated[Finite, within(0.001, 1000)] | Literal["auto"] = "auto"
    shortest_exposure_ms: Annotated[Finite, within(0.001, 1000)] = 0.01  # of the automatic
    longest_exposure_ms: Annotated[Finite, within(0.001, 1000)] = 20.0  # of the automatic
    target_level: Annotated[Finite, within(0.01, 0.99)] = 0.6  # of white: where the automatic wants the brightest part
    gain_db: Annotated[Finite, within(0, 48)] = 0.0  # the automatic raises it when the exposure is at its longest
    highest_gain_db: Annotated[Finite, within(0, 48)] = 22.0  # of the automatic: ASSUMED
    bits: Annotated[Whole, within(8, 16)] = 8
    quantum_efficiency: Share = (
        0.22  # mean over the photons of the band, with the lens: ASSUMED 0.24 (peak 0.45 at 500 nm) x 0.9
    )
    full_well_e: Annotated[Finite, within(100, 1e6)] = 35_000.0
    read_noise_e: Annotated[Finite, within(0, 1000)] = 13.0
    dark_e_s: Annotated[Finite, within(0, 1e6)] = 100.0  # ASSUMED, at room temperature
    black_share: Annotated[Finite, within(0, 0.5)] = (
        0.0  # of white: the level of no charge, so that noise is not cut off
    )
    smear_share: Annotated[Finite, within(0, 0.01)] = 0.0  # as makers of chips state it: -100 dB is 1e-5
    uneven_share: Annotated[Finite, within(0, 0.2)] = 0.008  # of pixels' responses among each other: ASSUMED
    dead_share: Annotated[Finite, within(0, 0.01)] = 0.00002  # pixels that are stuck, half of them bright: ASSUMED

    @property
    def pixel_bytes(self) -> int:
        """In the log, at most."""
        return 1 if self.bits == 8 else 2

    @model_validator(mode="after")
    def _automatic_has_room(self) -> Self:
        for low, high in (("shortest_exposure_ms", "longest_exposure_ms"), ("gain_db", "highest_gain_db")):
            if getattr(self, low) > getattr(self, high) and self.exposure_ms == "auto":
                context = {"key": high, "value": getattr(self, high), "bound": f"{low} or more"}
                raise PydanticCustomError("order", f"below {low}", context)
        if self.exposure_ms != "auto" and self.exposure_ms * self.rate_hz > 1000.0:
            context = {"key": "exposure_ms", "value": self.exposure_ms, "bound": f"{1000.0 / self.rate_hz:g}, a period"}
            raise PydanticCustomError("order", "longer than the sensor's period", context)
        return self


class CameraSensor(GreyCamera):
    """Gives pictures."""

    kind: Literal["camera"]


class FiducialSensor(GreyCamera):
    """A camera for an ArUco marker on the other craft, where a plate with it is put: its pictures are searched for the marker."""

    kind: Literal["fiducial"]
    marker_side_m: Annotated[Finite, within(0.005, 5)] = (
        0.2  # of the black square; the plate has a white rim of one cell
    )
    marker_dictionary: Annotated[str, Field(pattern=r"^DICT_[A-Z0-9_]{1,30}$")] = "DICT_4X4_50"
    marker_number: Annotated[Whole, within(0, 1023)] = 7
    marker_place_m: Triple = (0.285, 0.0, -0.25)  # its middle, in its craft's frame: on the client, before the lens
    marker_turn_deg: Triple = (0.0, 0.0, 0.0)  # rotation vector in the marker's own axes, from facing the other craft

    @property
    def marker(self) -> MarkerSpec:
        return MarkerSpec(self.marker_side_m, self.marker_dictionary, self.marker_number)

    @property
    def T_craft_marker(self) -> NDArray[np.float64]:
        """(4, 4). Unturned, the target's marker has its normal along +x, the chaser's along -x; its y is the craft's z."""
        ahead = 1.0 if self.on == "chaser" else -1.0
        R_craft_facing = np.array([[0.0, 0.0, ahead], [ahead, 0.0, 0.0], [0.0, 1.0, 0.0]])
        R_facing_marker = matrix_from_rotation_vector(np.radians(self.marker_turn_deg))
        return pose(R_craft_facing @ R_facing_marker, np.array(self.marker_place_m, np.float64))


class TofSensor(Lensed, Rendered):
    """A time-of-flight camera (PMD class): continuous modulation, four phases, 200 x 200 or 352 x 288.

    On white a range has 9 mm of noise at 3 m and 0.1 m at 10 m, and 0.25 m where the least intensity is reached.
    """

    kind: Literal["tof"]
    gives: ClassVar[Gives] = "tof"
    pixel_bytes: ClassVar[int] = 6
    width: Pixels = 200
    height: Pixels = 200
    field_of_view_deg: Annotated[Finite, within(5, 120)] = 40.0  # across the width
    modulation_mhz: Annotated[Finite, within(1, 100)] = 15.0  # wraps at 10 m
    exposure_ms: Annotated[Finite, within(0.01, 100)] = 4.0  # of each phase
    noise_m: Annotated[Finite, within(0, 1)] = 0.001  # at 1 m of a white wall; as 1 / intensity beyond. ASSUMED
    floor_m: Annotated[Finite, within(0, 1)] = 0.002
    wiggle_m: Annotated[Finite, within(0, 0.2)] = 0.01  # amplitude of the wiggling error, left after calibration
    multipath_share: Annotated[Finite, within(0, 0.5)] = 0.02  # of the mean light of the picture, in every pixel
    least_intensity: Annotated[Finite, within(0, 1)] = 0.003  # of a white wall at 1 m; below: nothing came back
    unwrapped: Truth = False  # true: the flight software gets ranges without the wrap (two frequencies)

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def table_lens(self) -> Lens:
        focal = 0.5 * self.width / math.tan(0.5 * math.radians(self.field_of_view_deg))
        return Lens(self.width, self.height, focal, focal, 0.5 * self.width - 0.5, 0.5 * self.height - 0.5)


class LidarSensor(Rendered):
    """A scanning LiDAR: a mirror draws lines, one point after the other, while both craft move."""

    kind: Literal["lidar"]
    gives: ClassVar[Gives] = "lidar"
    lens: ClassVar[None] = None
    pixel_bytes: ClassVar[int] = 20  # of a point
    rate_hz: Annotated[Finite, within(0.01, 60)] = 1.0  # of whole scans
    scan_s: Annotated[Finite, within(0.001, 100)] | None = None  # that a scan lasts; a whole period unless given
    field_of_view_deg: tuple[Annotated[Finite, within(0.1, 120)], Annotated[Finite, within(0.1, 120)]] = (40.0, 40.0)
    lines: Annotated[Whole, within(1, 2000)] = 100
    points: Annotated[Whole, within(1, 2000)] = 100  # a line
    pattern: Literal["raster", "zigzag"] = "zigzag"  # the mirror flies back, or scans both ways
    noise_m: Annotated[Finite, within(0, 1)] = 0.02
    angle_noise_deg: Annotated[Finite, within(0, 1)] = 0.01
    range_m: Annotated[Finite, within(1, 10_000)] = 300.0  # at which a white wall still answers
    least_range_m: Annotated[Finite, within(0.01, 100)] = 0.5
    ghost_share: Share = 0.001  # of points that come from nowhere
    dropout_share: Share = 0.005  # of points that are lost, beside those that are too faint

    @property
    def size(self) -> tuple[int, int]:
        """Points of a line, and lines."""
        return self.points, self.lines

    @model_validator(mode="after")
    def _scan_fits(self) -> Self:
        if self.scan_s is not None and self.scan_s * self.rate_hz > 1.0:
            context = {"key": "scan_s", "value": self.scan_s, "bound": f"{1.0 / self.rate_hz:g}, a period"}
            raise PydanticCustomError("order", "longer than the sensor's period", context)
        return self


RenderedSensor = CameraSensor | FiducialSensor | TofSensor | LidarSensor
OwnImages = FolderSensor | NetworkSensor | GenicamSensor
ImagingSensor = Annotated[RenderedSensor | OwnImages, Field(discriminator="kind")]


def rendered(sensors: Iterable[ImagingSensor]) -> tuple[RenderedSensor, ...]:
    """Those whose images are drawn."""
    return tuple(one for one in sensors if isinstance(one, Rendered))


def own(sensors: Iterable[ImagingSensor]) -> tuple[OwnImages, ...]:
    """Those whose images come from outside."""
    return tuple(one for one in sensors if isinstance(one, OwnSensor))
