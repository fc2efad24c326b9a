"""Both detectors on the readings of one run, side by side, and the counter-impulse that those readings show."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.applications.floating.application import FloatApplication
from proxops.applications.floating.detectors import derivative, level
from proxops.applications.floating.pushes import FORCE, Matched, found_by, pushes_of
from proxops.applications.floating.turning import Table
from proxops.core.messages import PERIOD_S
from proxops.touch.push import Push

OURS, PAPERS = "ours", "paper 002's"
BLOCK_S: Final = 0.4  # over which the force without a push is averaged
AFTER_S: Final = 1.0  # of a push, in which its counter-impulse must be over
NOISE_SIGMAS: Final = 3.0  # of a sum of readings: less is no counter-impulse


def found_by_both(app: FloatApplication) -> dict[str, list[Matched]]:
    """Of all that was read."""
    return {OURS: found_by(app, level(app.bench.file)), PAPERS: found_by(app, derivative(app.bench.file))}


def detector_figures(app: FloatApplication, both: dict[str, list[Matched]]) -> dict[str, Any]:
    """For the summary."""
    return {
        name: {
            "recognised": len(known := [m for m in found if m.push is not None]), "invented": len(found) - len(known),
            "magnitude_error": [m.magnitude_error for m in known],
            "direction_error_deg": [m.direction_error_deg for m in known],
            "latency_ms": [_latency_ms(app, m) for m in known],
        }
        for name, found in both.items()
    }  # fmt: skip


def detector_table(app: FloatApplication, both: dict[str, list[Matched]]) -> Table:
    """One row for each push, one for what was invented."""
    rows = []
    for push in pushes_of(app):
        told = [_told(app, next((m for m in found if m.push is push), None)) for found in both.values()]
        given = f"{np.linalg.norm(push.impulse[FORCE]):.3f} N s in {push.duration_s * 1e3:.0f} ms"
        rows.append((f"{push.at_s:.3f} s", given, _share(counter_read(app, push)), *told))
    invented = (str(sum(m.push is None for m in found)) for found in both.values())
    head = ("push at", "given", "counter-impulse read", *both)
    return "Detectors on the same readings", head, (*rows, ("invented", "", "", *invented))


def _told(app: FloatApplication, m: Matched | None) -> str:
    if m is None:
        return "not found"
    late = _latency_ms(app, m)
    return f"{m.magnitude_error:+.1%}, {m.direction_error_deg:.1f} deg, certain after {late:.0f} ms"


def _latency_ms(app: FloatApplication, m: Matched) -> float:
    assert m.push is not None
    return (float(app.rows["t"][m.reaction.crossed]) - m.push.at_s) * 1e3


def _share(share: float | None) -> str:
    return "–" if share is None else f"{share:.0%} of the push"


def counter_read(app: FloatApplication, push: Push) -> float | None:
    """Impulse that was read against a push after it, by its own: along its direction, from where the reading changes sign. None
    for a twist, or where another push comes."""
    rows, size = app.rows[: app.count], float(np.linalg.norm(push.impulse[FORCE]))
    shown = (rows["t"] >= push.at_s) & (rows["t"] < push.end_s + AFTER_S)
    alone = all(other is push or not push.at_s <= other.at_s < push.end_s + AFTER_S for other in pushes_of(app))
    if not size or not alone or not np.isfinite(rows["outside"][shown]).all():
        return None
    along = app.rotation_at(int(np.argmax(shown))).T @ push.impulse[FORCE] / size
    read = rows["outside"][shown, :3] @ along - float(np.mean(rows["outside"][_before(rows, push), :3] @ along))
    sums = np.cumsum(read) * PERIOD_S
    back = sums.max() - sums[int(np.argmax(sums)) :].min()
    noise = NOISE_SIGMAS * app.bench.file.sensor.noise_N * PERIOD_S * np.sqrt(len(sums))
    return float(back / size) if back > noise else 0.0


def _before(rows: Any, push: Push) -> Any:
    return (rows["t"] >= push.at_s - 0.2) & (rows["t"] < push.at_s)


def force_without_push(app: FloatApplication) -> Any:
    """(m, 3) What was read when nobody had pushed for a while, N, means of 0.4 s: the paper's e_const. The module's own weight
    and inertia are taken off."""
    rows = app.rows[: app.count]
    quiet = np.isfinite(rows["residual"]).all(axis=1)
    for push in app.module.hand.pushes if app.module is not None else ():
        quiet &= (rows["t"] < push.at_s) | (rows["t"] > push.over_s + AFTER_S)
    block = round(BLOCK_S / PERIOD_S)
    whole = quiet[: len(quiet) // block * block].reshape(-1, block).all(axis=1)
    means = rows["residual"][: len(whole) * block, :3].reshape(-1, block, 3).mean(axis=1)
    return means[whole]


def offset_table(app: FloatApplication) -> Table:
    """Is e_const constant?"""
    means = force_without_push(app)
    if len(means) < 2:
        return "Force without a push", (), ()
    changed = np.linalg.norm(means - means[0], axis=1).max()
    source = "sensor at the flange" if app.bench.file.joint_torques is None else "torques of the joints"
    cells = ((source, f"{np.linalg.norm(means[0]):.2f} N", f"{changed:.2f} N"),)
    return "Force without a push (e_const of eq. 1)", ("from", "at the start", "changes in flight by up to"), cells
