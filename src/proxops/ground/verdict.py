"""How a run went, in words: the verdict, and each criterion with its value and bound."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

from proxops.ground.bridge_words import how_it_followed
from proxops.ground.mission_words import CRITERION_WORDS, how_it_flew
from proxops.ground.words import DEG, MISSING, count, told

Summary = dict[str, Any]


class Verdict(NamedTuple):
    """``good`` is None where there is nothing to judge."""

    good: bool | None
    headline: str
    detail: str


def verdict(s: Summary) -> Verdict:
    """How the run went, in one sentence and one more."""
    failed = [label_of(row["name"]) for row in s["criteria"] if not row["passed"]]
    if s["run_ended"] is None and "mission" not in s:
        return _nothing_ran(s)
    if s["run_ended"] == "stopped":
        rule, text = (s["stop"]["rule"], s["stop"]["text"]) if s["stop"] else ("a rule", "the log holds no stop event")
        return Verdict(False, f"Stopped by {rule} after {told(s['run_s'], unit='s')} of the run", text)
    if s["run_ended"] == "cut off":
        return Verdict(False, "The log ends in the middle of the run", "; ".join(s["notes"]))
    done, detail = _done(s)
    if failed:
        share = f"{len(failed)} of {len(s['criteria'])}"
        return Verdict(False, f"{done}, but {share} criteria not met", "; ".join(failed))
    return Verdict(True, done, f"{detail}. All {len(s['criteria'])} criteria met.")


def _done(s: Summary) -> tuple[str, str]:
    if "mission" in s:
        return how_it_flew(s["mission"])
    return how_it_followed(s) if s["kind"] == "bridged" else _played(s)


def _nothing_ran(s: Summary) -> Verdict:
    detail = f"The log ends in {s['final_mode']}." if s["final_mode"] else "The log holds no cycle."
    if s["stop"]:
        detail += f" The last stop: {s['stop']['text']}."
    return Verdict(False if s["stop"] else None, "Nothing ran", detail)


def _played(s: Summary) -> tuple[str, str]:
    words = "The run came to its end"
    if s["lines"] and s["last_command"] is not None:
        words = f"{count(s['last_command'])} of {count(s['lines'])} lines played"
    return "Done", f"{words} in {told(s['run_s'], unit='s')}"


_CRITERION_WORDS: Final = {
    **CRITERION_WORDS,
    "margin_axis_range_min": ("margin to the axis ranges", 100.0, "%"),
    "margin_table3_min_m": ("margin to Table 3's position ranges", 1.0, "m"),
    "margin_speed_min": ("speed left of the axis limits", 100.0, "%"),
    "red_cycles": ("cycles in red", 1.0, ""),
    "setpoint_speed_share_max": ("set-point speed, share of the axis limits", 100.0, "%"),
    "setpoint_acceleration_share_max": ("set-point acceleration, share of the axis limits", 100.0, "%"),
    "shown_error_max_m": ("set-points against the relative pose to show, position", 1e9, "nm"),
    "shown_error_max_rad": ("set-points against the relative pose to show, attitude", 1e9, "nrad"),
    "late_share": ("cycles later than 1 ms", 100.0, "%"),
    "missed_share": ("cycles missed by the live loop", 100.0, "%"),
    "robot1_position_error_delay_removed_rms_m": ("robot 1, position error rms, delay taken off", 1e3, "mm"),
    "robot2_position_error_delay_removed_rms_m": ("robot 2, position error rms, delay taken off", 1e3, "mm"),
    "robot1_attitude_error_delay_removed_rms_rad": (
        "robot 1, attitude error rms, delay taken off",
        DEG,
        "deg",
    ),
    "robot2_attitude_error_delay_removed_rms_rad": (
        "robot 2, attitude error rms, delay taken off",
        DEG,
        "deg",
    ),
}


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
    if isinstance(value, int):
        return count(value)
    return told(value, scale, unit, 3 if unit in ("mm", "deg", "m") else 2)
