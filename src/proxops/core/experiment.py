"""An experiment (a free-floating arm, a touch): one TOML file, read strictly. Its ``kind`` says what is tried; each has its own
tables (``applications/<kind>/tables.py``)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

from pydantic import Field

from proxops.core.strict_table import Finite, Strict, Truth, within


class ArmTable(Strict):
    """The articulated craft."""

    model: str  # name of a shipped one, or path to a URDF, from the scenario's folder
    tool: str  # frame of the end-effector
    joints: tuple[str, ...] | None = None  # those that move, all unless given; the others are locked at zero
    friction: Truth = False  # of the joints, as the URDF has it; other sizes, and compensation: [joints.friction]


class CircularOrbitTable(Strict):
    """Where the Earth is. Inertial axes are those of LVLH when the run starts: x up, y along the flight, z along the orbit's
    normal."""

    radius_km: Annotated[Finite, within(6_498, 100_000)]
    begin_s: Finite = 0.0  # differential gravity acts from then on


class ExperimentFile(Strict):
    """What all kinds have."""

    name: Annotated[str, Field(pattern=r"^[a-z][a-z0-9_]{0,39}$")]
    about: str = ""
    notes: tuple[str, ...] = ()  # what a reader must know besides: stands with the conventions in the report
    kind: str

    @property
    def duration_s(self) -> float:
        """Of the motion. Every kind has its own way to say it; pydantic's classes cannot be abstract."""
        raise NotImplementedError(f"{type(self).__name__} does not say how long it takes")


class ArmExperimentFile(ExperimentFile):
    """Of those with a free-floating arm."""

    arm: ArmTable


@dataclass(frozen=True)
class Experiment:
    """A file as it was read, and its text."""

    file: ExperimentFile
    source: Path
    text: str

    @property
    def name(self) -> str:
        return self.file.name

    @property
    def kind(self) -> str:
        return self.file.kind

    @property
    def arm(self) -> ArmTable:
        """Of an experiment that has one."""
        assert isinstance(self.file, ArmExperimentFile)
        return self.file.arm

    def model_path(self, arm: ArmTable | None = None) -> Path | str:
        """Of the URDF: a shipped name, or a path from the scenario's folder. ``arm``: the file's first one unless given."""
        given = (arm or self.arm).model
        beside = self.source.parent / given
        return beside if beside.suffix == ".urdf" and beside.is_file() else given
