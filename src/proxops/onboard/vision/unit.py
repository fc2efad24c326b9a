"""The image processing of a spacecraft, but for the estimators: what each image is judged with, and what its pose is worth.

It knows what flight software knows: its own attitude and place as measured, the filter's estimate as told, mounts and times.
Images of a hall show what its robots were told a little earlier: that is their time for the filter.
"""

from __future__ import annotations

import hashlib
import math
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from proxops.core.flight import R_CHASER_SENSOR, Estimate, Floats, Measurements, OnboardData, RelativeMeasurement
from proxops.core.images import CameraImage, DepthImage, Image, MeteredPart
from proxops.core.imaging_table import ImagingSensor
from proxops.core.vision import PoseFound, PosePrediction
from proxops.core.vocabulary import Doubt, VisionState
from proxops.maths.pose import pose_from_packed
from proxops.maths.quaternion import put_unit, quat_product
from proxops.maths.rotation import matrix_from_quat, quat_from_rotation_vector
from proxops.onboard.vision.client_part import client_part
from proxops.onboard.vision.expectation import OwnAttitude, expected
from proxops.onboard.vision.machine import FRESH_S, Tracking, after, asked_with, designated, followed, placed
from proxops.onboard.vision.reference_frame import T_reference_sensor, in_reference, in_sensor
from proxops.onboard.vision.told_place import ALONE_EVERY, anyhow, told_place

REMEMBERED_S: Final = 30.0  # of the own attitude: longer than a picture is searched
OLD_S: Final = 60.0  # an estimate that was told so long ago is none


@dataclass(frozen=True)
class LookedThrough:
    """A sensor whose images give poses. ``source``: which of the mission's imaging sensors, from 1; 0: its poses are compared
    with another's and not used."""

    spec: ImagingSensor
    source: int
    shown_late_s: float  # by which what a hall shows is older than its images


class VisionUnit:
    """Of the sensors that are looked through; they are named by their place among these."""

    def __init__(
        self, data: OnboardData, sensors: Sequence[LookedThrough], lost_after: int, distance_m: float | None = None
    ) -> None:
        """``distance_m``: of the client, as told at the beginning."""
        self._data, self._sensors, self._lost_after = data, tuple(sensors), lost_after
        self._mounts = tuple(T_reference_sensor(one.spec, data.sensor_place) for one in sensors)
        self.tracking = [Tracking() for _ in sensors]
        self._told = None if distance_m is None else told_place(data, distance_m)
        self._searched = [0] * len(self._sensors)  # whole images
        self.handed_over_s = math.inf  # mission time from which on images show a hall
        self.measures_from_s = -math.inf  # of images before that poses only tell where the client is
        self._seen: list[tuple[int, bytes]] = [(-1, b"")] * len(sensors)  # last number and digest
        self._own: deque[tuple[float, Floats, Floats, Floats]] = deque(maxlen=round(REMEMBERED_S / data.period_s))
        self._estimate: tuple[float, Estimate] | None = None

    # ------------------------------------------------------------------ what flight software knows
    def note(self, m: Measurements) -> None:
        """Own attitude, rate and place of this cycle; what is no number is left out."""
        if (
            np.isfinite(m.q_eci_chaser).all()
            and np.isfinite(m.w_eci_chaser).all()
            and np.isfinite(m.p_eci_chaser).all()
        ):
            self._own.append((m.t, m.q_eci_chaser.copy(), m.w_eci_chaser.copy(), m.p_eci_chaser.copy()))

    def believe(self, t: float, estimate: Estimate | None) -> None:
        """What the filter says in the cycle of ``t``."""
        if estimate is not None:
            self._estimate = t, estimate

    def follows(self, t: float) -> bool:
        """Whether a sensor that counts follows the client in images of now, and not still in those of when it was found."""
        return any(
            one.source and (seen_t := self.followed_t(k)) is not None and t - seen_t <= FRESH_S + 1.0 / one.spec.rate_hz
            for k, one in enumerate(self._sensors)
        )

    def own_at(self, t: float) -> tuple[OwnAttitude, Floats] | None:
        """Attitude and place (m, eci) at ``t``; None as long as nothing has been measured."""
        if not self._own:
            return None
        t_row, q, w, p = min(self._own, key=lambda row: abs(row[0] - t))
        turned = np.empty(4)
        put_unit(quat_product(q, quat_from_rotation_vector((t - t_row) * w)), turned)
        return OwnAttitude(turned, w), p

    def R_sensor_eci(self, sensor: int, own: OwnAttitude) -> Floats:
        R_chaser_sensor = R_CHASER_SENSOR @ pose_from_packed(self._mounts[sensor])[:3, :3]
        return np.asarray((matrix_from_quat(own.q_eci_chaser) @ R_chaser_sensor).T)

    def R_to_from(self, sensor: int, t_to: float, t_from: float) -> Floats:
        """Of the sensor's frame at the times of two images; no turn as long as nothing has been measured."""
        ends = [self.own_at(self._shown_t(sensor, t)) for t in (t_to, t_from)]
        R_to_eci, R_from_eci = (np.eye(3) if own is None else self.R_sensor_eci(sensor, own[0]) for own in ends)
        return np.asarray(R_to_eci @ R_from_eci.T)

    # ------------------------------------------------------------------ an image and its answer
    def time_of(self, sensor: int, image: Image) -> float:
        """Of what it shows, by the filter's clock."""
        return self._shown_t(sensor, image.t)

    def _shown_t(self, sensor: int, t: float) -> float:
        return t - (self._sensors[sensor].shown_late_s if t >= self.handed_over_s else 0.0)

    def source_of(self, sensor: int) -> int:
        return self._sensors[sensor].source

    def followed_t(self, sensor: int) -> float | None:
        """Time of the last pose, while the client is followed; else None."""
        now = self.tracking[sensor]
        return now.last.t if now.state is VisionState.TRACK and now.last is not None else None

    def refusal(self, sensor: int, image: Image) -> PoseFound | None:
        """Of an image that nobody need look at: the same again, or older than one that was."""
        number, digest = self._seen[sensor]
        new = _digest(image)
        self._seen[sensor] = image.number, new
        doubt = Doubt.STALE if image.number <= number else Doubt.FROZEN if new and new == digest else None
        return None if doubt is None else PoseFound(image.sensor, image.number, image.t, doubt)

    def search(self, sensor: int) -> None:
        """An operator says where the client is: the next image is searched, and nothing else is asked."""
        self.tracking[sensor], self._searched[sensor] = designated(self.tracking[sensor]), ALONE_EVERY - 1

    def prediction(self, sensor: int, image: Image) -> PosePrediction | None:
        """What the image is compared with. None, or one of which nearly nothing is known: it is searched as a whole."""
        believed = self._believed(sensor, image.t)
        asked = asked_with(self.tracking[sensor], image.t, believed, self._lost_after)
        return asked if asked is not None else self._about(sensor, believed)

    def part_with_client(self, sensor: int, image: CameraImage) -> MeteredPart | None:
        """Where the client is in a picture: as it is followed, else as the filter believes. None: nobody knows."""
        at = followed(self.tracking[sensor], image.t) or self._believed(sensor, image.t)
        return None if at is None or not placed(at) else client_part(self._sensors[sensor].spec, at, self._data)

    def _about(self, sensor: int, believed: PosePrediction | None) -> PosePrediction | None:
        """About where a whole image is searched."""
        self._searched[sensor] += 1
        if self._searched[sensor] % ALONE_EVERY == 0:
            return None
        if believed is not None and placed(believed):
            return anyhow(believed)
        return None if self._told is None or self._estimate is not None else in_sensor(self._mounts[sensor], self._told)

    def _believed(self, sensor: int, image_t: float) -> PosePrediction | None:
        t = self._shown_t(sensor, image_t)
        own = self.own_at(t)
        if self._estimate is None or own is None or abs(t - self._estimate[0]) > OLD_S:
            return None
        return in_sensor(self._mounts[sensor], expected(self._estimate[1], self._estimate[0], t, own[0], self._data))

    def take(self, sensor: int, found: PoseFound) -> RelativeMeasurement | None:
        """An answer has come: what it is for the filter, in the reference sensor's frame."""
        self.tracking[sensor] = after(self.tracking[sensor], found, self._lost_after, self._believed(sensor, found.t))
        if not (found.trusted and self._sensors[sensor].source) or found.t < self.measures_from_s:
            return None
        assert found.T_sensor_target is not None and found.covariance is not None
        T, covariance = in_reference(self._mounts[sensor], found.T_sensor_target, found.covariance)
        one = self._sensors[sensor]
        return RelativeMeasurement(self._shown_t(sensor, found.t), T[:3], T[3:], covariance, one.source)


def _digest(image: Image) -> bytes:
    """Of what it shows; nothing of one that shows nothing, which is the same every time."""
    data = (
        image.pixels
        if isinstance(image, CameraImage)
        else image.range_m
        if isinstance(image, DepthImage)
        else image.points_m
    )
    shown = np.asarray(data)
    if shown.size == 0 or not np.isfinite(shown).any() or np.nanmax(shown) == np.nanmin(shown):
        return b""
    return hashlib.blake2b(np.ascontiguousarray(shown).data, digest_size=16).digest()


def broken(image: Image, doubt: Doubt = Doubt.BROKEN) -> PoseFound:
    """The answer of an estimator that has none."""
    return PoseFound(image.sensor, image.number, image.t, doubt)


def at_time(found: PoseFound, image: Image) -> PoseFound:
    """An estimator's answer is that to its image, whatever it says itself."""
    return replace(found, sensor=image.sensor, number=image.number, t=image.t)
