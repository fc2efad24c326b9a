"""The figures of a run through the hall in tables for people: mm, deg, ms."""

from __future__ import annotations

from typing import Any, Final

from proxops.core.messages import AXES
from proxops.ground.bridge_words import bridge_rows
from proxops.ground.chapter import Chapter
from proxops.ground.words import DEG, MISSING, count, told

Summary = dict[str, Any]
Rows = list[tuple[str, ...]]


def key_figures(s: Summary, chapter: Chapter | None = None) -> Rows:
    """Name and value of what one wants to know first."""
    rows: Rows = [
        ("log", f"{told(s['duration_s'], unit='s')}, {_cycles(s)}"),
        ("started", s["start_utc"] or MISSING),
    ]
    if chapter and chapter.name in s:
        rows += chapter.rows(s[chapter.name])
    if s["motion"] is not None:
        rows += {"played": _played_rows, "bridged": bridge_rows}[s["motion"]](s)
    return [*rows, ("ended", _ended(s)), ("lost cycles", count(s["lost_ticks"])), *_timing_rows(s)]


def _ended(s: Summary) -> str:
    ended = s.get("ended")
    return ": ".join(part for part in (ended["reason"], ended["detail"]) if part) if ended else MISSING


def _cycles(s: Summary) -> str:
    return f"{count(s['cycles'])} cycles of {told(s['sample_period_s'], 1e3, 'ms')}"


def _played_rows(s: Summary) -> Rows:
    """How long it took, how far and fast it went, how the limiter worked, how much room was left."""
    speeds = [told(s[f"port{n}_speed_max_m_s"], 1e3, "mm/s", 1) for n in (1, 2)]
    rates = [told(s[f"port{n}_rate_max_rad_s"], DEG, "deg/s") for n in (1, 2)]
    lag = s["limiter_lag_max"]["rail"], _worst(s["limiter_lag_max"])
    axes, table3 = s["margin_axis_range_min"], s["margin_table3_min_m"]
    wrist, elbow = (told(s[f"margin_{name}_min_rad"], DEG, "deg", 1) for name in ("wrist", "elbow"))
    ends = " → ".join(told(s[f"distance_{end}_m"], 1.0, "m", 4) for end in ("start", "end"))
    return [
        ("move to start", told(s["move_to_start_s"], unit="s")),
        ("run", told(s["run_s"], unit="s")),
        ("distance of the ports", ends),
        ("turns of robot 2", f"A4 {told(s['robot2_a4_turns'])}, A6 {told(s['robot2_a6_turns'])}"),
        ("port speeds", f"up to {speeds[0]} and {speeds[1]}"),
        ("port rates", f"up to {rates[0]} and {rates[1]}"),
        ("set-point lag", f"rail up to {told(lag[0], 1e3, 'mm')}, axes {told(lag[1], DEG, 'deg', 4)}"),
        ("range margins", f"axes {told(axes, 100.0, '%', 1)}, Table 3 {told(table3, unit='m')}"),
        (
            "singularity margins",
            f"wrist {wrist}, elbow {elbow}, shoulder {told(s['margin_shoulder_min_m'], unit='m')}",
        ),
    ]


def _worst(by_axis: dict[str, float | None]) -> float | None:
    """Greatest over the turning axes."""
    return max((value for name, value in by_axis.items() if name != "rail" and value is not None), default=None)


def _timing_rows(s: Summary) -> Rows:
    if s["missed_cycles"] is None:
        return []
    worst, usual = (told(s[name], 1e3, "ms", 3) for name in ("lateness_max_s", "lateness_p99_s"))
    return [("lateness", f"up to {worst}, 99 % below {usual}"), ("missed cycles", count(s["missed_cycles"]))]


FOLLOWING_HEAD: Final = ("", "rail", "robot 1", "robot 2")


def following_rows(s: Summary, words: tuple[str, ...] = ("max", "rms", "final")) -> Rows:
    """Delay and errors of rail and robots; ``words`` chooses which figures of an error."""
    delays = [told(s[f"{unit}_delay_s"], 1e3, decimals=1) for unit in ("rail", "robot1", "robot2")]
    rows: Rows = [("delay [ms]", *delays)]
    for suffix, how in (("", ""), ("_delay_removed", ", delay off")):
        position = [f"{who}_error{suffix}" for who in ("rail", "robot1_position", "robot2_position")]
        rows.append((f"position error{how} [mm]", *(_errors(s, name, "m", 1e3, 3, words) for name in position)))
        attitude = [_errors(s, f"robot{n}_attitude_error{suffix}", "rad", DEG, 4, words) for n in (1, 2)]
        rows.append((f"attitude error{how} [deg]", "", *attitude))
    return rows


def _errors(s: Summary, name: str, unit: str, scale: float, decimals: int, words: tuple[str, ...]) -> str:
    values = [s[f"{name}_{word}_{unit}"] for word in words]
    return " / ".join(told(value, scale, decimals=decimals) for value in values)


AXIS_HEAD: Final = ("axis", "error", "set-point lag", "speed", "of limit", "acceleration", "of limit")
_AXIS_FIGURES: Final = (
    ("axis_error_max", ""),
    ("limiter_lag_max", ""),
    ("setpoint_speed_max", "/s"),
    ("setpoint_speed_share", "%"),
    ("setpoint_acceleration_max", "/s²"),
    ("setpoint_acceleration_share", "%"),
)


def axis_rows(s: Summary) -> Rows:
    """The greatest of each axis: mm and deg, and their rates."""
    rows: Rows = []
    for axis in AXES:
        scale, unit = (1e3, "mm") if axis == "rail" else (DEG, "deg")
        cells = [
            told(s[name][axis], 100.0, "%", 1) if rate == "%" else told(s[name][axis], scale, unit + rate, 3)
            for name, rate in _AXIS_FIGURES
        ]
        rows.append((axis.replace("_a", " A").replace("robot", "robot "), *cells))
    return rows
