"""What a good mission keeps. Whether contact was wanted, and whether something was made to fail, decides what counts.

Every mission: it began and came to its end; no collision; flight software did not fail; the audit balances. If the craft mated,
each contact condition. A plan that ends in contact, without faults: mated. With faults a retreat is as good, if it is safe: the
chaser leaves the keep-out sphere and does not enter it again. Any abort is judged so, wanted or not.
"""

from __future__ import annotations

from typing import Any, Final

from proxops.core.docking_standard import CONTACT_LIMITS

Mission = dict[str, Any]
Judged = tuple[str, Any, Any, str]  # name, value, bound, kind

AUDIT_MAX: Final = 1e-9
FINAL_HALL_SHARE: Final = 0.99  # of the final step's measurements


def judged(m: Mission) -> list[Judged]:
    """Name, value, bound and kind of comparison."""
    rows: list[Judged] = [("mission_began", m["began"], True, "equal")]
    if not m["began"]:
        return rows
    ended = m["end"] not in ("UNDER_WAY", "FACILITY")
    rows += [
        ("mission_ended", ended, True, "equal"),
        ("mission_no_collision", m["end"] != "COLLISION", True, "equal"),
        ("mission_flight_software", m["end"] != "FLIGHT_SOFTWARE", True, "equal"),
        ("mission_audit_max", _worst(m["audit"]), AUDIT_MAX, "at most"),
        *_goal(m),
        *_through_the_hall(m),
        *_contact(m["contact"]),
    ]
    return rows + (_retreat(m) if m["abort"] != "NONE" else [])


def _goal(m: Mission) -> list[Judged]:
    """What the plan wanted."""
    if m["expect"] == "retreat":
        return [("mission_retreated", m["end"] != "MATED" and m["abort"] != "NONE", True, "equal")]
    if m["expect"] == "mated":
        return [("mission_mated", m["end"] == "MATED", True, "equal")]
    if m["wants_contact"]:
        if m["faults"] == 0:
            return [("mission_mated", m["end"] == "MATED", True, "equal")]
        return [("mission_mated_or_retreated", m["end"] == "MATED" or m["abort"] != "NONE", True, "equal")]
    if m["faults"] == 0 and m["step_reached"]:  # flight software that does not say where it is cannot be judged by it
        return [("mission_step_reached", m["step_reached"], m["steps_planned"], "at least")]
    return []


def _through_the_hall(m: Mission) -> list[Judged]:
    """A mission that uses the hall: the measurements of the last step come from there, or, where there is none, some do."""
    if not m["uses_hall"]:
        return []
    if m["final_hall_share"] is not None:
        return [("mission_final_hall_share", m["final_hall_share"], FINAL_HALL_SHARE, "at least")]
    return [("mission_hall_took_part", m["measurements_hall"] > 0, True, "equal")]


def _contact(found: dict[str, float] | None) -> list[Judged]:
    if found is None:
        return []
    return [(f"mission_contact_{name}", abs(found[name]), bound, "at most") for name, bound in CONTACT_LIMITS.items()]


def _retreat(m: Mission) -> list[Judged]:
    return [
        ("mission_left_keep_out", m["left_keep_out"], True, "equal"),
        ("mission_distance_after_leaving", m["distance_min_after_leaving_m"], m["keep_out_m"], "at least"),
    ]


def _worst(audit: dict[str, float | None]) -> float | None:
    """Greatest of all; None when one of them is not a number."""
    values = [value for value in audit.values() if value is not None]
    return max(values) if len(values) == len(audit) else None
