"""Figures of the chaser's actuators: which thruster fired when, momentum of the wheels, propellant."""

from __future__ import annotations

from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.report.bands import sheet, span_of
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.core.messages import PERIOD_S
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import LineStyle, Mark, Raster
from proxops.ground.panels.panel import Legend, Panel
from proxops.ground.panels.sheet import Sheet
from proxops.ground.panels.ticks import linear_ticks
from proxops.ground.plot_style import BAD, GREY, RAIL, ROBOT1, thin
from proxops.ground.recorded import Floats

POINTS: Final = 900
CELLS: Final = 240  # columns of the map
WHEEL_COLOURS: Final = (ROBOT1, "#7a5cc4", "#1fa3a3", "#c46a2b")
ON_COLOURS: Final = np.array(  # red green blue alpha, from off to most
    [[255, 255, 255, 0], [169, 203, 238, 255], [43, 127, 212, 255], [18, 55, 95, 255]], np.float64
)


def actuator_figure(run: MissionRun) -> Sheet:
    """On-time per second of each thruster as a map, momentum of the wheels, propellant used."""
    out, ((fired, momentum, propellant),) = sheet(run, 7.2, 3, shares=(2.2, 1.0, 1.0), gap=0.12, right=0.935)
    _map(out, fired, run)
    share = run.wheels / run.file.chaser.wheels.momentum_n_m_s * 100.0
    for k in range(share.shape[1]):
        momentum.curve(*thin(run.t, share[:, k], POINTS), LineStyle(WHEEL_COLOURS[k], 1.3), f"wheel {k + 1}")
    momentum.y.label, momentum.legend = "momentum [% of most]", Legend(columns=4)
    momentum.y.add_room(0.3)
    left = run.of("propellant", run.truth)
    propellant.curve(*thin(run.t, (left[0] - left) * 1e3, POINTS), LineStyle(RAIL, 1.8))
    propellant.y.label = "propellant used [g]"
    propellant.y.reach(low=0.0)
    return out


def on_time(run: MissionRun, edges: Floats) -> Floats:
    """(thrusters, cells) seconds on per second."""
    begins = np.searchsorted(run.t_cycles, edges)
    cycles = np.stack([run.thrusters[a:b].sum(axis=0) for a, b in pairwise(begins.tolist())])
    out: Floats = cycles.T * PERIOD_S / np.diff(edges)
    return out


def _map(out: Sheet, panel: Panel, run: MissionRun) -> None:
    """Square roots of the shares, so that single short pulses are seen beside long burns."""
    shares = on_time(run, np.linspace(*span_of(run), CELLS + 1)) * 1e3
    most, count = max(float(shares.max()), 1.0), shares.shape[0]
    panel.raster(Raster(_coloured(np.sqrt(shares / most))))
    panel.y.limits, panel.y.label = (count + 0.5, 0.5), "thruster"
    panel.y.places = range(1, count + 1, 1 if count <= 12 else 3)
    panel.x.grid = panel.y.grid = False
    for k in range(3, count, 3):
        panel.level(k + 0.5, LineStyle(GREY, 0.4, alpha=0.5))
    _scale(out, panel.box, most)
    for fault in run.file.fault:
        number = getattr(fault, "thruster", None)
        if number is not None:
            panel.mark(Mark((fault.at_s, number), "cross", BAD, 7.0, width=1.8))


def _scale(out: Sheet, beside: Box, most: float) -> None:
    """What the colours of the map mean, at its right."""
    width = beside.width
    bar = out.panel(Box(beside.left + 1.008 * width, beside.bottom, 0.012 * width, beside.height))
    bar.raster(Raster(_coloured(np.linspace(1.0, 0.0, 64)[:, None])))
    bar.y.limits, bar.y.right, bar.y.label = (0.0, 1.0), True, "on [ms/s]"
    bar.x.grid = bar.y.grid = bar.x.worded = False
    ticks = linear_ticks(0.0, most, 8)
    bar.y.places, bar.y.words = np.sqrt(np.array(ticks.places) / most).tolist(), ticks.words


def _coloured(shares: Floats) -> NDArray[np.uint8]:
    """Of shares from 0 to 1."""
    at = np.linspace(0.0, 1.0, len(ON_COLOURS))
    return np.stack([np.interp(shares, at, colour) for colour in ON_COLOURS.T], axis=-1).round().astype(np.uint8)
