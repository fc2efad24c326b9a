"""A cell by its file or its shipped name, whatever kind it is: the hall, or one or two arms."""

from __future__ import annotations

from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.messages import POOL, Group, arm_pool
from proxops.core.strict_table import judge_table
from proxops.core.toml_text import load_toml
from proxops.lab.arm_cell import ArmCell, build_arm_cell
from proxops.lab.arm_cell_file import ArmCellFile
from proxops.lab.cell import Cell, build_cell, builtin, shipped_tool
from proxops.lab.hall_file import HallFile
from proxops.lab.user_tool import UserTool

AnyCell = Cell | ArmCell
HALL: Final = "epos"


def shipped_cells() -> tuple[str, ...]:
    """Names of the cells that come with the package."""
    return tuple(sorted(path.stem for path in builtin("cells", ".").glob("*.toml")))


def read_any_cell(given: Path | str | None = None, tool: UserTool | None = None) -> AnyCell:
    """A cell file, or the shipped one of that name (the EPOS hall by default); ``tool`` is of a hall only."""
    source = cell_source(given)
    table = load_toml(source, "the cell")
    if table.get("kind") != "arms":
        return build_cell(judge_table(table, HallFile, source), source, tool or shipped_tool())
    if tool is not None:
        raise BadInput("the user tools are those of a hall with two ports", where=str(source), way_out="leave them out")
    return build_arm_cell(judge_table(table, ArmCellFile, source), source)


def load_cell(given: Path | str | None = None, tool: UserTool | None = None) -> Cell:
    """A hall (EPOS by default) with the user tools (Figure 24's by default); a cell of arms is refused."""
    return demand_hall(read_any_cell(given, tool), "this command")


def cell_source(given: Path | str | None) -> Path:
    """Where a cell's file is: a shipped name, or a path."""
    name = str(given) if given is not None else HALL
    if name in shipped_cells() and not Path(name).is_file():
        return builtin("cells", f"{name}.toml")
    return Path(name)


def pool_of(cell: AnyCell) -> tuple[Group, ...]:
    """The table of what is recorded of a cell every cycle."""
    if isinstance(cell, Cell):
        return POOL
    return arm_pool(cell.axis_names, tuple(cell.slides.tolist()), len(cell.file.arms))


def demand_hall(cell: AnyCell, what: str) -> Cell:
    """The hall, or a refusal of what needs one: two six-axis arms with spherical wrists, one of them on a rail."""
    if isinstance(cell, Cell):
        return cell
    raise BadInput(
        f"{what} needs a hall of two arms and a rail", where=str(cell.source),
        value=f"{cell.file.name}: {len(cell.file.arms)} arm(s), {cell.n_axes} axes", way_out="use the cell epos",
    )  # fmt: skip
