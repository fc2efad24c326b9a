"""The hall that clearances and zones are tested in."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.coordinates import GLC, axes_from_values, port_poses
from proxops.maths.rotation import abc_from_matrix
from proxops.safety.clearance import Clearance


@pytest.fixture(scope="session")
def epos() -> Cell:
    return load_cell()


@pytest.fixture(scope="session")
def hall(epos: Cell) -> Clearance:
    return Clearance(epos)


@pytest.fixture(scope="session")
def facing(epos: Cell) -> Callable[[float], NDArray[np.float64]]:
    """Axes with T_port2_port1 a pure shift along x: robot 2's port at home attitude in (2.2, 0.75, 0.3), arms drawn in."""

    def axes(distance_m: float) -> NDArray[np.float64]:
        _, T_lab_port2 = port_poses(epos.hall, epos.home)
        T_lab_port2[:3, 3] = 2.2, 0.75, 0.3
        values, q = np.zeros(22), np.empty(13)
        values[:3], values[7:10] = T_lab_port2[:3, 3] + distance_m * T_lab_port2[:3, 0], T_lab_port2[:3, 3]
        values[3:6] = values[10:13] = np.degrees(abc_from_matrix(T_lab_port2))
        values[21] = 1.3
        code, _ = axes_from_values(epos.hall, GLC, values, epos.home, True, q)
        assert code == 0
        T_lab_port1, T_lab_port2 = port_poses(epos.hall, q)
        np.testing.assert_allclose((np.linalg.inv(T_lab_port2) @ T_lab_port1)[:3, 3], (distance_m, 0, 0), atol=1e-9)
        return q

    return axes
