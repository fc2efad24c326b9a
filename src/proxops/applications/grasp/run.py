"""One catch: the world as it is, sensors with noise, flight software with measurements only; what is recorded of it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.applications.grasp.sensors import GraspSensors
from proxops.applications.grasp.tables import GraspFile
from proxops.applications.grasp.viewer import GraspViewer
from proxops.applications.grasp.world import GraspWorld, WorldSnapshot
from proxops.arms.model import N_BASE, N_BASE_Q, ArmModel, Floats
from proxops.core.experiment_result import LEAST_ROWS, Progress, Series
from proxops.core.grasp_measurement import GraspCommand
from proxops.ground.row_stream import Rows, RowStream
from proxops.maths.quaternion import cross, way_between
from proxops.maths.rotation import quat_from_matrix
from proxops.onboard.grasp_controller import GraspController
from proxops.onboard.grasp_phases import GraspPhase
from proxops.space.free_floating import Diverged

XYZ: Final = ("x", "y", "z")
LOG_HZ: Final = 250.0
Columns = tuple[tuple[str, str], ...]


def _vector(name: str, unit: str) -> Columns:
    return tuple((f"{name}_{axis}", unit) for axis in XYZ)


def groups(n: int) -> dict[str, tuple[str, Columns]]:
    """Name → meaning and columns of each group of the log, in the order of a row."""
    joints = tuple((f"{name}_{i}", unit) for name, unit in (("angle", "rad"), ("rate", "rad/s"), ("torque", "N m"))
                   for i in range(1, n + 1))  # fmt: skip
    return {
        "relative": (
            "bar as seen from the hand, its axes; speed and turn rate between them",
            (*_vector("bar", "m"), ("distance", "m"), ("turn", "deg"), ("speed", "m/s"), ("turn_rate", "deg/s")),
        ),
        "contact": (
            "forces on handle and craft, each from its own momentum, mean since the last row, inertial axes; normal forces",
            (*_vector("on_handle", "N"), *_vector("on_craft", "N"), ("finger_1", "N"), ("finger_2", "N"), ("palm", "N"),
             ("elsewhere", "N"), ("wrist", "N"), ("jaw", "N"), ("opening", "m"), ("depth", "m")),
        ),
        "base": (
            "the satellite: way and turn from its start, what the arm does to it",
            (*_vector("move", "m"), *_vector("turn", "deg"), *_vector("force", "N"), *_vector("torque", "N m")),
        ),
        "balance": (
            "momentum of everything against the start, energy against the work done",
            (*_vector("linear", "N s"), *_vector("angular", "N m s"), ("energy", "J"), ("work", "J"), ("excess", "J")),
        ),
        "handle": ("motion of the bar's middle, inertial axes", (*_vector("speed", "m/s"), *_vector("turn_rate", "rad/s"))),
        "arm": ("joints", joints),
        "state": ("phase of the flight software", (("phase", ""),)),
    }  # fmt: skip


def row_dtype(n: int) -> np.dtype[np.void]:
    """Of the rows: their time, and all columns of all groups."""
    return np.dtype([("t", "f8"), ("record", "f8", (sum(len(columns) for _, columns in groups(n).values()),))])


def series_of(n: int, record: Floats) -> tuple[Series, ...]:
    """``record``: (rows, all columns)."""
    out, at = [], 0
    for name, (meaning, columns) in groups(n).items():
        out.append(Series(name, meaning, columns, record[:, at : at + len(columns)]))
        at += len(columns)
    return tuple(out)


@dataclass(frozen=True, eq=False)
class GraspRun:
    """``record``: (rows, all columns); ``places``: (rows, nq) of MuJoCo, for pictures."""

    t: Floats
    record: Floats
    places: Floats
    phases: tuple[tuple[float, GraspPhase], ...]
    cause: str
    failure: str
    interrupted: bool  # by the operator, before its end
    first: WorldSnapshot
    last: WorldSnapshot
    scale: tuple[float, float]  # N s, N m s: greatest momentum of handle or base in the run
    torque_share: float
    rate_share: float
    margin_rad: float
    force_n: float  # greatest on the handle, mean of one cycle
    touched_s: float | None  # first contact
    steps: int


class GraspBench:
    """Everything of one run; ``run`` once."""

    def __init__(
        self, file: GraspFile, craft: ArmModel, world: GraspWorld, sensors: GraspSensors, flight: GraspController
    ) -> None:
        self._file, self._craft, self._world, self._sensors, self._flight = file, craft, world, sensors, flight
        self._cycles = round(file.end_s * file.rate_hz)
        self._every = max(1, round(file.rate_hz / LOG_HZ))
        self._first = self._before = world.survey()
        self._start = world.q
        self._scale, self._shares = np.zeros(2), np.array([0.0, 0.0, np.inf])
        self._force = 0.0
        self._touched: float | None = None
        self._rows: Rows = np.full(self._cycles // self._every + 1, np.nan, row_dtype(craft.n))
        self._rows["t"] = self._every * world.cycle_s * np.arange(len(self._rows), dtype=np.float64)

    def run(
        self, progress: Progress, stopped: Callable[[], bool] = lambda: False, stream: RowStream | None = None,
        viewer: GraspViewer | None = None,
    ) -> GraspRun:  # fmt: skip
        """To the end of the time, until the physics diverge, or it is ``stopped``; KeyboardInterrupt if nothing is there yet.
        ``stream``: for rows as they come, with what the ``viewer`` sees."""
        world, every = self._world, self._every
        rows, places = self._rows["record"], []
        failure, interrupted, count, wrist = "", False, 0, 0.0
        for i in range(self._cycles + 1):
            measured = self._sensors.read(world)
            command = self._flight.step(measured)
            wrist = max(wrist, float(np.linalg.norm(measured.wrist[:3])))
            if i % every == 0:
                rows[count], wrist = self._row(command, wrist), 0.0
                places.append(world.data.qpos.copy())
                count += 1
                if viewer is not None:
                    viewer.look(float(self._rows["t"][count - 1]), self._before)
                if stream is not None:
                    if count == LEAST_ROWS:  # with fewer there is nothing to tell
                        stream.begin(self._rows.dtype, self._series_of, viewer.feed if viewer else None)
                    stream.take(self._rows[:count])
            self._watch(command)
            if i == self._cycles:
                break
            if stopped():
                if count < LEAST_ROWS:
                    raise KeyboardInterrupt
                failure, interrupted = f"interrupted after {i / self._file.rate_hz:.3f} s", True
                break
            if i % 500 == 0:
                progress("catching", i / self._file.rate_hz, self._file.end_s)
            try:
                world.step(command.torques, command.close, command.brake)
            except Diverged as reason:
                failure = str(reason)
                break
        if stream is not None:
            stream.take(self._rows[:count], all_of_them=True)
        return self._told(rows[:count], np.array(places), failure, interrupted)

    def _series_of(self, rows: Rows) -> tuple[Series, ...]:
        return series_of(self._craft.n, rows["record"])

    def _watch(self, command: GraspCommand) -> None:
        """What a row would miss between two rows."""
        world, craft, s = self._world, self._craft, self._shares
        q, v = world.joints, world.rates
        s[0] = max(s[0], float(np.max(np.abs(command.torques) / craft.effort)))
        s[1] = max(s[1], float(np.max(np.abs(v) / craft.speed)))
        s[2] = min(s[2], float(np.min(np.minimum(q - craft.lower, craft.upper - q))))
        if world.touching:
            self._force = max(self._force, float(np.linalg.norm(world.on_handle[:3])))
            self._touched = world.t if self._touched is None else self._touched

    def _row(self, command: GraspCommand, wrist: float) -> Floats:
        world, now, before = self._world, self._world.survey(), self._before
        span = self._every * world.cycle_s
        q, v = world.q, world.v
        for k, part in enumerate((slice(0, 3), slice(3, 6))):
            sizes = (np.linalg.norm(now.handle_momentum[part]), np.linalg.norm(now.base_momentum[part]))
            self._scale[k] = max(self._scale[k], *map(float, sizes))
        on_handle, on_craft, on_base = (
            (getattr(now, name) - getattr(before, name)) / span
            for name in ("handle_momentum", "craft_momentum", "base_momentum")
        )
        self._before = now
        balance = now.momentum - self._first.momentum
        energy = now.energy_j - self._first.energy_j
        touch = (*now.touch_n, wrist, world.jaw_force, world.opening, now.depth_m)
        return np.concatenate([
            relative(now), on_handle[:3], on_craft[:3], touch, q[:3] - self._start[:3], np.degrees(self._turned(q)), on_base,
            balance, (energy, world.work_j, energy - world.work_j), now.bar_twist, q[N_BASE_Q:], v[N_BASE:], command.torques,
            (float(self._flight.phase),),
        ])  # fmt: skip

    def _turned(self, q: Floats) -> Floats:
        """Rotation vector of the base from its start."""
        way, start = np.zeros(3), self._start
        way_between(start[[6, 3, 4, 5]], q[[6, 3, 4, 5]], way)
        return way

    def _told(self, rows: Floats, places: Floats, failure: str, interrupted: bool) -> GraspRun:
        flight, world = self._flight, self._world
        if flight.phase is GraspPhase.HALTED and not failure:
            failure = f"flight software halted at {flight.since_s:.3f} s: {flight.cause}"
        return GraspRun(
            self._rows["t"][: len(rows)], rows, places, tuple(flight.phases), flight.cause, failure, interrupted,
            self._first, self._before, (float(self._scale[0]), float(self._scale[1])), float(self._shares[0]),
            float(self._shares[1]), float(self._shares[2]), self._force, self._touched, world.steps,
        )  # fmt: skip


def relative(now: WorldSnapshot) -> Floats:
    """(7) bar's middle in the hand's frame, distance, turn between the frames (deg), speed, turn rate (deg/s).

    Speed: of the bar's middle against the point of the hand's frame where it is, so a turn of the whole counts as rest."""
    R, way, turn = now.T_hand[:3, :3], now.T_bar[:3, 3] - now.T_hand[:3, 3], np.zeros(3)
    way_between(quat_from_matrix(now.T_hand), quat_from_matrix(now.T_bar), turn)
    speed = now.bar_twist[:3] - now.hand_twist[:3] - cross(now.hand_twist[3:], way)
    spin = now.bar_twist[3:] - now.hand_twist[3:]
    singles = (
        np.linalg.norm(way),
        np.degrees(np.linalg.norm(turn)),
        np.linalg.norm(speed),
        np.degrees(np.linalg.norm(spin)),
    )
    return np.concatenate([R.T @ way, singles])
