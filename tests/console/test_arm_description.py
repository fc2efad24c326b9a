"""A cell of arms as the page gets it: links where the facility's kinematics has them, its own axes and pool in the greeting."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest
from test_hall_description import link_poses

from proxops.console.arm_description import describe_arms
from proxops.console.greeting import greeting
from proxops.console.live_feed import HEAD, LiveFeed
from proxops.core.clock import LockstepClock
from proxops.core.messages import pool_dtype
from proxops.facility.build import build
from proxops.lab.any_cell import load_cell, pool_of, read_any_cell
from proxops.lab.arm_cell import ArmCell
from proxops.maths.pose import pose_from_packed

EXACT = 1e-9


@pytest.fixture(params=["kube", "fzi"])
def cell(request: pytest.FixtureRequest) -> ArmCell:
    found = read_any_cell(request.param)
    assert isinstance(found, ArmCell)
    return found


def test_the_flange_stands_where_the_facility_puts_it(cell: ArmCell) -> None:
    """The facility's own record of a cycle at home, against the links of the description at the same axes."""
    hall = build(cell, LockstepClock(period_ns=cell.period_ns), seed=1, record=None)
    hall.facility.tick()
    record = np.frombuffer(bytes(hall.rings[0].newest_bytes(hall.rings[0].head)), pool_dtype(pool_of(cell)))[0]
    hall.close()
    described = describe_arms(cell)
    q, packed = (np.array(record[group].tolist()) for group in ("actual", "actual_flange1"))
    assert np.abs(q - cell.home).max() < 1e-3
    flange = described["links"][described["arms"][0]["flange"]]["name"]
    np.testing.assert_allclose(link_poses(described, q)[flange], pose_from_packed(packed), rtol=0.0, atol=EXACT)


def test_what_stands_still_is_drawn(cell: ArmCell) -> None:
    *_, around = describe_arms(cell)["links"]
    assert (around["parent"], around["drive"]) == (-1, -1)
    assert len(around["visuals"]) == len(cell.file.solid)
    first = cell.file.solid[0]
    assert around["visuals"][0]["size_m"] == list(first.box_m or ())
    assert [around["visuals"][0]["T_link_solid"][i] for i in (3, 7, 11)] == list(first.xyz_lab_m)


def test_the_description_is_plain_data_of_this_cell(cell: ArmCell) -> None:
    told: dict[str, Any] = json.loads(json.dumps(describe_arms(cell), allow_nan=False))
    assert [axis["name"] for axis in told["axes"]] == list(cell.axis_names)
    assert told["crafts"] == [] and told["rail"] is None and told["lamp"] is None and told["pedestal"] is None
    assert [frame["name"] for frame in told["frames"]] == ["lab", "base 1", "flange 1"]
    for axis, (x, y) in zip(("x_m", "y_m"), ((-0.5, 0.5), (-0.5, 0.5)), strict=True):
        assert told["room"][axis][0] < x and told["room"][axis][1] > y


def test_the_greeting_is_of_this_cell(cell: ArmCell) -> None:
    told: dict[str, Any] = json.loads(json.dumps(greeting(cell), allow_nan=False))
    assert not told["hall"] and greeting(load_cell())["hall"]
    assert told["record_bytes"] == pool_dtype(pool_of(cell)).itemsize
    assert [axis["name"] for axis in told["axes"]] == list(cell.axis_names)
    assert not any(axis["slides"] for axis in told["axes"])
    paths = {variable["path"] for variable in told["variables"]}
    assert {"actual_flange1.x", f"actual.{cell.axis_names[-1]}"} <= paths
    assert not [path for path in paths if path.startswith(("bridge.", "command.", "mission."))]


def test_a_frame_is_the_head_and_the_record(cell: ArmCell) -> None:
    hall = build(cell, LockstepClock(period_ns=cell.period_ns), seed=1, record=None)
    feed = LiveFeed(cell, hall.rings[0].path, hall.rings[1].path)
    hall.facility.tick()
    frame = feed.look()
    hall.close()
    assert frame is not None and len(frame.data) == HEAD.size + pool_dtype(pool_of(cell)).itemsize
