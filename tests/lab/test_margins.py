"""The margins that go with a conversion, by hand."""

import math

import numpy as np
import pytest

from proxops.lab.any_cell import load_cell
from proxops.lab.margins import smallest_margins


def test_margins_name_value_line_and_axis() -> None:
    """Home has A5 = 0 (wrist margin 0) and the rail at 6 of 25 m; line 2 turns robot 1's A4 to 355 deg, limit 350."""
    cell = load_cell()
    q = np.tile(cell.home, (3, 1))
    q[:, [5, 11]] = 0.5
    q[1, 4] = math.radians(355.0)
    q[2, 11] = -0.02
    found = {m.name: m for m in smallest_margins(cell, q)}
    assert found["axis_range"].value == pytest.approx(math.radians(-5.0))
    assert (found["axis_range"].line, found["axis_range"].where) == (1, "robot1_a4")
    assert found["wrist"].value == pytest.approx(0.02)
    assert (found["wrist"].line, found["wrist"].where) == (2, "robot2")
    # Elbow: A3 = 90 deg less the forearm's tilt atan(0.055 / d4); robot 1's shorter forearm tilts more.
    assert found["elbow"].value == pytest.approx(math.pi / 2 - math.atan2(0.055, 1.0))
    assert found["shoulder"].value == pytest.approx(0.35 + 1.0)  # a1 + d4 of robot 1 with the upper arm upright


def test_endless_axes_have_no_limit_to_come_near() -> None:
    cell = load_cell()
    q = np.tile(cell.home, (1, 1))
    q[0, [10, 12]] = 1000.0
    assert smallest_margins(cell, q)[0].where not in ("robot2_a4", "robot2_a6")
