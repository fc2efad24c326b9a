"""What a log has of a loop with an arm in it, from the loop's first cycle to its last.

Logs of 0.7 and before have the loop alone; since then its groups stand beside the facility's, whose encoders and rates it uses.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import POSE, XYZ
from proxops.ground.log import Log
from proxops.ground.recorded import Floats, stacked

WAY = (*XYZ, "rx", "ry", "rz")


@dataclass(frozen=True, eq=False)
class RecordedLoop:
    """All (cycles) or (cycles, …): s, rad, N m, m; poses with the scalar first. Times of evaluation are zero in lockstep."""

    joints: tuple[str, ...]
    t: Floats
    measured: Floats
    commanded: Floats
    torque: Floats
    base: Floats
    tool: Floats
    error: Floats
    evaluation: Floats
    lateness: Floats


def recorded_loop(log: Log) -> RecordedLoop:
    groups = log.pool.dtype.names or ()
    joints = tuple(log.pool["rates"].dtype.names or ())
    if "loop" not in groups:
        return _alone(log, joints)
    kept = np.isfinite(log.values("loop.t"))
    axes = [f"robot1_{name}" for name in joints]
    return RecordedLoop(
        joints, log.values("loop.t")[kept], stacked(log, "actual", axes)[kept], stacked(log, "setpoint_rate", axes)[kept],
        *_own(log, joints, kept), log.values("loop.evaluation")[kept], log.values("timing.lateness")[kept],
    )  # fmt: skip


def _own(log: Log, joints: tuple[str, ...], kept: NDArray[np.bool_] | slice) -> tuple[Floats, Floats, Floats, Floats]:
    """Torques, base, tool, error: what stands in the same groups in logs of any age."""
    parts = (("torque", joints), ("base", POSE), ("tool", POSE), ("error", WAY))
    torque, base, tool, error = (stacked(log, group, names)[kept] for group, names in parts)
    return torque, base, tool, error


def _alone(log: Log, joints: tuple[str, ...]) -> RecordedLoop:
    t, none = log.values("clock.t_sim"), np.zeros(len(log.pool))
    timed = "timing" in (log.pool.dtype.names or ())
    evaluation, lateness = (log.values(f"timing.{name}") if timed else none for name in ("evaluation", "lateness"))
    return RecordedLoop(
        joints, t, stacked(log, "measured", joints), stacked(log, "commanded", joints), *_own(log, joints, slice(None)),
        evaluation, lateness,
    )  # fmt: skip
