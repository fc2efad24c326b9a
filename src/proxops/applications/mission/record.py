"""The mission's part of the data pool: truth, estimate against truth, actuators, audit."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.mission.flight_free_running import LineFigures
from proxops.applications.mission.truth import COUNT, Told, tell_estimate, tell_goal, tell_truth
from proxops.core.flight import Estimate, Measurements, Telemetry
from proxops.core.messages import PERIOD_S, TRUTH_EVERY, doubles, group_offset, mission_bytes
from proxops.core.pool import Pool
from proxops.core.vocabulary import MissionEnd, SensorSource
from proxops.maths.rotation import Array
from proxops.space.pair import SpacecraftPair

AUDIT_EVERY: Final = 25
T, CORRIDOR, NEES, INTERFACES = 0, 2, 3, slice(4, 11)  # of the doubles from mission.t on


Kept = tuple[bytes, Array, int, bool]


class MissionRecord:
    """``bytes`` is what goes into the pool. Numbers that the flight software gives are kept until it gives new ones."""

    def __init__(self, pair: SpacecraftPair, interface_t: Array, interface_c: Array) -> None:
        pool = Pool()
        record = pool.record
        self.bytes = pool.bytes[mission_bytes()]
        self._all = record.view(np.uint8)[mission_bytes()]
        self._pair, self.places = pair, (interface_t, interface_c)  # of the interfaces, from the centres of mass
        self._write = pool.writer("mission", 8)
        self._truth = doubles(record, "mission", "t", COUNT)
        self._error, self._sigma = doubles(record, "estimate_error"), doubles(record, "estimate_sigma")
        self._goal, self._measurement = doubles(record, "goal"), doubles(record, "measurement")
        self._wheels, self._audit = doubles(record, "wheels"), doubles(record, "audit")
        start = group_offset("thrusters")
        self._thrusters = record.view(np.uint8)[start : start + pair.bank.count]
        self.source, self.measured, self.told = SensorSource.NONE, 0, Telemetry()
        self._was_measured = False  # told so in the last cycle
        self.line: LineFigures | None = None  # of an on-board computer that is not waited for
        self._write_line, self._heard = pool.writer("flight_line"), 0
        self.worst = np.zeros(self._audit.size)  # of the audit so far

    @property
    def parts(self) -> Told:
        """For kernels that tell cycle after cycle."""
        return Told(self._truth, self._wheels, self._thrusters, self._all)

    def kept(self) -> Kept:
        """What it tells, and what it remembers, to be handed back to ``restore``."""
        return bytes(self.bytes), self.worst.copy(), self.measured, self._was_measured

    def restore(self, kept: Kept) -> None:
        self.bytes[:], self.worst[:], self.measured, self._was_measured = kept

    @property
    def unsettled(self) -> bool:
        """The next cycle tells something beside motion."""
        return bool(self.measured) or self._was_measured

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

    def note_told(self, told: Telemetry, y: Array) -> None:
        """What the flight software says of itself, against the truth ``y`` of the time at which it was asked."""
        self.told = told
        if told.estimate is not None:
            self._truth[NEES] = self._compare(told.estimate, y)
        if told.goal is not None:
            tell_goal(y, told.goal, self._goal)
        self._truth[CORRIDOR] = told.corridor

    def _compare(self, e: Estimate, y: Array) -> float:
        return tell_estimate(
            y, e.position, e.velocity, e.q_eci_target, e.w_eci_target, e.covariance, self._error, self._sigma
        )

    def publish(self, waited: int, end: MissionEnd) -> None:
        """``waited``: cycles still counted before the mission begins, 0 once it has."""
        pair, told = self._pair, self.told
        heard = self.line is not None and self._tell_line(self.line)
        on_time = pair.cycle % TRUTH_EVERY == 0 or end is not MissionEnd.UNDER_WAY
        self._thrusters[:] = pair.bank.on
        if not (on_time or heard or self.measured or self._was_measured):
            return
        self._was_measured = bool(self.measured)
        self._write(
            told.phase, told.abort, end, self.source, self.measured, min(told.rejected, 255), min(told.step, 255),
            pair.bank.closed_valves,
        )  # fmt: skip
        self.measured = 0
        if on_time:
            self.tell_truth(waited)
        if pair.cycle % AUDIT_EVERY == 0:
            self._audit[:] = pair.examine()
            np.maximum(self.worst, np.abs(self._audit), out=self.worst)

    def _tell_line(self, line: LineFigures) -> bool:
        """Every cycle; whether an answer has been taken in this one."""
        self._write_line(*line.values)
        before, self._heard = self._heard, line.taken
        return line.taken != before

    def tell_truth(self, waited: int) -> None:
        """The groups of truth, now."""
        pair, (interface_t, interface_c) = self._pair, self.places
        sunlight, density = pair.surroundings
        t = pair.t - waited * PERIOD_S
        tell_truth(t, pair.y, pair.degree, sunlight, density, pair.propellant_kg, interface_t, interface_c, self._truth)
        self._wheels[:] = pair.y[26:30]
