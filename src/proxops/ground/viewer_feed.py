"""What an experiment shows to viewers of its log beside its rows: frames in 3D and, where there is one, its camera.

It is kept until the rows of its time go to the recorder, so that a message stands in the chunk of the row before it.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.camera import CameraSpec
from proxops.ground.camera_log import CameraMessages
from proxops.ground.transform_rows import TransformRows
from proxops.ground.viewer_message import (
    CALIBRATION_CHANNEL,
    FRAMES_CHANNEL,
    IMAGE_CHANNEL,
    VIEWER_CHANNELS,
    ViewerMessage,
)
from proxops.maths.pose import pack_pose

FRAMES_HZ: Final = 25.0  # as the hall's: a viewer interpolates


class ViewerFeed:
    """``frames``: parent and child of each. ``camera``: its frame and what it is."""

    def __init__(self, frames: Sequence[tuple[str, str]], camera: tuple[str, CameraSpec] | None = None) -> None:
        numbers = (*((IMAGE_CHANNEL, CALIBRATION_CHANNEL) if camera else ()), FRAMES_CHANNEL)
        self.channels = tuple(VIEWER_CHANNELS[number] for number in numbers)
        self._camera = CameraMessages(*camera) if camera else None
        self._rows = TransformRows(frames)
        self._waiting: deque[tuple[float, bytes | NDArray[np.float64]]] = deque()

    def place(self, t: float, poses: Sequence[NDArray[np.float64]]) -> None:
        """Where the frames are at ``t``: (4, 4) of each child in its parent."""
        packed = np.empty((1, len(poses), 7))
        for pose, row in zip(poses, packed[0], strict=True):
            pack_pose(np.ascontiguousarray(pose), row)
        self._waiting.append((t, packed))

    def show(self, t: float, png: bytes) -> None:
        """An image that was exposed at ``t``."""
        self._waiting.append((t, png))

    def due(self, t: NDArray[np.float64], epoch_ns: int, *, all_of_it: bool) -> list[ViewerMessage]:
        """What belongs to rows at the times ``t``, which are all that there are so far; ``all_of_it``: none will follow."""
        out: list[ViewerMessage] = []
        while self._waiting and t.size and (all_of_it or self._waiting[0][0] <= t[-1]):
            at, what = self._waiting.popleft()
            tick = max(0, int(np.searchsorted(t, at, side="right")) - 1)
            out += self._messages(tick, epoch_ns + round(at * 1e9), what)
        return out

    def _messages(self, tick: int, utc_ns: int, what: bytes | NDArray[np.float64]) -> list[ViewerMessage]:
        if not isinstance(what, bytes):
            body = self._rows.rows(np.array([utc_ns]), what)[0].tobytes()
            return [ViewerMessage(FRAMES_CHANNEL, tick, utc_ns, body)]
        assert self._camera is not None
        bodies = (
            (IMAGE_CHANNEL, self._camera.image(utc_ns, what)),
            (CALIBRATION_CHANNEL, self._camera.calibration(utc_ns)),
        )
        return [ViewerMessage(channel, tick, utc_ns, body) for channel, body in bodies]
