"""What tables of imaging sensors share: a place on a craft, a rhythm, a lens that may come from a calibration file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Literal, Self

from pydantic import Field, PrivateAttr

from proxops.core.errors import BadInput
from proxops.core.lens import Lens
from proxops.core.lens_file import read_lens
from proxops.core.strict_table import Finite, Strict, Triple, Whole, within

Name = Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,19}$")]
PathText = Annotated[str, Field(max_length=500)]
Pixels = Annotated[Whole, within(16, 2048)]
Milliseconds = Annotated[Finite, within(0, 10_000)]
Gives = Literal["camera", "tof", "lidar"]


class Mounted(Strict):
    """What every imaging sensor has: a name, a place on a craft and a rhythm."""

    name: Name
    on: Literal["chaser", "target"] = "chaser"
    place_m: Triple = (-0.333, 0.0, -0.25)  # in the craft's frame: where the shipped servicer draws its lens
    turn_deg: Triple = (0.0, 0.0, 0.0)  # rotation vector in the sensor's own axes, from looking along -x (target: +x)
    rate_hz: Annotated[Finite, within(0.01, 60)] = 5.0
    log_hz: Annotated[Finite, within(0, 60)] = 2.0  # of the images that are recorded; 0: none

    def beside(self, source: Path) -> Self:
        """Files that it names are named as seen from the folder of ``source``."""
        return self


class Lensed(Mounted):
    """One that looks through a lens. ``lens`` is the one truth of it: what is drawn, developed, recorded and told has it."""

    lens_file: PathText = ""  # calibration of OpenCV or ROS, beside this file: in place of what stands here of the lens
    _calibrated: Lens | None = PrivateAttr(None)

    @property
    def lens(self) -> Lens:
        if self.lens_file and self._calibrated is None:
            raise BadInput("cannot read the lens file: no such file", where=f"sensor {self.name}", value=self.lens_file)
        return self._calibrated or self.table_lens

    @property
    def table_lens(self) -> Lens:
        """As the table's own keys have it."""
        raise NotImplementedError

    def beside(self, source: Path) -> Self:
        """With its lens read. One that is not there is named by the first who asks for the lens: a log is read without it."""
        path = source.parent / self.lens_file
        if not self.lens_file or not path.is_file():
            return self
        size = self.table_lens
        return self.looking_through(read_lens(path, (size.width, size.height)))

    def looking_through(self, lens: Lens) -> Self:
        """With a lens that is known from elsewhere."""
        found = self.model_copy()
        found._calibrated = lens
        return found


class Pinhole(Lensed):
    """A lens of which focal length, centre and distortion are known. Size and pixels are the chip's."""

    width: Pixels = 640
    height: Pixels = 480
    pixel_um: Annotated[Finite, within(1, 50)] = 9.9
    focal_mm: Annotated[Finite, within(1, 500)] = 9.9  # 1000 px
    centre_px: tuple[Finite, Finite] | None = None  # principal point; the middle unless given
    distortion: tuple[Finite, Finite, Finite, Finite, Finite] = (0.0, 0.0, 0.0, 0.0, 0.0)  # k1 k2 p1 p2 k3

    @property
    def size(self) -> tuple[int, int]:
        return self.width, self.height

    @property
    def table_lens(self) -> Lens:
        focal = 1000.0 * self.focal_mm / self.pixel_um
        cx, cy = self.centre_px or (0.5 * self.width - 0.5, 0.5 * self.height - 0.5)
        return Lens(self.width, self.height, focal, focal, cx, cy, self.distortion)
