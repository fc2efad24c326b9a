"""What the log of a mission has of each imaging sensor: facts of all images, and some of the images themselves.

A log may hold thousands: at most ``KEPT`` are held at a time, evenly spaced, and the last.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.seen_by import seen_by
from proxops.core.imaging_table import GreyCamera, ImagingSensor, Rendered, RenderedSensor
from proxops.core.mission import MissionFile
from proxops.ground.log import Log
from proxops.ground.recorded import Floats
from proxops.ground.recorded_image import RecordedImage
from proxops.sensors.moment import fixed_exposure_s

KEPT: Final = 24
SOON: Final = 1e-9  # s: times are sums of cycles
AFTER_S: Final = 0.1  # an image that is due so shortly before the end need not be there


@dataclass(frozen=True, eq=False)
class EyeRecord:
    """Of one sensor, in the order in which images came. ``distance_m``: from the sensor to the target's frame, truly."""

    spec: ImagingSensor
    hall: bool  # it looks at the hall, not into orbit
    number: NDArray[np.int64]
    exposure_s: Floats
    gain_db: Floats
    distance_m: Floats
    kept: tuple[RecordedImage, ...]

    def lost(self, end_s: float) -> int:
        """Images that should be in the log of a mission that ended at ``end_s``, and are not."""
        shown = window_of(self.spec, self.number)
        count = max(due_until(self.spec, end_s), int(self.number.max(initial=-1)) + 1)
        return len(np.setdiff1d(window_of(self.spec, np.arange(count)), shown))


def eye_records(log: Log, file: MissionFile, uses_hall: bool) -> tuple[EyeRecord, ...]:
    """Of the sensors that are recorded; none where a log has images of none."""
    if not log.sensors:
        return ()
    return tuple(
        eye_record(spec, hall, log.recorded_images(spec.name) if spec.name in log.sensors else ())
        for spec, hall in seen_by(file, uses_hall)
        if spec.log_hz
    )


def eye_record(spec: ImagingSensor, hall: bool, images: Iterable[RecordedImage]) -> EyeRecord:
    """Goes through the images once."""
    facts, kept, every, last = [], dict[int, RecordedImage](), 1, None
    for count, image in enumerate(images):
        one, truth = image.encoded, image.T_sensor_target
        distance = math.nan if truth is None else float(np.linalg.norm(truth[:3]))
        facts.append((one.number, one.exposure_s, one.gain_db, distance))
        last = count, image
        if count % every == 0:
            kept[count] = image
        if len(kept) > KEPT:
            every *= 2
            kept = {at: image for at, image in kept.items() if at % every == 0}
    if last:
        kept[last[0]] = last[1]
    number, exposure_s, gain_db, distance_m = np.array(facts, np.float64).reshape(-1, 4).T
    return EyeRecord(spec, hall, number.astype(np.int64), exposure_s, gain_db, distance_m, tuple(kept.values()))


def longest_exposure_s(spec: RenderedSensor) -> float:
    if not isinstance(spec, GreyCamera):
        return fixed_exposure_s(spec)
    return 1e-3 * (spec.longest_exposure_ms if spec.exposure_ms == "auto" else spec.exposure_ms)


def due_until(spec: ImagingSensor, end_s: float) -> int:
    """How many exposures must have given an image by then; a user's own images come as they come."""
    if not isinstance(spec, Rendered):
        return 0
    takes_s = longest_exposure_s(spec) + 1e-3 * (spec.delay_ms + spec.jitter_ms) + AFTER_S
    if longest_exposure_s(spec) > 1.0 / spec.rate_hz + SOON:  # some periods pass without an exposure
        return 0
    return max(0, math.ceil((end_s - takes_s) * spec.rate_hz))


def window_of(spec: ImagingSensor, number: NDArray[np.int64]) -> NDArray[np.int64]:
    """Of each exposure: of those that share one, the log has one (``SensorLog.due``)."""
    if spec.log_hz >= spec.rate_hz:
        return number
    return np.floor((number / spec.rate_hz + SOON) * spec.log_hz).astype(np.int64)
