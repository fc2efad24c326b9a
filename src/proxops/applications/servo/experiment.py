"""The experiment ``servo``: a hand led to a handrail by images of a marker, by direct laws and by the indirect servo.

All runs see the same station, the same drift at the start and the same noise in the images. Then once more with a
flight software whose model of the craft is off, because that is where laws with dynamics can lose.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from proxops.applications.servo.eye import Eye, Shown, open_camera
from proxops.applications.servo.result import INDIRECT, PICTURED, Runs, result_of, series_of
from proxops.applications.servo.run import Servo, ServoBench, Station
from proxops.applications.servo.side_by_side import SideBySide, empty_rows
from proxops.applications.servo.tables import GuidanceTable, ServoFile, TrackTable
from proxops.applications.servo.viewer import ServoViewer
from proxops.arms.dynamics import Dynamics
from proxops.arms.model import ArmModel, Floats, load_model
from proxops.arms.model_error import mistaken
from proxops.core.experiment import Experiment
from proxops.core.experiment_result import LEAST_ROWS, ExperimentResult, Progress
from proxops.facility.interruption import noted_interrupt
from proxops.ground.row_stream import RowStream
from proxops.maths.pose import pose
from proxops.maths.quaternion import rotation_vector
from proxops.maths.rotation import matrix_from_rotation_vector, quat_from_matrix
from proxops.onboard.indirect_servo import IndirectServo
from proxops.onboard.marker_track import TrackSettings
from proxops.onboard.path_preview import Preview, preview
from proxops.onboard.pose_path import PosePath
from proxops.onboard.task_controller import TaskController, TaskGains, check_damping
from proxops.onboard.visual_guidance import GuidanceSettings, VisualGuidance
from proxops.onboard.visual_servo import DirectServo, camera_on_base
from proxops.sensors.marker_camera import MarkerCamera

FACING = np.array([[0.0, 0.0, -1.0], [-1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])  # R_base_marker: upright, facing the robot
LOG_HZ = 100.0


@dataclass(frozen=True, eq=False)
class Setting:
    """What all runs share."""

    file: ServoFile
    craft: ArmModel
    start: Floats  # joints
    posture: Floats
    station: Station
    ahead: Preview

    @property
    def every(self) -> int:
        """Cycles for each row of the log."""
        return max(1, round(self.file.rate_hz / LOG_HZ))

    @property
    def dt(self) -> float:
        return 1.0 / self.file.rate_hz


def run(
    experiment: Experiment, progress: Progress, seed: int | None = None, stream: RowStream | None = None
) -> ExperimentResult:
    """``seed``: of the images' noise. Ctrl-C ends it as a failure: what the servos have by then is kept. ``stream``: for the rows
    with the right model, and a camera's images."""
    setting = prepared(experiment)
    file, noise = setting.file, setting.file.seed if seed is None else seed
    with open_camera(file) as camera, noted_interrupt() as stopped:
        runs = _Runs(setting, camera, noise, stopped, progress)
        right = runs.right(stream)
        interrupted = any(one.interrupted for one in right.values())
        return result_of(file, setting.craft, setting.ahead, setting.every, right, {} if interrupted else runs.wrong())


class _Runs:
    """All of them. Those with the right model go side by side, those with the wrong one, of which no rows are kept, in turn."""

    def __init__(
        self, setting: Setting, camera: MarkerCamera, seed: int, stopped: Callable[[], bool], progress: Progress
    ) -> None:
        self._setting, self._camera, self._seed, self._stopped = setting, camera, seed, stopped
        self._names, self._progress = names_of(setting.file), progress
        self._all_s = len(self._names) * setting.file.end_s * (1 if setting.file.wrong_model is None else 2)

    def right(self, stream: RowStream | None) -> Runs:
        """KeyboardInterrupt if they are interrupted before there is anything to tell."""
        setting, names = self._setting, self._names
        file, every = setting.file, setting.every
        cycles = round(file.end_s * file.rate_hz)
        rows, viewer = (
            empty_rows(names, setting.craft.n, cycles, every, file.rate_hz),
            ServoViewer(file.camera, setting.station),
        )
        pictured = PICTURED if PICTURED in names else names[0]
        benches = {
            name: self._bench(name, setting.craft, rows[name], viewer.image if name == pictured else _unseen)
            for name in names
        }

        def tell(cycle: int) -> None:
            self._progress("right model", len(names) * cycle * setting.dt, self._all_s)

        together = SideBySide(benches, rows, lambda rows: series_of(names, setting.craft.n, rows), every, pictured)
        together.run(cycles, self._stopped, tell, stream, viewer)
        out = {name: bench.told() for name, bench in benches.items()}
        if any(one.interrupted and np.isfinite(one.record[:, -1]).sum() < LEAST_ROWS for one in out.values()):
            raise KeyboardInterrupt
        return out

    def wrong(self) -> Runs:
        """Up to one that was interrupted."""
        setting, table, out = self._setting, self._setting.file.wrong_model, Runs()
        if table is None:
            return out
        belief = mistaken(setting.craft, table.share, np.random.default_rng(table.seed))
        cycles = round(setting.file.end_s * setting.file.rate_hz)
        for count, name in enumerate(self._names, len(self._names)):
            self._progress(f"{name}, wrong model", count * setting.file.end_s, self._all_s)
            record = empty_rows([name], setting.craft.n, cycles, setting.every, setting.file.rate_hz)[name]
            out[name] = self._bench(name, belief, record, _unseen).run(self._stopped)
            if out[name].interrupted:
                break
        return out

    def _bench(self, name: str, belief: ArmModel, record: Floats, shown: Shown) -> ServoBench:
        """``belief``: the flight software's model."""
        setting, station = self._setting, self._setting.station
        eye = Eye(setting.file, self._camera, station.T_inertial_marker, station.T_marker_grasp, self._seed, shown)
        servo, q = servo_of(setting, name, belief), setting.craft.configuration(setting.start)
        return ServoBench(setting.file, setting.craft, q, station, servo, eye, setting.every, record)


def _unseen(t: float, image: NDArray[np.uint8]) -> None:
    """No viewer looks on."""


def prepared(experiment: Experiment) -> Setting:
    """Everything checked before the first run: the way to where the grasp is at the start must be open."""
    file = experiment.file
    assert isinstance(file, ServoFile)
    craft = load_model(experiment.model_path(), file.arm.tool, file.arm.joints)
    start = craft.angles(file.start_deg, "start_deg")
    posture = start if file.posture_deg is None else craft.angles(file.posture_deg, "posture_deg")
    station = station_of(file, craft)
    q, way = craft.configuration(start), np.zeros(3)
    hand = hand_at(craft, start)
    goal = station.T_inertial_grasp
    rotation_vector(quat_from_matrix(np.ascontiguousarray(goal[:3, :3] @ hand[:3, :3].T)), way)
    still, end = np.zeros(3), goal[:3, 3] - hand[:3, 3]
    path = PosePath(
        hand[:3, 3],
        hand[:3, :3],
        np.array([0.0, file.guidance.arrive_s]),
        np.array([still, end]),
        np.array([still, way]),
    )
    setting = Setting(file, craft, start, posture, station, preview(craft, q, path, posture))
    for name in names_of(file):
        if name != INDIRECT:
            check_damping(_controller(setting, name, craft), setting.ahead.inertia)
    return setting


def names_of(file: ServoFile) -> list[str]:
    direct = [f"law {row.number}" for row in file.law]
    return direct if file.indirect is None else [*direct, INDIRECT]


def station_of(file: ServoFile, craft: ArmModel) -> Station:
    """Inertial axes: those of the base at the start."""
    turn = matrix_from_rotation_vector(np.radians(file.marker.turn_deg))
    T_inertial_marker = pose(np.ascontiguousarray(turn @ FACING), np.array(file.marker.place_m))
    T_marker_grasp = pose(matrix_from_rotation_vector(np.radians(file.grasp.turn_deg)), np.array(file.grasp.place_m))
    return Station(T_inertial_marker, T_marker_grasp, camera_on_base(craft, file.camera.frame))


def servo_of(setting: Setting, name: str, belief: ArmModel) -> Servo:
    file, station, start = setting.file, setting.station, setting.start
    hand, track = hand_at(belief, start), track_of(file.track, on_base=name == INDIRECT)
    guidance = VisualGuidance(
        guidance_of(file.guidance), track, station.T_base_camera, station.T_marker_grasp, hand[:3, 3], hand[:3, :3],
        setting.dt,
    )  # fmt: skip
    if name != INDIRECT:
        return DirectServo(_controller(setting, name, belief), guidance, start)
    assert file.indirect is not None
    drive = 2.0 * np.pi * file.indirect.drive_hz
    return IndirectServo(belief, guidance, start, setting.dt, gain=file.indirect.gain_1_s, drive_rad_s=drive)


def _controller(setting: Setting, name: str, belief: ArmModel) -> TaskController:
    row = next(row for row in setting.file.law if f"law {row.number}" == name)
    return TaskController(belief, row.number, TaskGains.of(row), setting.posture, setting.dt)


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


def hand_at(model: ArmModel, joints: Floats) -> Floats:
    """T_base_hand (4, 4)."""
    dynamics = Dynamics(model)
    dynamics.update(model.configuration(joints), np.zeros(model.pin.nv))
    return pose(np.ascontiguousarray(dynamics.R), dynamics.p)
