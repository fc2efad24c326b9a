"""The flight software of a servo, from the scenario: one of the direct laws, or the indirect one."""

from __future__ import annotations

import numpy as np

from proxops.applications.servo.result import INDIRECT
from proxops.applications.servo.run import VisualServo
from proxops.applications.servo.setting import ServoSetting, controller_of, hand_at
from proxops.applications.servo.tables import GuidanceTable, TrackTable
from proxops.arms.model import ArmModel
from proxops.onboard.indirect_servo import IndirectServo
from proxops.onboard.marker_track import TrackSettings
from proxops.onboard.visual_guidance import GuidanceSettings, VisualGuidance
from proxops.onboard.visual_servo import DirectServo


def servo_of(setting: ServoSetting, name: str, belief: ArmModel) -> VisualServo:
    """``belief``: its model of the craft."""
    file, station, start = setting.file, setting.station, setting.start
    hand, track = hand_at(belief, start), track_of(file.track, on_base=name == INDIRECT)
    guidance = VisualGuidance(
        guidance_of(file.guidance), track, station.T_base_camera, station.T_marker_grasp, hand[:3, 3], hand[:3, :3],
        setting.dt,
    )  # fmt: skip
    if name != INDIRECT:
        return DirectServo(controller_of(setting, name, belief), guidance, start)
    assert file.indirect is not None
    drive = 2.0 * np.pi * file.indirect.drive_hz
    return IndirectServo(belief, guidance, start, setting.dt, gain=file.indirect.gain_1_s, drive_rad_s=drive)


def guidance_of(table: GuidanceTable) -> GuidanceSettings:
    return GuidanceSettings(
        table.arrive_s, table.look_s, table.horizon_s, table.gap_s, table.stop_s, table.speed_m_s,
        float(np.radians(table.turn_deg_s)),
    )  # fmt: skip


def track_of(table: TrackTable, *, on_base: bool) -> TrackSettings:
    """``on_base``: the marker is tracked in the base's frame, where it moves with every motion of the arm."""
    wander = (table.base_wander_m_s2, table.base_wander_deg_s2) if on_base else (table.wander_m_s2, table.wander_deg_s2)
    pairs = ((table.noise_m, table.noise_deg), (table.drift_m_s, table.drift_deg_s), wander)
    noise, drift, wandering = ((metres, float(np.radians(degrees))) for metres, degrees in pairs)
    return TrackSettings(noise, drift, wandering)
