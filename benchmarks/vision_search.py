"""The first pose from a picture, with no prior: how often it is found, how long that takes, and what is believed that is not so.

``python -m benchmarks vision_search``. ``PROXOPS_IMAGES`` says how many images the cell has that must be found (200), a quarter
of that each of the others; images are taken in turn from all of ``RANGES_M``, at any attitude; some more from farther, where
many are found but not sure enough. Brightness of materials is known to a factor of two, the Sun's direction to two degrees.
Beside a figure stands the bound that is asked for.
"""

from __future__ import annotations

import os
import time
from collections import Counter

import numpy as np

from benchmarks.vision_catalogue import VisionCatalogue, mirrored_client
from benchmarks.vision_tracking import IMAGES, Figures, Tried, bounded, estimator_with
from proxops.applications.mission.dataset.lights import CATALOGUE
from proxops.optics.scene.mesh import Mesh
from proxops.optics.scene.orbit_surroundings import CLIENT, SERVICER, shipped_craft

RANGES_M, FAR_M = (20.0, 10.0, 5.0, 3.0), 25.0
FOUND_BOUND, SECONDS_BOUND = 0.95, 10.0
MUST_BE_FOUND = "usual"


def searched(
    seen: VisionCatalogue, light: str, count: int, known: Mesh, ranges_m: tuple[float, ...] = RANGES_M
) -> list[Tried]:  # fmt: skip
    """``known``: the client that is looked for."""
    out = []
    for seed in range(count):
        sample = seen.sample(light, ranges_m[seed % len(ranges_m)], seed, error=None)
        estimator = estimator_with(known, seed)
        began = time.process_time()
        found = estimator.estimate(sample.sight)
        out.append(Tried(sample, found, 1e3 * (time.process_time() - began)))
    return out


def cell(name: str, rows: list[Tried]) -> Figures:
    yield f"{name}: found", sum(one.accepted and not one.wrong for one in rows) / len(rows)
    doubts = Counter(one.found.doubt.name for one in rows if not one.accepted)
    yield f"{name}: refused", ", ".join(f"{n} {doubt}" for doubt, n in sorted(doubts.items())) or "none"
    yield from bounded(f"{name}: wrong accepted of {len(rows)}", sum(one.wrong for one in rows), 0)


def to_be_found(seen: VisionCatalogue, count: int) -> Figures:
    searched(seen, MUST_BE_FOUND, 1, seen.client)  # compiled, warm
    rows = searched(seen, MUST_BE_FOUND, count, seen.client)
    yield from cell(MUST_BE_FOUND, rows)
    yield f"{MUST_BE_FOUND}: found: bound", FOUND_BOUND
    for range_m in RANGES_M:
        there = [one for one in rows if round(one.sample.range_m, 3) == range_m]
        if there:
            yield f"{range_m:g} m: found", sum(one.accepted and not one.wrong for one in there) / len(there)
    yield from cell(f"{FAR_M:g} m", searched(seen, MUST_BE_FOUND, max(1, count // 4), seen.client, (FAR_M,)))
    seconds = [1e-3 * one.cpu_ms for one in rows]
    yield "CPU s, median", float(np.median(seconds))
    yield from bounded("CPU s, 95 %", float(np.percentile(seconds, 95)), SECONDS_BOUND)
    yield "CPU s, longest", max(seconds)


def others(seen: VisionCatalogue, count: int) -> Figures:
    """Lights in which nobody asks for a pose, only for no wrong one; then clients that are not the one that is known."""
    for light in CATALOGUE:
        if light != MUST_BE_FOUND:
            rows = searched(seen, light, count, seen.client)
            yield from cell(light, rows)
            yield f"{light}: CPU s, 95 %", float(np.percentile([1e-3 * one.cpu_ms for one in rows], 95))
    servicer = VisionCatalogue(client=shipped_craft(SERVICER))
    rows = searched(servicer, MUST_BE_FOUND, count, seen.client)
    yield from bounded(f"servicer: accepted of {count}", sum(one.accepted for one in rows), 0)
    mirrored = VisionCatalogue(client=mirrored_client(seen.client))
    yield from cell("mirrored", searched(mirrored, MUST_BE_FOUND, count, seen.client))


def figures() -> Figures:
    count = int(os.environ.get("PROXOPS_IMAGES", IMAGES))
    seen = VisionCatalogue(client=shipped_craft(CLIENT))
    yield "images to be found", count
    yield from to_be_found(seen, count)
    yield from others(seen, max(1, count // 4))


def run() -> dict[str, float | str]:
    return dict(figures())
