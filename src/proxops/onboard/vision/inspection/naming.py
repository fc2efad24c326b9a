"""The client's frame as somebody calls it. Nothing but a convention is taken from there: one pose, the middle of all that was
called, so that it is better than any single call and no gross error counts."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.core.vision import Floats
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.onboard.vision.inspection.track import Track, inverted, turn_between

ROUNDS: Final = 3


def called(track: Track) -> Floats | None:
    """(4, 4) T_now_called: the frame as looks have it ``named``, in the one that poses have now; None if no look has."""
    named = [k for k, look in enumerate(track.looks) if look.named is not None]
    if not named:
        return None
    T = inverted(track.T_sensor_client[named]) @ np.array([track.looks[k].named for k in named])
    return _middle(T)


def _middle(T: Floats) -> Floats:
    """Of poses (n, 4, 4), by components: half of them may be wrong."""
    out = T[0].copy()
    out[:3, 3] = np.median(T[:, :3, 3], axis=0)
    for _ in range(ROUNDS):
        off = np.median([turn_between(out[:3, :3], R) for R in T[:, :3, :3]], axis=0)
        out[:3, :3] = matrix_from_rotation_vector(np.ascontiguousarray(off)) @ out[:3, :3]
    return np.asarray(out)
