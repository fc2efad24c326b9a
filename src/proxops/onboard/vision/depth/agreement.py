"""Whether what a pose says would be seen is what is seen: the model cast at the cells of a range grid.

A cell where the model is met agrees, was seen through (what is there is farther, or nothing came back though enough should), or
has something before it. One where it is not met, but something is as near as the client reaches, has a point too many. Only cells
that lie clear of the model's outline count against it, by their neighbours. What lies just within the sides of the box round the
client tells nothing: there it may be fixed to something, as to the plate of a robot in a hall.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import matrix
from proxops.maths.triple import mapped
from proxops.onboard.vision.depth.client_model import ClientModel, Surface
from proxops.onboard.vision.depth.distance_noise import DistanceNoise
from proxops.onboard.vision.depth.range_grid import RangeGrid
from proxops.optics.scene.descent import nearest_of_body

SLACK_M: Final = 0.03  # of model and sampling
SLACK_SIGMAS: Final = 3.5
FIXED_M: Final = 0.02  # within the sides of the client's box, beside noise: what it is fixed to
FIXED_SIGMAS: Final = 3.0
STRONG: Final = 3.0  # times the least signal: what must come back
AGREES, THROUGH, LOST, BEFORE, TOO_MANY, CELLS = range(6)


@dataclass(frozen=True)
class Agreement:
    """Counts of cells."""

    agrees: int
    through: int  # seen through: farther
    lost: int  # nothing came back
    before: int  # something is before the model
    too_many: int  # beside it
    cells: int  # of the model in view, whatever is there

    @property
    def against(self) -> int:
        return self.through + self.lost + self.before + self.too_many

    @property
    def share(self) -> float:
        return self.agrees / max(self.agrees + self.against, 1)


def agreement(
    model: ClientModel, grid: RangeGrid, noise: DistanceNoise, R: Array, p: Array, slack_m: float = SLACK_M
) -> Agreement:
    """Of one pose."""
    rows, columns = grid.near.shape
    x, y, cell = grid.frame
    centre = p + R @ model.centre
    z = max(float(centre[2]), 0.1)
    reach = model.radius / max(z - model.radius, 0.3 * z) + 2.0 * cell
    limits = [(centre[0] / z - reach - x) / cell, (centre[1] / z - reach - y) / cell]
    limits += [(centre[0] / z + reach - x) / cell, (centre[1] / z + reach - y) / cell]
    box = np.clip(np.array(limits), 0.0, [columns, rows, columns, rows]).astype(np.int64)
    span = (int(box[3] - box[1]) + 1, int(box[2] - box[0]) + 1)
    drawn = np.zeros(span, np.float64)
    least = np.zeros(span, np.float64)
    figures = np.array([noise.floor_m, noise.per_amplitude_m, noise.wave_m, noise.least_signal, slack_m, noise.least_m])
    fixed = FIXED_M + FIXED_SIGMAS * noise.floor_m + noise.wave_m
    body = np.concatenate([R.ravel(), p, model.low + fixed, model.high - fixed])
    counts = np.zeros(6, np.int64)
    draw(model.surface, model.infrared, R, p, grid.frame, box, drawn, least)
    _compare(grid.arrays, box, drawn, least, figures, body, counts)
    return Agreement(*counts.tolist())


@kernel
def draw(
    surface: Surface, infrared: Array, R: Array, p: Array, frame: Array, box: NDArray[np.int64], drawn: Array, signal: Array
) -> None:  # fmt: skip
    """Ranges of the model at the cells' middles, 0 where it is not met; and what share of white at 1 m comes back. A grazing
    surface: less."""
    boxes, children, faces, _, root = surface
    back = matrix(3, 3)
    for i in range(3):
        for j in range(3):
            back[i, j] = R[j, i]
    o = mapped(back, (-p[0], -p[1], -p[2]))
    for j in range(drawn.shape[0]):
        for i in range(drawn.shape[1]):
            x, y = frame[0] + (box[0] + i + 0.5) * frame[2], frame[1] + (box[1] + j + 0.5) * frame[2]
            long = math.sqrt(x * x + y * y + 1.0)
            d = mapped(back, (x / long, y / long, 1.0 / long))
            t, hit = nearest_of_body(boxes, children, faces, root, o, d, 0.0, np.inf)
            if hit >= 0:
                row = faces[hit]
                cosine = abs(row[0] * d[0] + row[1] * d[1] + row[2] * d[2])
                drawn[j, i] = t
                signal[j, i] = infrared[hit] * cosine / (t * t)


@kernel
def _compare(
    grid: tuple[Array, Array, Array, Array, Array], box: NDArray[np.int64], drawn: Array, signal: Array, figures: Array,
    body: Array, counts: NDArray[np.int64],
) -> None:  # fmt: skip
    """``figures``: noise, noise at full amplitude, wave, least signal, slack, least range; ``body``: pose of the client, and the
    box in which nothing but it is."""
    frame, near, far, near3, far3 = grid
    for j in range(1, drawn.shape[0] - 1):
        for i in range(1, drawn.shape[1] - 1):
            v, u = box[1] + j, box[0] + i
            if v < 1 or u < 1 or v >= near.shape[0] - 1 or u >= near.shape[1] - 1:
                continue
            low, high, met, weak = np.inf, 0.0, 0, np.inf
            for b in range(j - 1, j + 2):
                for a in range(i - 1, i + 2):
                    if drawn[b, a] > 0.0:
                        met += 1
                        low, high, weak = min(low, drawn[b, a]), max(high, drawn[b, a]), min(weak, signal[b, a])
            slack = figures[4] + 3.5 * (figures[0] + figures[1] / max(weak, figures[3], 1e-6)) + figures[2]
            if drawn[j, i] > 0.0:
                counts[5] += 1
                if near3[v, u] <= high + slack and far3[v, u] >= low - slack:
                    counts[0] += 1
                elif met == 9:
                    if near3[v, u] == np.inf:
                        counts[2] += 1 if weak > 3.0 * figures[3] and low > figures[5] + slack else 0
                    elif near3[v, u] > high + slack:
                        counts[1] += 1
                    elif far3[v, u] < low - slack:
                        counts[3] += 1
            elif met == 0 and far[v, u] > 0.0 and _within(frame, u, v, near[v, u], body):
                counts[4] += 1


@kernel
def _within(frame: Array, u: int, v: int, r: float, body: Array) -> bool:
    """Whether what is there lies in the box."""
    x, y = frame[0] + (u + 0.5) * frame[2], frame[1] + (v + 0.5) * frame[2]
    z = r / math.sqrt(x * x + y * y + 1.0)
    a, b, c = x * z - body[9], y * z - body[10], z - body[11]
    for k in range(3):
        at = body[k] * a + body[3 + k] * b + body[6 + k] * c
        if not body[12 + k] < at < body[15 + k]:
            return False
    return True
