"""How closely the robots showed the commanded relative pose while the bridge followed, with and without their delay.

Rail and robots trail their set-points by delays of their own (``following``). Taken off: the relative pose of the
set-points as each was one delay earlier, moved on by what the clutch had still to close.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.ground.bridge_run import BridgeRun
from proxops.ground.following import Following
from proxops.ground.pose_rows import composed, distance_and_angle, relative
from proxops.ground.recorded import Floats, Recorded, ports_of_axes
from proxops.lab.coordinates import HallRecord


@dataclass(frozen=True)
class RelativeErrors:
    """Actual against commanded relative pose, each cycle of the run: m and rad, NaN where the bridge did not follow."""

    position: Floats
    attitude: Floats


def relative_errors(
    run: BridgeRun, data: Recorded, hall: HallRecord, following: Following
) -> tuple[RelativeErrors, RelativeErrors]:
    """As they are, and with the delay taken off."""
    rows = _rows(run.following)
    earlier = data.actual[data.run][rows] - following.axes_delay_removed[rows]
    port1, port2 = ports_of_axes(hall, earlier)
    commanded, actual = run.commanded[rows], run.actual[rows]
    trailing = composed(relative(port2, port1), relative(run.shown[rows], commanded))
    return _errors(run, rows, commanded, actual), _errors(run, rows, trailing, actual)


def _rows(chosen: NDArray[np.bool_]) -> slice | NDArray[np.intp]:
    """Those that are chosen; as a slice, which copies nothing, if they stand one after the other."""
    rows = np.flatnonzero(chosen)
    whole = rows.size and rows[-1] - rows[0] + 1 == rows.size
    return slice(int(rows[0]), int(rows[-1]) + 1) if whole else rows


def _errors(run: BridgeRun, rows: slice | NDArray[np.intp], wanted: Floats, actual: Floats) -> RelativeErrors:
    position, attitude = (np.full(run.t.size, np.nan) for _ in range(2))
    position[rows], attitude[rows] = distance_and_angle(wanted, actual)
    return RelativeErrors(position, attitude)
