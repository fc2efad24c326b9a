"""Figures of the estimate: errors inside of what the filter claims, normalised error, measurements."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.bands import line_up, sheet, span_of
from proxops.applications.mission.report.estimate import FREEDOM, nees_band, ranges
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.core.vocabulary import SensorSource
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, in_decades, styled, thin
from proxops.ground.plots import DEG
from proxops.ground.recorded import Floats

POINTS: Final = 700
BINS: Final = 400
COLUMNS: Final = (("position", 1e3, "mm"), ("velocity", 1e3, "mm/s"), ("attitude", DEG, "deg"), ("rate", DEG, "deg/s"))
FRAMES: Final = ("LVLH", "LVLH", "target", "target")
HALL_PANELS: Final = ((1e3, "hall, position [mm]"), (DEG, "hall, attitude [deg]"))
SETTLED_S: Final = 20.0  # after its first estimate a filter is wide open: axes that showed it would hide all the rest
SMOOTH_S: Final = 10.0


def error_figure(run: MissionRun) -> Any:
    """Twelve errors of the estimate with 3 sigma of what the filter claims, over time."""
    with styled():
        figure, panels = sheet(run, 7.4, 3, 4, hspace=0.2, wspace=0.32)
        for column, (kind, scale, unit) in enumerate(COLUMNS):
            for row, axis in enumerate("xyz"):
                _error(panels[row][column], run, 3 * column + row, scale)
                panels[row][column].set_ylabel(f"{kind} {axis} [{unit}]")
                panels[row][column].yaxis.set_label_coords(-0.21, 0.5)
                panels[row][column].locator_params(axis="x", nbins=5)
        return figure


def _error(panel: Any, run: MissionRun, k: int, scale: float) -> None:
    error, bound = run.error[:, k] * scale, 3.0 * run.sigma[:, k] * scale
    t, high = thin(run.t_steps, bound, POINTS // 2)
    panel.fill_between(t, -high, high, color=ROBOT1, alpha=0.16, lw=0)
    panel.plot(*thin(run.t_steps, error, POINTS), color=ROBOT1, lw=0.9)
    known = np.flatnonzero(np.isfinite(bound))
    if not known.size:
        return
    settled = run.t_steps >= min(run.t_steps[known[0]] + SETTLED_S, run.t_steps[known[-1]])
    shown = np.concatenate([bound[settled], np.abs(error[settled])])
    size = 1.08 * float(np.nanmax(shown))
    if size > 0.0:
        panel.set_ylim(-size, size)


def consistency_figure(run: MissionRun) -> Any:
    """Normalised error against the band in which 95 % of it would lie, and against distance."""
    low, high = nees_band()
    with styled():
        figure, panels = sheet(run, 3.4, 1)
        panel = panels[0][0]
        known = np.isfinite(run.nees) & (run.nees > 0.0)
        panel.axhspan(low, high, color=RAIL, alpha=0.16, lw=0, label="95 % if the filter is right")
        panel.axhline(FREEDOM, color=RAIL, lw=1.0, ls=":", label="its mean, 12")
        if known.any():
            panel.plot(*thin(run.t_steps[known], run.nees[known], POINTS), color=ROBOT1, lw=0.9, label="single values")
            panel.plot(*_smooth(run, known), color=INK, lw=1.4, label=f"mean of {SMOOTH_S:g} s")
        in_decades(panel)
        panel.set_ylabel("normalised squared error [1]")
        line_up(panels)
        panel.legend(ncol=4, loc="upper right")
        bottom, top = panel.get_ylim()
        panel.set_ylim(max(bottom, 0.1), max(top, 100.0) * 3.0)
        _mark_ranges(panel, run)
        return figure


def _smooth(run: MissionRun, known: Any) -> tuple[Floats, Floats]:
    """Means of stretches of equal length."""
    bins = (run.t_steps[known] // SMOOTH_S).astype(int)
    counts = np.bincount(bins)
    means = np.bincount(bins, run.nees[known]) / np.maximum(counts, 1)
    filled = np.flatnonzero(counts)
    return np.asarray((filled + 0.5) * SMOOTH_S, np.float64), means[filled]


def _mark_ranges(panel: Any, run: MissionRun) -> None:
    """Where the distance first goes below the bounds of the ranges."""
    for part in ranges(run)[1:-1]:
        below = np.flatnonzero(run.distance < part.near_m)
        if below.size and below[0]:
            at = float(run.t[below[0]])
            panel.axvline(at, color=GREY, lw=0.8, ls=(0, (2, 2)))
            panel.annotate(
                f"{part.near_m:g} m", (at, 0.03), xycoords=("data", "axes fraction"), xytext=(3, 0),
                textcoords="offset points", fontsize=7.5, color=GREY,
            )  # fmt: skip


def measurement_figure(run: MissionRun, hall: tuple[tuple[Floats, Floats], ...]) -> Any:
    """Where measurements came from and which were refused; below, the hall against the pose it was to show. ``hall``:
    position (m) and attitude (rad) error, as it is and with the hall's delay taken off."""
    with styled():
        seen = bool(np.isfinite(hall[0][0]).any())
        figure, panels = sheet(run, 6.2 if seen else 3.6, 4 if seen else 2, hspace=0.2)
        _sources(panels[0][0], run)
        _rejections(panels[1][0], run)
        for k, (scale, label) in enumerate(HALL_PANELS if seen else ()):
            panel = panels[2 + k][0]
            panel.plot(*thin(run.t, hall[0][k] * scale, POINTS), color=ROBOT1, alpha=0.4, lw=2.0, label="as it is")
            panel.plot(*thin(run.t, hall[1][k] * scale, POINTS), color=ROBOT1, lw=1.0, label="delay taken off")
            panel.set_ylabel(label)
            panel.set_ylim(0.0, 1.3 * max(panel.get_ylim()[1], 1e-3))
        if seen:
            panels[2][0].legend(ncol=2, loc="upper right")
        line_up(panels)
        return figure


def _edges(run: MissionRun) -> Floats:
    begin, end = span_of(run)
    return np.linspace(begin, end, min(BINS, max(4, round(end))) + 1)


def _sources(panel: Any, run: MissionRun) -> None:
    """Measurements a second, the hall's and the computed ones on top of each other."""
    measured = run.log.values("mission.measured")[run.cycles].astype(np.float64)
    source = run.log.values("mission.sensor")[run.cycles]
    edges, base = _edges(run), np.zeros(0)
    for kind, colour, label in ((SensorSource.HALL, ROBOT1, "hall"), (SensorSource.SOFTWARE, ROBOT2, "software")):
        rate = np.histogram(run.t_cycles, edges, weights=measured * (source == kind))[0] / np.diff(edges)
        base = base if base.size else np.zeros_like(rate)
        panel.stairs(base + rate, edges, baseline=base, fill=True, color=colour, alpha=0.75, lw=0, label=label)
        base = base + rate
    panel.set_ylim(0.0, 1.35 * max(panel.get_ylim()[1], 1.0))
    panel.set_ylabel("measurements [1/s]")
    panel.legend(ncol=2, loc="upper right")


def _rejections(panel: Any, run: MissionRun) -> None:
    edges, rejected = _edges(run), run.of("rejected", run.steps)
    panel.stairs(np.histogram(run.t_steps, edges, weights=rejected)[0], edges, fill=True, color=BAD, alpha=0.8, lw=0)
    panel.set_ylabel(f"refused in {np.diff(edges)[0]:.1f} s")
    panel.set_ylim(0.0, max(panel.get_ylim()[1], 1.2))
    panel.yaxis.get_major_locator().set_params(integer=True)
