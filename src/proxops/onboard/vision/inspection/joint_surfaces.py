"""Short stretches of a track, each with a surface of its own, laid over each other all at once.

One look at a time laid onto the surface of all never moves what all have wrong together: front and back of a body, held together
by views of its edges only, stay as far apart as they once were. So looks in a row make a *stretch* with smooth places and
normals, and all pairs of stretches that saw the same surface pull at each other in one least squares. With x' = x + δp + δθ × x,

    e = n·(x_a − x_b),    de/dδ_a = (n, x_a × n),    de/dδ_b = −(n, x_b × n)

Only places whose normals agree are one: the two sides of a thin panel have nothing to do with each other.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

import numpy as np

from proxops.core.experiment_result import Progress
from proxops.core.vision import Floats
from proxops.onboard.vision.depth.ranging import Ranging
from proxops.onboard.vision.inspection.cloud import clouds
from proxops.onboard.vision.inspection.fusion import in_client
from proxops.onboard.vision.inspection.libraries import REGISTRATION, inspection_library
from proxops.onboard.vision.inspection.pose_graph import moved
from proxops.onboard.vision.inspection.surfels import surfels
from proxops.onboard.vision.inspection.track import Track, inverted

LOOKS: Final = 10  # of a stretch
MOST_TURN: Final = 0.0  # cosine between the mean views of two stretches that may have seen the same
SAME_NORMAL: Final = 0.85
RADIUS_M: Final = 0.05  # of a plane that is fitted to points
EVERY_M: Final = 0.04
REACH_M: Final = (0.05, 0.04, 0.03)  # and on, with the last
ROUNDS: Final = 20
STILL: Final = 2e-5  # m and rad
SOFT: Final = 0.008  # m, where a pair counts a quarter
HOLD: Final = 1e-3  # that keeps a stretch where it is, beside its pairs


@dataclass(frozen=True, eq=False)
class LookStretch:
    """``looks``: from, to. Places and normals in the client's frame."""

    looks: tuple[int, int]
    places: Floats
    normals: Floats
    view: Floats  # (3) mean, from the client


def laid_together(track: Track, ranging: Ranging, progress: Progress) -> Track:
    """Poses of whole stretches made better."""
    if len(track) < 2 * LOOKS:
        return track
    stretches = _stretches(track, ranging)
    T = np.repeat(np.eye(4)[None], len(stretches), axis=0)
    for number in range(ROUNDS):
        progress("laying", number, ROUNDS)
        step = _step(stretches, T, REACH_M[min(number, len(REACH_M) - 1)])
        for k, delta in enumerate(step):
            T[k] = moved(delta) @ T[k]
        if np.abs(step).max() < STILL:
            break
    progress("laying", ROUNDS, ROUNDS)
    out = track.T_sensor_client.copy()
    for one, T_new_old in zip(stretches, T, strict=True):
        out[slice(*one.looks)] = out[slice(*one.looks)] @ inverted(T_new_old)
    return track.with_poses(out)


def _stretches(track: Track, ranging: Ranging) -> list[LookStretch]:
    seen, found = clouds(ranging, track), []
    count = max(len(track) // LOOKS, 1)
    for part in np.array_split(np.arange(len(track)), count):
        points, sights = in_client([seen[k] for k in part], track.T_sensor_client[part])
        made = surfels(points, sights, ranging.noise.floor_m, RADIUS_M, EVERY_M)
        view = track.views[part].mean(axis=0)
        ends = int(part[0]), int(part[-1]) + 1
        found.append(LookStretch(ends, made.places, made.normals, view / np.linalg.norm(view)))
    return found


def _step(stretches: list[LookStretch], T: Floats, reach_m: float) -> Floats:
    """(n, 6) places, then small rotations on the left."""
    n = len(stretches)
    places = [one.places @ t[:3, :3].T + t[:3, 3] for one, t in zip(stretches, T, strict=True)]
    normals = [one.normals @ t[:3, :3].T for one, t in zip(stretches, T, strict=True)]
    library = inspection_library(REGISTRATION)
    trees = [library.KdTree(p) if len(p) else None for p in places]
    H, g = np.zeros((n, 6, n, 6)), np.zeros((n, 6))
    for a in range(n):
        for b in range(n):
            if a == b or stretches[a].view @ stretches[b].view < MOST_TURN or not len(places[a]) or not len(places[b]):
                continue
            _pull(H, g, a, b, places, normals, trees[b], reach_m)
    flat = H.reshape(6 * n, 6 * n)
    flat += HOLD * float(np.trace(flat)) / len(flat) * np.eye(len(flat))
    return np.asarray(np.linalg.solve(flat, g.ravel())).reshape(n, 6)


def _pull(
    H: Floats, g: Floats, a: int, b: int, places: list[Floats], normals: list[Floats], tree: object, reach_m: float
) -> None:
    """Adds what places of ``a`` have to do with those of ``b``."""
    number, square = tree.batch_nearest_neighbor_search(places[a])  # type: ignore[attr-defined]
    j = np.asarray(number, np.int64)
    near = (np.asarray(square) < reach_m**2) & (np.einsum("ij,ij->i", normals[a], normals[b][j]) > SAME_NORMAL)
    if np.count_nonzero(near) < 10:
        return
    x_a, x_b, n = places[a][near], places[b][j[near]], normals[b][j[near]]
    e = np.einsum("ij,ij->i", n, x_a - x_b)
    w = (1.0 / (1.0 + (e / SOFT) ** 2) ** 2)[:, None]
    J_a, J_b = np.concatenate([n, np.cross(x_a, n)], axis=1), -np.concatenate([n, np.cross(x_b, n)], axis=1)
    for i, J in ((a, J_a), (b, J_b)):
        g[i] -= (w * J).T @ e
        H[i, :, a] += (w * J).T @ J_a
        H[i, :, b] += (w * J).T @ J_b
