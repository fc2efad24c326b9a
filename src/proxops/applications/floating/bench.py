"""What the micro-gravity testbed is made of, judged before anything moves."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import numpy as np

from proxops.applications.floating.module_sensor import ModuleSensor, module_sensor
from proxops.applications.floating.scene import judge_numbers, pushes_of, scene_of
from proxops.applications.floating.tables import FloatFile
from proxops.arms.model import ArmModel
from proxops.core.floating_object import FloatingScene
from proxops.core.messages import PERIOD_S
from proxops.lab.redundant_arm import SrsArm
from proxops.lab.virtual_arm import ArmTraits
from proxops.maths.pose import compose, pose
from proxops.maths.rotation import Array, matrix_from_rotation_vector
from proxops.safety.braking import braking_time
from proxops.touch.joint_plan import JointPlanner
from proxops.touch.push import Push
from proxops.touch.srs_model import srs_arm

AT_LEAST_AHEAD: Final = 18  # cycles that physics may look ahead in one cycle, if no more are needed
SHORTEST_PLAN: Final = 12  # cycles of which a plan is worth something
PLANNED = 0.95  # share of speed and acceleration that set-points may use; the rest is the guard's
LAGS_TO_REST: Final = 20.0  # time constants after which nothing is left of a motion


@dataclass(frozen=True, eq=False)
class FloatBench:
    """Of the scenario ``file``: the arm that shows the module's motion, the module, the sensor between them."""

    file: FloatFile
    model: ArmModel
    arm: SrsArm
    joints: Array
    T_world_base: Array
    T_flange_object: Array
    scene: FloatingScene
    com: Array  # mass centre of the module in its frame
    traits: ArmTraits
    sensor: ModuleSensor
    pushes: tuple[Push, ...]

    @property
    def load(self) -> Array:
        """Believed parameters of what hangs on the sensor."""
        return self.sensor.load

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

    def time_to_rest(self, moving_s: float) -> float:
        """s, from the greatest speed that the arm can have reached in ``moving_s``."""
        traits = self.traits
        fastest = np.minimum(traits.speed, traits.acceleration * moving_s)
        return braking_time(fastest, traits.acceleration) + traits.delay_s + LAGS_TO_REST * traits.lag_s

    def planner(self) -> JointPlanner:
        """Standing at the start."""
        plan = self.file.plan
        planner = JointPlanner(self.arm, self.T_world_base, self.T_flange_object, plan.columns, plan.rows, self.spacing)
        planner.start(self.joints)
        return planner

    def object_at(self, joints: Array) -> Array:
        """T_world_object when the arm stands at ``joints``."""
        return compose(compose(self.T_world_base, self.arm.flange(joints)), self.T_flange_object)

    def shown_by(self, joints: Array) -> tuple[Array, Array, Array, Array, Array]:
        """What ``put_object`` takes for the same, but for its answer."""
        return self.T_world_base, self.arm.lengths, self.arm.signs, joints, self.T_flange_object


def prepare(file: FloatFile, model: ArmModel, source: Path, rng: np.random.Generator) -> FloatBench:
    """Everything that can be judged before anything moves."""
    hand = file.hand
    judge_numbers(file, model.n)
    whole = srs_arm(model, np.array(hand.acceleration_rad_s2), np.array(hand.jerk_rad_s3))
    arm = replace(whole, speed=PLANNED * whole.speed, acceleration=PLANNED * whole.acceleration)
    joints = model.angles(hand.start_deg, "hand.start_deg")
    T_world_base = pose(matrix_from_rotation_vector(np.radians(hand.base_turn_deg)), np.array(hand.base_m))
    T_flange_object = pose(matrix_from_rotation_vector(np.radians(hand.grip_turn_deg)), np.array(hand.grip_m))
    T_world_object = compose(compose(T_world_base, arm.flange(joints)), T_flange_object)
    scene, com = scene_of(file, T_world_object, T_flange_object[2, :3], source)
    traits = ArmTraits(
        arm.joints, arm.lower, arm.upper, whole.speed, whole.acceleration, PERIOD_S, hand.lag_ms * 1e-3, hand.dead_cycles,
    )  # fmt: skip
    sensor = module_sensor(file, model, joints, rng)
    return FloatBench(
        file, model, arm, joints, T_world_base, T_flange_object, scene, com, traits, sensor, pushes_of(file)
    )  # fmt: skip
