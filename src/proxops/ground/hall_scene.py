"""The hall as MuJoCo sees it: rail, both robots and their mock-ups, posed by thirteen axes and only drawn.

Nothing moves by physics here. Positions are metres in the lab frame (docs/frames.md). The machines come from
`lab/models/*.urdf`; floor, fence, walls and lamps around them from `hall_scenery`.
"""

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import proxops.lab
from proxops.ground import hall_scenery

MODELS = Path(proxops.lab.__file__).parent / "models"
BASE_PLANE_Z = -1.5  # mounting faces of both robots: the lab origin is 1500 mm above (paper, section 2.2.3)
FLOOR_Z = BASE_PLANE_Z - 0.356  # carriage height of the rail, see lab/models/kl_1500.urdf
BASE2_Y = 1.5  # robot 2 beside the rail: middle of its Table 3 range -1 … +4 m
AXIS_NAMES = ("rail/e1", *(f"robot1/a{i}" for i in range(1, 7)), *(f"robot2/a{i}" for i in range(1, 7)))
DRAWN_GROUPS = (
    1,
    hall_scenery.GROUP,
)  # URDF import puts visual shapes in group 1, collision shapes in group 0

_YAW_180 = (0.0, 0.0, 0.0, 1.0)  # MuJoCo quaternions are scalar first


def build_hall(
    T_flange_port1: NDArray[np.float64], T_flange_port2: NDArray[np.float64], width: int, height: int
) -> Any:
    """The compiled `mujoco.MjModel` with room for pictures of `width` x `height` pixels."""
    import mujoco

    spec = mujoco.MjSpec()
    spec.modelname = "hall"
    _set_look(spec, width, height)
    hall_scenery.add_scenery(mujoco, spec, FLOOR_Z)
    hall_scenery.add_pedestal(mujoco, spec, (0.0, BASE2_Y), FLOOR_Z, BASE_PLANE_Z)
    _add_machines(mujoco, spec)
    _attach(
        mujoco,
        spec,
        _frame_at(mujoco, spec.body("robot1/flange"), T_flange_port1),
        "servicer_mockup",
        "servicer/",
    )
    _attach(
        mujoco,
        spec,
        _frame_at(mujoco, spec.body("robot2/flange"), T_flange_port2),
        "client_mockup",
        "client/",
    )
    return spec.compile()


def _add_machines(mujoco: Any, spec: Any) -> None:
    """Rail, robot 1 yawed by 180° on its carriage, robot 2 on its pedestal."""
    world = spec.worldbody
    _attach(mujoco, spec, world.add_frame(pos=(0.0, 0.0, BASE_PLANE_Z)), "kl_1500", "rail/")
    _attach(mujoco, spec, spec.body("rail/carriage").add_frame(quat=_YAW_180), "kr_100_ha", "robot1/")
    _attach(mujoco, spec, world.add_frame(pos=(0.0, BASE2_Y, BASE_PLANE_Z)), "kr_240_2", "robot2/")


def _attach(mujoco: Any, spec: Any, frame: Any, model: str, prefix: str) -> None:
    spec.attach(mujoco.MjSpec.from_file(str(MODELS / f"{model}.urdf")), prefix=prefix, frame=frame)


def _frame_at(mujoco: Any, body: Any, T_body_frame: NDArray[np.float64]) -> Any:
    quat = np.empty(4)
    mujoco.mju_mat2Quat(quat, np.ascontiguousarray(T_body_frame[:3, :3], dtype=np.float64).ravel())
    return body.add_frame(pos=T_body_frame[:3, 3], quat=quat)


def _set_look(spec: Any, width: int, height: int) -> None:
    """Dark hall, soft headlight, sharp shadows near robot 2; the offscreen buffer fits the picture."""
    look = spec.visual
    look.global_.offwidth, look.global_.offheight = width, height
    look.global_.fovy = 36.0
    look.quality.shadowsize, look.quality.offsamples = 8192, 4
    look.headlight.ambient = (0.24, 0.24, 0.25)
    look.headlight.diffuse = (0.34, 0.34, 0.34)
    look.headlight.specular = (0.05, 0.05, 0.05)
    spec.stat.extent, spec.stat.center = 6.0, (3.0, 0.5, -0.5)
    look.map.znear, look.map.zfar, look.map.shadowclip = 0.01, 20.0, 2.0  # in units of the extent
