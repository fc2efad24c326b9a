"""The ports of both robots as teaching in has them: what is commanded and what is seen, free of what the robots are off."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.docking.bench import DockingBench
from proxops.applications.docking.place import lin_of
from proxops.core.errors import BadInput
from proxops.core.messages import N_AXES
from proxops.core.vocabulary import System
from proxops.facility.facility import Facility
from proxops.lab.any_cell import demand_hall
from proxops.lab.coordinates import LIN, OK, POV, ROB1, ROB2, HallRecord, axes_from_values
from proxops.lab.hall_motion import port_motion
from proxops.maths.kernel import kernel
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
        f = self._facility
        put_seen(
            self._hall, f.actual, f.actual_rate, self._T_nominal_taught, self._tip, self._poses, self._twists, self.pose,
            self.twist,
        )  # fmt: skip
        return self._poses[0], self._twists[0]

    def put(self, command: Array) -> None:
        """T_port2_port1 into ``values``: point of view in the client's port, the rail held where it is."""
        p = self._bench.place
        put_values(self._T_nominal_taught, command, p.base1, p.port1_inv, p.client_lab, p.rail_m, self.values)


@kernel
def put_seen(
    hall: HallRecord, axes: Array, rate: Array, T_nominal_taught: Array, tip: Array, poses: Array, twists: Array, pose: Array,
    twist: Array,
) -> None:  # fmt: skip
    """``poses``, ``twists`` of both ports in the lab; ``pose``, ``twist`` of the ball from the client, as taught."""
    port_motion(hall, axes, rate, poses, twists)
    seen_from(poses[0], twists[0], poses[1], twists[1], np.zeros(3), pose, twist)
    pack_pose(compose(inverse_pose(T_nominal_taught), pose_from_packed(pose)), pose)
    pose[:3] += turned(pose[3:7], tip)
    arm = turned(quat_inverse(poses[1, 3:7]), turned(poses[0, 3:7], tip))
    twist[:3] += cross(twist[3:], arm)


@kernel
def put_values(
    T_nominal_taught: Array, command: Array, base1: Array, port1_inv: Array, client_lab: Array, rail_m: float, v: Array
) -> None:  # fmt: skip
    """A taught pose as the 22 doubles."""
    T, packed = compose(T_nominal_taught, pose_from_packed(command)), np.empty(7)
    pack_pose(T, packed)
    for i in range(3):
        v[ROB1 + i], v[ROB1 + 3 + i], v[POV + i], v[POV + 3 + i] = packed[i], packed[4 + i], client_lab[i], 0.0
    for i in range(6):
        v[ROB2 + i] = 0.0
    v[ROB1 + 6], v[ROB2 + 6], v[POV + 6] = packed[3], 1.0, 1.0
    v[LIN] = lin_of(base1, port1_inv, client_lab, rail_m, T)
