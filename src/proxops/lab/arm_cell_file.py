"""The TOML file of a cell of arms.

For each arm it names a model, its joints in order and where it is mounted; the rest of the cell (interlocks, link, access, floor
plan) is written as in a hall's file. Solids that stand still (a frame, guides, a table) are listed with their places.
"""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field, model_validator

from proxops.core.strict_table import Finite, Strict, Triple
from proxops.lab.cell_file import CellFile, NotNegative, Positive, Rail, Servo, Share, unique

Names = Annotated[tuple[Annotated[str, Field(min_length=1, max_length=40)], ...], Field(min_length=1, max_length=9)]


class Mount(Strict):
    """Where an arm's root link stands: in the lab, or on the carriage of the rail (then relative to it). ABC as KUKA has it."""

    on: Literal["lab", "rail"] = "lab"
    xyz_m: Triple
    abc_deg: Triple = (0.0, 0.0, 0.0)


class MountedArm(Strict):
    """One arm: the joints of ``model`` in order, from link ``root`` to link ``tip``."""

    model: str
    root: str
    tip: str
    joints: Names
    mount: Mount
    home_deg: Annotated[tuple[Finite, ...], Field(min_length=1, max_length=9)]
    repeatability_mm: NotNegative
    servo: Servo
    # URDF has no accelerations; our own attribute there counts where the file has none either.
    acceleration_deg_s2: Annotated[tuple[Positive, ...], Field(min_length=1, max_length=9)] | None = None

    @model_validator(mode="after")
    def _one_for_each_joint(self) -> MountedArm:
        for name in ("home_deg", "acceleration_deg_s2"):
            values = getattr(self, name)
            if values is not None and len(values) != len(self.joints):
                raise ValueError(f"{name}: {len(values)} numbers for {len(self.joints)} joints")
        unique([joint.lower() for joint in self.joints])  # axes are named in lower case
        return self


class ArmLimits(Strict):
    """What the guard allows beyond the limits of the models, and what manual control uses of it."""

    speed_share: Share
    acceleration_share: Share
    jump_axis_deg: Positive
    jump_rail_mm: Positive = 5.0
    jog_rate_deg_s: Positive
    jog_speed_m_s: Positive = 0.1
    reduced_share: Share


class FixedSolid(Strict):
    """A box or a cylinder (along its z) that stands still in the lab."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]*$")]
    box_m: tuple[Positive, Positive, Positive] | None = None
    cylinder_m: tuple[Positive, Positive] | None = None  # radius, length
    xyz_lab_m: Triple
    abc_deg: Triple = (0.0, 0.0, 0.0)

    @model_validator(mode="after")
    def _one_shape(self) -> FixedSolid:
        if (self.box_m is None) == (self.cylinder_m is None):
            raise ValueError("give either box_m or cylinder_m")
        return self


class ArmZones(Strict):
    """Where red begins round everything that is watched, how thick yellow is at least, and the floor, if arms can reach it.
    ``unwatched``: pairs of links that the ranges of their arm keep apart, though barely."""

    body_margin_mm: NotNegative
    yellow_layer_mm: Positive
    floor_z_m: Finite | None = None
    unwatched: tuple[tuple[str, str], ...] = ()


class ArmCellFile(CellFile):
    """The whole TOML file."""

    kind: Literal["arms"]
    period_ms: Annotated[Finite, Field(ge=0.5, le=50)] = 4.0  # of the facility's cycle
    rail: Rail | None = None
    robot1: MountedArm
    robot2: MountedArm | None = None
    limits: ArmLimits
    zones: ArmZones
    solid: Annotated[tuple[FixedSolid, ...], Field(max_length=32)] = ()

    @property
    def arms(self) -> tuple[MountedArm, ...]:
        return (self.robot1,) if self.robot2 is None else (self.robot1, self.robot2)

    @model_validator(mode="after")
    def _rail_where_wanted(self) -> ArmCellFile:
        unique([solid.name for solid in self.solid])
        for name, robot in (("robot1", self.robot1), ("robot2", self.robot2)):
            if robot is not None and robot.mount.on == "rail" and self.rail is None:
                raise ValueError(f'{name}.mount: on = "rail", but the cell has none')
        return self
