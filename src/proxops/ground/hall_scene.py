"""The hall as MuJoCo sees it: rail, both robots and their mock-ups, posed by thirteen axes and only drawn.

Nothing moves by physics here. Positions are metres in the lab frame (docs/frames.md). The machines come from
`lab/models/*.urdf` or beside the cell, mock-ups by `mockup_scene`; floor, fence, walls and lamps around them from `hall_scenery`.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from proxops.ground import hall_scenery
from proxops.ground.mockup_scene import DRAWN_GROUP, mount_mockups, placed
from proxops.lab import hall_plan
from proxops.lab.cell import Cell, model_path

CARRIAGE_HEIGHT = 0.356  # of the rail's carriage above the floor, see lab/models/kl_1500.urdf [m]
AXIS_NAMES = ("rail/e1", *(f"robot1/a{i}" for i in range(1, 7)), *(f"robot2/a{i}" for i in range(1, 7)))
DRAWN_GROUPS = (DRAWN_GROUP, hall_scenery.GROUP)
BACKGROUND = hall_scenery.BACKGROUND


def build_hall(cell: Cell, width: int, height: int) -> Any:
    """The compiled `mujoco.MjModel` with room for pictures of `width` x `height` pixels."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.modelname = "hall"
    _set_look(spec, width, height)
    T_lab_base1, T_lab_base2 = cell.hall["base1"][0], cell.hall["base2"][0]
    floor_z = T_lab_base1[2, 3] - CARRIAGE_HEIGHT
    lamp = hall_plan.lamp_beam(T_lab_base2[:3, 3], cell.file.lamp.towards_lab)
    hall_scenery.add_scenery(mujoco, spec, floor_z, cell.file.zones.fence, lamp)
    hall_scenery.add_pedestal(mujoco, spec, tuple(T_lab_base2[:2, 3]), floor_z, T_lab_base2[2, 3])
    T_lab_rail, T_rail_base1 = T_lab_base1.copy(), T_lab_base1.copy()
    T_lab_rail[:3, :3], T_rail_base1[:3, 3] = np.eye(3), 0.0
    file, source = cell.file, cell.source
    _attach(mujoco, spec, spec.worldbody, T_lab_rail, model_path(source, file.rail.model), "rail/")
    carriage = spec.body("rail/carriage")
    _attach(mujoco, spec, carriage, T_rail_base1, model_path(source, file.robot1.model), "robot1/")
    _attach(mujoco, spec, spec.worldbody, T_lab_base2, model_path(source, file.robot2.model), "robot2/")
    mount_mockups(mujoco, spec, cell)
    return spec.compile()


def _attach(mujoco: Any, spec: Any, body: Any, T_body_model: NDArray[np.float64], path: Path, prefix: str) -> None:
    frame = body.add_frame(**placed(mujoco, T_body_model))
    spec.attach(mujoco.MjSpec.from_file(str(path)), prefix=prefix, frame=frame)


def _set_look(spec: Any, width: int, height: int) -> None:
    """Dark hall, soft headlight, sharp shadows near robot 2; the offscreen buffer fits the picture."""
    look = spec.visual
    look.global_.offwidth, look.global_.offheight = width, height
    look.global_.fovy = 36.0
    look.quality.shadowsize, look.quality.offsamples = 4096, 0  # pictures are drawn finer than they are shown
    look.headlight.ambient = (0.24, 0.24, 0.25)
    look.headlight.diffuse = (0.34, 0.34, 0.34)
    look.headlight.specular = (0.05, 0.05, 0.05)
    spec.stat.extent, spec.stat.center = 6.0, (3.0, 0.5, -0.5)
    look.map.znear, look.map.zfar, look.map.shadowclip = 0.01, 20.0, 2.0  # in units of the extent
