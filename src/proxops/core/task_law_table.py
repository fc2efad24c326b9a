"""The table of a task-space law (paper 003, Table 1), as scenarios with a free-floating arm have it."""

from __future__ import annotations

from typing import Annotated, Final, Literal, Self

from pydantic import model_validator
from pydantic_core import PydanticCustomError

from proxops.core.strict_table import Finite, Strict, Truth, within

Gain = Annotated[Finite, within(1e-9, 1e6)] | tuple[Finite, ...]  # one number, or one for each direction or joint
Bound = Annotated[Finite, within(0, 10)]
TABLE_5_M: Final = {1: 1.5e-2, 2: 2.5e-3, 3: 1.1e-3, 4: 4.2e-3}  # paper 003: mean errors of the laws in visual servoing


class LawTable(Strict):
    """One of the four laws of paper 003, Table 1, with its gains (units: see ``onboard/task_laws.py``) and what it must
    reach."""

    number: Literal[1, 2, 3, 4]
    kp: Gain
    kd: Gain
    posture_kp: Gain
    posture_kd: Gain | None = None  # not in law 1
    alpha: Annotated[Finite, within(1e-6, 1e3)] = 1.0  # law 1 only
    pushes: Truth = False  # law 1 only: eq. 17 as printed, whose sign pushes the joints away from the posture
    mean_error_m: Bound | None = None  # criterion: at most, with the right model
    median_error_m: Bound | None = None  # criterion: at most, median of the mean errors with wrong models

    @model_validator(mode="after")
    def _posture_damping(self) -> Self:
        if (self.posture_kd is None) != (self.number == 1):
            what = "not in law 1, whose joint damping is kd" if self.number == 1 else "is missing"
            raise PydanticCustomError("posture_kd", what, {"key": "posture_kd", "value": self.posture_kd})
        if self.pushes and self.number != 1:
            context = {
                "key": "pushes",
                "value": self.pushes,
                "bound": "law 1: the others are printed with the sign that pulls",
            }
            raise PydanticCustomError("pushes", "not usable", context)
        return self
