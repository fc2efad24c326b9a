"""A run in figures: every number of the report under a plain name, in SI units, from the recorded data only.

A figure that does not exist is None (nothing ran; lockstep is never late). Motion is that of the last run.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.clock import gps_from_utc_ns
from proxops.core.messages import AXES, AXIS_UNITS, UNITS
from proxops.ground.bridge_summary import bridge_figures
from proxops.ground.course import Figures, course, events, number, timing
from proxops.ground.criteria import criteria
from proxops.ground.following import Errors, Following
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.motion import MotionFigures, greatest_sizes
from proxops.ground.recorded import Floats, Recorded, ports_of_axes, recorded_poses
from proxops.ground.small_pages import small_pages
from proxops.ground.summary_head import summary_head
from proxops.lab.cell import Cell

MARGINS: Final = {
    "axis_range": "",
    "table3": "_m",
    "wrist": "_rad",
    "elbow": "_rad",
    "shoulder": "_m",
    "speed": "",
}
SAME_POSE_M: Final = 1e-6  # recorded and recomputed ports agree to this when cell and tool are the log's


@small_pages()
def summarise(run: HallRun) -> Figures:
    """All figures, ready for JSON; ``criteria`` and ``passed`` judge them."""
    log, cell, data, chapter = run.log, run.cell, run.data, run.chapter
    more = chapter.figures(run.of_kind, cell) if chapter and run.of_kind is not None else None
    figures: Figures = {
        **summary_head(log),
        **_times(log, data),
        **course(log, data),
        "cell_matches_log": _cell_matches(log, data, cell),
        **_following_figures(data, run.following),
        **_motion_figures(data, run.motion),
        **_margins(log, data),
        **(bridge_figures(run) if run.bridged else {}),
        **({chapter.name: more} if chapter and more is not None else {}),
        **timing(log),
        **events(log),
    }
    rows = criteria(figures, chapter.criteria(more) if chapter and more is not None else ())
    figures["criteria"] = [row.plain() for row in rows]
    figures["passed"] = all(row.passed for row in rows)
    return figures


def _times(log: Log, data: Recorded) -> Figures:
    """Of the hall's log alone."""
    utc = log.values("clock.utc_ns")
    return {
        "lines": int(log.metadata["lines"]) if "lines" in log.metadata else None,
        "duration_s": float(data.phases[-1].end) if data.phases else 0.0,
        "start_utc_ns": int(utc[0]) if utc.size else None,
        "start_gps_ns": gps_from_utc_ns(int(utc[0])) if utc.size else None,
    }


def _cell_matches(log: Log, data: Recorded, cell: Cell) -> bool | None:
    """Whether the recorded poses follow from the recorded axes with this cell and tool."""
    if not log.count:
        return None
    ends = data.actual[[0, -1]]
    pairs = zip(ports_of_axes(cell.hall, ends), ("actual_port1", "actual_port2"), strict=True)
    return all(bool(np.abs(q - recorded_poses(log, name)[[0, -1]]).max() < SAME_POSE_M) for q, name in pairs)


def _following_figures(data: Recorded, following: Following) -> Figures:
    figures: Figures = {f"{name}_delay_s": number(delay) for name, delay in following.delays.items()}
    for suffix, errors in (("", following.direct), ("_delay_removed", following.delay_removed)):
        figures |= _error_figures(errors, suffix)
    for suffix, axes in (("", following.axes), ("_delay_removed", following.axes_delay_removed)):
        figures |= _statistics("rail", f"error{suffix}", "m", axes[:, 0])
    lag = (data.wish - data.setpoint)[data.run]
    figures["axis_error_max"] = _by_axis(following.axes)
    figures["limiter_lag_max"] = _by_axis(lag)
    figures["axis_units"] = dict(zip(AXES, AXIS_UNITS, strict=True))
    return figures


def _error_figures(errors: Errors, suffix: str) -> Figures:
    figures: Figures = {}
    for i, robot in enumerate(("robot1", "robot2")):
        figures |= _statistics(robot, f"position_error{suffix}", "m", errors.position[:, i])
        figures |= _statistics(robot, f"attitude_error{suffix}", "rad", errors.attitude[:, i])
    return figures


def _statistics(who: str, what: str, unit: str, values: Floats) -> Figures:
    size = np.abs(values)
    names = [f"{who}_{what}_{word}_{unit}" for word in ("max", "rms", "final")]
    if not values.size:
        return dict.fromkeys(names)
    found = (size.max(), math.sqrt(float(np.mean(size * size))), size[-1])
    return dict(zip(names, map(number, found), strict=True))


def _by_axis(values: Floats) -> dict[str, float | None]:
    if not len(values):
        return dict.fromkeys(AXES)
    return dict(zip(AXES, map(number, greatest_sizes(values)), strict=True))


def _motion_figures(data: Recorded, motion: MotionFigures) -> Figures:
    figures: Figures = {
        "setpoint_speed_max": _by_axis(motion.speed),
        "setpoint_speed_share": _by_axis(motion.speed_share),
        "setpoint_acceleration_max": _by_axis(motion.acceleration),
        "setpoint_acceleration_share": _by_axis(motion.acceleration_share),
        "distance_start_m": number(motion.distance[0]) if data.ran else None,
        "distance_end_m": number(motion.distance[-1]) if data.ran else None,
        "distance_min_m": number(motion.distance.min()) if data.ran else None,
    }
    for i, robot in enumerate(("port1", "port2")):
        for what, values, unit in (("speed", motion.port_speed, "m_s"), ("rate", motion.port_rate, "rad_s")):
            figures[f"{robot}_{what}_max_{unit}"] = number(values[:, i].max()) if len(values) else None
    for axis in ("a4", "a6"):
        q = data.actual[data.run, UNITS["robot2"]][:, int(axis[1]) - 1]
        figures[f"robot2_{axis}_turns"] = number((q[-1] - q[0]) / (2.0 * math.pi)) if q.size else None
    return figures


def _margins(log: Log, data: Recorded) -> Figures:
    figures: Figures = {}
    for name, unit in MARGINS.items():
        values = log.values(f"margin.{name}")[data.run]
        figures[f"margin_{name}_min{unit}"] = number(values.min()) if values.size else None
    return figures
