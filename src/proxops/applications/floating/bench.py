"""What the micro-gravity testbed is made of, judged before anything moves."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from proxops.applications.floating.tables import FloatFile
from proxops.arms.model import ArmModel
from proxops.core.errors import BadInput
from proxops.core.floating_object import FloatingScene
from proxops.core.messages import PERIOD_S
from proxops.lab.redundant_arm import SrsArm
from proxops.lab.virtual_arm import ArmTraits
from proxops.maths.pose import compose, pose
from proxops.maths.rotation import Array, matrix_from_rotation_vector, quat_from_matrix
from proxops.sensors.force_torque import SensorTraits
from proxops.sensors.virtual_force_sensor import sensor_traits
from proxops.space.floating_solid import mass_properties
from proxops.touch.force_watch import StreamTraits, stream_traits
from proxops.touch.joint_plan import JointPlanner
from proxops.touch.push import Push
from proxops.touch.srs_model import srs_arm
from proxops.touch.tool_load import load_of

AT_LEAST_AHEAD: Final = 18  # cycles that physics may look ahead in one cycle, if no more are needed
SHORTEST_PLAN: Final = 12  # cycles of which a plan is worth something
PLANNED = 0.95  # share of speed and acceleration that set-points may use; the rest is the guard's
RATE_HZ: Final = round(1.0 / PERIOD_S)
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

    @property
    def lead(self) -> int:
        """Cycles by which set-points are ahead: the arm's own delay."""
        return round(self.traits.delay_s / PERIOD_S)

    @property
    def spacing(self) -> int:
        """Cycles between the poses of a plan's rows."""
        return max(1, round(self.file.plan.ahead_s / PERIOD_S / self.file.plan.rows))

    @property
    def cycles_foreseen(self) -> int:
        """By the physics in one cycle, at most. A push makes all of the future obsolete: one cycle must do for a plan of at least
        one row, beyond the arm's own delay."""
        return max(AT_LEAST_AHEAD, self.lead + max(self.spacing, SHORTEST_PLAN) + 1)

    def planner(self) -> JointPlanner:
        """Standing at the start."""
        plan = self.file.plan
        planner = JointPlanner(self.arm, self.T_world_base, self.T_flange_object, plan.columns, plan.rows, self.spacing)
        planner.start(self.joints)
        return planner

    def object_at(self, joints: Array) -> Array:
        """T_world_object when the arm stands at ``joints``."""
        return compose(compose(self.T_world_base, self.arm.flange(joints)), self.T_flange_object)


def prepare(file: FloatFile, model: ArmModel, source: Path, rng: np.random.Generator) -> FloatBench:
    """Everything that can be judged before anything moves."""
    hand = file.hand
    if len(hand.acceleration_rad_s2) != model.n or len(hand.jerk_rad_s3) != model.n:
        raise BadInput("hand.acceleration_rad_s2, hand.jerk_rad_s3: one number for each joint", bound=str(model.n))
    _judge_numbers(file)
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
        sensor_traits(file.sensor, rng), replace(stream_traits(file.sensor), rate_hz=file.sensor.rate_hz),
        tuple(_push(file, k) for k in range(len(file.push))),
    )  # fmt: skip


def _judge_numbers(file: FloatFile) -> None:
    """What no single key shows."""
    if file.plan.physics_hz % RATE_HZ:
        raise BadInput(
            "plan.physics_hz", value=file.plan.physics_hz, bound=f"multiples of {RATE_HZ}, the hall's cycles a second"
        )
    if file.sensor.source == "virtual" and file.sensor.rate_hz != RATE_HZ:
        raise BadInput(
            "sensor.rate_hz: the virtual sensor reads once a cycle", value=file.sensor.rate_hz, bound=f"{RATE_HZ}",
            way_out='leave it out, or source = "network"',
        )  # fmt: skip
    for k, push in enumerate(file.push):
        if not push.impulse_Ns and not any(push.twist_Nms):
            raise BadInput(f"push {k + 1}: neither impulse_Ns nor twist_Nms", value=0, bound="one of them")


def _push(file: FloatFile, k: int) -> Push:
    """The k-th one, if there is somebody to push and somebody to feel it."""
    table, key, end = file.push[k], f"push {k + 1}", SETTLE_S + file.flight_s
    if file.sensor.source == "network":
        raise BadInput(
            f"{key}: the force sensor is a real one, no virtual hand reaches it", way_out="leave the pushes out"
        )
    if not SETTLE_S <= table.at_s <= end - 1e-3 * table.duration_ms:
        raise BadInput(
            f"{key}.at_s: the module does not float then", value=table.at_s, bound=f"{SETTLE_S:g} … {end:g} s"
        )
    if table.impulse_Ns > 0.0 and not any(table.direction):
        raise BadInput(f"{key}.direction: none", value=list(table.direction), bound="a vector")
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
