"""The twelve numbers that Table 3 speaks of: where the two ports of a hall are, and how their plates are turned."""

from __future__ import annotations

from proxops.lab.coordinates import HallRecord, put_flange_poses
from proxops.maths.kernel import kernel
from proxops.maths.pose import put_composed, put_last_row
from proxops.maths.rotation import Array, abc_angles, nearest_turn
from proxops.maths.stack import matrix


@kernel
def port_components(hall: HallRecord, q: Array, roll: Array, values: Array, ports: Array) -> None:
    """What Table 3 speaks of, at axes ``q``: x y z of both ports, roll pitch yaw of both plates, into ``values`` (2, 6);
    T_lab_port into ``ports`` (2, 4, 4). ``roll`` holds the roll counted through full turns and is carried on."""
    h = hall[0]
    T_lab_flange1, T_lab_flange2 = matrix(4, 4), matrix(4, 4)
    put_flange_poses(hall, q, T_lab_flange1, T_lab_flange2)
    R = matrix(3, 3)  # R_lab_plate
    for robot in range(2):
        if robot == 0:
            F, R_flange_plate, T_flange_port = T_lab_flange1, h.plate1, h.port1
        else:
            F, R_flange_plate, T_flange_port = T_lab_flange2, h.plate2, h.port2
        put_composed(F, T_flange_port, ports[robot])
        put_last_row(ports[robot])
        for i in range(3):
            values[robot, i] = ports[robot, i, 3]
            for j in range(3):
                R[i, j] = (
                    F[i, 0] * R_flange_plate[0, j] + F[i, 1] * R_flange_plate[1, j] + F[i, 2] * R_flange_plate[2, j]
                )
        abc = abc_angles(R)
        roll[robot] = nearest_turn(abc[2], roll[robot])
        values[robot, 3], values[robot, 4], values[robot, 5] = roll[robot], abc[1], abc[0]
