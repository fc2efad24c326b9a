"""A user's mock-up: two links, made without anything of ours, beside a copy of the shipped cell that names it for robot 2."""

from pathlib import Path

import numpy as np

from proxops.lab.cell import builtin

OWN = """<robot name="cube">
  <link name="port">
    <inertial><origin xyz="-0.2 0 0"/><mass value="30"/><inertia ixx="1" ixy="0" ixz="0" iyy="1" iyz="0" izz="1"/></inertial>
    <visual><origin xyz="-0.2 0 0"/><geometry><box size="0.4 0.5 0.6"/></geometry></visual>
    <collision><origin xyz="-0.2 0 0"/><geometry><box size="0.4 0.5 0.6"/></geometry></collision>
  </link>
  <link name="panel">
    <inertial><mass value="10"/><inertia ixx="0.1" ixy="0" ixz="0" iyy="0.05" iyz="0" izz="0.05"/></inertial>
    <visual><geometry><box size="0.02 1 0.4"/></geometry></visual>
    <collision><geometry><box size="0.02 1 0.4"/></geometry></collision>
  </link>
  <joint name="root" type="fixed"><parent link="port"/><child link="panel"/><origin xyz="-0.2 0.9 0"/></joint>
</robot>"""
SHIPPED = 'model = "client_mockup.urdf"'


def own_cell(folder: Path, mockup: str = OWN, more: str = "") -> Path:
    """The cell's file, and the mock-up ``cube.urdf`` beside it; ``more`` keys of the payload's table."""
    (folder / "cube.urdf").write_text(mockup)
    cell = folder / "mine.toml"
    text = builtin("cells", "epos.toml").read_text()
    assert SHIPPED in text
    cell.write_text(text.replace(SHIPPED, f'model = "cube.urdf"{more}'))
    return cell


def write_stl(path: Path, corners: np.ndarray) -> None:
    """A binary STL of the tetrahedron with these corners (4, 3)."""
    faces = corners[[(0, 2, 1), (0, 1, 3), (0, 3, 2), (1, 2, 3)]].astype("<f4")
    rows = b"".join(bytes(12) + face.tobytes() + bytes(2) for face in faces)
    path.write_bytes(bytes(80) + len(faces).to_bytes(4, "little") + rows)
