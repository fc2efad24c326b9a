"""What image processing says of the images of each sensor, for all pages: the newest answer, and how many were trusted."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from proxops.core.vision import spread
from proxops.core.vocabulary import DOUBTS, Doubt, VisionState
from proxops.ground.foxglove import FOUND, foxglove_message


class VisionWatch:
    """``moment_ms``: a UTC of the facility's (ns) by our clock. Counts are of what has come since the console began."""

    def __init__(self, moment_ms: Callable[[int], float]) -> None:
        self._moment_ms = moment_ms
        self._said: dict[str, dict[str, Any]] = {}
        self._refused: dict[str, Counter[str]] = {}
        self._number: dict[str, tuple[int, int]] = {}  # of the newest answer's image, with its UTC
        self.news = False  # since ``state`` was told

    def clear(self) -> None:
        for part in (self._said, self._refused, self._number):
            part.clear()
        self.news = True

    def learn(self, sensor: str, body: bytes) -> None:
        """An answer, as it is recorded. ValueError if it is none."""
        try:
            told = foxglove_message(FOUND).FromString(body)
            state, doubt = VisionState[told.state], Doubt[told.doubt]
        except Exception as error:  # protobuf has errors of its own
            raise ValueError(f"{type(error).__name__} {error}"[:200]) from None
        utc_ns = int(told.timestamp.seconds) * 10**9 + int(told.timestamp.nanos)
        before, refused = self._said.get(sensor, {}), self._refused.setdefault(sensor, Counter())
        trusted, at_ms = doubt is Doubt.NONE, self._moment_ms(utc_ns)
        if not trusted:
            refused[doubt.name] += 1
        sigma_m, sigma_rad = _sigmas(told.covariance)
        p = told.T_sensor_target.position
        self._said[sensor] = {
            "number": told.number, "at_ms": at_ms, "state": state.name, "doubt": doubt.name, "words": DOUBTS[doubt],
            "searched": told.searched, "trust": _number(told.trust), "sigma_m": sigma_m, "sigma_rad": sigma_rad,
            "distance_m": _number(math.hypot(p.x, p.y, p.z)) if told.HasField("T_sensor_target") else None,
            "accepted": before.get("accepted", 0) + trusted, "refused": dict(refused.most_common()),
            "trusted_at_ms": at_ms if trusted else before.get("trusted_at_ms"),
        }  # fmt: skip
        self._number[sensor] = told.number, utc_ns
        self.news = True

    def number_at(self, sensor: str, utc_ns: int) -> int | None:
        """Of the image that was last answered, if it is of that time."""
        number, at = self._number.get(sensor, (None, 0))
        return number if at == utc_ns else None

    def state(self) -> dict[str, Any]:
        self.news = False
        return {"kind": "vision", "sensors": self._said}


def _sigmas(covariance: Any) -> tuple[float | None, float | None]:
    """As claimed: largest standard deviation of place, m, and attitude, rad."""
    told = np.array(covariance)
    if told.shape != (36,) or not np.isfinite(told).all():
        return None, None
    place, turn = spread(told.reshape(6, 6))
    return _number(place), _number(turn)


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None
