"""Results for people: dataclasses as plain data, a log's description as a table."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any


def plain(result: Any) -> dict[str, Any]:
    """A dataclass as a dictionary of plain values."""
    table: dict[str, Any] = asdict(result)
    return table


def _rate(state: dict[str, Any]) -> str:
    return f"{state['rate_hz']:.3f} Hz" if state["rate_hz"] else "-"


def print_info(about: dict[str, Any]) -> None:
    """What ``describe`` found, for the terminal."""
    from rich.console import Console

    console = Console(highlight=False)
    state = "complete" if about["complete"] else "[yellow]cut off[/]"
    console.print(f"{about['file']}: {about['bytes']} bytes, {about['duration_s']:.3f} s, {state}")
    for moment in ("start", "end"):
        if about[moment]:
            console.print(f"{moment:<6} {about[moment]['utc']}   GPS {about[moment]['gps_ns'] / 1e9:.3f} s")
    width = max((len(topic) for topic in about["topics"]), default=0)
    console.print(f"{about['cycles']['count']} cycles, {_rate(about['cycles'])}")
    for topic, state in about["topics"].items():
        console.print(f"{topic:<{width}} {state['count']} messages, {_rate(state)}")
    events = ", ".join(f"{count} {name.lower()}" for name, count in about["events"].items() if count) or "none"
    console.print(f"events: {events}; gaps: {about['gaps']['count']}, {about['gaps']['lost_ticks']} cycles lost")
    console.print(f"ended: {about['ended_words']}", markup=False)
    for note in about["notes"]:
        console.print(f"[yellow]{note}[/]")
    print(f"{'variable':<26}{'unit':<6}{'smallest':>15}{'largest':>15}{'last':>15}")
    for name, row in about["variables"].items():
        print(
            f"{name:<26}{row.get('unit', ''):<6}"
            + "".join(f"{_short(row.get(key)):>15}" for key in ("min", "max", "last"))
        )


def _short(value: Any) -> str:
    return f"{value:.9g}" if isinstance(value, int | float) and not isinstance(value, bool) else str(value)
