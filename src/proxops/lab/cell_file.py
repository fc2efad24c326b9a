"""What the TOML file of any cell has, read strictly: servos, rail, link, floor plan, interlocks and who may use the facility.

A hall adds its own tables in ``hall_file``, a cell of arms in ``arm_cell_file``.
"""

from __future__ import annotations

from typing import Annotated, Literal, Self

from pydantic import Field, field_validator, model_validator

from proxops.core.clock import STALL_S
from proxops.core.strict_table import Finite, Strict, Triple

Positive = Annotated[Finite, Field(gt=0)]
NotNegative = Annotated[Finite, Field(ge=0)]
Share = Annotated[Finite, Field(gt=0, le=1)]
Interval = tuple[Finite, Finite]


def unique(names: list[str]) -> None:
    """ValueError if one is there twice."""
    for name in names:
        if names.count(name) > 1:
            raise ValueError(f"{name} is named twice")


def ordered_intervals(table: Strict, *names: str) -> None:
    """ValueError if one of the named intervals does not go up."""
    for name in names:
        lower, upper = getattr(table, name)
        if not lower < upper:
            raise ValueError(f"{name}: from must be below to, got {lower} and {upper}")


class Servo(Strict):
    """How a controller follows: dead time, lag, and the following error at which it faults (m or rad)."""

    dead_time_ms: Annotated[Finite, Field(ge=0, le=100)]
    time_constant_ms: Annotated[Finite, Field(ge=4, le=500)]
    following_error_limit: Positive


class Rail(Strict):
    """The linear axis under a robot, robot 1 in a hall; it runs along the lab's x."""

    model: str
    origin_lab_m: Triple
    home_m: Finite
    repeatability_mm: NotNegative
    servo: Servo


class LinkTable(Strict):
    """How long robots in motion may go without a fresh set-point before the watchdog brakes them, in cycles, and for how
    long the machine may hold up the facility or the watchdog before whatever moves is stopped."""

    patience_cycles: Annotated[int, Field(strict=True, ge=2, le=250)] = 3
    stall_ms: Annotated[Finite, Field(ge=8.0, le=1000.0)] = STALL_S * 1e3

    @property
    def stall_ns(self) -> int:
        return round(self.stall_ms * 1e6)


class InterlockInput(Strict):
    """One named input that can forbid motion, and where it is on the floor plan (x, y in the lab)."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    kind: Literal["estop", "door", "gate", "fence", "laser", "power"]
    at_lab_m: tuple[Finite, Finite] | None = None


GroupName = Annotated[str, Field(pattern=r"^[a-z_][a-z0-9_-]{0,31}$")]


class Access(Strict):
    """Unix groups whose members may use the control channel of a served facility: watch, operate (and watch), maintain (all).
    Without this table only the facility's own user may."""

    watch_group: GroupName | None = None
    operate_group: GroupName | None = None
    maintain_group: GroupName | None = None


class PlanRoom(Strict):
    """A room of the floor plan: its inner walls in the lab."""

    name: Annotated[str, Field(min_length=1, max_length=40)]
    x_m: Interval
    y_m: Interval

    @model_validator(mode="after")
    def _ordered(self) -> PlanRoom:
        ordered_intervals(self, "x_m", "y_m")
        return self

    def holds(self, x_m: float, y_m: float) -> bool:
        """True inside and on the walls, where doors are."""
        return self.x_m[0] <= x_m <= self.x_m[1] and self.y_m[0] <= y_m <= self.y_m[1]


class Plan(Strict):
    """The floor plan, used for drawing only."""

    rooms: Annotated[tuple[PlanRoom, ...], Field(min_length=1, max_length=16)]

    @field_validator("rooms")
    @classmethod
    def _named_once(cls, rooms: tuple[PlanRoom, ...]) -> tuple[PlanRoom, ...]:
        unique([room.name for room in rooms])
        return rooms


class CellFile(Strict):
    """What the file of every cell has, whatever stands in it."""

    name: str
    link: LinkTable = LinkTable()
    plan: Plan | None = None
    access: Access | None = None
    interlock: Annotated[tuple[InterlockInput, ...], Field(min_length=1, max_length=32)]

    @field_validator("interlock")
    @classmethod
    def _named_once(cls, inputs: tuple[InterlockInput, ...]) -> tuple[InterlockInput, ...]:
        unique([i.name for i in inputs])
        return inputs

    @model_validator(mode="after")
    def _on_the_plan(self) -> Self:
        rooms = self.plan.rooms if self.plan else ()
        for i in self.interlock:
            if rooms and i.at_lab_m and not any(room.holds(*i.at_lab_m) for room in rooms):
                raise ValueError(f"interlock {i.name}: at_lab_m {i.at_lab_m} lies in none of the plan's rooms")
        return self
