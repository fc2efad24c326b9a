"""Poses from distances: how well, how sure, how fast, and what is believed that is not so.

``python -m benchmarks vision_depth``. Beside a figure stands the bound that is asked for; ``PROXOPS_IMAGES`` says how many images
each cell has. The sensors are those of the missions ``approach_lidar`` and ``approach_tof``, which see the client from 20 m on.
Their images are the same in any light; what spoils them instead is in ``spoiled``. Motion that a scan is straightened with is as
wrong as a filter's.
"""

from __future__ import annotations

import os
from dataclasses import replace
from typing import Final

import numpy as np

from benchmarks.vision_catalogue import (
    CAPTURE,
    FILTERED,
    PredictionError,
    VisionCatalogue,
    believed_client,
    mirrored_client,
)
from benchmarks.vision_search import cell
from benchmarks.vision_tracking import (
    CAPTURED_BOUND,
    IMAGES,
    PART_M,
    WRONG_BOUND,
    Figures,
    Tried,
    bounded,
    errors,
    others,
    tried,
)
from proxops.core.imaging_table import LidarSensor, RenderedSensor, TofSensor
from proxops.core.mission import load_mission
from proxops.onboard.vision.depth_estimator import depth_estimator
from proxops.onboard.vision.sight import PoseEstimator
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.palette import MLI_GOLD

RANGES_M: Final = (20.0, 12.0, 6.0, 3.0)
BOUNDS: Final[dict[str, tuple[float | None, ...]]] = {  # medians, mm and deg; 95 %
    "LiDAR": (10.0, 1.5, None, None),
    "ToF": (5.0, 0.3, None, None),
    "ToF, wiggling": (15.0, None, None, None),
}
TIME_BOUND: Final = 20.0  # ms
FOUND_BOUND, SECONDS_BOUND = 0.98, 1.0
MOVING: Final = replace(FILTERED, motion=(0.003, 0.1))


def sensors() -> dict[str, RenderedSensor]:
    """By what their bounds are called."""
    lidar, tof = (load_mission(name).file.imaging[0] for name in ("approach_lidar", "approach_tof"))
    assert isinstance(lidar, LidarSensor) and isinstance(tof, TofSensor)
    return {"LiDAR": lidar, "ToF": tof.model_copy(update={"wiggle_m": 0.0}), "ToF, wiggling": tof}


def spoiled(spec: RenderedSensor) -> dict[str, RenderedSensor]:
    """By what nobody on board knows of."""
    if isinstance(spec, LidarSensor):
        changes: dict[str, dict[str, float]] = {
            "ghosts 2 %": {"ghost_share": 0.02},
            "lost 30 %": {"dropout_share": 0.3},
        }
    else:
        changes = {"stray light 5 %": {"multipath_share": 0.05}, "noise twice": {"noise_m": 1e-5}}
    return {name: spec.model_copy(update=change) for name, change in changes.items()}


class Known:
    """Estimators of one sensor. Of parts that stand elsewhere they are told, unless ``declared`` is False."""

    def __init__(self, spec: RenderedSensor, client: Mesh, declared: bool = True) -> None:
        self._spec, self._declared, self._right = spec, declared, depth_estimator(spec, client)

    def __call__(self, client: Mesh, seed: int, part_m: float, focal: float) -> PoseEstimator:
        if part_m == 0.0:
            return self._right
        wrong = believed_client(client, np.random.default_rng((seed, 20)), 1.0, part_m)
        return depth_estimator(self._spec, wrong, part_m) if self._declared else depth_estimator(self._spec, wrong)


def accuracy(name: str, seen: VisionCatalogue, known: Known, count: int) -> Figures:
    undeclared = Known(seen.spec, seen.client, declared=False)
    tried(seen, "usual", RANGES_M[-1], 2, error=MOVING, made=known)  # compiled, warm
    for range_m in RANGES_M:
        where = f"{name}, {range_m:g} m"
        rows = tried(seen, "usual", range_m, count, error=MOVING, made=known)
        yield from errors(where, rows, BOUNDS[name], a_metre=False)
        yield from timed(where, rows)
        for what, made in (("declared", known), ("undeclared", undeclared)):
            rows = tried(seen, "usual", range_m, count // 4 + 1, error=MOVING, part_m=PART_M, made=made)
            yield from errors(f"{where}, model wrong, {what}", rows, (None,) * 4, a_metre=False)


def timed(where: str, rows: list[Tried]) -> Figures:
    for what, share in (("median", 50), ("95 %", 95)):
        yield from bounded(
            f"{where}: CPU ms, {what}", float(np.percentile([one.cpu_ms for one in rows], share)), TIME_BOUND
        )


def capture(name: str, seen: VisionCatalogue, known: Known, count: int) -> Figures:
    """From exactly 5 deg and 3 % of the range."""
    for range_m in RANGES_M:
        rows = tried(seen, "usual", range_m, count, error=CAPTURE, made=known)
        right = sum(one.accepted and not one.wrong for one in rows)
        yield from bounded(f"{name}, {range_m:g} m: captured", right / len(rows), CAPTURED_BOUND)


def first_pose(name: str, seen: VisionCatalogue, known: Known, count: int) -> Figures:
    """With nothing predicted. A quarter of the images from each distance."""
    tried(seen, "usual", RANGES_M[-1], 1, error=None, made=known)
    rows = everywhere(seen, known, count // 4, None)
    for range_m in RANGES_M:
        there = [one for one in rows if round(one.sample.range_m, 3) == range_m]
        right = sum(one.accepted and not one.wrong for one in there)
        yield from bounded(f"{name}, {range_m:g} m: found", right / len(there), FOUND_BOUND)
    yield from cell(f"{name}, searched", rows)
    seconds = [1e-3 * one.cpu_ms for one in rows]
    yield f"{name}, searched: CPU s, median", float(np.median(seconds))
    yield from bounded(f"{name}, searched: CPU s, 95 %", float(np.percentile(seconds, 95)), SECONDS_BOUND)


def trust(name: str, seen: VisionCatalogue, known: Known, count: int) -> Figures:
    """What is accepted that is wrong: of images as they are and spoiled, tracked and captured; and of other clients."""
    foil = replace(seen.client, palette=tuple(MLI_GOLD for _ in seen.client.palette))
    shown = {"as it is": seen, "all in MLI": VisionCatalogue(seen.spec, foil)}
    shown |= {"mirrored": VisionCatalogue(seen.spec, mirrored_client(seen.client))}
    shown |= {what: VisionCatalogue(spec, seen.client) for what, spec in spoiled(seen.spec).items()}
    wrong, answered = 0, 0
    for what, catalogue in shown.items():
        rows = everywhere(catalogue, known, count, MOVING) + everywhere(catalogue, known, count // 4, CAPTURE)
        accepted, bad = sum(one.accepted for one in rows), sum(one.wrong for one in rows)
        yield f"{name}, {what}: accepted", f"{accepted} of {len(rows)}"
        yield f"{name}, {what}: wrong accepted", bad
        wrong, answered = wrong + bad, answered + accepted
    yield from bounded(f"{name}, catalogue: wrong of those accepted, share", wrong / max(answered, 1), WRONG_BOUND)
    for who, client in others().items():
        catalogue = VisionCatalogue(seen.spec, client)
        rows = everywhere(catalogue, known, count // 2, MOVING) + everywhere(catalogue, known, count // 8, None)
        yield from bounded(f"{name}, {who}: accepted of {len(rows)}", sum(one.accepted for one in rows), 0)


def everywhere(seen: VisionCatalogue, known: Known, count: int, error: PredictionError | None) -> list[Tried]:
    return [one for r in RANGES_M for one in tried(seen, "usual", r, max(count, 1), error=error, made=known)]


def figures() -> Figures:
    count = int(os.environ.get("PROXOPS_IMAGES", IMAGES))
    yield "images in each cell", count
    for name, spec in sensors().items():
        seen = VisionCatalogue(spec)
        known = Known(spec, seen.client)
        for part in (accuracy, capture, first_pose, trust):
            yield from part(name, seen, known, count)


def run() -> dict[str, float | str]:
    return dict(figures())
