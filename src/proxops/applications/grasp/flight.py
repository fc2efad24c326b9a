"""The flight software of a grasp, from the scenario and what was judged beforehand."""

from __future__ import annotations

import numpy as np

from proxops.applications.grasp.setting import GraspSetting
from proxops.applications.grasp.tables import GraspFile
from proxops.arms.gripper import with_load
from proxops.maths.pose import inverse_pose, pose
from proxops.onboard.grasp_controller import CatchSettings, GraspController
from proxops.onboard.intercept import Intercept, InterceptSettings
from proxops.onboard.marker_track import TrackSettings

WANDER = (0.002, np.radians(0.1))  # m/s2, rad/s2: of a free body in a tracker that takes its turn as steady


def flight_of(setting: GraspSetting) -> GraspController:
    """It knows the handle's mass and shape as the scenario has them, not its motion."""
    file, bar = setting.file, setting.file.handle.bar
    T_body_bar = pose(np.ascontiguousarray(bar.R_body_bar), np.array(bar.place_m))
    loaded = with_load(setting.armed, file.handle.mass_kg, file.handle.inertia, inverse_pose(T_body_bar))
    return GraspController(catch_of(file), setting.controller, intercept_of(setting), loaded)


def catch_of(file: GraspFile) -> CatchSettings:
    return CatchSettings(
        file.timing.close_s, file.timing.hold_s, file.handle.bar.thickness_m, file.gripper.force_n, file.limit.force_n,
        file.limit.torque_n_m, file.damping.time_s, file.damping.soft_s,
    )  # fmt: skip


def intercept_of(setting: GraspSetting) -> Intercept:
    file, hand = setting.file, setting.hand
    approach, timing, bar, sight = file.approach, file.timing, file.handle.bar, file.sight
    settings = InterceptSettings(
        pose(np.ascontiguousarray(bar.R_body_bar), np.array(bar.place_m)), timing.stand_off_s, timing.arrive_s,
        approach.stand_off_m, approach.closing_m_s, approach.follow_m, approach.look_s, approach.horizon_s, 1.0 / sight.rate_hz,
    )  # fmt: skip
    noise = (max(sight.noise_m, 1e-6), max(float(np.radians(sight.noise_deg)), 1e-6))
    track = TrackSettings(noise, (sight.drift_m_s, float(np.radians(sight.drift_deg_s))), WANDER)
    return Intercept(settings, track, hand[:3, 3], hand[:3, :3])
