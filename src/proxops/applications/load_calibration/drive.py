"""The calibration motion on an arm: set-points for the facility's guard, encoders and force readings as they come.

Which sensor is there, and whose time passes, is none of its business. First the arm stands until the sensor has been heard for
a while: a stream that is bad is refused before anything moves. However it ends, the facility brings the arm to rest.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.applications.load_calibration.motion import SPEED_UP_S, flange_motion
from proxops.arms.model import ArmModel, Floats
from proxops.core.clock import Clock
from proxops.core.errors import Refused
from proxops.core.force_source import ForceSample, ForceSource
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Mode
from proxops.facility.build import build
from proxops.facility.loop import Loop, Stopped
from proxops.lab.driven_cell import DrivenArm, driven_cell
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


class CalibrationDrive(Motion):
    """``q``: (n, joints) set-points, one for each cycle; ``fault`` says what is wrong with the sensor."""

    def __init__(self, link: ArmPositionLink, source: ForceSource, stream: StreamTraits, q: Floats) -> None:
        self._link, self._source, self._watch, self.fault = link, source, ForceWatch(stream), ""
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
        self.fault = self._listen(t)
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


CELL: Final = "fzi"


def driven(
    model: ArmModel, q: Floats, rng: np.random.Generator, sensor: Callable[[VirtualArm], ForceSource], stream: StreamTraits,
    clock: Clock,
) -> Recorded:  # fmt: skip
    """Move the arm of the FZI cell, which is virtual, along ``q`` by the facility. Refused, with the arm at rest, by whatever is
    wrong with the sensor or the arm, and by Ctrl-C."""
    traits = arm_traits(model)

    def flange(joints: Floats) -> Floats:
        at = flange_motion(model, np.zeros(1), joints[None], 0.0 * joints[None], 0.0 * joints[None])
        return pose(matrix_from_quat(at.attitude[0]), at.p_world_flange[0])

    cell = driven_cell(DrivenArm(traits, q[0], flange, np.eye(4)), CELL)
    link = ArmPositionLink.virtual(cell, traits, clock, rng)
    source = sensor(link.arm)
    loop = Loop(build(cell, clock, seed=0, record=None, link=link))
    drives: list[CalibrationDrive] = []

    def work() -> None:
        desk = loop.hall.desk
        desk.drives(True)
        try:
            loop.until(Mode.READY, "drives on")
            drives.append(CalibrationDrive(link, source, stream, q))
            desk.begin(drives[0])
            loop.until(Mode.READY, "calibration")
        except Stopped:
            pass

    ran = loop.run(work)
    why = "interrupted" if loop.asked else (drives[0].fault if drives else "") or str(ran.stop or "")
    if why:
        raise Refused(f"load calibration: {why}")
    return drives[0].recorded(ran.missed)
