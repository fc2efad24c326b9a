"""What a run may be told besides its scenario. Each kind takes what it has a use for and refuses the rest."""

from __future__ import annotations

from dataclasses import dataclass, fields
from pathlib import Path
from typing import TYPE_CHECKING, Final

from proxops.core.errors import BadInput

if TYPE_CHECKING:
    from proxops.lab.any_cell import AnyCell
    from proxops.lab.cell import Cell
    from proxops.runs.announcement import Launch
    from proxops.runs.overseer import Overseer

FOR_ALL: Final = frozenset({"realtime", "report", "quiet"})


@dataclass(frozen=True)
class RunOptions:
    """As ``proxops run`` has them; None or False: not given."""

    realtime: bool = False  # by the wall's clock
    seed: int | None = None  # instead of the scenario's own
    cell: Path | None = None
    user_tool: Path | None = None
    flight_software: str | None = None  # path/to/file.py:Class or udp://host:port
    flight_software_inside: bool = False
    hall: bool | None = None  # close a mission's loop through the hall
    runs: int = 1  # with seeds counting up
    control: str | None = None  # name of a live experiment for ``ControlClient``
    console: Launch | None = None  # to watch a live experiment
    report: bool = True
    quiet: bool = True
    overseer: Overseer | None = None
    images: str | None = None  # HOST:PORT at which a mission's images are served

    def __post_init__(self) -> None:
        for name, value, least in (("--runs", self.runs, 1), ("--seed", self.seed or 0, 0)):
            if value < least:
                raise BadInput(f"{name}: too small", value=value, bound=f"at least {least}")

    def demand_only(self, name: str, kind: str, *known: str) -> None:
        """BadInput for what was given and is neither ``known`` to this kind nor for all."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name not in (*known, *FOR_ALL) and value != field.default:
                word = f"--{field.name.replace('_', '-')}"
                raise BadInput(f"{word}: a run of the kind {kind} has no use for it", where=name, value=value)

    def read_any_cell(self) -> AnyCell:
        """The cell of the file or shipped name with its tools, a hall or one of arms; the EPOS hall unless given."""
        from proxops.lab.any_cell import read_any_cell
        from proxops.lab.user_tool import UserTool

        return read_any_cell(self.cell, UserTool.read(self.user_tool) if self.user_tool else None)

    def read_cell(self) -> Cell:
        """The cell of the file with its tools; the EPOS hall and the paper's tool unless given."""
        from proxops.lab.any_cell import load_cell
        from proxops.lab.user_tool import UserTool

        return load_cell(self.cell, UserTool.read(self.user_tool) if self.user_tool else None)
