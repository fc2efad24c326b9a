"""How fast axes and ports were told to move in the run, as such and as a share of what the guard allows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxops.core.messages import AXES
from proxops.ground.log import Log
from proxops.ground.pose_rows import distance, distance_and_angle
from proxops.ground.recorded import Floats, Recorded, recorded_poses, stacked
from proxops.lab.cell import Cell


@dataclass(frozen=True)
class MotionFigures:
    """Each cycle of the run: set-points of the axes (13 columns), of both ports (2), the ports' distance."""

    speed: Floats
    speed_share: Floats
    acceleration: Floats
    acceleration_share: Floats
    port_speed: Floats
    port_rate: Floats
    distance: Floats  # between the actual ports, m


def greatest_sizes(values: Floats) -> Floats:
    """Of each column, without a copy of all of them."""
    out: Floats = np.abs(np.maximum(values.max(axis=0), -values.min(axis=0)))
    return out


def motion_of(log: Log, data: Recorded, cell: Cell) -> MotionFigures:
    """Rates of the set-points as recorded; accelerations and port speeds from one cycle to the next."""
    hall = cell.hall[0]
    rate = stacked(log, "setpoint_rate", AXES)
    step = np.maximum(np.diff(data.t[data.before_run]), 1e-9)[:, None]
    acceleration = np.diff(rate[data.before_run], axis=0) / step
    speed = rate[data.run]
    ports = [recorded_poses(log, f"commanded_port{n}")[data.before_run] for n in (1, 2)]
    moved = [distance_and_angle(pose[:-1], pose[1:]) for pose in ports]
    port_speed, port_rate = (np.stack(columns, axis=1) / step for columns in zip(*moved, strict=True))
    actual = (recorded_poses(log, f"actual_port{n}")[data.run] for n in (1, 2))
    return MotionFigures(
        speed,
        speed / hall["speed"],
        acceleration,
        acceleration / hall["acceleration"],
        port_speed,
        port_rate,
        distance(*actual),
    )
