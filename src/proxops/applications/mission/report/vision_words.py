"""What image processing said, in words and tables for people: mm, deg, shares of the range."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.vision_record import ACROSS, ALONG, ATTITUDE, VisionRecord
from proxops.core.vocabulary import Doubt
from proxops.ground.words import DEG, MISSING, count, told

Figures = dict[str, Any]
Rows = list[tuple[str, ...]]
ERRORS: Final = (("across", "m", 1e3, "mm"), ("along", "m", 1e3, "mm"), ("attitude", "rad", DEG, "deg"))

SENSOR_HEAD: Final = (
    "sensor",
    "looks at",
    "images",
    "accepted",
    "wrong",
    "refused",
    "searched",
    "lost",
    "first pose",
    "answer",
)
SENSOR_NOTE: Final = (
    "Wrong: accepted, and by the truth off by more than 1 % of the range or 1.5 deg. Searched: as a whole, with nothing "
    "expected. Lost: how often. Answer: median time from an image to it; in lockstep as the scenario says. Not used: looked "
    "through to be compared, not to navigate by."
)
RANGE_HEAD: Final = ("sensor", "range", "accepted", "refused", "wrong", "across", "along", "attitude", "normalised")
RANGE_NOTE: Final = (
    "Accepted poses against the truth: median error (median of the standard deviation that was claimed), across the line of "
    "sight, along it, and of the attitude. Normalised: mean squared error over its covariance, 6 if the claims are right, more "
    "if too little was claimed."
)
HALL_HEAD: Final = ("sensor", "instants", "accepted", "across", "along", "attitude")
HALL_NOTE: Final = (
    "The same instants looked at in the hall / in orbit. Medians of the errors where both poses were accepted: what the hall's "
    "imperfections cost."
)


def reason(doubt: Doubt) -> str:
    """Of a refusal; without a doubt there was no pose."""
    return (doubt or Doubt.NOT_FOUND).name.replace("_", " ").lower()


def brief_words(v: Figures) -> str:
    """One line for who wants to know first."""
    words = f"{count(v['accepted'])} accepted, {count(v['refused'])} refused, {count(v['wrong'])} wrong"
    worst = v["worst"]
    if worst is None:
        return words
    place = f"{told(worst['place_share'], 100.0, '% of range')} ({worst['place_sensor']}, {worst['place_s']:.0f} s)"
    turn = f"{told(worst['attitude_rad'], DEG, 'deg')} ({worst['attitude_sensor']}, {worst['attitude_s']:.0f} s)"
    return f"{words}; worst {place}, {turn}"


def sensor_rows(sensors: Figures) -> Rows:
    return [
        (
            name if f["used"] else f"{name} (not used)", f["sees"], count(f["images"]), count(f["accepted"]),
            count(f["wrong"]), _refused(f), count(f["searched"]), count(f["lost"]),
            told(f["first_pose_s"], unit="s", decimals=1), told(f["answered_s"], 1e3, "ms", 0),
        )
        for name, f in sensors.items()
    ]  # fmt: skip


def _refused(f: Figures) -> str:
    why = ", ".join(f"{reason(Doubt[name])} {count(number)}" for name, number in f["doubts"].items())
    return f"{count(f['refused'])}: {why}" if why else "0"


def range_rows(sensors: Figures) -> Iterator[tuple[str, ...]]:
    for name, f in sensors.items():
        for k, row in enumerate(f["ranges"]):
            yield (
                "" if k else name, row["range"], count(row["accepted"]), count(row["refused"]), count(row["wrong"]),
                *(_with_claim(row, *kind) for kind in ERRORS), told(row["nees_mean"], decimals=1),
            )  # fmt: skip


def _with_claim(row: Figures, name: str, si: str, scale: float, unit: str) -> str:
    error, claim = row[f"{name}_error_median_{si}"], row[f"{name}_sigma_median_{si}"]
    if error is None:
        return MISSING
    return f"{_fine(error * scale)} ({_fine(None if claim is None else claim * scale)}) {unit}"


def hall_rows(compared: Figures) -> Rows:
    return [
        (
            name, count(f["pairs"]), f"{count(f['accepted_hall'])} / {count(f['accepted_orbit'])}",
            *(_both(f, *kind) for kind in ERRORS),
        )
        for name, f in compared.items()
    ]  # fmt: skip


def _both(f: Figures, name: str, si: str, scale: float, unit: str) -> str:
    ends = [f[f"{name}_error_median_{where}_{si}"] for where in ("hall", "orbit")]
    if None in ends:
        return MISSING
    return f"{' / '.join(_fine(end * scale) for end in ends)} {unit}"


def _fine(value: float | None) -> str:
    """With two digits that tell something, and no more than three behind the point."""
    if value is None or not value:
        return told(value)
    return told(value, decimals=min(max(1 - math.floor(math.log10(abs(value))), 0), 3))


def answer_words(record: VisionRecord, row: int, why: str) -> str:
    """Below the picture of an image: whose, when, how far, and what was made of it."""
    one = record.answers[row]
    parts = [f"{why}: {one.t:.1f} s"]
    if np.isfinite(record.distance_m[row]):
        parts.append(f"{record.distance_m[row]:.2f} m")
    parts += ["searched"] if one.searched else []
    parts.append(f"trust {one.trust:.2f}" if one.trusted else f"refused: {reason(one.doubt)}")
    error = record.error[row]
    if np.isfinite(error).all():
        place = float(np.hypot(error[ACROSS], error[ALONG]))
        far = f"{_fine(place)} m" if place >= 1.0 else f"{_fine(1e3 * place)} mm"
        parts.append(f"off by {far}, {_fine(DEG * float(error[ATTITUDE]))} deg")
    return " · ".join(parts)
