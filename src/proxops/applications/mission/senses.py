"""All that the chaser measures with: relative-pose sensor, imaging sensors with who finds the client in them, own instruments.

Until the hall has first shown what was commanded (before the robots have joined, or beyond their reach), the pose sensor looks
at the computed pose, and imaging sensors by which the craft navigates into orbit, these until the client has been found, too:
the hand-over. From then on they see what the robots show, as in a real hall: if they halt, they see them stand. A scenario may
declare otherwise of the pose sensor (``hall.sensor``). Which of the two it was is recorded with every measurement.
"""

from __future__ import annotations

import numpy as np

from proxops.applications.mission.faults import Faults
from proxops.applications.mission.hall_view import HallView
from proxops.applications.mission.instruments import Instruments
from proxops.applications.mission.outcome import Outcome
from proxops.applications.mission.record import MissionRecord
from proxops.applications.mission.seeing import Seeing
from proxops.applications.mission.transmitter import Transmitter
from proxops.applications.mission.vision.mission_vision import MissionVision
from proxops.core.flight import Measurements, RelativeMeasurement, Telemetry
from proxops.core.mission import MissionFile
from proxops.core.vocabulary import SensorSource
from proxops.sensors.relative_pose import DUE_SLACK_S, RelativePoseSensor
from proxops.space.pair import SpacecraftPair


class Senses:
    """``hall_latency_s``: by which the hall shows late what was commanded. ``seeing``: closed with them."""

    def __init__(
        self, file: MissionFile, pair: SpacecraftPair, sensor: np.random.Generator, avionics: np.random.Generator,
        line: Transmitter, hall_latency_s: float, seeing: Seeing,
    ) -> None:  # fmt: skip
        self._file, self._pair, self._line, self._latency = file, pair, line, hall_latency_s
        self._seeing, self._eyes, self._vision = seeing, seeing.eyes, seeing.vision
        self._sensor = RelativePoseSensor(file.sensor, sensor, pair.true.noise)
        self._instruments = Instruments(file.avionics, avionics, pair)
        self._models_poses, self._handed_over = self._vision is None or file.vision.pose_sensor, False
        self.faults = Faults(file)
        if self._vision:
            self._vision.fault_of = self.faults.of_images

    def look(self, hall: HallView | None, record: MissionRecord, outcome: Outcome) -> None:
        """What is due now: exposures, and images that have come. They go to who finds the client in them without their truth."""
        t = self._pair.t
        if self.faults:
            self._sensor.blind = self.faults.strike(t, self._pair.bank)
        if self._models_poses and self._sensor.due(t):
            self._expose(hall, record, outcome)
        if hall is not None:
            self._seeing.hand_over(t, hall.converged)
        if self._eyes is None or not self._due_to_look(t):
            return
        for image in self._eyes.look(self._pair, self._line, hall):
            if self._vision:
                self._vision.see(image, t, None if hall is None else hall.axes)

    def measure(self, hall: HallView | None, record: MissionRecord, outcome: Outcome) -> Measurements:
        """All that reaches the flight software in this cycle."""
        t = self._pair.t
        relative = self._sensor.arrived(t)
        if self._vision:
            relative += self._found(self._vision, hall, record, outcome)
        measurements = Measurements(t, relative, *self._instruments.read(), max(self._pair.propellant_kg, 0.0))
        if self._vision:
            self._vision.note(measurements)
        record.note_measured(measurements)
        return measurements

    def believe(self, told: Telemetry) -> None:
        """What flight software says of itself: images are compared with it."""
        if self._vision:
            self._vision.believe(self._pair.t, told)

    def eventful(self, t: float) -> bool:
        """Whether something begins, ends, comes or is exposed after now and not later than ``t``."""
        exposes = self._models_poses and self._sensor.due(t)
        return exposes or self._due_to_look(t) or self.faults.change(self._pair.t, t)

    def close(self) -> None:
        self._seeing.close()

    def _due_to_look(self, t: float) -> bool:
        """Whether an imaging sensor has something to do."""
        return self._eyes is not None and t >= self._eyes.next_s - DUE_SLACK_S

    def _expose(self, hall: HallView | None, record: MissionRecord, outcome: Outcome) -> None:
        t = shown_at = self._pair.t
        if hall is not None and self._sees(hall):
            source, pose, shown_at = SensorSource.HALL, hall.truth, t - self._latency
        else:
            source, pose = SensorSource.SOFTWARE, self._line.relative_pose
        _count(source, int(self._sensor.expose(t, pose, shown_at)), record, outcome)

    def _sees(self, hall: HallView) -> bool:
        """Whether the pose sensor looks at the hall now."""
        self._handed_over = hall.converged or (self._handed_over and self._file.hall.sensor == "handed_over")
        return self._handed_over

    def _found(
        self, vision: MissionVision, hall: HallView | None, record: MissionRecord, outcome: Outcome
    ) -> tuple[RelativeMeasurement, ...]:
        """Poses in images."""
        found = vision.arrived(self._pair.t)
        if found:
            sees_hall = self._eyes is not None and self._eyes.handed_over and self._file.scenery.see != "orbit"
            _count(
                SensorSource.HALL if sees_hall and hall is not None else SensorSource.SOFTWARE,
                len(found),
                record,
                outcome,
            )
        return found


def _count(source: SensorSource, measured: int, record: MissionRecord, outcome: Outcome) -> None:
    record.source, record.measured = source, measured
    outcome.measurements[source] += measured
    outcome.news += 1
