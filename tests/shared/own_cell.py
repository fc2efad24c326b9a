"""A user's own cell: two arms of three joints, one of them on a rail, as a TOML file and URDFs."""

from __future__ import annotations

from pathlib import Path

ARM = """<robot name="three">
  <link name="base"><collision><geometry><cylinder radius="0.1" length="0.2"/></geometry></collision></link>
  <joint name="J1" type="revolute"><parent link="base"/><child link="l1"/><origin xyz="0 0 0.2"/><axis xyz="0 0 1"/>
    <limit lower="-3" upper="3" velocity="1.5" acceleration="4"/></joint>
  <link name="l1"><collision><origin xyz="0 0 0.1"/><geometry><cylinder radius="0.06" length="0.2"/></geometry></collision></link>
  <joint name="J2" type="revolute"><parent link="l1"/><child link="l2"/><origin xyz="0 0 0.25"/><axis xyz="0 1 0"/>
    <limit lower="-2.5" upper="2.5" velocity="1.5" acceleration="4"/></joint>
  <link name="l2"><collision><origin xyz="0 0 0.2"/><geometry><box size="0.08 0.08 0.4"/></geometry></collision></link>
  <joint name="J3" type="revolute"><parent link="l2"/><child link="l3"/><origin xyz="0.1 0 0.45" rpy="0.2 0 0"/>
    <axis xyz="0 1 0.3"/><limit lower="-2.5" upper="2.5" velocity="2" acceleration="6"/></joint>
  <link name="l3"><collision><origin xyz="0 0 0.15"/><geometry><cylinder radius="0.04" length="0.3"/></geometry></collision>
  </link>
  <joint name="f" type="fixed"><parent link="l3"/><child link="tip"/><origin xyz="0 0 0.3"/></joint>
  <link name="tip"/>
</robot>"""

ROBOT = """
[robot{k}]
model = "three.urdf"
root = "base"
tip = "tip"
joints = ["J1", "J2", "J3"]
mount = {mount}
home_deg = [0.0, 20.0, 30.0]
repeatability_mm = 0.1
servo = {{ dead_time_ms = 4.0, time_constant_ms = 8.0, following_error_limit = 0.1 }}
"""

REST = """
[limits]
speed_share = 1.0
acceleration_share = 0.9
jump_axis_deg = 0.5
jog_rate_deg_s = 20.0
reduced_share = 0.5

[zones]
body_margin_mm = 20.0
yellow_layer_mm = 50.0
floor_z_m = -0.2

[[interlock]]
name = "estop"
kind = "estop"
[[interlock]]
name = "fence"
kind = "fence"
"""

RAIL = """
[rail]
model = "kl_1500.urdf"
origin_lab_m = [0.0, 0.0, 0.0]
home_m = 4.0
repeatability_mm = 0.02
servo = { dead_time_ms = 8.0, time_constant_ms = 40.0, following_error_limit = 0.10 }
"""

HEAD = 'name = "mine"\nkind = "arms"\n'
ALONE = HEAD + ROBOT.format(k=1, mount="{ xyz_m = [0.0, 0.0, 0.0] }") + REST
FACING = (
    HEAD + RAIL + ROBOT.format(k=1, mount='{ on = "rail", xyz_m = [0.0, 0.0, 0.1], abc_deg = [180.0, 0.0, 0.0] }')
    + ROBOT.format(k=2, mount="{ xyz_m = [0.0, 3.0, 0.0] }") + REST
)  # fmt: skip


def write_cell(folder: Path, text: str = ALONE, arm: str = ARM) -> Path:
    """The cell's file, with its model beside it."""
    (folder / "three.urdf").write_text(arm)
    path = folder / "mine.toml"
    path.write_text(text)
    return path
