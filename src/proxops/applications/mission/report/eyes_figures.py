"""The images of a mission in figures: how many, which are missing, how they were exposed, how far they saw."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proxops.applications.mission.report.eyes_record import EyeRecord
from proxops.applications.mission.report.hall_against_orbit import hall_against_orbit
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.imaging_table import GreyCamera, LidarSensor
from proxops.ground.course import Figures
from proxops.ground.recorded import Floats
from proxops.lab.cell import Cell


def eyes_figures(run: MissionRun, cell: Cell) -> Figures:
    """Nothing for a mission without imaging sensors. ``images_lost``: None where nobody waited for images."""
    if not run.eyes or not run.began:
        return {}
    sensors = {eye.spec.name: _sensor(eye, float(run.t[-1])) for eye in run.eyes}
    waited = run.log.metadata.get("clock") == "lockstep"
    lost = sum(figures["lost"] for figures in sensors.values()) if waited else None
    return {"sensors": sensors, "images_lost": lost, "hall_against_orbit": hall_against_orbit(run, cell)}


def _sensor(eye: EyeRecord, end_s: float) -> Figures:
    spec, images = eye.spec, [kept.image for kept in eye.kept]
    camera = isinstance(spec, GreyCamera)
    return {
        "kind": spec.kind,
        "sees": "hall" if eye.hall else "orbit",
        "images": len(eye.number),
        "lost": eye.lost(end_s),
        "distance_m": _span(eye.distance_m) if spec.on == "chaser" else None,
        "exposure_s": _span(eye.exposure_s) if camera else None,
        "gain_db": _span(eye.gain_db) if camera else None,
        "saturated_share": _mean([saturated(image) for image in images if isinstance(image, CameraImage)]),
        "answered_share": None if camera else _mean([answered(spec, image) for image in images]),
        "range_m": None if camera or not images else _span(np.concatenate([ranges(image) for image in images])),
    }


def saturated(image: CameraImage) -> float:
    """Share of the pixels that are white."""
    return float(np.mean(image.pixels == image.white))


def answered(spec: object, image: Image) -> float:
    """Share of pixels or shots from which something came back."""
    if isinstance(image, PointScan):
        assert isinstance(spec, LidarSensor)
        return len(image.points_m) / (spec.lines * spec.points)
    return float(np.mean(np.isfinite(image.range_m))) if isinstance(image, DepthImage) else 0.0


def ranges(image: Image) -> Floats:
    """m, of what came back."""
    if isinstance(image, PointScan):
        return np.asarray(np.linalg.norm(image.points_m.astype(np.float64), axis=1))
    found = image.range_m if isinstance(image, DepthImage) else np.empty(0)
    return np.asarray(found[np.isfinite(found)], np.float64)


def _span(values: Floats) -> list[float] | None:
    """Least and greatest."""
    known = values[np.isfinite(values)]
    return [float(known.min()), float(known.max())] if known.size else None


def _mean(values: Sequence[float]) -> float | None:
    return float(np.mean(values)) if values else None
