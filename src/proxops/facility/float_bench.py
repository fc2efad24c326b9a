"""What the micro-gravity testbed is made of, judged before anything moves."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from proxops.arms.model import ArmModel
from proxops.core.errors import BadInput
from proxops.core.experiment_float import FloatFile, PushTable
from proxops.core.floating_object import FloatingScene
from proxops.core.messages import PERIOD_S
from proxops.facility.virtual_force_sensor import sensor_traits, stream_traits
from proxops.lab.redundant_arm import SrsArm
from proxops.lab.virtual_arm import ArmTraits
from proxops.maths.pose import compose, pose
from proxops.maths.rotation import Array, matrix_from_rotation_vector, quat_from_matrix
from proxops.sensors.force_torque import SensorTraits
from proxops.space.floating_solid import mass_properties
from proxops.touch.force_watch import StreamTraits
from proxops.touch.push import Push
from proxops.touch.srs_model import srs_arm
from proxops.touch.tool_load import load_of

PLANNED = 0.95  # share of speed and acceleration that set-points may use; the rest is the guard's
SETTLE_S = 1.0  # standing still, before the module is let go: the sensor's zero is found


@dataclass(frozen=True, eq=False)
class FloatBench:
    """``load``: believed parameters of what hangs on the sensor, whose frame is the flange's."""

    file: FloatFile
    arm: SrsArm
    joints: Array
    T_world_base: Array
    T_flange_object: Array
    scene: FloatingScene
    com: Array  # mass centre of the module in its frame
    load: Array
    traits: ArmTraits
    sensor: SensorTraits
    stream: StreamTraits
    pushes: tuple[Push, ...]

    @property
    def twin_traits(self) -> ArmTraits:
        """The arm as it is believed: no encoders, a lag that is a little off."""
        return replace(
            self.traits, lag_s=self.traits.lag_s * (1.0 + self.file.hand.lag_error), encoder_step=0.0, encoder_noise=0.0
        )

    def object_at(self, joints: Array) -> Array:
        """T_world_object when the arm stands at ``joints``."""
        return compose(compose(self.T_world_base, self.arm.flange(joints)), self.T_flange_object)


def prepare(file: FloatFile, model: ArmModel, source: Path, rng: np.random.Generator) -> FloatBench:
    """Everything that can be judged before anything moves."""
    hand = file.hand
    if len(hand.acceleration_rad_s2) != model.n or len(hand.jerk_rad_s3) != model.n:
        raise BadInput("hand.acceleration_rad_s2, hand.jerk_rad_s3: one number for each joint", bound=str(model.n))
    whole = srs_arm(model, np.array(hand.acceleration_rad_s2), np.array(hand.jerk_rad_s3))
    arm = replace(whole, speed=PLANNED * whole.speed, acceleration=PLANNED * whole.acceleration)
    joints = model.angles(hand.start_deg, "hand.start_deg")
    T_world_base = pose(matrix_from_rotation_vector(np.radians(hand.base_turn_deg)), np.array(hand.base_m))
    T_flange_object = pose(matrix_from_rotation_vector(np.radians(hand.grip_turn_deg)), np.array(hand.grip_m))
    T_world_object = compose(compose(T_world_base, arm.flange(joints)), T_flange_object)
    scene = _scene(file, T_world_object, source)
    com, _ = mass_properties(scene, 0)
    traits = ArmTraits(
        arm.joints, arm.lower, arm.upper, whole.speed, whole.acceleration, PERIOD_S, hand.lag_ms * 1e-3, hand.dead_cycles,
    )  # fmt: skip
    return FloatBench(
        file, arm, joints, T_world_base, T_flange_object, scene, com, load_of(file.mock_up, "mock_up").parameters, traits,
        sensor_traits(file.sensor, rng), stream_traits(file.sensor), tuple(_push(table) for table in file.push),
    )  # fmt: skip


def _push(table: PushTable) -> Push:
    return Push(
        table.at_s, table.direction, table.impulse_Ns, table.duration_ms * 1e-3, table.counter_share, lever_m=table.lever_m,
        twist_Nms=table.twist_Nms,
    )  # fmt: skip


def _scene(file: FloatFile, T_world_object: Array, source: Path) -> FloatingScene:
    """The module begins where the arm holds it: its own place and turn in the file are added to that."""
    offset = matrix_from_rotation_vector(np.radians(file.object.turn_deg))
    if any(file.object.place_m) or not np.allclose(offset, np.eye(3)):
        raise BadInput(
            "object.place_m, object.turn_deg: the arm says where the module is", value=list(file.object.place_m),
            way_out="leave them out and use hand.start_deg, hand.grip_m",
        )  # fmt: skip
    q = quat_from_matrix(T_world_object[:3, :3].copy())
    angle = 2.0 * math.acos(min(1.0, max(-1.0, float(q[0]))))
    axis = q[1:] / max(float(np.linalg.norm(q[1:])), 1e-12)
    turn = tuple(float(x) for x in np.degrees(angle * axis))
    place = tuple(float(x) for x in T_world_object[:3, 3])
    module = file.object.model_copy(update={"place_m": place, "turn_deg": turn})
    return FloatingScene((module,), file.obstacle, file.box, source)
