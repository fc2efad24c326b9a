"""The images of a mission in words and tables for people: ms, dB, px, mm."""

from __future__ import annotations

from typing import Any, Final

from proxops.applications.mission.report.eyes_record import EyeRecord
from proxops.core.imaging_table import GreyCamera
from proxops.ground.recorded_image import RecordedImage
from proxops.ground.words import MISSING, count, told

Figures = dict[str, Any]
Rows = list[tuple[str, ...]]

SENSOR_HEAD: Final = (
    "sensor",
    "looks at",
    "images",
    "lost",
    "distance",
    "exposure",
    "gain",
    "white",
    "answers",
    "ranges",
)
SENSOR_NOTE: Final = (
    "Least and greatest. Lost: numbers that are missing in the log and should be there. Distance: from the sensor to the "
    "client's frame. White: share of saturated pixels. Answers: pixels or shots from which something came back."
)
CAMERA_HALL_HEAD: Final = (
    "what the hall adds", "pairs", "lit beside the client", "level beside it / its own", "client's level",
    "client's brightness, hall / orbit", "outline moved", "lit part moved",
)  # fmt: skip
CAMERA_HALL_NOTE: Final = (
    "Medians over pictures of the same instant, hall / orbit. Client: inside of its outline by the true pose, 2 px off the rim. "
    "Lit: above 1.5 % of white. Brightness: level over exposure and gain; saturated pixels count as white. Outline: its middle "
    "by the true poses, hall less orbit. Lit part: middle of what is brighter than half the client's mean, from the middle of "
    "its outline, hall less orbit."
)
RANGE_HALL_HEAD: Final = (
    "what the hall adds", "pairs", "of pixels or shots on the client", "beside it", "ranges on the client off", "hall less orbit",
)  # fmt: skip
RANGE_HALL_NOTE: Final = (
    "Medians, hall / orbit. On the client: in its outline by the true pose, 2 px off the rim; beside: what answers from "
    "elsewhere. Off: measured less drawn by the true pose in the middle of the exposure, median over the client."
)


def caption(eye: EyeRecord, recorded: RecordedImage) -> str:
    """Below a picture: whose, when, how far, how exposed."""
    one, truth = recorded.encoded, recorded.T_sensor_target
    parts = [f"{one.sensor} ({'hall' if eye.hall else 'orbit'})", f"{one.t:.1f} s"]
    if truth is not None and eye.spec.on == "chaser":
        parts.append(f"{float((truth[:3] @ truth[:3]) ** 0.5):.2f} m")
    if isinstance(eye.spec, GreyCamera):
        parts += [told(one.exposure_s, 1e3, "ms"), told(one.gain_db, unit="dB", decimals=1)]
    return " · ".join(parts)


def sensor_rows(sensors: Figures) -> Rows:
    return [
        (
            name, f["sees"], count(f["images"]), count(f["lost"]), _span(f["distance_m"], 1.0, "m"),
            _span(f["exposure_s"], 1e3, "ms"), _span(f["gain_db"], 1.0, "dB", 1), told(f["saturated_share"], 100.0, "%"),
            told(f["answered_share"], 100.0, "%", 1), _span(f["range_m"], 1.0, "m"),
        )
        for name, f in sensors.items()
    ]  # fmt: skip


def camera_hall_rows(compared: Figures) -> Rows:
    return [
        (
            name, count(f["pairs"]), _both(f, "lit_share_beside", 100.0, "%", 1),
            _both(f, "level_beside_of_client", 100.0, "%", 1), _both(f, "client_level", 100.0, "%", 1),
            told(f["client_brightness_ratio"]), told(f["outline_shift_px"], unit="px"),
            told(f["lit_shift_px"], unit="px", decimals=1),
        )
        for name, f in compared.items()
        if "client_brightness_ratio" in f
    ]  # fmt: skip


def range_hall_rows(compared: Figures) -> Rows:
    return [
        (
            name, count(f["pairs"]), _both(f, "share_on_client", 100.0, "%", 1), _both(f, "share_beside", 100.0, "%", 1),
            _both(f, "range_off_m", 1e3, "mm", 1), told(f["range_difference_m"], 1e3, "mm", 1),
        )
        for name, f in compared.items()
        if "range_difference_m" in f
    ]  # fmt: skip


def _both(f: Figures, name: str, scale: float, unit: str, decimals: int) -> str:
    ends = (told(f[f"{name}_{where}"], scale, unit, decimals) for where in ("hall", "orbit"))
    return " / ".join(ends)


def _span(ends: list[float] | None, scale: float, unit: str, decimals: int = 2) -> str:
    if ends is None:
        return MISSING
    low, high = (told(end, scale, decimals=decimals) for end in ends)
    return f"{low} {unit}" if low == high else f"{low} … {high} {unit}"
