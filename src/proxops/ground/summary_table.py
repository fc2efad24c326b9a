"""The figures of a run in words for people: mm, deg, ms; the verdict, the tables, and the short form for a terminal."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from proxops.core.messages import AXES

if TYPE_CHECKING:
    from rich.console import Console

Summary = dict[str, Any]
Rows = list[tuple[str, ...]]
DEG: Final = 180.0 / math.pi
MISSING: Final = "–"


class Verdict(NamedTuple):
    """``good`` is None where there is nothing to judge."""

    good: bool | None
    headline: str
    detail: str


def told(value: float | None, scale: float = 1.0, unit: str = "", decimals: int = 2) -> str:
    """A figure with its unit; a dash when it does not exist."""
    if value is None:
        return MISSING
    text = f"{value * scale:,.{decimals}f}".replace(",", " ")
    if not text.strip("-0."):
        text = text.removeprefix("-")
    return f"{text} {unit}".rstrip().replace("-", "−")


def count(value: int | None) -> str:
    """A whole number."""
    return told(value, decimals=0)


def verdict(s: Summary) -> Verdict:
    """How the run went, in one sentence and one more."""
    failed = [label_of(row["name"]) for row in s["criteria"] if not row["passed"]]
    if s["run_ended"] is None:
        stop = f" The last stop: {s['stop']['text']}." if s["stop"] else ""
        return Verdict(False if s["stop"] else None, "Nothing ran", f"The log ends in {s['final_mode'] or 'nothing'}.{stop}")
    if s["run_ended"] == "stopped":
        stop = s["stop"] or {"rule": "unknown rule", "text": "the log holds no stop event", "at_s": None}
        into = f" after {told(s['run_s'], unit='s')} of the run"
        return Verdict(False, f"Stopped by {stop['rule']}{into}", stop["text"])
    if s["run_ended"] == "cut off":
        return Verdict(False, "The log ends in the middle of the run", "; ".join(s["notes"]))
    if failed:
        return Verdict(False, f"Done, but {len(failed)} of {len(s['criteria'])} criteria not met", "; ".join(failed))
    return Verdict(True, "Done", f"{_played(s)} in {told(s['run_s'], unit='s')}. All {len(s['criteria'])} criteria met.")


def _played(s: Summary) -> str:
    if s["lines"] and s["last_command"] is not None:
        return f"{count(s['last_command'])} of {count(s['lines'])} lines played"
    return "The run came to its end"


def key_figures(s: Summary) -> Rows:
    """Name and value of what one wants to know first."""
    lag = _worst(s["limiter_lag_max"], "a"), s["limiter_lag_max"]["rail"]
    return [
        ("run", told(s["run_s"], unit="s")),
        ("move to start", told(s["move_to_start_s"], unit="s")),
        ("log", f"{told(s['duration_s'], unit='s')}, {count(s['cycles'])} cycles of {told(s['sample_period_s'], 1e3, 'ms')}"),
        ("started", f"{s['start_utc'] or MISSING}"),
        ("distance of the ports", f"{told(s['distance_start_m'], unit='m', decimals=4)} → {told(s['distance_end_m'], unit='m', decimals=4)}"),
        ("turns of robot 2", f"A4 {told(s['robot2_a4_turns'])}, A6 {told(s['robot2_a6_turns'])}"),
        ("port speeds", f"up to {told(s['port1_speed_max_m_s'], 1e3, decimals=1)} and {told(s['port2_speed_max_m_s'], 1e3, 'mm/s', 1)}"),
        ("port rates", f"up to {told(s['port1_rate_max_rad_s'], DEG)} and {told(s['port2_rate_max_rad_s'], DEG, 'deg/s')}"),
        ("set-point lag", f"rail up to {told(lag[1], 1e3, 'mm')}, axes {told(lag[0], DEG, 'deg', 4)}"),
        ("range margins", f"axes {told(s['margin_axis_range_min'], 100, '%', 1)}, Table 3 {told(s['margin_table3_min_m'], unit='m')}"),
        ("singularity margins", f"wrist {told(s['margin_wrist_min_rad'], DEG, 'deg', 1)}, elbow {told(s['margin_elbow_min_rad'], DEG, 'deg', 1)}, "
                                    f"shoulder {told(s['margin_shoulder_min_m'], unit='m')}"),
        ("lost cycles", count(s["lost_ticks"])),
        *_timing_rows(s),
    ]  # fmt: skip


def _worst(by_axis: dict[str, float | None], kind: str) -> float | None:
    """Greatest over the turning axes."""
    found = [value for name, value in by_axis.items() if f"_{kind}" in name and value is not None]
    return max(found, default=None)


def _timing_rows(s: Summary) -> Rows:
    if s["missed_cycles"] is None:
        return []
    late = f"{told(s['lateness_max_s'], 1e3, 'ms')} at most, 99 % below {told(s['lateness_p99_s'], 1e3, 'ms')}"
    return [("lateness", late), ("missed cycles", count(s["missed_cycles"]))]


FOLLOWING_HEAD: Final = ("", "rail", "robot 1", "robot 2")


def following_rows(s: Summary) -> Rows:
    """Delay and errors of rail and robots, largest / rms / at the end."""
    rows: Rows = [("delay of the drives [ms]", *(told(s[f"{unit}_delay_s"], 1e3, decimals=1) for unit in ("rail", "robot1", "robot2")))]
    for suffix, words in (("", ""), ("_delay_removed", ", delay taken off")):
        position = [f"{who}_error{suffix}" for who in ("rail", "robot1_position", "robot2_position")]
        rows.append((f"position error{words} [mm]", *(_three(s, name, "m", 1e3, 3) for name in position)))
        attitude = [f"{who}_attitude_error{suffix}" for who in ("robot1", "robot2")]
        rows.append((f"attitude error{words} [deg]", "", *(_three(s, name, "rad", DEG, 4) for name in attitude)))
    return rows


def _three(s: Summary, name: str, unit: str, scale: float, decimals: int) -> str:
    return " / ".join(told(s[f"{name}_{word}_{unit}"], scale, decimals=decimals) for word in ("max", "rms", "final"))


AXIS_HEAD: Final = ("axis", "error", "set-point behind", "speed", "of limit", "acceleration", "of limit")


def axis_rows(s: Summary) -> Rows:
    """The greatest of each axis: mm and deg, and their rates."""
    rows: Rows = []
    for axis in AXES:
        scale, unit = (1e3, "mm") if axis == "rail" else (DEG, "deg")
        found = [told(s[name][axis], scale, unit + rate, 3) for name, rate in (
            ("axis_error_max", ""), ("limiter_lag_max", ""), ("setpoint_speed_max", "/s"), ("setpoint_acceleration_max", "/s²"))]  # fmt: skip
        shares = [told(s[name][axis], 100.0, "%", 1) for name in ("setpoint_speed_share", "setpoint_acceleration_share")]
        rows.append((axis.replace("_a", " A").replace("robot", "robot "), *found[:3], shares[0], found[3], shares[1]))
    return rows


_CRITERION_WORDS: Final = {
    "margin_axis_range_min": ("margin to the axis ranges", 100.0, "%"),
    "margin_table3_min_m": ("margin to Table 3's position ranges", 1.0, "m"),
    "margin_speed_min": ("speed left of the axis limits", 100.0, "%"),
    "late_share": ("cycles later than 1 ms", 100.0, "%"),
    **{f"robot{n}_position_error_delay_removed_rms_m": (f"robot {n}, position error rms, delay taken off", 1e3, "mm") for n in (1, 2)},
    **{f"robot{n}_attitude_error_delay_removed_rms_rad": (f"robot {n}, attitude error rms, delay taken off", DEG, "deg") for n in (1, 2)},
}  # fmt: skip


def label_of(name: str) -> str:
    """A criterion's name for people."""
    return _CRITERION_WORDS[name][0] if name in _CRITERION_WORDS else name


def criterion_row(row: dict[str, Any]) -> tuple[str, str, str, bool]:
    """Name, value, bound and outcome of a criterion."""
    label, scale, unit = _CRITERION_WORDS.get(row["name"], (row["name"], 1.0, ""))
    value, bound = _word(row["value"], scale, unit), _word(row["bound"], scale, unit)
    if isinstance(row["bound"], float):
        bound = f"{row['bound'] * scale:g} {unit}".rstrip()
    sign = {"at most": "≤ ", "at least": "≥ ", "equal": ""}[row["kind"]]
    return label, value, sign + bound, row["passed"]


def _word(value: Any, scale: float, unit: str) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, str) or value is None:
        return value or MISSING
    return count(value) if isinstance(value, int) else told(value, scale, unit, 3 if unit in ("mm", "deg", "m") else 1)


def print_summary(summary: Summary, console: Console) -> None:
    """Verdict and figures for the terminal."""
    from rich.markup import escape
    from rich.table import Table

    word = verdict(summary)
    colour = {True: "green", False: "red", None: "yellow"}[word.good]
    console.print(f"[bold {colour}]{escape(word.headline)}[/]  {escape(word.detail)}", highlight=False)
    table = Table(show_header=False, box=None, pad_edge=False)
    for name, value in key_figures(summary):
        table.add_row(f"[dim]{name}[/]", escape(value))
    console.print(table)
    if summary["run_ended"] is not None:
        following = Table(*FOLLOWING_HEAD, box=None, pad_edge=False, title_justify="left", caption="largest / rms / at the end", caption_justify="left")
        for row in following_rows(summary):
            following.add_row(*map(escape, row))
        console.print(following)
    for name, value, bound, passed in map(criterion_row, summary["criteria"]):
        if not passed:
            console.print(f"[red]not met[/]  {escape(name)}: {escape(value)}, bound {escape(bound)}", highlight=False)
