"""Tables of the experiment ``tracking``: task-space laws side by side on one path of the tool, with a right and with wrong
models."""

from __future__ import annotations

from typing import Annotated, Any, Literal, Self

from pydantic import Field, model_validator
from pydantic_core import PydanticCustomError

from proxops.core.experiment import ArmExperimentFile, CircularOrbitTable
from proxops.core.joint_table import JointsTable, check_friction
from proxops.core.strict_table import Finite, Strict, Triple, Truth, Whole, within
from proxops.core.task_law_table import LawTable


class TrackingWayPoint(Strict):
    """Of the tool, from its start pose, in inertial axes; the turn is a rotation vector."""

    t_s: Annotated[Finite, within(0.1, 1000)]
    move_m: Triple
    turn_deg: Triple = (0.0, 0.0, 0.0)


class ModelErrorTable(Strict):
    """The controller's model is off, the craft is as its file says."""

    share: Annotated[Finite, within(0, 0.9)] = 0.10  # of every mass and every inertia
    seeds: Annotated[Whole, within(0, 1000)] = 20
    first_seed: Annotated[Whole, within(0, 2**32)] = 1


class WheelsTable(Strict):
    torque_n_m: Annotated[Finite, within(1e-4, 100)] = 0.2  # of one wheel on each axis
    momentum_n_m_s: Annotated[Finite, within(1e-3, 1000)] = 4.0


class ThrustersTable(Strict):
    torque_n_m: Annotated[Finite, within(1e-3, 100)] = 0.5  # of the pair of one axis and sense
    min_on_s: Annotated[Finite, within(0.001, 1)] = 0.01
    period_s: Annotated[Finite, within(0.001, 10)] = 0.1  # of the pulses: at least min_on_s

    @model_validator(mode="after")
    def _can_fire(self) -> Self:
        if self.min_on_s > self.period_s:
            _complain("min_on_s", self.min_on_s, f"at most period_s, {self.period_s:g} s: else they never fire")
        return self


class BaseTable(Strict):
    """Attitude control of the base: none (free-floating), or by wheels or thrusters (free-flying)."""

    control: Literal["none", "wheels", "thrusters"] = "none"
    bandwidth_rad_s: Annotated[Finite, within(0.001, 50)] = 1.0
    wheels: WheelsTable = WheelsTable()
    thrusters: ThrustersTable = ThrustersTable()


class TrackingOrbit(CircularOrbitTable):
    feed_forward: Truth = True  # the laws' τ_grav, from the controller's own model


class TrackingFile(ArmExperimentFile):
    """The whole file."""

    kind: Literal["tracking"]
    start_deg: tuple[Finite, ...]  # joint angles
    posture_deg: tuple[Finite, ...] | None = None  # q_s; the start unless given
    rate_hz: Annotated[Finite, within(10, 20_000)] = 1000.0
    way_points: Annotated[tuple[TrackingWayPoint, ...], Field(min_length=1, max_length=50)]
    law: Annotated[tuple[LawTable, ...], Field(min_length=1, max_length=4)]
    # Law 4 once more with the task gains of law 2: in theory they do the same. Criterion: mean errors agree within this share.
    equal_within: Annotated[Finite, within(0, 1)] | None = None
    model_error: ModelErrorTable = ModelErrorTable()
    base: BaseTable = BaseTable()
    orbit: TrackingOrbit | None = None
    joints: JointsTable | None = None  # encoders, motors, bearings: ideal unless given

    @model_validator(mode="after")
    def _consistent(self) -> Self:
        check_friction(self.arm.friction, self.joints)
        times = [point.t_s for point in self.way_points]
        if sorted(set(times)) != times:
            _complain("way_points", times, "times that increase")
        numbers = [row.number for row in self.law]
        if len(set(numbers)) != len(numbers):
            _complain("law", numbers, "each number once")
        if self.equal_within is not None and not {2, 4} <= set(numbers):
            _complain("equal_within", numbers, "with laws 2 and 4 in the file")
        return self

    @property
    def duration_s(self) -> float:
        return self.way_points[-1].t_s


def _complain(key: str, value: Any, bound: str) -> None:
    raise PydanticCustomError("tracking", "not usable", {"key": key, "value": value, "bound": bound})


FILE = TrackingFile
