"""One picture of a data set: exposed as the sensor's own control would after some pictures of the same view."""

from __future__ import annotations

from typing import Final, Protocol

from proxops.applications.mission.dataset.poses import Floats, PosedView
from proxops.core.images import CameraImage, Image
from proxops.core.imaging_table import GreyCamera, RenderedSensor
from proxops.sensors.camera.exposure_control import ExposureControl
from proxops.sensors.moment import PictureOrder, fixed_exposure_s

SETTLED_BY: Final = 5  # pictures, until an automatic exposure is taken as it is


class TakesPictures(Protocol):
    """``ImageGenerator``, or who draws something else in the same way."""

    def take(self, order: PictureOrder) -> tuple[Image, Floats]: ...


def take(
    generator: TakesPictures, spec: RenderedSensor, index: int, number: int, sample: PosedView, longer: float
) -> tuple[Image, Floats]:  # fmt: skip
    """``longer``: times the exposure that the sensor would choose. The image, and T_sensor_target (7)."""
    if not isinstance(spec, GreyCamera):
        return generator.take(PictureOrder(index, number, 0.0, fixed_exposure_s(spec), 0.0, (sample.moment,)))
    control = ExposureControl.of(spec)
    for _ in range(SETTLED_BY if control.bounds else 0):
        image, _ = _expose(generator, index, number, sample, control, 1.0)
        assert isinstance(image, CameraImage)
        before, control = control, control.after(image)
        if control == before:
            break
    return _expose(generator, index, number, sample, control, longer)


def _expose(
    generator: TakesPictures, index: int, number: int, sample: PosedView, control: ExposureControl, longer: float
) -> tuple[Image, Floats]:
    order = PictureOrder(index, number, 0.0, longer * control.exposure_s, control.gain_db, (sample.moment,))
    return generator.take(order)
