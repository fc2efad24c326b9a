"""The camera's edge tracker on the light catalogue: how well, how sure, how fast, and what it believes that is not so.

``python -m benchmarks vision_tracking``. Beside each figure stands the bound that is asked for. ``PROXOPS_IMAGES`` says how many
images each cell has. What is known on board is wrong as stated in ``known``: brightness of materials, the Sun, and where it is
said so the model's parts and the focal length. Another client is known with each image.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Final

import numpy as np

from benchmarks.vision_catalogue import (
    CAMERA,
    CAPTURE,
    FILTERED,
    CatalogueSample,
    Floats,
    PredictionError,
    VisionCatalogue,
    believed_client,
    mirrored_client,
    pose_error,
)
from proxops.applications.mission.dataset.lights import CATALOGUE
from proxops.applications.mission.vision.tally import is_wrong
from proxops.core.vision import PoseFound
from proxops.onboard.vision.camera_estimator import CameraEstimator
from proxops.onboard.vision.pose_covariance import DeclaredError
from proxops.onboard.vision.sight import PoseEstimator
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.orbit_surroundings import CLIENT, CLIENT_FULL, SERVICER, shipped_craft
from proxops.optics.scene.palette import MLI_GOLD

IMAGES: Final = 200
RANGES_M: Final = (20.0, 10.0, 5.0, 3.0)
ALBEDO: Final = 2.0  # times brighter or darker than believed
PART_M: Final = 0.003  # each part on each axis, one standard deviation
FOCAL: Final = 0.002  # share, either way
PLACE_BOUND: Final = (1.2, 0.4, 0.2, 0.15)  # mm/m, medians at RANGES_M
TURN_BOUND: Final = (0.3, 0.1, 0.04, 0.03)  # deg
TIME_BOUND: Final = (20.0, 30.0, 50.0, 90.0)  # ms
FAR_BOUND: Final = (5.0, 1.0)  # mm/m and deg, 95 % at the greatest range
ALTERED_BOUND: Final = (5.0, 0.6)
CAPTURED_BOUND, WRONG_BOUND = 0.9, 0.005
Figures = Iterator[tuple[str, float | str]]
Made = Callable[[Mesh, int, float, float], PoseEstimator]
"""An estimator for the client that is seen, the seed, and how wrong it knows the client's parts and its own focal length."""


@dataclass(frozen=True, eq=False)
class Tried:
    """One image with its answer."""

    sample: CatalogueSample
    found: PoseFound
    cpu_ms: float

    @property
    def accepted(self) -> bool:
        return self.found.trusted

    @property
    def wrong(self) -> bool:
        T = self.found.T_sensor_target
        return self.accepted and T is not None and is_wrong(T, self.sample.T_sensor_target)

    @property
    def error(self) -> Floats:
        """(6) m and rad."""
        assert self.found.T_sensor_target is not None
        return pose_error(self.found.T_sensor_target, self.sample.T_sensor_target)

    @property
    def nees(self) -> float:
        assert self.found.covariance is not None
        return float(self.error @ np.linalg.solve(self.found.covariance, self.error))


def tried(
    seen: VisionCatalogue, light: str, range_m: float, count: int, *, error: PredictionError | None = FILTERED,
    part_m: float = 0.0, focal: float = 0.0, known: Mesh | None = None, made: Made | None = None,
) -> list[Tried]:  # fmt: skip
    """``known``: the client that is looked for, before its errors; the one that is seen unless given. ``made``: the estimators,
    the camera's unless given."""
    out, made = [], made or estimator_with
    for seed in range(count):
        sample = seen.sample(light, range_m, seed, error=error)
        estimator = made(known or seen.client, seed, part_m, focal)
        began = time.process_time()
        found = estimator.estimate(sample.sight)
        out.append(Tried(sample, found, 1e3 * (time.process_time() - began)))
    return out


def estimator_with(client: Mesh, seed: int, part_m: float = 0.0, focal: float = 0.0) -> CameraEstimator:
    """Wrong by as much as said, another way with each seed; of parts and focal length it is told how much."""
    rng = np.random.default_rng((seed, 20))
    lens, wrong = CAMERA.lens, 1.0 + focal * rng.choice([-1.0, 1.0])
    lens = replace(lens, fx=wrong * lens.fx, fy=wrong * lens.fy)
    declared = DeclaredError(part_m, focal) if part_m or focal else None
    return CameraEstimator(lens, believed_client(client, rng, ALBEDO, part_m), CAMERA.blur_px, declared)


def accuracy(seen: VisionCatalogue, count: int) -> Figures:
    tried(seen, "usual", RANGES_M[-1], 2)  # compiled, warm
    for k, range_m in enumerate(RANGES_M):
        cell = tried(seen, "usual", range_m, count)
        where = f"{range_m:g} m"
        bounds = (PLACE_BOUND[k], TURN_BOUND[k], *(FAR_BOUND if k == 0 else (None, None)))
        yield from errors(where, cell, bounds)
        yield from bounded(f"{where}: CPU ms, median", float(np.median([one.cpu_ms for one in cell])), TIME_BOUND[k])
    for range_m in RANGES_M:
        cell = tried(seen, "usual", range_m, count, part_m=PART_M, focal=FOCAL)
        yield from errors(f"{range_m:g} m, model and focal length wrong", cell, (*ALTERED_BOUND, None, None))


def errors(where: str, cell: list[Tried], bounds: tuple[float | None, ...], *, a_metre: bool = True) -> Figures:
    """Of those that are accepted. ``bounds``: median place and turn, 95 % of both. ``a_metre``: of place, by the range."""
    good = [one for one in cell if one.accepted]
    yield f"{where}: accepted", len(good) / len(cell)
    if not good:
        return
    rows = np.array([one.error for one in good])
    place = 1e3 * np.linalg.norm(rows[:, :3], axis=1) / (good[0].sample.range_m if a_metre else 1.0)
    mm = "mm/m" if a_metre else "mm"
    turn = np.degrees(np.linalg.norm(rows[:, 3:], axis=1))
    for (what, values, share), bound in zip(
        ((f"{mm}, median", place, 50), ("deg, median", turn, 50), (f"{mm}, 95 %", place, 95), ("deg, 95 %", turn, 95)),
        bounds,
        strict=True,
    ):
        yield from bounded(f"{where}: {what}", float(np.percentile(values, share)), bound)
    nees = [one.nees for one in good]
    yield f"{where}: NEES of 6, mean", float(np.mean(nees))
    yield f"{where}: NEES of 6, median (5.35)", float(np.median(nees))
    yield f"{where}: NEES of 6, 95 % (12.6)", float(np.percentile(nees, 95))


def capture(seen: VisionCatalogue, count: int) -> Figures:
    """From exactly 5 deg and 3 % of the range."""
    for range_m in RANGES_M:
        cell = tried(seen, "usual", range_m, count, error=CAPTURE)
        right = sum(one.accepted and not one.wrong for one in cell)
        yield from bounded(f"{range_m:g} m: captured", right / len(cell), CAPTURED_BOUND)


def trust(seen: VisionCatalogue, count: int) -> Figures:
    """Over the whole catalogue: what is accepted that is wrong. A mirrored client has the right one's frame: it looks the same
    from most sides, and then its pose is right."""
    mli = VisionCatalogue(client=replace(seen.client, palette=tuple(MLI_GOLD for _ in seen.client.palette)))
    mirrored = VisionCatalogue(client=mirrored_client(seen.client))
    cells = {light: (seen, light, seen.client) for light in CATALOGUE}
    cells |= {"all in MLI": (mli, "usual", mli.client), "mirrored": (mirrored, "usual", seen.client)}
    wrong, answered = 0, 0
    for name, (shown, light, known) in cells.items():
        rows = [one for r in RANGES_M for one in tried(shown, light, r, count, known=known)]
        accepted = sum(one.accepted for one in rows)
        yield f"{name}: accepted", f"{accepted} of {len(rows)}"
        yield f"{name}: wrong accepted", sum(one.wrong for one in rows)
        wrong, answered = wrong + sum(one.wrong for one in rows), answered + accepted
        if name == "eclipse":
            yield from bounded("in the dark: accepted", accepted, 0)
    yield from bounded("catalogue: wrong of those accepted, share", wrong / max(answered, 1), WRONG_BOUND)
    for name, client in others().items():
        rows = [
            one for r in RANGES_M for one in tried(VisionCatalogue(client=client), "usual", r, count, known=seen.client)
        ]
        yield from bounded(f"{name}: accepted of {len(rows)}", sum(one.accepted for one in rows), 0)


def others() -> dict[str, Mesh]:
    """That are seen in its place."""
    return {"servicer": shipped_craft(SERVICER), "twice as large": shipped_craft(CLIENT_FULL)}


def bounded(what: str, value: float, bound: float | None) -> Figures:
    yield what, value
    if bound is not None:
        yield f"{what}: bound", float(bound)


def figures() -> Figures:
    count = int(os.environ.get("PROXOPS_IMAGES", IMAGES))
    seen = VisionCatalogue(client=shipped_craft(CLIENT))
    yield "images in each cell", count
    for part in (accuracy, capture, trust):
        yield from part(seen, count)


def run() -> dict[str, float | str]:
    return dict(figures())
