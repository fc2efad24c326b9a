"""How far the times of force readings are off those of the motion, found together with the load.

A sensor that averages, a line that delays, two clocks that were tied by hand: the reading stamped t was made at t + shift. The
load changes by its slope times the shift, so one more column of the least squares finds it, and takes its own uncertainty into
those of the load; the motion is then evaluated at the times found, and so on until nothing changes.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.force_source import Floats
from proxops.touch.load_identification import CalibrationRows, loads, solved

MOST_S: Final = 0.05  # a tenth of the fastest sine's period further and the search might take another wave for this one
NEAR_S: Final = 1e-5
ROUNDS: Final = 10


def timed_rows(
    rows_at: Callable[[float], CalibrationRows], noise: Floats, gravity: Floats
) -> tuple[CalibrationRows, float]:
    """``rows_at``: rows for a shift, their times ``t`` unchanged. Rows for the shift found, with their slope, and the shift (s).
    BadInput where there is none within bounds."""
    rows, shift = rows_at(0.0), 0.0
    for _ in range(ROUNDS):
        assert rows.t is not None
        theta = solved(rows, noise, gravity).theta
        rows = replace(rows, slope=np.gradient(loads(rows, theta, gravity), rows.t, axis=0))
        step = float(solved(rows, noise, gravity).theta[-1])
        shift += step
        if not abs(shift) <= MOST_S:
            break
        if abs(step) <= NEAR_S:
            return rows, shift - step  # what is left of it is in the slope
        rows = rows_at(shift)
    raise BadInput(
        "load calibration: times of the readings do not fit the motion", value=f"off by about {1e3 * shift:.0f} ms",
        bound=f"{1e3 * MOST_S:g} ms", way_out="check the sensor's clock, and that this arm carries it",
    )  # fmt: skip
