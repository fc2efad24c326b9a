"""Figures of the estimate: errors inside of what the filter claims, normalised error, measurements."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.bands import sheet, span_of
from proxops.applications.mission.report.estimate import FREEDOM, nees_band, ranges
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.core.vocabulary import SensorSource
from proxops.ground.panels.items import DOTTED, LineStyle, Words
from proxops.ground.panels.panel import Legend, Panel
from proxops.ground.panels.sheet import Sheet
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, thin
from proxops.ground.plots import DEG
from proxops.ground.recorded import Floats

POINTS: Final = 700
BINS: Final = 400
COLUMNS: Final = (("position", 1e3, "mm"), ("velocity", 1e3, "mm/s"), ("attitude", DEG, "deg"), ("rate", DEG, "deg/s"))
FRAMES: Final = ("LVLH", "LVLH", "target", "target")
HALL_PANELS: Final = ((1e3, "hall, position [mm]"), (DEG, "hall, attitude [deg]"))
SETTLED_S: Final = 20.0  # after its first estimate a filter is wide open: axes that showed it would hide all the rest
SMOOTH_S: Final = 10.0


def error_figure(run: MissionRun) -> Sheet:
    """Twelve errors of the estimate with 3 sigma of what the filter claims, over time."""
    out, columns = sheet(run, 7.4, 3, 4, gap=0.2, column_gap=0.32)
    for column, (panels, (kind, scale, unit)) in enumerate(zip(columns, COLUMNS, strict=True)):
        for row, (panel, axis) in enumerate(zip(panels, "xyz", strict=True)):
            _error(panel, run, 3 * column + row, scale)
            panel.y.label, panel.x.most = f"{kind} {axis} [{unit}]", 5
    return out


def _error(panel: Panel, run: MissionRun, k: int, scale: float) -> None:
    error, bound = run.error[:, k] * scale, 3.0 * run.sigma[:, k] * scale
    t, high = thin(run.t_steps, bound, POINTS // 2)
    panel.between(t, -high, high, ROBOT1, 0.16)
    panel.curve(*thin(run.t_steps, error, POINTS), LineStyle(ROBOT1, 0.9))
    known = np.flatnonzero(np.isfinite(bound))
    if not known.size:
        return
    settled = run.t_steps >= min(run.t_steps[known[0]] + SETTLED_S, run.t_steps[known[-1]])
    shown = np.concatenate([bound[settled], np.abs(error[settled])])
    size = 1.08 * float(np.nanmax(shown))
    if size > 0.0:
        panel.y.limits = -size, size


def consistency_figure(run: MissionRun) -> Sheet:
    """Normalised error against the band in which 95 % of it would lie, and against distance."""
    low, high = nees_band()
    out, ((panel,),) = sheet(run, 3.4, 1)
    known = np.isfinite(run.nees) & (run.nees > 0.0)
    panel.y.log = True
    panel.layer(low, high, RAIL, 0.16, "95 % if the filter is right")
    panel.level(FREEDOM, LineStyle(RAIL, 1.0, DOTTED), "its mean, 12")
    if known.any():
        panel.curve(*thin(run.t_steps[known], run.nees[known], POINTS), LineStyle(ROBOT1, 0.9), "single values")
        panel.curve(*_smooth(run, known), LineStyle(INK, 1.4), f"mean of {SMOOTH_S:g} s")
    panel.y.in_decades()
    bottom, top = panel.y.range
    panel.y.limits = max(bottom, 0.1), max(top, 100.0) * 3.0
    panel.y.label, panel.legend = "normalised squared error [1]", Legend(columns=4)
    _mark_ranges(panel, run)
    return out


def _smooth(run: MissionRun, known: Any) -> tuple[Floats, Floats]:
    """Means of stretches of equal length."""
    bins = (run.t_steps[known] // SMOOTH_S).astype(int)
    counts = np.bincount(bins)
    means = np.bincount(bins, run.nees[known]) / np.maximum(counts, 1)
    filled = np.flatnonzero(counts)
    return np.asarray((filled + 0.5) * SMOOTH_S, np.float64), means[filled]


def _mark_ranges(panel: Panel, run: MissionRun) -> None:
    """Where the distance first goes below the bounds of the ranges."""
    for part in ranges(run)[1:-1]:
        below = np.flatnonzero(run.distance < part.near_m)
        if below.size and below[0]:
            at = float(run.t[below[0]])
            panel.moment(at, LineStyle(GREY, 0.8, (2.0, 2.0)))
            panel.words(Words((at, 0.03), f"{part.near_m:g} m", 7.5, GREY, shift=(3.0, 0.0), share=(False, True)))


def measurement_figure(run: MissionRun, hall: tuple[tuple[Floats, Floats], ...]) -> Sheet:
    """Where measurements came from and which were refused; below, the hall against the pose it was to show. ``hall``:
    position (m) and attitude (rad) error, as it is and with the hall's delay taken off."""
    seen = bool(np.isfinite(hall[0][0]).any())
    out, (panels,) = sheet(run, 6.2 if seen else 3.6, 4 if seen else 2, gap=0.2)
    _sources(panels[0], run)
    _rejections(panels[1], run)
    for k, (panel, (scale, label)) in enumerate(zip(panels[2:], HALL_PANELS, strict=False)):
        panel.curve(*thin(run.t, hall[0][k] * scale, POINTS), LineStyle(ROBOT1, 2.0, alpha=0.4), "as it is")
        panel.curve(*thin(run.t, hall[1][k] * scale, POINTS), LineStyle(ROBOT1, 1.0), "delay taken off")
        panel.y.label, panel.y.limits = label, (0.0, 1.3 * max(panel.y.range[1], 1e-3))
    if seen:
        panels[2].legend = Legend(columns=2)
    return out


def _edges(run: MissionRun) -> Floats:
    begin, end = span_of(run)
    return np.linspace(begin, end, min(BINS, max(4, round(end))) + 1)


def _sources(panel: Panel, run: MissionRun) -> None:
    """Measurements a second, the hall's and the computed ones on top of each other."""
    measured = run.log.values("mission.measured")[run.cycles].astype(np.float64)
    source = run.log.values("mission.sensor")[run.cycles]
    edges = _edges(run)
    base = np.zeros(edges.size - 1)
    for kind, colour, label in ((SensorSource.HALL, ROBOT1, "hall"), (SensorSource.SOFTWARE, ROBOT2, "software")):
        rate = np.histogram(run.t_cycles, edges, weights=measured * (source == kind))[0] / np.diff(edges)
        panel.stairs(edges, base, base + rate, colour, 0.75, label)
        base = base + rate
    panel.y.limits, panel.y.label = (0.0, 1.42 * max(panel.y.known[1], 1.0)), "measurements [1/s]"
    panel.legend = Legend(columns=2)


def _rejections(panel: Panel, run: MissionRun) -> None:
    edges, rejected = _edges(run), run.of("rejected", run.steps)
    counts = np.histogram(run.t_steps, edges, weights=rejected)[0]
    panel.stairs(edges, np.zeros_like(counts), counts, BAD, 0.8)
    panel.y.label, panel.y.whole = f"refused in {np.diff(edges)[0]:.1f} s", True
    panel.y.limits = 0.0, max(1.05 * panel.y.known[1], 1.2)
