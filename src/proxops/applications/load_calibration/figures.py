"""The calibration of a tool on a force sensor, for people: a table, and forces before and after compensation."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from proxops.applications.load_calibration.calibration import ARM
from proxops.applications.load_calibration.identification import compensated, rows_of
from proxops.applications.load_calibration.record import recorded_in
from proxops.arms.model import load_model
from proxops.core.tool_load_file import ToolLoadFile
from proxops.ground.log import Log
from proxops.ground.plot_style import RAIL, ROBOT1, ROBOT2, new_figure, styled, thin
from proxops.ground.recorded import Floats
from proxops.ground.section import Drawing
from proxops.touch.tool_load import load_of

COLOURS = (ROBOT1, ROBOT2, RAIL)


def draw(log: Log, about: dict[str, Any]) -> Iterator[Drawing]:
    """For the report: what is left of the readings is computed again. Nothing where no load was found."""
    found = about["figures"].get("compensation")
    if found is None:
        return
    load = load_of(ToolLoadFile(**{key: found[key] for key in ("mass_kg", "com_m", "inertia_kgm2")}), str(log.path))
    rows = rows_of(load_model(*ARM), recorded_in(log))(found["shift_s"])
    assert rows.t is not None
    left = compensated(rows, load, np.array(found["bias"]), np.array(found["drift"]))
    yield Drawing(
        draw_calibration(rows.t, rows.reading, left, about["figures"]["tool"]),
        "Readings as measured, and with the load and the sensor's bias and drift taken off: what is left is noise.",
    )


def draw_calibration(t: Floats, readings: Floats, compensated: Floats, name: str) -> Any:
    """Force and torque over the motion, as measured (left) and with load and bias taken off (right)."""
    figure = new_figure(11.0, 5.4)
    with styled():
        grid = figure.add_gridspec(2, 2, left=0.07, right=0.985, top=0.87, bottom=0.09, wspace=0.16, hspace=0.32)
        for row, (what, unit, part) in enumerate((("Force", "N", slice(0, 3)), ("Torque", "N m", slice(3, 6)))):
            for column, (values, how) in enumerate(
                ((readings, "as measured"), (compensated, "load and bias taken off"))
            ):
                axes = figure.add_subplot(grid[row, column])
                for curve, colour, axis in zip(values[:, part].T, COLOURS, "xyz", strict=True):
                    axes.plot(*thin(t, curve, 1200), color=colour, lw=0.8, label=axis)
                axes.set_title(f"{what}, {how} [{unit}]")
                axes.set_xlim(t[0], t[-1])
                if row == 1:
                    axes.set_xlabel("time [s]")
                elif column == 1:
                    axes.legend(ncol=3, loc="lower right", bbox_to_anchor=(1.0, 1.05))
        figure.suptitle(f"Load calibration: {name}", x=0.07, ha="left", fontsize=13, weight="bold")
    return figure


def print_calibration(
    rows: Iterable[tuple[str, str, float, float, float | None]], about: dict[str, Any], written: Iterable[Path]
) -> None:
    """Parameter, identified, sigma; truth, where it is known, and how many sigmas they differ by."""
    from rich.console import Console
    from rich.table import Table

    console = Console()
    table = Table(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    table.add_column("parameter")
    rows = list(rows)
    known = all(true is not None for *_, true in rows)
    for name in ("identified", "sigma", *(("truth", "off, sigma") if known else ())):
        table.add_column(name, justify="right")
    table.add_column("unit")
    for name, unit, got, sigma, true in rows:
        compared = () if true is None else (f"{true:.5f}", f"{(got - true) / sigma:+.1f}")
        table.add_row(name, f"{got:.5f}", f"{sigma:.5f}", *compared, unit)
    console.print(table, highlight=False)
    console.print(
        f"{about['readings']} readings in {about['duration_s']:.0f} s, condition {about['condition']:.1f}; after compensation"
        f" {about['left_n']:.3f} N and {about['left_nm']:.4f} N m per axis, {about['residual']:.3f} times the noise",
        highlight=False,
        soft_wrap=True,
    )
    console.print(
        f"readings were made {about['shift_ms']:+.2f} ± {about['shift_sigma_ms']:.2f} ms from their stamps",
        highlight=False,
        soft_wrap=True,
    )
    if about["moved"]:
        console.print("the inertia lay just outside of what bodies have and was moved to the edge", highlight=False)
    for path in written:
        console.print(f"  {path}", highlight=False, soft_wrap=True)
