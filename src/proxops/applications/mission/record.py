"""The mission's part of the data pool: truth, estimate against truth, actuators, audit."""

from __future__ import annotations

import math
from struct import Struct
from typing import Final

import numpy as np

from proxops.applications.mission.flight_free_running import LineFigures
from proxops.applications.mission.telling import AUDIT_EVERY as AUDIT_EVERY
from proxops.applications.mission.telling import WORDS, Told, tell_craft, tell_cycle
from proxops.applications.mission.truth import COUNT, tell_estimate, tell_goal
from proxops.core.flight import Measurements, Telemetry
from proxops.core.messages import PERIOD_S, doubles, mission_bytes
from proxops.core.pool import Pool
from proxops.core.vision import Processed, spread
from proxops.core.vocabulary import MissionEnd, SensorSource
from proxops.maths.rotation import Array
from proxops.space.audit import FIGURES
from proxops.space.pair import Looks, SpacecraftPair

CORRIDOR, NEES, INTERFACES = 2, 3, slice(4, 11)  # of the doubles from mission.t on
_WORDS: Final = Struct(f"{WORDS}B")


class MissionRecord:
    """``bytes`` is what goes into the pool. Numbers that the flight software gives are kept until it gives new ones."""

    def __init__(self, pair: SpacecraftPair, looks: Looks) -> None:
        pool = Pool()
        record, span = pool.record, mission_bytes()
        self.bytes = pool.bytes[span]
        self._pair, self._looks = pair, looks
        self._truth = doubles(record, "mission", "t", COUNT)
        self._error, self._sigma = doubles(record, "estimate_error"), doubles(record, "estimate_sigma")
        self._goal, self._measurement = doubles(record, "goal"), doubles(record, "measurement")
        self.source, self.measured, self.told = SensorSource.NONE, 0, Telemetry()
        self.line: LineFigures | None = None  # of an on-board computer that is not waited for
        self._write_line, self._heard = pool.writer("flight_line"), 0
        self._write_vision, self._judged = pool.writer("vision"), [0, 0]  # images accepted, refused
        self.worst = np.zeros(FIGURES)  # of the audit so far
        all_, words = record.view(np.uint8)[span], np.zeros(WORDS, np.uint8)
        self._told, self._words = Told(all_, all_.view(np.float64), words, self.worst), words.data

    def restore(self, doubles: Array, worst: Array, measured: int) -> None:
        """What it told and remembered once."""
        self._told.bytes[:], self.worst[:], self.measured = doubles.view(np.uint8), worst, measured

    @property
    def interfaces(self) -> Array:
        """Gap, lateral, tilt, roll, closing rate, lateral rate, angular rate as they were told last."""
        return self._truth[INTERFACES]

    @property
    def nees(self) -> float:
        return float(self._truth[NEES])

    def note_measured(self, measurements: Measurements) -> None:
        """What goes into the flight software."""
        if measurements.relative:
            last = measurements.relative[-1]
            self._measurement[:3], self._measurement[3:] = last.p_sensor_target, last.q_sensor_target

    def note_seen(self, processed: Processed, t: float) -> None:
        """What image processing says; at mission time ``t``."""
        found, covariance = processed.found, processed.found.covariance
        if not processed.source:
            return
        self._judged[not found.trusted] += 1
        place, turn = (math.nan, math.nan) if covariance is None else spread(covariance)
        T = found.T_sensor_target
        distance = math.nan if T is None else float(np.linalg.norm(T[:3]))
        self._write_vision(
            processed.source, processed.state, found.doubt, processed.searched, *self._judged, found.number % 2**32, found.t,
            found.trust, distance, place, turn,
        )  # fmt: skip

    def note_told(self, told: Telemetry, y: Array) -> None:
        """What the flight software says of itself, against the truth ``y`` of the time at which it was asked."""
        self.told, e = told, told.estimate
        if e is not None:
            self._truth[NEES] = tell_estimate(
                y, e.position, e.velocity, e.q_eci_target, e.w_eci_target, e.covariance, self._error, self._sigma
            )
        if told.goal is not None:
            tell_goal(y, told.goal, self._goal)
        self._truth[CORRIDOR] = told.corridor

    def to_tell(self, end: MissionEnd) -> Told:
        """For ``tell_cycle``: it tells with the next cycle what is to be said now, measurements included."""
        told = self.told
        _WORDS.pack_into(
            self._words, 0, told.phase, told.abort, end, self.source, self.measured, min(told.rejected, 255),
            min(told.step, 255), self._pair.bank.closed_valves,
        )  # fmt: skip
        self.measured = 0
        return self._told

    def publish(self, waited: int, end: MissionEnd) -> None:
        """``waited``: cycles still counted before the mission begins, 0 once it has."""
        pair, heard = self._pair, self.line is not None and self._tell_line(self.line)
        tell_cycle(
            pair.y, pair.world, pair.bank.row, pair.given, self._looks, self.to_tell(end), pair.cycle, waited, heard
        )

    def _tell_line(self, line: LineFigures) -> bool:
        """Every cycle; whether an answer has been taken in this one."""
        self._write_line(*line.values)
        before, self._heard = self._heard, line.taken
        return line.taken != before

    def tell_truth(self) -> None:
        """The groups of truth, now."""
        pair = self._pair
        tell_craft(pair.y, pair.world, pair.given, self._looks, self._told.doubles, pair.cycle * PERIOD_S)
