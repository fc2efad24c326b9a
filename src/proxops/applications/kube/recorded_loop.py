"""What a log has of a loop with an arm in it, from the loop's first cycle to its last.

Logs of 0.7 and before have the loop alone; since then its groups stand beside the facility's, whose encoders and rates it uses.
Where a computer takes its time, encoders and torques are those of every cycle, satellite and tool of the readings that it took.
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
    """All (cycles) or (cycles, …): s, rad, N m, m; poses with the scalar first. ``seen``: numbers of the cycles whose reading was
    evaluated, all unless a computer takes its time; ``base``, ``tool`` and ``error`` are of these. Times of evaluation are zero
    in lockstep without such a computer."""

    joints: tuple[str, ...]
    t: Floats
    measured: Floats
    commanded: Floats
    torque: Floats
    base: Floats
    tool: Floats
    error: Floats
    seen: NDArray[np.intp]
    evaluation: Floats
    lateness: Floats


def recorded_loop(log: Log) -> RecordedLoop:
    groups = log.dtype.names or ()
    joints = log.names("rates")
    if "loop" not in groups:
        return _alone(log, joints)
    kept = np.isfinite(log.values("loop.t"))
    axes = [f"robot1_{name}" for name in joints]
    t = log.values("loop.t")[kept]
    told = "answers" in log.names("loop")
    seen = np.flatnonzero(log.values("loop.answers")[kept] == t) if told else np.arange(t.size)
    return RecordedLoop(
        joints, t, stacked(log, "actual", axes)[kept], stacked(log, "setpoint_rate", axes)[kept], *_own(log, joints, kept, seen),
        seen, log.values("loop.evaluation")[kept], log.values("timing.lateness")[kept],
    )  # fmt: skip


def _own(
    log: Log, joints: tuple[str, ...], kept: NDArray[np.bool_] | slice, seen: NDArray[np.intp]
) -> tuple[Floats, Floats, Floats, Floats]:
    """Torques, base, tool, error: what stands in the same groups in logs of any age."""
    parts = (("base", POSE), ("tool", POSE), ("error", WAY))
    base, tool, error = (stacked(log, group, names)[kept][seen] for group, names in parts)
    return stacked(log, "torque", joints)[kept], base, tool, error


def _alone(log: Log, joints: tuple[str, ...]) -> RecordedLoop:
    t, none = log.values("clock.t_sim"), np.zeros(log.count)
    timed = "timing" in (log.dtype.names or ())
    evaluation, lateness = (log.values(f"timing.{name}") if timed else none for name in ("evaluation", "lateness"))
    return RecordedLoop(
        joints, t, stacked(log, "measured", joints), stacked(log, "commanded", joints),
        *_own(log, joints, slice(None), np.arange(t.size)), np.arange(t.size), evaluation, lateness,
    )  # fmt: skip
