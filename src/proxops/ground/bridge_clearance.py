"""How far a run of the bridge stayed from red, exactly: the tick is content with lower bounds, a report is not."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vocabulary import Zone
from proxops.ground.bridge_run import BridgeRun
from proxops.ground.log import Log
from proxops.ground.recorded import Floats, Recorded
from proxops.lab.cell import Cell
from proxops.safety.clearance import Clearance, Finding

EVERY: Final = 25  # cycles between two looks: 5 mm of way at 5 cm/s
ROUNDING_M: Final = 1e-9


@dataclass(frozen=True)
class Clearances:
    """To red (m), at instants of the run. The commanded one is NaN where it is green and not followed: no more than that
    is on record."""

    t: Floats
    commanded: Floats
    actual: Floats
    yellow: Floats  # thickness of the layer before red
    pair: str  # what came nearest in reality


def clearances(log: Log, data: Recorded, run: BridgeRun, cell: Cell) -> Clearances:
    """Exact at the actual axes; commanded at the set-points while following, else as recorded in yellow and red."""
    told = {
        name: log.values(f"bridge.{name}")[data.run] for name in ("commanded_clearance", "actual_clearance", "yellow")
    }
    rows = _rows(run, told["actual_clearance"])
    watch = Clearance(cell)
    axes, setpoints = data.actual[data.run][rows], data.setpoint[data.run][rows]
    found = _along(watch, axes)
    actual = np.array([finding.distance_m for finding in found])
    commanded = np.where(run.commanded_zone[rows] > Zone.GREEN, told["commanded_clearance"][rows], np.nan)
    shown, watch = np.flatnonzero(run.following[rows]), watch.twin()
    commanded[shown] = [finding.distance_m for finding in _along(watch, setpoints[shown])]
    pair = found[int(actual.argmin())].pair if found else ""
    return Clearances(run.t[rows], commanded, actual, told["yellow"][rows], pair)


def _along(watch: Clearance, axes: Floats) -> list[Finding]:
    """Exact at each row. From one to the next the smallest clearance grows by no more than the axes can open it: only what may
    lie below that has to be looked at."""
    found: list[Finding] = []
    ways = np.abs(np.diff(axes, axis=0)) @ watch.levers
    for k, q in enumerate(axes):
        at_most = found[-1].distance_m + ways[k - 1] + ROUNDING_M if found else math.inf
        finding = watch.at(q, at_most)
        found.append(finding if finding.exact else watch.at(q, math.inf))
    return found


def _rows(run: BridgeRun, told: Floats) -> NDArray[np.intp]:
    """Every so many cycles, the last one, and the one in which the tick saw the least."""
    if not run.t.size:
        return np.empty(0, np.intp)
    least = int(np.argmin(np.where(np.isnan(told), np.inf, told)))  # a tick that has not looked yet has seen nothing
    return np.union1d(np.arange(0, run.t.size, EVERY), [run.t.size - 1, least])
