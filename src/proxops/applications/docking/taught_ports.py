"""The ports of both robots as teaching in has them: what is commanded and what is seen, free of what the robots are off."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.docking.bench import DockingBench
from proxops.core.errors import BadInput
from proxops.core.messages import N_AXES
from proxops.core.vocabulary import System
from proxops.facility.facility import Facility
from proxops.lab.any_cell import demand_hall
from proxops.lab.coordinates import LIN, OK, POV, ROB1, ROB2, axes_from_values
from proxops.lab.hall_motion import port_motion
from proxops.maths.pose import compose, inverse_pose, pack_pose, pose_from_packed
from proxops.maths.quaternion import cross, quat_inverse, quat_product, turned
from proxops.maths.rotation import Array, quat_from_rotation_vector
from proxops.touch.relative_motion import seen_from

ALIGNMENT_RAD_PER_M: Final = 2.0  # a rig taught in over half a metre: 0.05 mm are 0.1 mrad


class TaughtPorts:
    """``pose`` and ``twist``: ball's centre and chaser's attitude in the client's frame, by the encoders. ``values``: the newest
    command as the 22 doubles."""

    system = int(System.CLW)

    def __init__(self, bench: DockingBench, facility: Facility) -> None:
        self._bench, self._facility = bench, facility
        self._hall, self._tip = demand_hall(facility.cell, "docking").hall, bench.pair[0]["tip"]
        self._poses, self._twists = np.zeros((2, 7)), np.zeros((2, 6))
        self._T_nominal_taught = np.eye(4)  # what teaching in has found: nominal pose of a taught one
        self.pose, self.twist, self.values = np.zeros(7), np.zeros(6), np.zeros(22)

    def teach_in(self, truth: Array, rng: np.random.Generator) -> None:
        """``truth``: T_port2_port1 as it truly is at the start, packed; found with the accuracy that the scenario states."""
        sigma, taught = self._bench.file.loop.alignment_mm * 1e-3, np.array(truth)
        taught[:3] += sigma * rng.standard_normal(3)
        turn = quat_from_rotation_vector(sigma * ALIGNMENT_RAD_PER_M * rng.standard_normal(3))
        taught[3:] = quat_product(turn, taught[3:])
        port_motion(self._hall, self._facility.actual, self._facility.actual_rate, self._poses, self._twists)
        nominal = compose(inverse_pose(pose_from_packed(self._poses[1])), pose_from_packed(self._poses[0]))
        self._T_nominal_taught = compose(nominal, inverse_pose(pose_from_packed(taught)))

    def check_way(self) -> None:
        """BadInput unless the hall can show the free flight up to the hardware, and some way past it."""
        start, pose = np.zeros(N_AXES), self._bench.start.copy()
        axes_from_values(self._hall, self.system, self.values, self._facility.cell.home.copy(), True, start)
        for share in (0.25, 0.5, 0.75, 1.0, 1.1):
            pose[:3] = self._bench.start[:3] + share * self._bench.way
            self.put(pose)
            code, beyond = axes_from_values(self._hall, self.system, self.values, start, False, np.zeros(N_AXES))
            if code != OK:
                raise BadInput(
                    "approach: the hall cannot show the whole way",
                    value=f"{beyond * 1e3:.0f} mm beyond reach at {share:.0%}",
                )
        self.put(self._bench.start)

    def look(self) -> tuple[Array, Array]:
        """Where the robots report to be, into ``pose`` and ``twist``; returns those of port 1 in the lab, where the sensor is."""
        f, pose, twist = self._facility, self.pose, self.twist
        port_motion(self._hall, f.actual, f.actual_rate, self._poses, self._twists)
        seen_from(self._poses[0], self._twists[0], self._poses[1], self._twists[1], np.zeros(3), pose, twist)
        pack_pose(compose(inverse_pose(self._T_nominal_taught), pose_from_packed(pose)), pose)
        pose[:3] += turned(pose[3:7], self._tip)
        arm = turned(quat_inverse(self._poses[1][3:7]), turned(self._poses[0][3:7], self._tip))
        twist[:3] += cross(twist[3:].copy(), arm)
        return self._poses[0], self._twists[0]

    def put(self, command: Array) -> None:
        """T_port2_port1 into ``values``: point of view in the client's port, the rail held where it is."""
        T = compose(self._T_nominal_taught, pose_from_packed(command))
        packed, v, place = np.zeros(7), self.values, self._bench.place
        pack_pose(T, packed)
        v[ROB1 : ROB1 + 3], v[ROB1 + 3 : ROB1 + 6], v[ROB1 + 6] = packed[:3], packed[4:], packed[3]
        v[ROB2 : ROB2 + 7] = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 1.0)
        v[POV : POV + 3], v[POV + 3 : POV + 7] = place.client_lab, (0.0, 0.0, 0.0, 1.0)
        v[LIN] = place.lin_of(T)
