"""What a run was is worked out once for summary and page, and quickly is as exactly as from scratch."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proxops.core.messages import AXES
from proxops.ground import hall_report as hall_report_module
from proxops.ground import hall_run
from proxops.ground.bridge_clearance import _along
from proxops.ground.hall_report import hall_report
from proxops.ground.log import Log
from proxops.ground.pose_rows import composed, distance_and_angle, relative
from proxops.ground.recorded import recorded, stacked
from proxops.ground.report_page import write_page
from proxops.lab.cell import Cell
from proxops.maths.pose import compose, inverse_pose, pose_from_packed
from proxops.safety.clearance import Clearance


def poses(count: int, seed: int) -> Any:
    rng = np.random.default_rng(seed)
    rows = rng.normal(size=(count, 7))
    rows[:, 3:] /= np.linalg.norm(rows[:, 3:], axis=1, keepdims=True)
    return rows


def test_summary_and_page_share_what_is_dear(
    swung: Log, cell: Cell, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    calls: list[str] = []
    for name in ("recorded", "follow", "motion_of", "ports_of_axes"):
        found = getattr(hall_run, name)
        monkeypatch.setattr(hall_run, name, lambda *a, name=name, found=found: (calls.append(name), found(*a))[1])
    for others in ("pictures", "log_sections"):
        monkeypatch.setattr(hall_report_module, others, lambda *_: ())
    write_page(hall_report(swung, cell), tmp_path / "report.html")
    assert sorted(calls) == ["follow", "motion_of", "ports_of_axes", "ports_of_axes", "recorded"]  # wished, actual


def test_rows_of_poses_are_the_kernels_poses() -> None:
    a, b = poses(20, 1), poses(20, 2)
    away, turn = distance_and_angle(a, b)
    for k in range(20):
        T_lab_a, T_lab_b = pose_from_packed(a[k]), pose_from_packed(b[k])
        T_a_b = compose(inverse_pose(T_lab_a), T_lab_b)
        np.testing.assert_allclose(pose_from_packed(relative(a, b)[k]), T_a_b, atol=1e-14)
        np.testing.assert_allclose(pose_from_packed(composed(a, b)[k]), compose(T_lab_a, T_lab_b), atol=1e-14)
        assert away[k] == pytest.approx(np.linalg.norm(T_a_b[:3, 3]), rel=1e-14)
        assert math.cos(turn[k]) == pytest.approx(0.5 * (np.trace(T_a_b[:3, :3]) - 1.0), abs=1e-13)


def test_clearance_along_the_way_is_that_of_each_row_alone(swung: Log, cell: Cell) -> None:
    """Small steps, leaps and axes that are no numbers."""
    axes = recorded(swung).actual[::40].copy()
    axes[5], axes[8:11] = np.nan, axes[0]
    axes[9, 2:5] += (0.4, -0.7, 1.0)
    watch = Clearance(cell)
    for q, found in zip(axes, _along(watch, axes), strict=True):
        alone = Clearance.at(watch.twin(), q, math.inf)
        assert (found.distance_m, found.pair, found.exact) == (alone.distance_m, alone.pair, alone.exact)


def test_variables_of_a_group_stand_side_by_side_in_any_order(swung: Log) -> None:
    together, reversed_ = AXES, AXES[::-1]
    np.testing.assert_array_equal(stacked(swung, "actual", together), stacked(swung, "actual", reversed_)[:, ::-1])
    np.testing.assert_array_equal(stacked(swung, "actual", together)[:, 2], swung.values(f"actual.{AXES[2]}"))
