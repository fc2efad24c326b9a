"""Tables of an experiment that replays a recorded course of the joints, without and with the Earth's differential gravity."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from proxops.core.experiment import ArmExperimentFile, CircularOrbitTable
from proxops.core.strict_table import Finite, Strict, Triple, within

Nodes = Annotated[tuple[Finite, ...], Field(min_length=2, max_length=1000)]


class JointCourse(Strict):
    """Angles over time, straight between the nodes, at rest outside them. Joints that are not named stay at zero."""

    t_s: Nodes
    angles_rad: dict[str, Nodes]  # by joint, as recorded
    opposite: tuple[str, ...] = ()  # joints that turn the other way in this model: the recorded angle's sign is changed

    @model_validator(mode="after")
    def _fits(self) -> Self:
        if any(b <= a for a, b in pairwise(self.t_s)):
            _refuse("t_s", list(self.t_s), "every time after the one before")
        for name, angles in self.angles_rad.items():
            if len(angles) != len(self.t_s):
                _refuse("angles_rad", {name: len(angles)}, f"{len(self.t_s)} angles, one for each time")
        for name in self.opposite:
            if name not in self.angles_rad:
                _refuse("opposite", name, ", ".join(self.angles_rad))
        return self


class ReplayOrbit(CircularOrbitTable):
    """And what of the Earth's differential gravity acts, how."""

    up: Literal["orbit", "fixed"] = "orbit"  # fixed: the local frame does not turn, x stays up
    pull: Literal["all", "torques", "published"] = "all"  # force and torque on each link; torques; OnOrbitROS's code


class ServoTable(Strict):
    """Joints that follow the course by PD servos, instead of being prescribed."""

    p_Nm_rad: tuple[Annotated[Finite, within(0, 1e6)], ...]  # of each joint
    d_Nms_rad: tuple[Annotated[Finite, within(0, 1e6)], ...]  # of each joint
    period_ms: Annotated[Finite, within(0.1, 100)] = 2.0  # torques are held for it
    command_hz: Annotated[Finite, within(0.1, 1e4)] = 50.0  # new commands


class ReplayFile(ArmExperimentFile):
    """kind = "replay". Times are those of the recording."""

    kind: Literal["replay"]
    start_s: Annotated[Finite, within(0, 1e6)]
    end_s: Annotated[Finite, within(0, 1e6)]
    step_s: Annotated[Finite, within(1e-3, 1)] = 0.1  # of the integration at most; steps end at the nodes
    every_s: Annotated[Finite, within(1e-3, 10)] = 0.1  # one record
    attitude_deg: Triple = (0.0, 0.0, 0.0)  # roll, pitch, yaw of the base at the start
    course: JointCourse
    orbit: ReplayOrbit
    servo: ServoTable | None = None  # without it the joints are where the course has them

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.start_s < self.end_s <= self.start_s + 1e5 * self.every_s:
            _refuse("end_s", self.end_s, "after start_s, by at most 100000 records")
        if self.servo is not None and abs(self.every_s * 1e3 / self.servo.period_ms % 1.0 - 0.5) < 0.5 - 1e-6:
            _refuse("every_s", self.every_s, f"whole periods of the servo, {self.servo.period_ms:g} ms")
        return self

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s


def _refuse(key: str, value: object, bound: str) -> None:
    raise PydanticCustomError("course", "does not fit", {"key": key, "value": value, "bound": bound})


FILE = ReplayFile
