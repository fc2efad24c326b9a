"""Figures of image processing: errors against range with what was claimed, answers over time, hall beside orbit."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import numpy as np

from proxops.applications.mission.report.vision_record import Flags, VisionRecord, same_instants
from proxops.ground.figures import WIDTH
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import DASHED, LineStyle, Mark
from proxops.ground.panels.panel import Legend, Panel
from proxops.ground.panels.sheet import Sheet
from proxops.ground.panels.ticks import linear_ticks
from proxops.ground.plot_style import BAD, GREY, INK, ROBOT1, ROBOT2
from proxops.ground.plots import DEG
from proxops.ground.recorded import Floats

COLUMNS: Final = ((1e3, "across [mm]"), (1e3, "along [mm]"), (DEG, "attitude [deg]"))
ROW: Final = 2.1  # inches
DOTS: Final = 240  # of a panel and kind
BINS: Final = 14
LEAST: Final = 5  # images in a stretch of range, about
FEW_TICKS: Final = 8.0  # from the nearest to the farthest
RANGE_LABEL: Final = "range [m]"


def range_figure(records: Sequence[VisionRecord]) -> Sheet:
    """A row for each sensor: errors across, along, of attitude."""
    out, rows = _grid(len(records))
    for record, panels in zip(records, rows, strict=True):
        for k, (panel, (scale, label)) in enumerate(zip(panels, COLUMNS, strict=True)):
            _errors(panel, record, k, scale)
            _finish(panel, f"{record.spec.name}: {label}")
        panels[0].legend = Legend("upper left", 2)
    return out


def _grid(count: int) -> tuple[Sheet, list[list[Panel]]]:
    height = ROW * count + 0.3
    out = Sheet(WIDTH, height)
    room = Box.inside(0.06, 0.985, 0.5 / height, 1.0 - 0.3 / height)
    rows = [[out.panel(box) for box in row.columns(3, 0.2)] for row in room.rows(count, 0.42)]
    for panel in rows[-1]:
        panel.x.label = RANGE_LABEL
    return out, rows


def _finish(panel: Panel, title: str) -> None:
    panel.title, panel.x.log = title, True
    low, high = panel.x.range
    if high < FEW_TICKS * low:  # powers of ten would be too few
        panel.x.places = linear_ticks(low, high, 5).places
    panel.y.in_decades()
    low, high = panel.y.range
    panel.y.limits = low, 3.0 * high


def _errors(panel: Panel, record: VisionRecord, k: int, scale: float) -> None:
    panel.x.log = panel.y.log = True
    at, error = record.distance_m, scale * record.error[:, k]
    right = record.accepted & ~record.wrong
    claimed = (LineStyle(INK, 1.2, z=3.0), "1 σ claimed", 1.0), (LineStyle(INK, 1.0, DASHED, z=3.0), "3 σ", 3.0)
    _dots(panel, at, error, ~record.accepted, GREY, "refused", fill="none")
    _dots(panel, at, error, right, ROBOT1, "accepted")
    for look, label, times in claimed:
        panel.curve(*_level(at, times * scale * record.sigma[:, k], record.accepted), look, label)
    _dots(panel, at, error, record.wrong, BAD, "wrong", fill=BAD)


def _dots(panel: Panel, x: Floats, y: Floats, rows: Flags, colour: str, label: str, fill: str = "") -> None:
    """Some of them; the greatest of all is one."""
    known = np.flatnonzero(rows & np.isfinite(x) & (y > 0.0))
    if not known.size:
        return
    chosen = known[np.unique(np.linspace(0, known.size - 1, min(DOTS, known.size)).astype(int))]
    chosen = np.union1d(chosen, known[[y[known].argmax()]])
    for n, row in enumerate(chosen.tolist()):
        panel.mark(Mark((x[row], y[row]), "circle", colour, 2.4, fill, 0.7, "" if n else label))


def _level(x: Floats, y: Floats, rows: Flags) -> tuple[Floats, Floats]:
    """Medians of stretches of range that are equal on a logarithmic axis, as steps."""
    known = rows & np.isfinite(x) & np.isfinite(y)
    x, y = x[known], y[known]
    if not x.size:
        return np.empty(0), np.empty(0)
    bins = min(BINS, max(1, x.size // LEAST))
    edges = np.geomspace(x.min() * 0.999, x.max() * 1.001, bins + 1)
    place = np.clip(np.digitize(x, edges) - 1, 0, bins - 1)
    levels = [float(np.median(y[place == b])) if (place == b).any() else np.nan for b in range(bins)]
    return np.repeat(edges, 2)[1:-1], np.repeat(levels, 2)


def hall_figure(pairs: Sequence[tuple[VisionRecord, VisionRecord]]) -> Sheet:
    """A row for each sensor: errors at the same instants in the hall and in orbit."""
    out, rows = _grid(len(pairs))
    for (hall, orbit), panels in zip(pairs, rows, strict=True):
        ours, theirs = same_instants(hall, orbit)
        both = hall.accepted[ours] & orbit.accepted[theirs]
        ours, theirs = ours[both], theirs[both]
        for k, (panel, (scale, label)) in enumerate(zip(panels, COLUMNS, strict=True)):
            panel.x.log = panel.y.log = True
            at, one, other = hall.distance_m[ours], scale * hall.error[ours, k], scale * orbit.error[theirs, k]
            gap = np.full_like(at, np.nan)
            panel.curve(
                np.stack([at, at, gap], 1).ravel(),
                np.stack([one, other, gap], 1).ravel(),
                LineStyle(GREY, 0.6, alpha=0.6),
            )
            everything = np.ones(len(at), bool)
            _dots(panel, at, other, everything, ROBOT2, "orbit")
            _dots(panel, at, one, everything, ROBOT1, "hall")
            _finish(panel, f"{hall.spec.name}: {label}")
        panels[0].legend = Legend("upper left", 2)
    return out
