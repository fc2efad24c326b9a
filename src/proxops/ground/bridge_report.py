"""The part of the report that only a run of the bridge has: moments for pictures, drawings, tables."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from proxops.ground.bridge_axis_figures import free_axes_figure
from proxops.ground.bridge_figures import clearance_figure, place_figure, relative_error_figure, relative_figure
from proxops.ground.bridge_run import BridgeRun
from proxops.ground.bridge_words import (
    INPUT_HEAD,
    PHASE_HEAD,
    STANDSTILL_HEAD,
    STANDSTILLS_SHOWN,
    input_rows,
    phase_rows,
    standstill_rows,
)
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.recorded import Floats, Recorded
from proxops.ground.section import Drawing, Part, Section, SideBySide, Table

Summary = dict[str, Any]

PLACE_NOTE = (
    "It carries the chaser (with chaser_on = 2 the target): actual in colour, dashed where the commanded pose asks it to be. "
    "Dotted: the commanded pose has no place in the hall; drawn from the other port as it stands. Bands: phase of the bridge, "
    "collision states."
)
CLEARANCE_NOTE = (
    "To the nearest red, over all watched pairs. Yellow at its least thickness: in motion each pair has its stopping way. "
    "The commanded pose only where it is followed, yellow or red."
)
FREE_AXES_NOTE = (
    "Actual axes. The roll of the rig about the line of the wrist centres, the cost of the posture, and the share of "
    "the clutch's speeds that is left for closing in, while the clutch is closed."
)


def bridge_moments(whole: HallRun) -> dict[str, int]:
    """Rows of the log for pictures: when it first showed what was commanded, half-way, and where that ended."""
    data, run = whole.data, whole.bridge
    rows = np.flatnonzero(run.following) + data.run.start
    if not rows.size:
        return {"end of the run": data.run.stop - 1}
    moments = {"joined": int(rows[0]), "middle": int(rows[rows.size // 2])}
    halts = [halt for halt in run.halts if halt.rows.stop + data.run.start > rows[-1]]
    if halts:
        name = f"halted by {halts[0].cause.name.replace('_', ' ').lower()}"
        return moments | {name: min(data.run.start + halts[0].rows.stop, data.run.stop - 1)}
    return moments | {"end of following": int(rows[-1])}


def bridge_sections(whole: HallRun, summary: Summary) -> Iterator[Section]:
    """The run as the bridge made it."""
    log, data, run = whole.log, whole.data, whole.bridge
    yield Section("Port 1 in the laboratory", [Drawing(place_figure(run), PLACE_NOTE), _course_tables(summary)])
    yield Section("Relative pose", _relative(whole))
    clutch = (_of_clutch(log, data, run, name) for name in ("phi", "cost", "pace"))
    yield Section(
        "The free axes at work", [Drawing(free_axes_figure(run, data.actual[data.run], *clutch), FREE_AXES_NOTE)]
    )
    yield Section("Clearance", [Drawing(clearance_figure(run, whole.clearances), CLEARANCE_NOTE)])
    yield Section("Packets", [Table(INPUT_HEAD, input_rows(summary))])


def _course_tables(summary: Summary) -> Part:
    left = len(summary["standstills"]) - STANDSTILLS_SHOWN
    note = f"{left} more are in summary.json." if left > 0 else ""
    stood = Table(STANDSTILL_HEAD, standstill_rows(summary), note)
    return SideBySide((Table(PHASE_HEAD, phase_rows(summary)), stood))


def _relative(whole: HallRun) -> Iterator[Part]:
    run = whole.bridge
    left = (_of_clutch(whole.log, whole.data, run, name) for name in ("left_m", "left_rad"))
    yield Drawing(
        relative_figure(run, *left),
        "Distance of the ports and angle between them; what the clutch has still to close, the greatest of each stretch.",
    )
    if run.following.any():
        yield Drawing(
            relative_error_figure(run, *whole.relative_errors),
            "Actual against commanded relative pose while following, the greatest of each stretch.",
        )


def _of_clutch(log: Log, data: Recorded, run: BridgeRun, name: str) -> Floats:
    """A variable of the bridge that means something only while the clutch moves the hall."""
    return np.where(run.clutched, log.values(f"bridge.{name}")[data.run], np.nan)
