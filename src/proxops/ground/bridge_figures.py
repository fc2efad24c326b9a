"""Figures of a bridge run: where the chaser was in the hall, what was shown of the commanded relative pose, clearance."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.ground.bridge_bands import ZONE_COLOURS, draw_bands, phase_key
from proxops.ground.bridge_clearance import Clearances
from proxops.ground.bridge_following import RelativeErrors
from proxops.ground.bridge_run import BridgeRun
from proxops.ground.figures import POINTS, WIDTH
from proxops.ground.plot_style import (
    BAD,
    COMMANDED,
    GREY,
    RAIL,
    ROBOT1,
    ROBOT2,
    crest,
    in_decades,
    new_figure,
    styled,
    thin,
)
from proxops.ground.plots import DEG, TIME_LABEL
from proxops.ground.pose_rows import distance_and_angle
from proxops.ground.recorded import Floats

PLACE_COLOURS: Final = (ROBOT1, "#7a5cc4", "#1fa3a3")  # x, y, z
ACROSS_M: Final = 0.4  # least height of the panels across the rail: 20 to 30 cm are to be seen, a millimetre is not
HALTS_NAMED: Final = 4
LOW: Final = 0.45  # share of the panel's height below which a curve leaves room for words above it
BESIDE: Final[dict[str, Any]] = {"color": GREY, "lw": 1.1, "ls": (0, (1, 1.6)), "zorder": 2}
LEFT_FLOOR: Final = 1e-3  # mm and deg: less is drawn as this
ENVELOPE: Final = POINTS // 6  # points of a curve that shows how large something quick and small gets
ORIGIN: Final = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def place_figure(run: BridgeRun) -> Any:
    """Port 1 in the lab against time (the chaser in the paper's Figure 11): commanded and actual under phases and zones."""
    with styled():
        figure = new_figure(WIDTH, 6.8)
        grid = figure.add_gridspec(
            2, 1, height_ratios=[0.13, 1.0], left=0.085, right=0.985, top=0.955, bottom=0.075, hspace=0.045
        )  # fmt: skip
        phase_key(figure, 0.985, 0.988)
        first = draw_bands(figure, grid[0].subgridspec(3, 1, hspace=0.14), run, zones=True)
        cells = grid[1].subgridspec(3, 1, height_ratios=[1.55, 1.0, 1.0], hspace=0.13)
        panels = [figure.add_subplot(cells[i], sharex=first) for i in range(3)]
        for i, panel in enumerate(panels):
            _coordinate(panel, run, i)
            panel.tick_params(labelbottom=i == 2)
            panel.yaxis.set_label_coords(-0.055, 0.5)
        panels[0].legend(ncol=3, loc="upper right")
        panels[2].set_xlabel(TIME_LABEL)
        _mark_halts(panels, run)
        return figure


def _coordinate(panel: Any, run: BridgeRun, i: int) -> None:
    """One coordinate: actual in colour, asked dashed; dotted where there is no place in the hall."""
    actual, asked = run.chaser[:, i], run.asked[:, i]
    panel.plot(*thin(run.t, actual, POINTS), color=PLACE_COLOURS[i], lw=2.4, label="actual")
    panel.plot(*thin(run.t, asked, POINTS), **COMMANDED, label="commanded")
    panel.set_ylabel(f"{'xyz'[i]} [m]")
    if i == 0:
        beside = run.beside_target[:, 0]
        panel.plot(*thin(run.t, beside, POINTS), **BESIDE, label="commanded, without a place in the hall")
        panel.set_ylim(0.0, 1.12 * panel.get_ylim()[1])
        return
    known = np.concatenate([actual, asked[np.isfinite(asked)]])
    _at_least(panel, float(known.min()), float(known.max()), ACROSS_M)


def _at_least(panel: Any, low: float, high: float, least: float) -> None:
    """Show what there is, with some air, and no less than ``least``."""
    half = max(0.55 * (high - low), 0.5 * least)
    panel.set_ylim(0.5 * (low + high) - half, 0.5 * (low + high) + half)


def _mark_halts(panels: list[Any], run: BridgeRun) -> None:
    """A line through all panels where the bridge began to brake, the last few with their cause and time."""
    for halt in run.halts:
        for panel in panels:
            top = 0.86 if panel is panels[0] else 1.0  # below the legend
            panel.axvline(halt.begin, ymax=top, color=BAD, lw=0.8, alpha=0.7, zorder=1)
    middle = 0.5 * (run.stretches[0].begin + run.stretches[-1].end)
    for i, halt in enumerate(run.halts[-HALTS_NAMED:]):
        left = halt.begin > middle
        cause = halt.cause.name.replace("_", " ").lower()
        curve = run.chaser[halt.rows.start, 0] / panels[0].get_ylim()[1]
        height = (0.06 if curve > LOW else 0.5) + 0.09 * i  # where the curve is not
        panels[0].annotate(
            f"halt at {halt.begin:.1f} s: {cause}", (halt.begin, height), xycoords=("data", "axes fraction"),
            xytext=(-5 if left else 5, 0), textcoords="offset points", ha="right" if left else "left",
            fontsize=8, color=BAD,
        )  # fmt: skip


def relative_figure(run: BridgeRun, left_m: Floats, left_rad: Floats) -> Any:
    """Distance and attitude of the ports: commanded, shown by the set-point, actual; and what is left to converge."""
    poses = {"commanded": run.commanded, "set-point": run.shown, "actual": run.actual}
    looks: dict[str, dict[str, Any]] = {
        "actual": {"color": ROBOT1, "lw": 2.6},
        "set-point": {"color": ROBOT2, "lw": 1.2},
        "commanded": COMMANDED,
    }
    with styled():
        figure = new_figure(WIDTH, 5.6)
        grid, first = _sheet(figure, run)
        cells = grid[1].subgridspec(3, 1, hspace=0.16)
        panels = [figure.add_subplot(cells[i], sharex=first) for i in range(3)]
        for name, look in looks.items():
            size = np.linalg.norm(poses[name][:, :3], axis=1)
            angle = distance_and_angle(np.tile(ORIGIN, (run.t.size, 1)), poses[name])[1] * DEG
            panels[0].plot(*thin(run.t, size, POINTS), **look, label=name)
            panels[1].plot(*thin(run.t, angle, POINTS), **look)
        for values, colour, label in (
            (left_m * 1e3, ROBOT1, "position [mm]"),
            (left_rad * DEG, ROBOT2, "attitude [deg]"),
        ):
            panels[2].plot(*crest(run.t, np.maximum(values, LEFT_FLOOR), ENVELOPE), color=colour, lw=1.3, label=label)
        in_decades(panels[2])
        panels[2].set_ylim(LEFT_FLOOR, 10.0 * panels[2].get_ylim()[1])  # room for the legend
        for panel, label in zip(panels, ("distance [m]", "attitude [deg]", "left to converge"), strict=True):
            panel.set_ylabel(label)
            panel.yaxis.set_label_coords(-0.05, 0.5)
            panel.tick_params(labelbottom=panel is panels[2])
        panels[0].set_ylim(bottom=0.0)
        panels[0].legend(ncol=3, loc="upper right")
        panels[2].legend(ncol=2, loc="upper right")
        panels[2].set_xlabel(TIME_LABEL)
        return figure


def _sheet(figure: Any, run: BridgeRun) -> tuple[Any, Any]:
    """A strip of phases above the room for panels; the strip shares its time axis."""
    height = figure.get_figheight()
    grid = figure.add_gridspec(
        2, 1, height_ratios=[0.2, height - 1.0], left=0.075, right=0.985,
        top=1.0 - 0.15 / height, bottom=0.5 / height, hspace=0.04,
    )  # fmt: skip
    return grid, draw_bands(figure, grid[0].subgridspec(1, 1), run)


def relative_error_figure(run: BridgeRun, direct: RelativeErrors, delay_removed: RelativeErrors) -> Any:
    """Actual against commanded relative pose while following, as it is and with the robots' delay taken off."""
    with styled():
        figure = new_figure(WIDTH, 4.2)
        grid, first = _sheet(figure, run)
        cells = grid[1].subgridspec(2, 1, hspace=0.14)
        panels = [figure.add_subplot(cells[i], sharex=first) for i in range(2)]
        for errors, look in (
            (direct, {"color": ROBOT1, "alpha": 0.45, "lw": 2.2, "label": "as it is"}),
            (delay_removed, {"color": ROBOT1, "lw": 1.1, "label": "robots' delay taken off"}),
        ):
            for panel, values, scale in zip(panels, (errors.position, errors.attitude), (1e3, DEG), strict=True):
                panel.plot(*crest(run.t, values * scale, POINTS // 2), **look)
        for panel, label in zip(panels, ("position [mm]", "attitude [deg]"), strict=True):
            in_decades(panel)
            panel.set_ylabel(label)
            panel.yaxis.set_label_coords(-0.05, 0.5)
            panel.tick_params(labelbottom=panel is panels[1])
        panels[0].legend(ncol=2, loc="upper right")
        panels[1].set_xlabel(TIME_LABEL)
        return figure


def clearance_figure(run: BridgeRun, found: Clearances) -> Any:
    """Clearance to red, commanded and actual; yellow at its least thickness (a pair that moves has more of its own)."""
    with styled():
        figure = new_figure(WIDTH, 3.6)
        grid, first = _sheet(figure, run)
        panel = figure.add_subplot(grid[1], sharex=first)
        known = np.concatenate([found.actual, found.commanded[np.isfinite(found.commanded)]])
        low, high = min(-0.05, float(known.min())), max(0.15, float(known.max()))
        panel.set_ylim(low - 0.05 * (high - low), high + 0.12 * (high - low))
        panel.axhspan(panel.get_ylim()[0], 0.0, color=ZONE_COLOURS[2], alpha=0.18, lw=0)
        panel.axhspan(0.0, float(found.yellow.min()), color=ZONE_COLOURS[1], alpha=0.4, lw=0)
        panel.plot(*thin(found.t, found.actual, POINTS), color=RAIL, lw=2.2, label="actual")
        panel.plot(*thin(found.t, found.commanded, POINTS), **COMMANDED, label="commanded")
        panel.axhline(0.0, color=BAD, lw=1.0)
        panel.set_ylabel("clearance to red [m]")
        panel.yaxis.set_label_coords(-0.05, 0.5)
        panel.set_xlabel(TIME_LABEL)
        panel.legend(ncol=2, loc="upper right")
        return figure
