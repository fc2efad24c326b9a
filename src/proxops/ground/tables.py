"""Results for people: dataclasses as plain data, a log's description as a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any


def plain(result: Any) -> dict[str, Any]:
    """A dataclass as a dictionary of plain values."""
    table: dict[str, Any] = asdict(result)
    return table


def print_info(about: dict[str, Any]) -> None:
    """What ``describe`` found, for the terminal."""
    from rich.console import Console
    from rich.table import Table

    console = Console(highlight=False)
    state = "complete" if about["complete"] else "[yellow]cut off[/]"
    console.print(f"{about['file']}: {about['bytes']} bytes, {about['duration_s']:.3f} s, {state}")
    for moment in ("start", "end"):
        if about[moment]:
            console.print(f"{moment:<6} {about[moment]['utc']}   GPS {about[moment]['gps_ns'] / 1e9:.3f} s")
    for topic, state in about["topics"].items():
        rate = f"{state['rate_hz']:.3f} Hz" if state["rate_hz"] else "-"
        console.print(f"{topic:<10} {state['count']} messages, {rate}")
    console.print(f"events {about['events']}   gaps {about['gaps']}")
    for note in about["notes"]:
        console.print(f"[yellow]{note}[/]")
    table = Table("variable", "unit", "smallest", "largest", "last")
    for name, row in about["variables"].items():
        table.add_row(name, str(row.get("unit", "")), *(_short(row.get(key)) for key in ("min", "max", "last")))
    console.print(table)


def _short(value: Any) -> str:
    return f"{value:.6g}" if isinstance(value, float) else str(value)
