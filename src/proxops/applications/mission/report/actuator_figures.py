"""Figures of the chaser's actuators: which thruster fired when, momentum of the wheels, propellant."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.bands import line_up, sheet, span_of
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.core.messages import PERIOD_S
from proxops.ground.plot_style import BAD, RAIL, ROBOT1, styled, thin
from proxops.ground.recorded import Floats

POINTS: Final = 900
CELLS: Final = 240  # columns of the map
WHEEL_COLOURS: Final = (ROBOT1, "#7a5cc4", "#1fa3a3", "#c46a2b")


def actuator_figure(run: MissionRun) -> Any:
    """On-time per second of each thruster as a map, momentum of the wheels, propellant used."""
    with styled():
        figure, panels = sheet(run, 7.2, 3, height_ratios=[2.2, 1.0, 1.0], hspace=0.12, right=0.935)
        _map(figure, panels[0][0], run)
        share = run.wheels / run.file.chaser.wheels.momentum_n_m_s * 100.0
        for k in range(share.shape[1]):
            panels[1][0].plot(*thin(run.t, share[:, k], POINTS), color=WHEEL_COLOURS[k], lw=1.3, label=f"wheel {k + 1}")
        panels[1][0].set_ylabel("momentum [% of most]")
        _room_above(panels[1][0])
        panels[1][0].legend(ncol=4, loc="upper right")
        left = run.of("propellant", run.truth)
        panels[2][0].plot(*thin(run.t, (left[0] - left) * 1e3, POINTS), color=RAIL, lw=1.8)
        panels[2][0].set_ylabel("propellant used [g]")
        panels[2][0].set_ylim(bottom=0.0)
        line_up(panels)
        return figure


def _room_above(panel: Any) -> None:
    low, high = panel.get_ylim()
    panel.set_ylim(low, high + 0.3 * (high - low))


def on_time(run: MissionRun, edges: Floats) -> Floats:
    """(thrusters, cells) seconds on per second."""
    begins = np.searchsorted(run.t_cycles, edges)
    cycles = np.stack([run.thrusters[a:b].sum(axis=0) for a, b in pairwise(begins.tolist())])
    out: Floats = cycles.T * PERIOD_S / np.diff(edges)
    return out


def _map(figure: Any, panel: Any, run: MissionRun) -> None:
    """Square roots of the shares, so that single short pulses are seen beside long burns."""
    from matplotlib.colors import LinearSegmentedColormap, PowerNorm

    edges = np.linspace(*span_of(run), CELLS + 1)
    shares = on_time(run, edges) * 1e3
    colours = LinearSegmentedColormap.from_list("on", ["#ffffff00", "#a9cbee", ROBOT1, "#12375f"])
    norm = PowerNorm(0.5, 0.0, max(float(shares.max()), 1.0))
    count = shares.shape[0]
    places = np.arange(count + 1) + 0.5
    image = panel.pcolormesh(edges, places, shares, cmap=colours, norm=norm, rasterized=True)
    panel.set_ylim(count + 0.5, 0.5)
    panel.set_yticks(range(1, count + 1, 1 if count <= 12 else 3))
    panel.set_ylabel("thruster")
    panel.grid(False)
    for k in range(3, count, 3):
        panel.axhline(k + 0.5, color="#8a949e", lw=0.4, alpha=0.5)
    bar = figure.colorbar(image, cax=panel.inset_axes((1.008, 0.0, 0.012, 1.0)))
    bar.set_label("on [ms/s]")
    bar.outline.set_visible(False)
    bar.ax.grid(False)
    for fault in run.file.fault:
        number = getattr(fault, "thruster", None)
        if number is not None:
            panel.plot(fault.at_s, number, "x", color=BAD, ms=7, mew=1.8, clip_on=False)
