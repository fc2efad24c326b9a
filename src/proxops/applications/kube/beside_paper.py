"""What paper 004 prints of its test, beside the same of a run: section 5's words and numbers; its figures have no tables."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from proxops.applications.kube.figures import angles_deg
from proxops.applications.kube.post_test_figures import PostTest
from proxops.applications.kube.recorded_loop import RecordedLoop
from proxops.applications.kube.result import STALL
from proxops.arms.model import Floats

UPPER: Final = 4  # joints of the paper's first group
AFTER_STALL_S: Final = 0.25  # a peak that comes within this time belongs to the stall
PEAKS: Final = 20  # largest of the model's torques that are looked at


def beside_paper(post: PostTest, loop: RecordedLoop, friction: bool) -> list[Any]:
    """A table: caption, head, rows. The paper's simulation starts from a polynomial of the fifth order, so ours does here."""
    polynomial = post.trials[-1]
    way, turn = (np.linalg.norm(part, axis=1).max() for part in np.split(polynomial.tool_error, 2, axis=1))
    left = loop.error[-1]
    rows = [
        ["control error at the end", "non-zero", f"{1e3 * np.linalg.norm(left[:3]):.3g} mm, {_deg(left[3:]):.3g} deg"],
        [
            "largest error of the polynomial",
            "up to 3 deg",
            f"{math.degrees(np.abs(polynomial.fit_error).max()):.2f} deg",
        ],
        ["tool, simulation less test", "several mm", f"{1e3 * way:.1f} mm"],
        ["tool turned, simulation less test", "about 1 to 2 deg", f"{math.degrees(turn):.2f} deg"],
        ["tool's angles that hardly change", "z and y", _changes(post.tool)],
        *_evaluations(loop),
        *_torques(post, friction),
        *_peaks(post, loop),
    ]
    return ["Beside the paper", ["", "paper 004, section 5", "this run"], rows]


def _deg(turn: Floats) -> float:
    return math.degrees(float(np.linalg.norm(turn)))


def _changes(tool: Floats) -> str:
    angles = angles_deg(tool[[0, -1], 3:])
    return ", ".join(f"{axis} by {change:.1f} deg" for axis, change in zip("zyx", angles[1] - angles[0], strict=True))


def _evaluations(loop: RecordedLoop) -> list[list[str]]:
    takes = loop.evaluation[loop.seen]
    if not takes.any():
        return [["time of evaluation", "about 0.025 s, and stalls", "none: lockstep"]]
    stalls = takes > STALL * np.median(takes)
    told = f"{int(stalls.sum())}, the longest {takes.max():.3f} s"
    return [
        ["time of evaluation, stalls apart", "about 0.025 s", f"{takes[~stalls].mean():.4f} s"],
        ["stalls", "several", told if stalls.any() else "none"],
    ]


def _torques(post: PostTest, friction: bool) -> list[list[str]]:
    """The paper's simulation has no friction. Medians: the peaks stand apart."""
    off = np.median(np.abs(post.ground.computed - post.ground.measured), axis=0)
    what = "torques, model without friction less sensors" if friction else "torques, model less sensors"
    groups = ((slice(None, UPPER), "several N m"), (slice(UPPER, None), "tenths of N m"))
    return [
        [
            f"{what}, {post.joints[part][0]} to {post.joints[part][-1]}",
            paper,
            ", ".join(f"{x:.2f}" for x in off[part]) + " N m",
        ]
        for part, paper in groups
        if len(post.joints[part])
    ]


def _peaks(post: PostTest, loop: RecordedLoop) -> list[list[str]]:
    """Of the second joint, as in figure 15: how far model and sensor leave their own course, and whether at the stalls."""
    takes, began = loop.evaluation[loop.seen], loop.t[loop.seen]
    stalled = takes > STALL * np.median(takes)
    if not stalled.any() or len(post.joints) < 2:
        return []
    model, sensor = (_off_course(post.t, values[:, 1]) for values in (post.ground.computed, post.ground.measured))
    stalls, ends = began[stalled], (began + takes)[stalled]
    largest = post.t[np.argsort(model)[-PEAKS:]]
    near = [np.any((t >= stalls) & (t <= ends + AFTER_STALL_S)) for t in largest]
    return [
        [f"peaks of {post.joints[1]} in the model", "high", f"{model.max():.1f} N m"],
        ["of these at a stall", "all", f"{100.0 * np.mean(near):.0f} %"],
        [f"peaks of {post.joints[1]} in the sensor", "none logged", f"{sensor.max():.1f} N m"],
    ]


def _off_course(t: Floats, values: Floats) -> Floats:
    """(rows) by how much values leave the straight lines between medians of half seconds."""
    count = max(2, round(2.0 * (t[-1] - t[0])))
    parts = np.array_split(np.arange(t.size), count)
    course = np.interp(t, [t[part].mean() for part in parts], [np.median(values[part]) for part in parts])
    return np.abs(values - course)
