"""Tables of an experiment that turns the base by moving the joints of a planar arm, against the closed form."""

from __future__ import annotations

from itertools import pairwise
from typing import Annotated, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from proxops.core.experiment import ArmExperimentFile, ArmTable
from proxops.core.strict_table import Finite, Strict, within

Angle = Annotated[Finite, within(-3600, 3600)]


class TurnCase(Strict):
    """A course of the joints, from node to node with a rest at each."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,19}$")]
    about: str = ""
    arm: ArmTable | None = None  # the file's own unless given
    path_deg: Annotated[tuple[tuple[Angle, ...], ...], Field(min_length=2, max_length=100)]

    @model_validator(mode="after")
    def _one_at_a_time(self) -> Self:
        for row, (begin, end) in enumerate(pairwise(self.path_deg), start=1):
            moving = sum(a != b for a, b in zip(begin, end, strict=False))
            if len(begin) != len(end) or moving != 1:
                bound = f"one joint moves between nodes {row} and {row + 1}"
                context = {"key": "path_deg", "value": [list(begin), list(end)], "bound": bound}
                raise PydanticCustomError("path", "not a path along the joints' axes", context)
        return self


class TurnFile(ArmExperimentFile):
    """kind = "turn"."""

    kind: Literal["turn"]
    course_s: Annotated[Finite, within(1, 600)] = 20.0  # of every case; its stretches take equal shares
    cases: Annotated[tuple[TurnCase, ...], Field(min_length=1, max_length=10)]

    @model_validator(mode="after")
    def _names_differ(self) -> Self:
        names = [case.name for case in self.cases]
        if len(set(names)) < len(names):
            context = {"key": "cases", "value": names, "bound": "a name of its own for each"}
            raise PydanticCustomError("names", "two cases of one name", context)
        return self

    @property
    def duration_s(self) -> float:
        return self.course_s


FILE = TurnFile
