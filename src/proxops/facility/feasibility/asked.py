"""Where a motion comes from: a scenario's script, or the lines of a trajectory file.

The client and its network are ideal here: no noise, no losses, no delay.
"""

from __future__ import annotations

import math
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge.relative import relative_of_ports
from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.core.scenario import Scenario
from proxops.core.segments import Approach, FlyAround, Jump, Overshoot, Segment, Tumble
from proxops.facility.feasibility.motion import Flags, Floats, MotionPart
from proxops.lab.cell import Cell
from proxops.lab.coordinates import CLW, GLC, ROB1, ROB2, HallRecord, axes_from_values, port_poses, wire_pose
from proxops.lab.trajectory import Trajectory
from proxops.maths.kernel import kernel
from proxops.maths.pose import pack_pose, pose_from_abc
from proxops.maths.rotation import Array, matrix_from_quat
from proxops.space.reference import poses_in_client_frame
from proxops.space.scripted import Script

NO_SUN: Final = np.zeros(3)  # pulls nowhere


class ScriptedMotion:
    """A scenario's motion."""

    def __init__(self, scenario: Scenario, sun_matters: bool) -> None:
        self.name, self.source, self.duration_s = scenario.name, str(scenario.source), scenario.duration_s
        self._script, self._client = Script(scenario), scenario.client
        self._sun_matters = sun_matters and scenario.client.sun is not None
        legs = [leg for leg in scenario.legs if leg.start_s < scenario.duration_s or leg is scenario.legs[0]]
        ends = [*(leg.start_s for leg in legs[1:]), scenario.duration_s]
        self.parts = tuple(
            MotionPart(i, leg.segment.kind, _spelt(leg.segment), leg.start_s, end)
            for i, (leg, end) in enumerate(zip(legs, ends, strict=True), 1)
        )

    def at(self, t: Floats) -> tuple[Floats, Flags, Floats]:
        pose, sending, sun = np.empty((len(t), 7)), np.empty(len(t), np.bool_), np.tile(NO_SUN, (len(t), 1))
        for k, time in enumerate(t.tolist()):
            relative = self._script.relative(time)
            pose[k], sending[k] = relative.pose, relative.sending
            if self._sun_matters:
                chaser = poses_in_client_frame(self._client.frame, time, relative).chaser
                sun[k] = matrix_from_quat(chaser[3:7]).T @ np.array(self._client.sun)
        return pose, sending, sun


def _spelt(s: Segment) -> str:
    """What a segment does, in few words."""
    if isinstance(s, Approach):
        return f"approach to {s.to_m:g} m at {s.speed_m_s:g} m/s"
    if isinstance(s, FlyAround):
        return f"fly-around {s.angle_deg:g} deg at {s.rate_deg_s:g} deg/s"
    if isinstance(s, Tumble):
        return f"tumble at {s.spin_deg_s:g} deg/s"
    if isinstance(s, Overshoot):
        return f"overshoot at {s.speed_m_s:g} m/s"
    return f"jump to {s.distance_m:g} m" if isinstance(s, Jump) else s.kind


class FiledMotion:
    """The relative motion of a trajectory file: T_port2_port1, whatever the lines say about the lab."""

    def __init__(self, cell: Cell, trajectory: Trajectory) -> None:
        self.name, self.source, self.duration_s = trajectory.source, trajectory.source, trajectory.duration_s
        self.parts = (MotionPart(1, "trajectory", f"{len(trajectory)} lines", 0.0, trajectory.duration_s),)
        self._pose = np.empty((len(trajectory), 7))
        done, code = _relative_poses(cell.hall, trajectory.systems, trajectory.values, cell.home, self._pose)
        if code:
            raise BadInput(
                f"robot {code} cannot reach this pose", where=trajectory.where(done),
                way_out="IDC lines must lie in reach of the robots",
            )  # fmt: skip

    def at(self, t: Floats) -> tuple[Floats, Flags, Floats]:
        return along_chords(self._pose, t)


def along_chords(poses: Floats, t: Floats) -> tuple[Floats, Flags, Floats]:
    """Between two cycles along the chord."""
    place = np.clip(t / PERIOD_S, 0.0, len(poses) - 1)
    k = np.minimum(place.astype(np.int64), max(len(poses) - 2, 0))
    share = (place - k)[:, None]
    after = poses[np.minimum(k + 1, len(poses) - 1)]
    pose = (1.0 - share) * poses[k] + share * after
    pose[:, 3:] /= np.linalg.norm(pose[:, 3:], axis=1)[:, None]
    return pose, np.ones(len(t), np.bool_), np.tile(NO_SUN, (len(t), 1))


@kernel
def _relative_poses(
    hall: HallRecord, systems: NDArray[np.int16], values: Array, home: Array, out: Array
) -> tuple[int, int]:
    """T_port2_port1 of every line, quaternions of one sign; (lines done, robot that cannot reach or 0)."""
    port, q, near = np.empty((2, 7)), np.empty(13), home.copy()
    for k in range(values.shape[0]):
        v = values[k]
        if systems[k] == CLW:  # both in the point of view: where that lies does not matter
            T1, T2 = wire_pose(v, ROB1), wire_pose(v, ROB2)
        elif systems[k] == GLC:
            d = math.pi / 180.0
            T1 = pose_from_abc(v[0], v[1], v[2], v[3] * d, v[4] * d, v[5] * d)
            T2 = pose_from_abc(v[7], v[8], v[9], v[10] * d, v[11] * d, v[12] * d)
        else:
            code, _ = axes_from_values(hall, systems[k], v, near, k == 0, q)
            if code:
                return k, code
            near[:] = q
            T1, T2 = port_poses(hall, q)
        pack_pose(T1, port[0])
        pack_pose(T2, port[1])
        relative_of_ports(port[0], port[1], out[k])
        if k > 0 and (out[k, 3:] * out[k - 1, 3:]).sum() < 0.0:
            out[k, 3:] = -out[k, 3:]
    return values.shape[0], 0
