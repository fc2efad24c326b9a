"""The answer of ``proxops check`` on a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final

from proxops.facility.feasibility.table import Table

if TYPE_CHECKING:
    from rich.console import Console

HEADLINES: Final = {
    "yes": "[bold green]feasible[/]: the hall can show this motion",
    "in part": "[bold yellow]not feasible as a whole[/]: the hall can show part of this motion",
    "no": "[bold red]not feasible[/]: the hall cannot show this motion",
}
STYLES: Final = {"shown": "green", "lags": "yellow", "waits": "yellow", "halts": "red"}
HEAD: Final = ("segment", "time, s", "verdict", "smallest margin", "most used rate", "clearance")


def print_answer(about: Table, console: Console) -> None:
    """Headline, segments, what happens in them, the start, advice."""
    from rich.table import Table as Grid

    nearest, furthest = about["distance_m"]
    console.print(
        f"[bold]{about['name']}[/]  {about['duration_s']:.1f} s, {nearest:.2f} … {furthest:.2f} m in the hall",
        highlight=False,
    )
    console.print(headline(about), highlight=False)
    grid = Grid(box=None, pad_edge=False, padding=(0, 2, 0, 0))
    for k, name in enumerate(HEAD):
        grid.add_column(name, justify="left", no_wrap=k in (1, 2))
    for row in about["segments"]:
        grid.add_row(*_cells(row))
    console.print()
    console.print(grid, highlight=False)
    for row in about["segments"]:
        for note in row["notes"]:
            console.print(f"  {row['number']}: {note}", highlight=False, markup=False)
    _print_start(about["start"], console)
    if about["as_written"]:
        console.print(f"\n{about['as_written']['text']}", highlight=False, markup=False)
    console.print()
    for advice in about["advice"]:
        console.print(f"→ {advice['text']}", highlight=False, markup=False)
    if not about["feasible"] and not about["advice"]:
        console.print("→ no single change of scale, distance or speed makes all of it fit", highlight=False)
    if about["files"]:
        console.print(", ".join(about["files"]), highlight=False, markup=False)


def headline(about: Table) -> str:
    """The verdict in a sentence, with marks of rich."""
    text = HEADLINES[about["answer"]]
    start = about["start"]
    if about["feasible"] and not start["own_choice"]["fits"]:
        return f"{text}, but only from the start posture below: the bridge's own choice does not do"
    return text if about["feasible"] else f"{text} ({100.0 * about['shown_share']:.0f} % of its time)"


def _cells(row: Table) -> tuple[str, ...]:
    name = f"{row['number']} {row['text']}" + ("" if row["counts"] else " (not counted)")
    style = STYLES.get(row["verdict"], "dim")
    times = f"{row['from_s']:.1f} – {row['to_s']:.1f}"
    return name, times, f"[{style}]{row['verdict']}[/]", margin_text(row["margin"]), _rates(row), _clearance(row)


def margin_text(margin: Table | None) -> str:
    """Share, room and what it is of."""
    if margin is None:
        return "–"
    room = f"{margin['value'] * 1e3:.0f} mm" if margin["unit"] == "m" else f"{math.degrees(margin['value']):.1f}°"
    return f"{100.0 * margin['share']:.1f} %  {margin['of']} {room}"


def _rates(row: Table) -> str:
    rates: Any = row["rates"]
    return "–" if rates is None else f"{100.0 * rates['share']:.0f} %  {rates['of']}"


def _clearance(row: Table) -> str:
    c: Any = row["clearance"]
    return "–" if c is None else f"{'' if c['exact'] else '≥ '}{c['m'] * 1e3:.0f} mm  {c['of']}"


def _print_start(start: Table, console: Console) -> None:
    best, own = start["best"], start["own_choice"]
    if best is None:
        console.print("\nno start posture: the hall can begin nowhere on this motion", highlight=False)
        return
    held = "held by phi_deg" if best["phi_held"] else "free to slide"
    signs = "/".join("+" if sign > 0 else "−" for sign in best["a5_signs"])
    console.print(
        f"\n[bold]start with the largest margin[/]  {margin_text(best['margin'])};  "
        f"phi {best['phi_deg']:.1f}° ({held}), A5 {signs}",
        highlight=False,
    )
    axes = list(best["axes_mm_deg"].values())
    console.print(
        f"  rail {axes[0]:.0f} mm   robot 1 {_angles(axes[1:7])}   robot 2 {_angles(axes[7:])}  [dim](A1 … A6, deg)[/]",
        highlight=False,
    )
    console.print(f"  from home the hall needs about {best['joining_s']:.0f} s to get there", highlight=False)
    if start["own_choice_is_best"]:
        console.print("  this is what the bridge chooses by itself, coming from home", highlight=False)
    else:
        console.print(
            f"  the bridge by itself, coming from home: {margin_text(own['margin'])};  phi {own['phi_deg']:.1f}°",
            highlight=False,
        )


def _angles(degrees: list[float]) -> str:
    return " ".join(f"{value:.1f}" for value in degrees)
