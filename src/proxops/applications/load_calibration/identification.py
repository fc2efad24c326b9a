"""A tool's load from what was recorded of a calibration: encoders and readings go in, nothing else.

The joints' course is a spline through the encoders' angles, without phase since all of it is there, and how far the readings'
times are off it is found with the load (touch/stamp_shift.py).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Final

import numpy as np

from proxops.applications.load_calibration.motion import flange_motion
from proxops.applications.load_calibration.record import CalibrationSamples
from proxops.applications.load_calibration.result import Calibration
from proxops.arms.model import ArmModel, Floats
from proxops.core.errors import BadInput
from proxops.ground.smoothing import SplineFit
from proxops.touch.load_identification import CalibrationRows, identify_load, loads
from proxops.touch.stamp_shift import MOST_S, timed_rows
from proxops.touch.tool_load import GRAVITY, ToolLoad

KNOTS_S: Final = 0.06  # of the joints' course: the fastest sine has sixteen in its period


def noise_at_rest(recorded: CalibrationSamples) -> Floats:
    """(6) standard deviation of the readings about a straight line: their drift is no noise."""
    still = recorded.stamp < recorded.begin_s - MOST_S
    t, rows = recorded.stamp[still], recorded.readings[still]
    if t.size < 20:
        raise BadInput("load calibration: too few readings while the arm stood", value=int(t.size), bound="at least 20")
    line = np.column_stack([np.ones_like(t), t - t.mean()])
    rest = rows - line @ np.linalg.lstsq(line, rows, rcond=None)[0]
    noise: Floats = np.sqrt((rest**2).sum(axis=0) / (t.size - 2))
    return noise


def identified(name: str, model: ArmModel, recorded: CalibrationSamples, noise: Floats) -> Calibration:
    """From what was recorded; ``noise``: (6) of a reading."""
    rows_at = rows_of(model, recorded)
    rows, shift = timed_rows(rows_at, noise, GRAVITY)
    found = identify_load(rows, noise, GRAVITY)
    left = compensated(rows, found.load, found.bias, found.drift)
    found = replace(found, shift=found.shift + shift)
    assert rows.t is not None
    return Calibration(name, None, rows.t, rows.reading, left, found, shift, recorded.missed)


def rows_of(model: ArmModel, recorded: CalibrationSamples) -> Callable[[float], CalibrationRows]:
    """Readings with the flange's motion when they were made: a time after their stamps."""
    course = SplineFit(recorded.t, recorded.encoders, KNOTS_S)
    inside = (recorded.stamp >= recorded.t[0] + MOST_S) & (recorded.stamp <= recorded.t[-1] - MOST_S)
    t, readings = recorded.stamp[inside], recorded.readings[inside]

    def rows_at(shift: float) -> CalibrationRows:
        joints = course.at(t + shift)
        m = flange_motion(model, t, joints.angles, joints.rates, joints.accelerations)
        return CalibrationRows(m.attitude, m.w, m.alpha, m.a, readings, t)

    return rows_at


def compensated(rows: CalibrationRows, load: ToolLoad, bias: Floats, drift: Floats) -> Floats:
    """(n, 6) what is left of the readings."""
    out: Floats = rows.reading - bias - loads(rows, load.parameters, GRAVITY)
    if rows.t is not None:
        out -= drift * (rows.t - rows.t.mean())[:, None]
    return out
