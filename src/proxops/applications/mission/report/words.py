"""How a mission went, in words and tables for people: mm, deg, s, kg."""

from __future__ import annotations

from typing import Any, Final

from proxops.applications.mission.report.vision_words import brief_words
from proxops.core.docking_standard import CONTACT_LIMITS
from proxops.ground.words import DEG, MISSING, count, told

Mission = dict[str, Any]
Rows = list[tuple[str, ...]]

CAUSES: Final = {
    "CORRIDOR": "outside of the corridor",
    "SENSOR_LOST": "no measurements any more",
    "PROPELLANT": "too little propellant",
    "UNCERTAIN": "estimate too uncertain",
    "FIELD_OF_VIEW": "target about to leave the sensor's view",
    "ACTUATORS": "too few thrusters left",
}
QUANTITIES: Final = {  # at contact: words, scale, unit, decimals
    "lateral_m": ("lateral offset", 1e3, "mm", 1),
    "tilt_rad": ("tilt", DEG, "deg", 3),
    "roll_rad": ("roll", DEG, "deg", 3),
    "closing_rate_m_s": ("closing rate", 1e3, "mm/s", 2),
    "lateral_rate_m_s": ("lateral rate", 1e3, "mm/s", 2),
    "angular_rate_rad_s": ("angular rate", DEG, "deg/s", 4),
}


def how_it_flew(m: Mission) -> tuple[str, str]:
    """Headline and detail."""
    if not m["began"]:
        return "The mission never began", f"{m['name']}: the hall did not show its first pose in the time of this log"
    return _headline(m), _detail(m)


def _headline(m: Mission) -> str:
    after = told(m["duration_s"], unit="s", decimals=0)
    if m["end"] == "MATED":
        c = m["contact"]
        off = max(abs(c["tilt_rad"]), abs(c["roll_rad"]))
        return f"Mated after {after}: {told(c['lateral_m'], 1e3, 'mm', 0)} and {told(off, DEG, 'deg')} off"
    if m["end"] == "COLLISION":
        return f"Collision after {after}"
    if m["end"] == "FLIGHT_SOFTWARE":
        return f"The flight software failed after {after}"
    if m["end"] == "IMAGES":
        return f"No more images could be drawn or looked through after {after}"
    if m["abort"] != "NONE":
        apart = told(m["distance_end_m"], unit="m", decimals=1)
        at = told(m["abort_at_s"], unit="s", decimals=0)
        return f"Gave up after {at} ({CAUSES.get(m['abort'], m['abort'])}), {apart} away after {after}"
    apart = told(m["distance_end_m"], unit="m")
    if m["end"] in ("UNDER_WAY", "FACILITY"):
        return f"The mission was cut off after {after}, {apart} from the target"
    how = "without contact" if m["wants_contact"] else "as planned" if _flown(m) else "before its plan was flown"
    return f"Time was over after {after} {how}, {apart} from the target"


def _flown(m: Mission) -> bool:
    return bool(m["step_reached"] >= m["steps_planned"] or not m["step_reached"])


def _detail(m: Mission) -> str:
    parts = []
    if m["contact"]:
        parts.append(f"closing at {told(m['contact']['closing_rate_m_s'], 1e3, 'mm/s', 1)}")
    if m["abort"] != "NONE":
        parts.append(f"{told(m['abort_distance_m'], unit='m')} away when it gave up: {_retreat(m)}")
    parts.append(f"{told(m['propellant_used_kg'], 1e3, 'g', 0)} of propellant")
    if m.get("free_running"):
        parts.append("free-running on-board computer")
    share = m["measurement_share"]["hall"]
    if share is not None:
        parts.append(f"{told(share, 100.0, '%', 1)} of the measurements from the hall")
    return "; ".join(parts)


def _retreat(m: Mission) -> str:
    nearest = told(m["distance_min_after_leaving_m"], unit="m")
    if not m["left_keep_out"]:
        return f"it has not left the keep-out sphere of {told(m['keep_out_m'], unit='m', decimals=1)}"
    return f"at least {nearest} away afterwards (keep-out sphere {told(m['keep_out_m'], unit='m', decimals=1)})"


def mission_rows(m: Mission) -> Rows:
    """What one wants to know first of a mission."""
    if not m["began"]:
        return [("mission", "never began")]
    ends = " → ".join(told(m[f"distance_{end}_m"], unit="m") for end in ("start", "end"))
    share = m["measurement_share"]
    sources = [f"{told(share[name], 100.0, '%', 1)} {words}" for name, words in _SOURCES.items()]
    worst = max((value for value in m["audit"].values() if value is not None), default=None)
    return [
        ("mission", _ended(m)),
        *([("contact", _contact_words(m["contact"]))] if m["contact"] else []),
        *([("… as the hall showed it", _contact_words(m["hall_contact"]))] if m["hall_contact"] else []),
        *([("retreat", _retreat(m))] if m["abort"] != "NONE" else []),
        ("distance", f"{ends}, at least {told(m['distance_min_m'], unit='m')}"),
        ("propellant", f"{told(m['propellant_used_kg'], 1e3, 'g', 1)}, {told(m['delta_v_m_s'], unit='m/s', decimals=3)}"),
        ("thrusters", f"{count(m['thruster_pulses'])} pulses, {told(m['thruster_on_s'], unit='s')} on"),
        ("wheels", f"up to {told(m['wheel_momentum_share_max'], 100.0, '%', 1)} of their momentum"),
        ("measurements", f"{count(m['measurements'])}: {', '.join(sources)}"),
        *([("images", brief_words(m["vision"]))] if m.get("vision") else []),
        *([("on-board computer", _line_words(m["flight_line"]))] if m.get("flight_line") else []),
        ("estimate, last range", _estimate_words(m["estimate"])),
        ("hall against orbit", _hall_words(m)),
        ("audit", f"up to {worst:.1e}".replace("-", "−") if worst is not None else MISSING),
    ]  # fmt: skip


_END_WORDS: Final = {
    "UNDER_WAY": "cut off",
    "MATED": "mated",
    "TIME": "time over",
    "FLIGHT_SOFTWARE": "flight software failed",
    "FACILITY": "stopped by the facility",
    "COLLISION": "collision",
    "IMAGES": "images could not be drawn or looked through",
}
_SOURCES: Final = {"hall": "hall", "software": "software", "rejected": "rejected"}


def _ended(m: Mission) -> str:
    words = f"{_END_WORDS[m['end']]} after {told(m['duration_s'], unit='s')}"
    if m["abort"] != "NONE":
        words += f"; gave up after {told(m['abort_at_s'], unit='s')}: {CAUSES.get(m['abort'], m['abort'])}"
    return words


def _contact_words(c: dict[str, float]) -> str:
    tilt, roll = (told(abs(c[f"{name}_rad"]), DEG, "deg") for name in ("tilt", "roll"))
    return (
        f"{told(c['lateral_m'], 1e3, 'mm', 1)}, tilt {tilt}, roll {roll}, {told(c['closing_rate_m_s'], 1e3, 'mm/s', 1)}"
    )


def _line_words(line: dict[str, Any]) -> str:
    late = (
        f"{told(line['lateness_median_s'], 1e3, 'ms', 1)} late (median), at most {told(line['lateness_max_s'], 1e3, 'ms', 1)}"
        if line["taken"]
        else "never answered"
    )
    return f"free-running: {late}; {count(line['missed'])} of {count(line['sent'])} answers missed"


def _estimate_words(estimate: list[dict[str, Any]]) -> str:
    if not estimate:
        return MISSING
    last = estimate[-1]
    position, attitude = (
        told(last["position_error_rms_m"], 1e3, "mm", 1),
        told(last["attitude_error_rms_rad"], DEG, "deg"),
    )
    return f"{position} and {attitude} rms, normalised {told(last['nees_mean'], decimals=1)} (12)"


def _hall_words(m: Mission) -> str:
    if m["hall_position_error_rms_m"] is None:
        return "not shown in the hall"
    attitude = told(m["hall_attitude_error_rms_rad"], DEG, "deg", 3)
    return f"{told(m['hall_position_error_rms_m'], 1e3, 'mm', 1)} and {attitude} rms, delay off"


CONTACT_HEAD: Final = ("at contact", "in orbit", "in the hall", "limit", "of limit")


def contact_rows(m: Mission) -> Rows:
    """Each condition of the docking standard, in truth and as the hall showed it."""
    rows: Rows = []
    for name, (label, scale, unit, decimals) in QUANTITIES.items():
        true, shown = (abs(c[name]) if c else None for c in (m["contact"], m["hall_contact"]))
        bound = CONTACT_LIMITS.get(name)
        limit, share = (f"{bound * scale:g} {unit}", true / bound) if bound and true is not None else (MISSING, None)
        cells = (told(value, scale, unit, decimals) for value in (true, shown))
        rows.append((label, *cells, limit, told(share, 100.0, "%", 1)))
    return rows


ESTIMATE_HEAD: Final = ("distance", "steps", "position", "velocity", "attitude", "rate", "inside of 3 σ", "normalised")


def estimate_rows(m: Mission) -> Rows:
    """Errors of the estimate, rms of the vector, by distance; the share of components inside of 3 sigma (should be 99.7 %)."""
    rows: Rows = []
    for e in m["estimate"]:
        inside = [e[f"{kind}_within_3_sigma"] for kind in ("position", "velocity", "attitude", "rate")]
        rows.append((
            e["range"], count(e["steps"]), told(e["position_error_rms_m"], 1e3, "mm", 1),
            told(e["velocity_error_rms_m_s"], 1e3, "mm/s"), told(e["attitude_error_rms_rad"], DEG, "deg", 3),
            told(e["rate_error_rms_rad_s"], DEG, "deg/s", 4),
            " / ".join(told(share, 100.0, decimals=1) for share in inside) + " %", told(e["nees_mean"], decimals=1),
        ))  # fmt: skip
    return rows


MISSION_PHASE_HEAD: Final = ("flight software", "time", "of the mission", "corridor used")


def mission_phase_rows(m: Mission) -> Rows:
    """How long it was in each phase, and the most that it used of the corridor there."""
    total = max(m["duration_s"] or 0.0, 1e-9)
    return [
        (
            name.replace("_", " ").lower(), told(seconds, unit="s"), told(seconds / total, 100.0, "%", 1),
            told(m["corridor_max"].get(name), 100.0, "%", 1),
        )
        for name, seconds in m["phase_s"].items()
    ]  # fmt: skip


LINE_HEAD: Final = ("free-running on-board computer", "")
_LINE_COUNTS: Final = {
    "sent": "measurements sent",
    "taken": "answers carried out",
    "missed": "answers missed",
    "out_of_order": "answers out of order",
    "doubled": "answers that came twice",
    "ignored": "datagrams ignored",
}


def line_rows(line: dict[str, Any]) -> Rows:
    """What became of what was sent, and how late the answers were."""
    late = [
        (f"lateness, {words}", told(line[f"lateness_{name}_s"], 1e3, "ms", 1))
        for name, words in (("median", "median"), ("max", "greatest"))
    ]
    return [*((words, count(line[name])) for name, words in _LINE_COUNTS.items()), *late]


AUDIT_HEAD: Final = ("audit", "greatest")


def audit_rows(m: Mission) -> Rows:
    """What was left unaccounted for, relative to the quantity itself."""
    return [
        (name.replace("_", " "), f"{value:.2e}".replace("-", "−") if value is not None else MISSING)
        for name, value in m["audit"].items()
    ]
