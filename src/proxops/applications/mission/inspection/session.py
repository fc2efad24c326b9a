"""An inspection from a mission's log to a model in a file; where the log knows the truth, how good the model is."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.applications.mission.inspection.inspected_log import InspectedLog, inspected_log
from proxops.applications.mission.inspection.model_picture import write_model_picture
from proxops.applications.mission.inspection.shape_difference import shape_difference
from proxops.core.experiment_result import Progress
from proxops.core.flight import Floats
from proxops.onboard.vision.inspection.fusion import Fineness
from proxops.onboard.vision.inspection.model_file import write_obj
from proxops.onboard.vision.inspection.reconstruction import Reconstruction, reconstructed
from proxops.onboard.vision.inspection.spin import local_rates
from proxops.optics.scene.mesh import Mesh
from proxops.sensors.orbit_staging import orbit_client
from proxops.sensors.staging import as_it_is

MODEL: Final = "client.obj"
FIGURES: Final = "inspection.json"
PICTURE: Final = "client.jpg"


def inspection_session(run: Path, out: Path, sensor: str, fine: Fineness, progress: Progress) -> dict[str, Any]:
    """Writes model, figures and picture into ``out``; the figures, SI units and degrees."""
    seen = inspected_log(run, sensor)
    found = reconstructed(seen.sensor, seen.looks, fine, progress)
    figures = _figures(run, seen, found, fine)
    rows = {"reconstructed": found.surface}
    if np.isfinite(seen.T_sensor_target).all():
        true = as_it_is(orbit_client(seen.file.scenery, None), seen.file.scenery, seen.seed)
        figures["truth"] = _against_truth(seen, found, true)
        rows["true"] = true
    out.mkdir(parents=True, exist_ok=True)
    about = f"made by proxops inspect of {len(seen.looks)} looks of {seen.sensor.name}; metres, the target's frame"
    figures["triangles"] = write_obj(out / MODEL, found.surface, about)
    (out / FIGURES).write_text(json.dumps(figures, indent=2) + "\n")
    write_model_picture(out / PICTURE, rows)
    return figures


def _figures(run: Path, seen: InspectedLog, found: Reconstruction, fine: Fineness) -> dict[str, Any]:
    low, high = found.surface.vertices.min(axis=0), found.surface.vertices.max(axis=0)
    named, rate = sum(look.named is not None for look in found.track.looks), _rates(found)[-1]
    return {
        "run": str(run), "sensor": seen.sensor.name, "looks": len(seen.looks), "lost": found.lost,
        "frame": f"as the relative sensor called it at {named} looks" if named else "the sensor's axes at the first look",
        "voxel_m": fine.voxel_m, "size_m": (high - low).tolist(),
        "spin_t_s": found.track.looks[-1].t, "spin_deg_s": np.degrees(rate).tolist(),
        "constant_spin_left_deg": float(np.degrees(found.spin.left_rad)),
    }  # fmt: skip


def _rates(found: Reconstruction) -> Floats:
    """(n, 3) rad/s in inertial axes at each look: a client that tumbles has another each time."""
    return local_rates(found.track.times, found.track.R_eci_client)


def _against_truth(seen: InspectedLog, found: Reconstruction, true: Mesh) -> dict[str, float]:
    """``spin_off_deg_s``: of the rate at each look, root mean square."""
    difference, track = shape_difference(found.surface, true), found.track
    rates = {look.t: w for look, w in zip(seen.looks, seen.w_eci_target, strict=True)}
    off = _rates(found) - np.array([rates[look.t] for look in track.looks])
    return {
        "surface_median_mm": 1e3 * difference.median_m, "surface_p95_mm": 1e3 * difference.p95_m,
        "complete_percent": 100.0 * difference.complete, "frame_mm": 1e3 * difference.frame_m, "frame_deg": difference.frame_deg,
        "spin_off_deg_s": float(np.degrees(np.sqrt(np.mean(np.sum(off**2, axis=1))))),
    }  # fmt: skip
