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


class ReplayFile(ArmExperimentFile):
    """kind = "replay". Times are those of the recording."""

    kind: Literal["replay"]
    start_s: Annotated[Finite, within(0, 1e6)]
    end_s: Annotated[Finite, within(0, 1e6)]
    step_s: Annotated[Finite, within(1e-3, 1)] = 0.1  # of the integration at most; steps end at the nodes
    every_s: Annotated[Finite, within(1e-3, 10)] = 0.1  # one record
    attitude_deg: Triple = (0.0, 0.0, 0.0)  # roll, pitch, yaw of the base at the start
    course: JointCourse
    orbit: CircularOrbitTable

    @model_validator(mode="after")
    def _in_order(self) -> Self:
        if not self.start_s < self.end_s <= self.start_s + 1e5 * self.every_s:
            _refuse("end_s", self.end_s, "after start_s, by at most 100000 records")
        return self

    @property
    def duration_s(self) -> float:
        return self.end_s - self.start_s


def _refuse(key: str, value: object, bound: str) -> None:
    raise PydanticCustomError("course", "does not fit", {"key": key, "value": value, "bound": bound})


FILE = ReplayFile
