"""Image processing in figures: accepted, refused and why, wrong by the truth, errors against what is claimed, by range."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from itertools import pairwise
from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.estimate import EDGES_M, Range
from proxops.applications.mission.report.vision_record import (
    ACROSS,
    ALONG,
    ATTITUDE,
    Flags,
    VisionRecord,
    pairs_of,
    same_instants,
)
from proxops.core.vocabulary import Doubt, VisionState
from proxops.ground.course import Figures
from proxops.ground.recorded import Floats

KINDS: Final = (("across", "m", ACROSS), ("along", "m", ALONG), ("attitude", "rad", ATTITUDE))
RANGES: Final = tuple(Range(far, near) for far, near in pairwise((np.inf, *EDGES_M[1:])))


def vision_figures(records: Sequence[VisionRecord]) -> Figures:
    """Nothing where nobody looks for the client in images. Sums are of the sensors by which the craft navigates."""
    if not records:
        return {}
    used = [record for record in records if record.used]
    sensors = {record.spec.name: _sensor(record) for record in records}
    sums = {name: sum(sensors[one.spec.name][name] for one in used) for name in ("accepted", "refused", "wrong")}
    return {"vision": {**sums, "worst": _worst(used), "sensors": sensors, "hall_against_orbit": _compared(records)}}


def _sensor(record: VisionRecord) -> Figures:
    states = [one.state for one in record.answers]
    lost = sum(a is not VisionState.LOST and b is VisionState.LOST for a, b in pairwise(states))
    return {
        "sees": "hall" if record.hall else "orbit",
        "used": record.used,
        "images": len(record.answers),
        "accepted": int(record.accepted.sum()),
        "refused": int((~record.accepted).sum()),
        "wrong": int(record.wrong.sum()),
        "doubts": dict(Counter(_why(one.doubt) for one in record.answers if not one.trusted).most_common()),
        "searched": sum(one.searched for one in record.answers),
        "lost": lost,
        "first_pose_s": float(record.t[record.accepted][0]) if record.accepted.any() else None,
        "answered_s": _median(record.answered_s),
        **_errors(record, record.accepted),
        "ranges": [row for part in RANGES if (row := _range(record, part))],
    }


def _why(doubt: Doubt) -> str:
    """No doubt and yet no pose: there was none."""
    return (doubt or Doubt.NOT_FOUND).name


def _range(record: VisionRecord, part: Range) -> Figures | None:
    inside = (record.distance_m < part.far_m) & (record.distance_m >= part.near_m)
    if not inside.any():
        return None
    accepted = inside & record.accepted
    return {
        "range": part.words,
        "from_m": None if np.isinf(part.far_m) else part.far_m,
        "to_m": part.near_m,
        "accepted": int(accepted.sum()),
        "refused": int((inside & ~record.accepted).sum()),
        "wrong": int((inside & record.wrong).sum()),
        **_errors(record, accepted),
    }


def _errors(record: VisionRecord, rows: Flags) -> Figures:
    """Medians of those rows, and the mean of their normalised errors."""
    out: dict[str, float | None] = {}
    for name, unit, k in KINDS:
        out[f"{name}_error_median_{unit}"] = _median(record.error[rows, k])
        out[f"{name}_sigma_median_{unit}"] = _median(record.sigma[rows, k])
    known = record.nees[rows & np.isfinite(record.nees)]
    return {**out, "nees_mean": float(known.mean()) if known.size else None}


def _worst(records: Sequence[VisionRecord]) -> dict[str, Any] | None:
    """Of all accepted poses the one whose place is off by the greatest share of the range, and the one that is turned most."""
    found = []
    for record in records:
        share = np.hypot(record.error[:, ACROSS], record.error[:, ALONG]) / record.distance_m
        for row in np.flatnonzero(record.accepted & np.isfinite(share)).tolist():
            found.append(
                (float(share[row]), float(record.error[row, ATTITUDE]), record.spec.name, float(record.t[row]))
            )
    if not found:
        return None
    far, turned = max(found), max(found, key=lambda row: row[1])
    return {
        "place_share": far[0], "place_sensor": far[2], "place_s": far[3],
        "attitude_rad": turned[1], "attitude_sensor": turned[2], "attitude_s": turned[3],
    }  # fmt: skip


def _compared(records: Sequence[VisionRecord]) -> dict[str, Figures]:
    """By sensor: hall and orbit at the same instants; errors where both poses were accepted."""
    found = {}
    for hall, orbit in pairs_of(tuple(records)):
        ours, theirs = same_instants(hall, orbit)
        both = hall.accepted[ours] & orbit.accepted[theirs]
        row: Figures = {
            "pairs": len(ours),
            "accepted_hall": int(hall.accepted[ours].sum()),
            "accepted_orbit": int(orbit.accepted[theirs].sum()),
            "accepted_both": int(both.sum()),
        }
        for name, unit, k in KINDS:
            row[f"{name}_error_median_hall_{unit}"] = _median(hall.error[ours[both], k])
            row[f"{name}_error_median_orbit_{unit}"] = _median(orbit.error[theirs[both], k])
        found[hall.spec.name] = row
    return found


def _median(values: Floats) -> float | None:
    known = values[np.isfinite(values)]
    return float(np.median(known)) if known.size else None
