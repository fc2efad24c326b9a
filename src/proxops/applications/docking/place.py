"""Where in the hall a docking takes place: the client's port, and the rail, which stands."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from proxops.applications.docking.tables import PlaceTable
from proxops.lab.cell import Cell
from proxops.maths.kernel import kernel
from proxops.maths.pose import compose, inverse_pose, pose_from_packed
from proxops.maths.rotation import Array


@dataclass(frozen=True, eq=False)
class Place:
    """``client_lab``: the client's port, whose axes are the lab's."""

    client_lab: Array
    rail_m: float
    base1: Array  # T_lab_base1 with the rail at zero
    port1_inv: Array

    @classmethod
    def of(cls, table: PlaceTable, cell: Cell, start: Array) -> Place:
        """The rail stands so that flange 1 is ``reach_m`` in front of its base at ``start``, T_port2_port1 packed."""
        hall, client_lab = cell.hall[0], np.array(table.client_lab_m)
        ahead_m = ahead_of_base(hall["base1"], hall["port1_inv"], client_lab, pose_from_packed(start))
        rail_m = (ahead_m - table.reach_m) * float(hall["base1"][0, 0])
        return cls(client_lab, rail_m, hall["base1"], hall["port1_inv"])


@kernel
def lin_of(base1: Array, port1_inv: Array, client_lab: Array, rail_m: float, T_client_port: Array) -> float:
    """``data lin`` of a command that leaves the rail where it stands."""
    lin: float = ahead_of_base(base1, port1_inv, client_lab, T_client_port) - rail_m * base1[0, 0]
    return lin


@kernel
def ahead_of_base(base1: Array, port1_inv: Array, client_lab: Array, T_client_port: Array) -> float:
    """x (m) of flange 1 in the base of robot 1 with the rail at zero."""
    T_lab_port = T_client_port.copy()
    T_lab_port[:3, 3] += client_lab
    ahead: float = compose(inverse_pose(base1), compose(T_lab_port, port1_inv))[0, 3]
    return ahead
