"""The layout for Foxglove names only topics, variables and frames that a log has, and panels that it describes."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proxops.applications.grasp.viewer import FRAMES as GRASP_FRAMES
from proxops.applications.servo.viewer import FRAMES as SERVO_FRAMES
from proxops.core.errors import BadInput
from proxops.core.messages import POOL
from proxops.ground.hall_joints import Joints
from proxops.ground.hall_stage import stage_of
from proxops.ground.layout import LAYOUT, layout_text, write_layout
from proxops.ground.orbit_frames import ORBIT_FRAMES
from proxops.ground.stage import STAGE_CHANNELS
from proxops.ground.viewer_message import VIEWER_CHANNELS
from proxops.lab.cell import Cell

TOPICS = {channel.topic for channel in (*STAGE_CHANNELS, *VIEWER_CHANNELS.values())}
VARIABLES = {f"/pool.{group.name}.{variable.name}" for group in POOL for variable in group.variables}


@pytest.fixture(scope="module")
def layout() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(layout_text())
    return found


def panels(node: Any) -> Iterator[str]:
    """Names in a tree of rows and columns."""
    if isinstance(node, str):
        yield node
    else:
        yield from panels(node["first"])
        yield from panels(node["second"])


def test_every_panel_has_its_place(layout: dict[str, Any]) -> None:
    described = layout["configById"]
    shown = [*panels(layout["layout"])]
    for panel in described.values():
        for tab in panel.get("tabs", ()):
            shown += panels(tab["layout"])
    assert sorted(shown) == sorted(described)
    assert {name.partition("!")[0] for name in described} == {
        "3D", "Image", "Plot", "StateTransitions", "RosOut", "RawMessages", "Tab",
    }  # fmt: skip


def test_paths_exist(layout: dict[str, Any]) -> None:
    for panel in layout["configById"].values():
        assert {path["value"] for path in panel.get("paths", ())} <= VARIABLES
        assert set(panel.get("topics", ())) <= TOPICS
        assert {panel.get(key, "/pool") for key in ("topicToRender", "topicPath")} <= TOPICS


def test_frames_exist(layout: dict[str, Any], cell: Cell) -> None:
    known = {frame for pair in Joints(stage_of(cell).joints).frames for frame in pair} | {"lab"}
    known |= {frame for pair in (*ORBIT_FRAMES, *SERVO_FRAMES, *GRASP_FRAMES) for frame in pair}
    for panel in layout["configById"].values():
        assert {name.removeprefix("frame:") for name in panel.get("transforms", ())} <= known
        assert panel.get("followTf", "lab") in known


def test_the_camera_has_a_panel(layout: dict[str, Any]) -> None:
    shown = layout["configById"]["Image!camera"]["imageMode"]
    assert shown == {"imageTopic": "/camera/image", "calibrationTopic": "/camera/calibration"}
    assert set(shown.values()) <= TOPICS
    assert layout["configById"]["3D!arm"]["followTf"] in {parent for parent, _ in (*SERVO_FRAMES, *GRASP_FRAMES)}


def test_it_is_written_into_a_file_or_a_folder(tmp_path: Path) -> None:
    assert write_layout(tmp_path) == tmp_path / LAYOUT
    assert write_layout(tmp_path / "own.json").read_text("utf-8") == layout_text()
    with pytest.raises(BadInput, match="cannot be written"):
        write_layout(tmp_path / "nowhere" / "own.json")


def test_it_is_shipped() -> None:
    import tomllib

    data = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text())
    assert "ground/layouts/*.json" in data["tool"]["setuptools"]["package-data"]["proxops"]
