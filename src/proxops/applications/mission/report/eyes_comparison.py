"""Images of one sensor at one instant, of the hall and of the orbit, each against the client's outline by its true pose."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.client_outline import ClientOutline, beside, inside, middle_of, widened
from proxops.core.images import CameraImage, DepthImage, PointScan
from proxops.core.imaging_table import GreyCamera, ImagingSensor, LidarSensor, TofSensor
from proxops.core.lens import Lens
from proxops.ground.recorded import Floats
from proxops.sensors.tof import TimeOfFlightCamera

LIT: Final = 0.015  # of white, above black: more than noise
SCAN_PIXELS: Final = 500  # of the picture in which a scan's points are looked up
Row = dict[str, float]


def lens_of(spec: ImagingSensor) -> Lens:
    """Of a LiDAR one that sees all that it scans."""
    if not isinstance(spec, LidarSensor):
        return spec.lens
    wide, middle = math.radians(max(spec.field_of_view_deg)), 0.5 * SCAN_PIXELS - 0.5
    focal = 0.5 * SCAN_PIXELS / math.tan(0.5 * wide)
    return Lens(SCAN_PIXELS, SCAN_PIXELS, focal, focal, middle, middle)


def compared(spec: ImagingSensor, pair: tuple[Any, ...], outlines: tuple[ClientOutline, ...]) -> Row:
    """Of one instant: figures of the hall's image, of the orbit's, and of the difference."""
    rows = []
    for recorded, outline in zip(pair, outlines, strict=True):
        ranges = outline.ranges(recorded.T_sensor_target)
        image = recorded.image
        if isinstance(image, CameraImage):
            rows.append(_picture(spec, image, np.isfinite(ranges)))
        else:
            rows.append(_distances(spec, image, ranges, outline.lens))
    out = {f"{name}_{where}": row[name] for row, where in zip(rows, ("hall", "orbit"), strict=True) for name in row}
    hall, orbit = rows
    if "brightness" in hall:
        out["client_brightness_ratio"] = hall["brightness"] / orbit["brightness"] if orbit["brightness"] else math.nan
        out["outline_shift_px"] = math.hypot(hall["u"] - orbit["u"], hall["v"] - orbit["v"])
        out["lit_shift_px"] = math.hypot(hall["lit_u"] - orbit["lit_u"], hall["lit_v"] - orbit["lit_v"])
        return {name: value for name, value in out.items() if name not in PLACES}
    return {**out, "range_difference_m": hall["range_off_m"] - orbit["range_off_m"]}


PLACES: Final = {f"{name}_{where}" for name in ("u", "v", "lit_u", "lit_v") for where in ("hall", "orbit")}


def _picture(spec: ImagingSensor, image: CameraImage, outline: Any) -> Row:
    """``brightness``: client's mean level over exposure and gain; ``lit_u``, ``lit_v``: middle of what is lit of the client, from
    the middle of its outline."""
    assert isinstance(spec, GreyCamera)
    level = image.pixels / image.white - spec.black_share
    client, around = inside(outline), beside(outline)
    mean, rest = _mean(level[client]), _mean(level[around])
    exposed = image.exposure_s * math.pow(10.0, image.gain_db / 20.0)
    (u, v), lit = middle_of(outline), middle_of(widened(outline) & (level > max(LIT, 0.5 * mean)))
    return {
        "client_level": mean, "level_beside": rest, "level_beside_of_client": rest / mean if mean > 0.0 else math.nan,
        "lit_share_beside": _mean(level[around] > LIT), "brightness": mean / exposed,
        "u": u, "v": v, "lit_u": lit[0] - u, "lit_v": lit[1] - v,
    }  # fmt: skip


def _distances(spec: ImagingSensor, image: DepthImage | PointScan, drawn: Floats, lens: Lens) -> Row:
    """Shares of pixels or shots that answer from the client and from elsewhere; by how much ranges on the client are off."""
    client, around = inside(np.isfinite(drawn)), beside(np.isfinite(drawn))
    if isinstance(image, DepthImage):
        answered, total = np.isfinite(image.range_m), image.range_m.size
        on, elsewhere, off = answered & client, answered & around, image.range_m - drawn
    else:
        assert isinstance(spec, LidarSensor)
        p, total = image.points_m.astype(np.float64), spec.lines * spec.points
        ahead = p[:, 2] > 0.0
        u, v = (np.full(len(p), -1), np.full(len(p), -1))
        for at, axis, f, c in ((u, 0, lens.fx, lens.cx), (v, 1, lens.fy, lens.cy)):
            at[ahead] = np.rint(np.clip(f * p[ahead, axis] / p[ahead, 2] + c, -1.0, SCAN_PIXELS))
        seen = ahead & (u >= 0) & (u < SCAN_PIXELS) & (v >= 0) & (v < SCAN_PIXELS)
        place = np.clip(v, 0, SCAN_PIXELS - 1), np.clip(u, 0, SCAN_PIXELS - 1)
        on, elsewhere = seen & client[place], ~seen | around[place]
        off = np.linalg.norm(p, axis=1) - drawn[place]
    return {
        "share_on_client": int(on.sum()) / total, "share_beside": int(elsewhere.sum()) / total,
        "range_off_m": float(np.median(_unwrapped(spec, off[on]))) if on.any() else math.nan,
    }  # fmt: skip


def _unwrapped(spec: ImagingSensor, off: Floats) -> Floats:
    """Differences of ranges of a camera whose ranges begin anew."""
    if not isinstance(spec, TofSensor) or spec.unwrapped:
        return off
    wrap = TimeOfFlightCamera(spec, 0, 0).wrap_m
    return off - wrap * np.round(off / wrap)


def _mean(values: Any) -> float:
    return float(np.mean(values)) if values.size else math.nan
