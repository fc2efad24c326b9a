"""The calibration motion on an arm: set-points for the facility's guard, encoders and force readings as they come.

Which sensor is there, and whose time passes, is none of its business. First the arm stands until the sensor has been heard for
a while: a stream that is bad is refused before anything moves. However it ends, the facility brings the arm to rest.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

import numpy as np

from proxops.applications.load_calibration.motion import SPEED_UP_S, flange_motion
from proxops.applications.load_calibration.record import CalibrationRecord, LogPlace, Recorded, Stage
from proxops.arms.model import ArmModel, Floats
from proxops.core.clock import Clock
from proxops.core.errors import BadInput, Refused
from proxops.core.experiment_result import ExperimentResult
from proxops.core.force_source import ForceSample, ForceSource
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.facility.build import build
from proxops.facility.loop import Loop, Stopped
from proxops.facility.run_folder import tell_of_log
from proxops.ground.experiment_log import about_text
from proxops.lab.driven_cell import driven_cell
from proxops.lab.links.arm_position import ArmPositionLink
from proxops.lab.virtual_arm import ArmTraits, VirtualArm
from proxops.maths.pose import pose
from proxops.maths.rotation import matrix_from_quat
from proxops.safety.motion import Motion, Rest, Wish
from proxops.safety.rules import Rule, Stop
from proxops.touch.force_watch import ForceWatch, StreamTraits

FIRST_S: Final = 10.0  # for the sensor's first reading
REST_S: Final = 1.0  # standing, with readings
AFTER_S: Final = 0.2  # standing, when the motion is over: the arm is behind its set-points
RATE_HZ: Final = round(1.0 / PERIOD_S)


def arm_traits(model: ArmModel) -> ArmTraits:
    return ArmTraits(model.joints, model.lower, model.upper, model.speed, model.speed / SPEED_UP_S)


class CalibrationDrive(Motion):
    """``q``: (n, joints) set-points, one for each cycle; ``fault`` says what is wrong with the sensor."""

    def __init__(
        self,
        link: ArmPositionLink,
        source: ForceSource,
        stream: StreamTraits,
        q: Floats,
        clock: Clock,
        record: CalibrationRecord,
    ) -> None:
        self._link, self._source, self._watch, self.fault = link, source, ForceWatch(stream), ""
        self._clock, self._record = clock, record
        self._still = round(REST_S / PERIOD_S)
        stand, end = np.repeat(q[:1], self._still, axis=0), np.repeat(q[-1:], round(AFTER_S / PERIOD_S), axis=0)
        self._way, self._at, self._begin_s = np.concatenate([stand, q, end]), 0, -1.0
        self._t: list[float] = []
        self._encoders: list[Floats] = []
        self._samples: list[ForceSample] = []
        self._began_s = link.t

    def step(self) -> Wish:
        t = self._link.t
        self._t.append(t)
        self._encoders.append(self._link.encoders.copy())
        heard = len(self._samples)
        self.fault = self._listen(t)
        wish = self._wish(t)
        fresh = self._samples[-1] if len(self._samples) > heard else None
        self._record.keep(t, self._stage, self._begin_s, self._clock.missed, fresh)
        return wish

    @property
    def _stage(self) -> Stage:
        if self._begin_s >= 0.0:
            return Stage.MOVE
        return Stage.STAND if self._samples else Stage.WAIT

    def _wish(self, t: float) -> Wish:
        if self.fault:
            return Stop(Rule.FORCE_SENSOR, detail=self.fault)
        if self._at == len(self._way):
            return Rest.DONE
        wish: Floats = self._way[self._at]
        if self._begin_s < 0.0 and self._at >= self._still:
            self._begin_s = t
        self._at += bool(self._samples)
        return wish

    def _listen(self, t: float) -> str:
        sample = self._source.latest(t)
        if sample is None and not self._samples:
            return f"force sensor: no reading within {FIRST_S:g} s" if t - self._began_s > FIRST_S else ""
        fault = self._watch.step(t, sample)
        if sample is not None and not fault and (not self._samples or sample.t > self._samples[-1].t):
            self._samples.append(sample)
        return fault

    def recorded(self, missed: int) -> Recorded:
        return Recorded(
            np.array(self._t), np.array(self._encoders), np.array([one.t for one in self._samples]),
            np.array([one.wrench for one in self._samples]), self._begin_s, missed,
        )  # fmt: skip


def driven(
    model: ArmModel, q: Floats, rng: np.random.Generator, sensor: Callable[[VirtualArm], ForceSource], stream: StreamTraits,
    clock: Clock, log: LogPlace | None = None, found: Callable[[Recorded], ExperimentResult] | None = None,
) -> Recorded:  # fmt: skip
    """Move the arm of the FZI cell, which is virtual, along ``q`` by the facility. Refused, with the arm at rest, by whatever is
    wrong with the sensor or the arm, and by Ctrl-C. ``found`` says what comes of it, before the log is closed; what it raises
    is raised, and told there."""
    traits = arm_traits(model)
    at = flange_motion(model, np.zeros(1), q[:1], 0.0 * q[:1], 0.0 * q[:1])
    T_lab_flange = pose(matrix_from_quat(at.attitude[0]), at.p_world_flange[0])
    cell = driven_cell(traits, q[0], np.eye(4), T_lab_flange)
    link = ArmPositionLink.virtual(cell, traits, clock, rng)
    source, record = sensor(link.arm), CalibrationRecord(len(q) + round((FIRST_S + REST_S + AFTER_S + 1.0) / PERIOD_S))
    hall = build(
        cell, clock, seed=0, record=log.path if log else None, metadata=log.metadata if log else None, link=link,
        groups=record.groups, last_words=log is not None,
    )  # fmt: skip
    record.attach(hall.facility.pool)
    hall.facility.duties.attach("load calibration", publish=record.publish)
    loop = Loop(hall)
    drives: list[CalibrationDrive] = []
    refused: list[BadInput | Refused] = []

    def work() -> None:
        desk = hall.desk
        desk.drives(True)
        try:
            loop.until(Mode.READY, "drives on")
            drives.append(CalibrationDrive(link, source, stream, q, clock, record))
            desk.begin(drives[0])
            loop.until(Mode.READY, "calibration")
        except Stopped:
            pass

    def conclude() -> None:
        why = "interrupted" if loop.asked else (drives[0].fault if drives else "") or str(hall.facility.stop or "")
        try:
            if why:
                raise Refused(f"load calibration: {why}")
            result = found(drives[0].recorded(clock.missed)) if found else None
        except (BadInput, Refused) as error:
            refused.append(error)
            result = ExperimentResult(np.zeros(0), (), {}, (), failure=str(error))
        if result is not None:
            hall.last_words.metadata["experiment"] = about_text(result)

    ran = loop.run(work, closing=(conclude,))
    if log is not None:
        tell_of_log(ran.recorder_code)
    if refused:
        raise refused[0]
    return drives[0].recorded(ran.missed)
