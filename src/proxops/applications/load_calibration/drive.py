"""The calibration motion on an arm: set-points for the facility's guard, encoders and force readings as they come.

Which sensor is there, and whose time passes, is none of its business. First the arm stands until the sensor has been heard for
a while: a stream that is bad is refused before anything moves. However it ends, the facility brings the arm to rest.
"""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.applications.load_calibration.record import CalibrationRecord, CalibrationSamples, CalibrationStage
from proxops.arms.model import Floats
from proxops.core.clock import Clock
from proxops.core.force_source import ForceSample, ForceSource
from proxops.core.messages import PERIOD_S
from proxops.lab.links.arm_position import ArmPositionLink
from proxops.safety.motion import Motion, Rest, Wish
from proxops.safety.rules import Rule, Stop
from proxops.touch.force_watch import ForceWatch, StreamTraits

FIRST_S: Final = 10.0  # for the sensor's first reading
REST_S: Final = 1.0  # standing, with readings
AFTER_S: Final = 0.2  # standing, when the motion is over: the arm is behind its set-points
RATE_HZ: Final = round(1.0 / PERIOD_S)


def most_cycles(q: Floats) -> int:
    """That a drive along ``q`` can take."""
    return len(q) + round((FIRST_S + REST_S + AFTER_S + 1.0) / PERIOD_S)


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
        self._began_s = link.measured.t

    def step(self) -> Wish:
        t = self._link.measured.t
        self._t.append(t)
        self._encoders.append(self._link.measured.angles.copy())
        heard = len(self._samples)
        self.fault = self._listen(t)
        wish = self._wish(t)
        fresh = self._samples[-1] if len(self._samples) > heard else None
        self._record.keep(t, self._stage, self._begin_s, self._clock.missed, fresh)
        return wish

    @property
    def _stage(self) -> CalibrationStage:
        if self._begin_s >= 0.0:
            return CalibrationStage.MOVE
        return CalibrationStage.STAND if self._samples else CalibrationStage.WAIT

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

    def recorded(self, missed: int) -> CalibrationSamples:
        return CalibrationSamples(
            np.array(self._t), np.array(self._encoders), np.array([one.t for one in self._samples]),
            np.array([one.wrench for one in self._samples]), self._begin_s, missed,
        )  # fmt: skip
