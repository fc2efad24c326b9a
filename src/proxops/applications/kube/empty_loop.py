"""The same loop without work, to tell the machine's lateness from ours."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.arms.model import Floats
from proxops.core.clock import LiveClock
from proxops.facility.realtime import enter_real_time

EMPTY_S: Final = 2.0


def empty_loop(period_ns: int) -> Floats:
    """Lateness of cycles that do nothing, with the same rights, s."""
    out = np.zeros(round(EMPTY_S * 1e9 / period_ns))
    granted = enter_real_time()
    try:
        clock = LiveClock(period_ns)
        for i in range(out.size):
            out[i] = clock.advance()
    finally:
        granted.leave()
    return out
