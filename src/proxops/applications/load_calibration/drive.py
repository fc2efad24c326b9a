"""The calibration motion on an arm: set-points through the guard, encoders and force readings as they come.

Which sensor is there, and whose time passes, is none of its business. First the arm stands until the sensor has been heard for
a while: a stream that is bad is refused before anything moves. However it ends, the arm comes to rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.applications.load_calibration.motion import SPEED_UP_S
from proxops.arms.model import ArmModel, Floats
from proxops.core.clock import STALL_S
from proxops.core.errors import Refused
from proxops.core.force_source import ForceSample, ForceSource
from proxops.core.messages import PERIOD_S
from proxops.facility.arm_brake import brake_arm
from proxops.facility.loop_clock import LoopClock
from proxops.lab.virtual_arm import ArmTraits, VirtualArm
from proxops.safety.arm_guard import ArmGuard
from proxops.safety.rules import Rule, Stop
from proxops.touch.force_watch import ForceWatch, StreamTraits

FIRST_S: Final = 10.0  # for the sensor's first reading
REST_S: Final = 1.0  # standing, with readings
AFTER_S: Final = 0.2  # standing, when the motion is over: the arm is behind its set-points
RATE_HZ: Final = round(1.0 / PERIOD_S)


@dataclass(frozen=True, eq=False)
class Recorded:
    """Encoders at the arm's times, readings at the sensor's; ``begin_s``: when the set-points began to move."""

    t: Floats
    encoders: Floats
    stamp: Floats
    readings: Floats
    begin_s: float
    missed: int  # cycles of ours


def arm_traits(model: ArmModel) -> ArmTraits:
    return ArmTraits(model.joints, model.lower, model.upper, model.speed, model.speed / SPEED_UP_S)


class CalibrationDrive:
    """``run`` once."""

    def __init__(self, arm: VirtualArm, source: ForceSource, stream: StreamTraits, clock: LoopClock) -> None:
        traits = arm.traits
        self._arm, self._source, self._clock, self._watch = arm, source, clock, ForceWatch(stream)
        self._guard = ArmGuard(
            traits.joints, traits.lower, traits.upper, traits.speed, traits.acceleration, arm.angles, traits.cycle_s,
            traits.delay_s,
        )  # fmt: skip
        self._t: list[float] = []
        self._encoders: list[Floats] = []
        self._samples: list[ForceSample] = []

    def run(self, q: Floats, stopped: Callable[[], bool] = lambda: False) -> Recorded:
        """``q``: (n, joints) set-points, one for each cycle of the arm. Refused, with the arm at rest, by whatever is wrong with
        the sensor or the arm, and by Ctrl-C."""
        try:
            return self._run(q, stopped)
        except BaseException:
            self._come_to_rest()
            raise

    def _run(self, q: Floats, stopped: Callable[[], bool]) -> Recorded:
        fault, at, begin = "", 0, -1.0
        stand = np.repeat(q[:1], round(REST_S / PERIOD_S), axis=0)
        way = np.concatenate([stand, q, np.repeat(q[-1:], round(AFTER_S / PERIOD_S), axis=0)])
        while at < len(way):
            fault, passed = self._cycle(way, at)
            fault = fault or ("interrupted" if stopped() else "")
            if fault:
                raise Refused(f"load calibration: {fault}")
            if begin < 0.0 and at >= len(stand):
                begin = self._t[-1]
            if self._samples:
                at += passed
            late = self._clock.advance()
            if late > STALL_S:
                self._guard.brake(Stop(Rule.STALL, value=late, bound=STALL_S))
        return Recorded(
            np.array(self._t), np.array(self._encoders), np.array([one.t for one in self._samples]),
            np.array([one.wrench for one in self._samples]), begin, self._clock.missed,
        )  # fmt: skip

    def _cycle(self, way: Floats, at: int) -> tuple[str, int]:
        """What is wrong, and how many cycles the arm has gone since the last one."""
        measured = self._arm.read()
        passed = round((measured.t - self._t[-1]) / PERIOD_S) if self._t else 1
        if passed > 0:
            self._t.append(measured.t)
            self._encoders.append(measured.angles)
        fault = self._listen(measured.t)
        self._guard.notice(measured.angles)
        for k in range(passed):  # lost cycles are judged, too; the arm went on as it did before them
            self._guard.judge(way[min(at + k, len(way) - 1)])
        if self._guard.stop is not None:
            fault = fault or str(self._guard.stop)
        self._arm.command(self._guard.joints, measured.t)
        return fault or (f"the arm halted: {measured.halted}" if measured.halted else ""), passed

    def _listen(self, t: float) -> str:
        sample = self._source.latest(t)
        if sample is None and not self._samples:
            return f"force sensor: no reading within {FIRST_S:g} s" if t > FIRST_S else ""
        fault = self._watch.step(t, sample)
        if sample is not None and not fault and (not self._samples or sample.t > self._samples[-1].t):
            self._samples.append(sample)
        return fault

    def _come_to_rest(self) -> None:
        """Brake within the accelerations, then until the arm stands."""
        arm, guard = self._arm, self._guard
        brake_arm(
            guard, lambda: arm.read().t, lambda t: arm.command(guard.joints, t), self._clock.advance, seen=arm.t,
            settle_s=AFTER_S,
        )  # fmt: skip
