"""``proxops log``: look into a recorded run."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from proxops.cli.options import CellPath, Json, LogPath, SystemName, Tool, print_json
from proxops.core.errors import EXIT_STOPPED, BadInput, refuse_overwriting

if TYPE_CHECKING:
    from proxops.ground.log import Log

log = typer.Typer(no_args_is_help=True, rich_markup_mode=None, help="Look into a recorded run.")
Variables = Annotated[list[str] | None, typer.Option("--variable", help="group or group.name; all by default.")]


@log.command("info")
def info(file: LogPath, json: Json = False) -> None:
    """Variables, rates, times, events of a run."""
    from proxops.ground.info import describe
    from proxops.ground.log import Log
    from proxops.ground.tables import print_info

    recorded = Log.open(file)
    about = describe(recorded)
    if json:
        print_json(about)
    else:
        print_info(about)
    _demand_whole(recorded)


@log.command("export")
def export(
    file: LogPath,
    out: Annotated[
        Path | None,
        typer.Option(help="File to write: CSV, or standard messages as .mcap; CSV to standard output by default."),
    ] = None,
    variable: Variables = None,
    words: Annotated[bool, typer.Option(help="Modes and sources by name.")] = False,
    images: Annotated[
        Path | None, typer.Option(help="Folder for what cameras, ToF cameras and LiDARs have seen, with frames.csv.")
    ] = None,
    pgm: Annotated[bool, typer.Option(help="Images as PGM instead of PNG.")] = False,
    json: Json = False,
) -> None:
    """CSV of all or chosen variables; as .mcap every cycle as a standard message, for any viewer of logs; or the images."""
    from proxops.ground.export import choose, export_file, write_csv
    from proxops.ground.log import Log

    recorded = Log.open(file)
    if images is not None or pgm:
        _export_images(recorded, images, out or variable or words, plain=pgm, json=json)
        return
    if out is not None:
        refuse_overwriting(out, file)
        _tell(json, out, rows=export_file(recorded, out, variable, words=words))
    elif json:
        print_json({column.path: recorded.values(column.path).tolist() for column in choose(recorded, variable)})
    else:
        write_csv(recorded, choose(recorded, variable), sys.stdout, words=words)
    _demand_whole(recorded)


@log.command("plot")
def plot(
    file: LogPath,
    system: Annotated[
        SystemName, typer.Option(case_sensitive=False, help="Coordinate system of the plot.")
    ] = SystemName.GLC,
    out: Annotated[Path | None, typer.Option(help="Picture (.png, .svg, .pdf); beside the log by default.")] = None,
    user_tool: Tool = None,
    cell: CellPath = None,
    json: Json = False,
) -> None:
    """Plot commanded and actual values in any coordinate system."""
    from proxops.core.vocabulary import System
    from proxops.ground.arm_report import is_of_arms
    from proxops.ground.log import Log
    from proxops.ground.plots import plot_log
    from proxops.ground.provenance import cell_of

    recorded = Log.open(file)
    if "experiment" in recorded.metadata or is_of_arms(recorded):
        raise BadInput(
            "the log of an arm has no coordinate systems of the hall", where=str(file),
            way_out="its drawings are in report.html; proxops log export gives its numbers",
        )  # fmt: skip
    target = out or file.with_name(f"{file.stem}_{system.value}.png")
    refuse_overwriting(target, file)
    from proxops.api import read_cell

    own = read_cell(cell, user_tool) if user_tool or cell else cell_of(recorded)
    plot_log(recorded, own, System[system.value], target)
    _tell(json, target, system=system.value)


@log.command("align")
def align(
    file: LogPath,
    data: Annotated[Path, typer.Argument(help="CSV of time-stamped outside data.")],
    out: Annotated[Path | None, typer.Option(help="CSV to write; beside the data by default.")] = None,
    time_column: Annotated[str | None, typer.Option(help="Name of the time column if it cannot be guessed.")] = None,
    time_form: Annotated[str | None, typer.Option(help="utc, utc_s, utc_ns, gps_s, gps_ns … if not guessed.")] = None,
    json: Json = False,
) -> None:
    """Add the ground-truth poses at the instants of outside data (UTC or GPS time)."""
    from proxops.ground.align import align as align_file
    from proxops.ground.log import Log
    from proxops.ground.tables import plain

    target = out or data.with_name(f"{data.stem}_aligned.csv")
    refuse_overwriting(target, file, data)
    _tell(json, target, **plain(align_file(Log.open(file), data, target, time_column, time_form)))


@log.command("recover")
def recover(
    file: LogPath,
    out: Annotated[Path | None, typer.Option(help="Log to write; beside the old one by default.")] = None,
    json: Json = False,
) -> None:
    """Make a whole log of one that was cut off (killed process, full disk)."""
    from proxops.ground.recover import recover as recover_file
    from proxops.ground.tables import plain

    target = out or file.with_name(f"{file.stem}_recovered.mcap")
    _tell(json, target, **plain(recover_file(file, target)))


@log.command("layout")
def layout(
    out: Annotated[Path, typer.Argument(help="File or folder to write into.")] = Path(),
    json: Json = False,
) -> None:
    """Write the layout with which Foxglove shows a run: hall in 3D, plots, modes, events."""
    from proxops.ground.layout import write_layout

    _tell(json, write_layout(out), opens_with="Foxglove: Layouts, Import from file")


def _export_images(recorded: Log, folder: Path | None, more: object, *, plain: bool, json: bool) -> None:
    if folder is None or more:
        raise BadInput("--images goes alone or with --pgm, and --pgm with --images", where="log export")
    from proxops.ground.export import export_images

    _tell(json, folder, **export_images(recorded, folder, plain=plain))
    _demand_whole(recorded)


def _demand_whole(recorded: Log) -> None:
    """Exit code 1 after all that there was, for a log that was cut off or is still being written."""
    if not recorded.complete:
        print(f"proxops: {recorded.path}: the log is not whole: {'; '.join(recorded.notes)}", file=sys.stderr)
        raise typer.Exit(EXIT_STOPPED)


def _tell(json: bool, out: Path, **more: object) -> None:
    if json:
        print_json({"out": str(out), **more})
    else:
        print(f"{out}: " + ", ".join(f"{name.replace('_', ' ')} {_words(value)}" for name, value in more.items()))


def _words(value: object) -> str:
    """Lists and tables without brackets."""
    if isinstance(value, dict):
        return ", ".join(f"{key} {count}" for key, count in value.items())
    return "; ".join(map(str, value)) or "none" if isinstance(value, list | tuple) else str(value)
