"""What a good mission keeps. Whether contact was wanted, and whether something was made to fail, decides what counts.

Every mission: it began and came to its end; no collision; flight software did not fail; the audit balances. If the craft mated,
each contact condition. A plan that ends in contact, without faults: mated. With faults a retreat is as good, if it is safe: the
chaser leaves the keep-out sphere and does not enter it again. Any abort is judged so, wanted or not.
"""

from __future__ import annotations

from typing import Any, Final

from proxops.applications.mission.report.words import QUANTITIES
from proxops.core.criterion import Criterion
from proxops.core.docking_standard import CONTACT_LIMITS

Mission = dict[str, Any]

AUDIT_MAX: Final = 1e-9
FINAL_HALL_SHARE: Final = 0.99  # of the final step's measurements
UNITS: Final = {"mm": "m", "deg": "rad", "mm/s": "m/s", "deg/s": "rad/s"}  # shown in → of the figures


def criteria(m: Mission) -> list[Criterion]:
    """Of the figures of a mission."""
    rows = [_true("began", m["began"], "mission began")]
    if not m["began"]:
        return rows
    audit = _worst(m["audit"])
    rows += [
        _true("ended", m["end"] not in ("UNDER_WAY", "FACILITY"), "mission came to its end"),
        _true("no_collision", m["end"] != "COLLISION", "no collision"),
        _true("flight_software", m["end"] != "FLIGHT_SOFTWARE", "flight software kept working"),
        *([_true("images", False, "images drawn and looked through")] if m["end"] == "IMAGES" else []),
        Criterion(
            "mission_audit_max", audit, AUDIT_MAX, label="conservation audit, greatest figure", shown_in="· 10⁻¹²"
        ),
        *_goal(m),
        *_through_the_hall(m),
        *_contact(m["contact"]),
        *_images(m),
    ]
    return rows + (_retreat(m) if m["abort"] != "NONE" else [])


def _true(name: str, value: bool | None, label: str) -> Criterion:
    return Criterion(f"mission_{name}", value, True, "equal", label=label)


def _goal(m: Mission) -> list[Criterion]:
    """What the plan wanted."""
    mated, gave_up = m["end"] == "MATED", m["abort"] != "NONE"
    if m["expect"] == "retreat":
        return [_true("retreated", not mated and gave_up, "gave up and retreated, as it should")]
    if m["expect"] == "mated" or (m["wants_contact"] and m["faults"] == 0):
        return [_true("mated", mated, "mated")]
    if m["wants_contact"]:
        return [_true("mated_or_retreated", mated or gave_up, "mated, or gave up and retreated")]
    if m["faults"] == 0 and m["step_reached"]:  # flight software that does not say where it is cannot be judged by it
        label = "last step of the plan reached"
        return [Criterion("mission_step_reached", m["step_reached"], m["steps_planned"], "at least", label=label)]
    return []


def _through_the_hall(m: Mission) -> list[Criterion]:
    """A mission that uses the hall: the measurements of the last step come from there, or, where there is none, some do."""
    if not m["uses_hall"]:
        return []
    share, label = m["final_hall_share"], "measurements of the final step from the hall"
    if share is not None:
        return [Criterion("mission_final_hall_share", share, FINAL_HALL_SHARE, "at least", label=label, shown_in="%")]
    return [_true("hall_took_part", m["measurements_hall"] > 0, "the hall took part")]


def _images(m: Mission) -> list[Criterion]:
    """Where a run waits for its images, all of them are in the log."""
    lost = m.get("images_lost")
    return [] if lost is None else [Criterion("mission_images_lost", lost, 0, label="images lost")]


def _contact(found: dict[str, float] | None) -> list[Criterion]:
    if found is None:
        return []
    rows = []
    for name, bound in CONTACT_LIMITS.items():
        label, _, unit, _ = QUANTITIES[name]
        rows.append(
            Criterion(
                f"mission_contact_{name}",
                abs(found[name]),
                bound,
                unit=UNITS[unit],
                label=f"contact: {label}",
                shown_in=unit,
            )
        )
    return rows


def _retreat(m: Mission) -> list[Criterion]:
    nearest, label = m["distance_min_after_leaving_m"], "least distance after that"
    return [
        _true("left_keep_out", m["left_keep_out"], "left the keep-out sphere after the abort"),
        Criterion("mission_distance_after_leaving", nearest, m["keep_out_m"], "at least", "m", label),
    ]


def _worst(audit: dict[str, float | None]) -> float | None:
    """Greatest of all; None when one of them is not a number."""
    values = [value for value in audit.values() if value is not None]
    return max(values) if len(values) == len(audit) else None
