"""A camera by GenICam as a sensor of a run: opened when the run looks for the first time, because its clock begins then."""

from __future__ import annotations

import math
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.own_sensor_table import GenicamSensor
from proxops.sensors.genicam_camera import GenicamCamera
from proxops.sensors.image_folder import SeenImage
from proxops.sensors.image_stream import ImageStream, StreamCondition
from proxops.sensors.own.renamed_image import renamed, shown, size_of

PATIENCE_S: Final = 0.001  # for an image that is on its way: zero waits for ever
LOOKS: Final = 4  # in a period of the camera


class GenicamSource:
    """A camera that cannot be opened, or is gone, is told; it is not tried again."""

    def __init__(self, spec: GenicamSensor) -> None:
        self._spec, self._stream = spec, ImageStream(spec.size)
        self._camera: GenicamCamera | None = None
        self._now_s = self.next_s = -math.inf
        self._opened = False

    @property
    def conditions(self) -> dict[str, str]:
        return {str(name): words for name, words in self._stream.conditions.items()}

    def take(self, now_s: float) -> list[SeenImage]:
        self._now_s, self.next_s = now_s, now_s + 1.0 / (LOOKS * self._spec.rate_hz)
        try:
            return self._taken(now_s)
        except BadInput as reason:
            self.close()
            self.next_s = math.inf
            self._stream.put(StreamCondition.DEVICE, str(reason))
            return []

    def close(self) -> None:
        camera, self._camera = self._camera, None
        if camera is not None:
            camera.close()

    def _taken(self, now_s: float) -> list[SeenImage]:
        if not self._opened:
            self._opened, self._camera = True, self._open()
        assert self._camera is not None
        image = self._camera.fetch(PATIENCE_S)
        if image is None:
            self._stream.look(now_s)
            return []
        fits = self._stream.fits(now_s, image.number, size_of(image), shown(image))
        own = renamed(image, self._spec.name, image.number, min(image.t, now_s))
        return [SeenImage(own, None)] if fits else []

    def _open(self) -> GenicamCamera:
        spec = self._spec
        exposure_s = None if spec.exposure_ms is None else 1e-3 * spec.exposure_ms
        camera = GenicamCamera(
            spec.producer,
            spec.name,
            lambda: self._now_s,
            device=spec.device,
            exposure_s=exposure_s,
            gain_db=spec.gain_db,
        )
        if camera.notes:
            self._stream.put(StreamCondition.DEVICE, "; ".join(camera.notes))
        return camera
