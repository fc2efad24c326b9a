"""Figures of a bridge run: where the chaser was in the hall, what was shown of the commanded relative pose, clearance."""

from __future__ import annotations

from typing import Final

import numpy as np

from proxops.ground.bridge_bands import ZONE_COLOURS, add_bands, phase_key, run_span
from proxops.ground.bridge_clearance import Clearances
from proxops.ground.bridge_following import RelativeErrors
from proxops.ground.bridge_run import BridgeRun
from proxops.ground.figures import POINTS, WIDTH
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import COMMANDED, LineStyle, Words
from proxops.ground.panels.panel import Legend, Panel, stack
from proxops.ground.panels.sheet import Sheet
from proxops.ground.plot_style import BAD, GREY, RAIL, ROBOT1, ROBOT2, crest, thin
from proxops.ground.plots import DEG, TIME_LABEL
from proxops.ground.pose_rows import distance_and_angle
from proxops.ground.recorded import Floats

PLACE_COLOURS: Final = (ROBOT1, "#7a5cc4", "#1fa3a3")  # x, y, z
ACROSS_M: Final = 0.4  # least height of the panels across the rail: 20 to 30 cm are to be seen, a millimetre is not
HALTS_NAMED: Final = 4
LOW: Final = 0.45  # share of the panel's height below which a curve leaves room for words above it
BESIDE: Final = LineStyle(GREY, 1.1, (1.0, 1.6))
LEFT_FLOOR: Final = 1e-3  # mm and deg: less is drawn as this
ENVELOPE: Final = POINTS // 6  # points of a curve that shows how large something quick and small gets
ORIGIN: Final = np.array([0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0])


def place_figure(run: BridgeRun) -> Sheet:
    """Port 1 in the lab against time (the chaser in the paper's Figure 11): commanded and actual under phases and zones."""
    sheet = Sheet(WIDTH, 6.8)
    above, below = Box.inside(0.085, 0.985, 0.075, 0.955).rows(2, 0.045, (0.13, 1.0))
    sheet.keys.append(phase_key(0.985, 0.988))
    add_bands(sheet, above.rows(3, 0.14), run, zones=True)
    panels = sheet.column(below, 3, 0.13, (1.55, 1.0, 1.0))
    stack(panels, TIME_LABEL, run_span(run))
    for i, panel in enumerate(panels):
        _coordinate(panel, run, i)
    panels[0].legend = Legend(columns=3)
    _mark_halts(panels, run)
    return sheet


def _coordinate(panel: Panel, run: BridgeRun, i: int) -> None:
    """One coordinate: actual in colour, asked dashed; dotted where there is no place in the hall."""
    actual, asked = run.chaser[:, i], run.asked[:, i]
    panel.curve(*thin(run.t, actual, POINTS), LineStyle(PLACE_COLOURS[i], 2.4), "actual")
    panel.curve(*thin(run.t, asked, POINTS), COMMANDED, "commanded")
    panel.y.label = f"{'xyz'[i]} [m]"
    if i == 0:
        panel.curve(*thin(run.t, run.beside_target[:, 0], POINTS), BESIDE, "commanded, without a place in the hall")
        panel.y.limits = 0.0, 1.12 * panel.y.range[1]
        return
    low, high = panel.y.known
    half = max(0.55 * (high - low), 0.5 * ACROSS_M)  # with some air
    panel.y.limits = 0.5 * (low + high) - half, 0.5 * (low + high) + half


def _mark_halts(panels: list[Panel], run: BridgeRun) -> None:
    """A line through all panels where the bridge began to brake, the last few with their cause and time."""
    for halt in run.halts:
        for panel in panels:
            top = 0.86 if panel is panels[0] else 1.0  # below the legend
            panel.moment(halt.begin, LineStyle(BAD, 0.8, alpha=0.7, z=1.0), top)
    middle = 0.5 * (run.stretches[0].begin + run.stretches[-1].end)
    for i, halt in enumerate(run.halts[-HALTS_NAMED:]):
        left = halt.begin > middle
        cause = halt.cause.name.replace("_", " ").lower()
        curve = run.chaser[halt.rows.start, 0] / panels[0].y.range[1]
        height = (0.06 if curve > LOW else 0.5) + 0.09 * i  # where the curve is not
        panels[0].words(
            Words(
                (halt.begin, height), f"halt at {halt.begin:.1f} s: {cause}", colour=BAD, across="end" if left else "start",
                shift=(-5.0 if left else 5.0, 0.0), share=(False, True),
            )
        )  # fmt: skip


def relative_figure(run: BridgeRun, left_m: Floats, left_rad: Floats) -> Sheet:
    """Distance and attitude of the ports: commanded, shown by the set-point, actual; and what is left to converge."""
    curves = {
        "actual": (run.actual, LineStyle(ROBOT1, 2.6)),
        "set-point": (run.shown, LineStyle(ROBOT2, 1.2)),
        "commanded": (run.commanded, COMMANDED),
    }
    sheet, panels = _sheet(run, 5.6, 3, 0.16)
    for name, (poses, look) in curves.items():
        size = np.linalg.norm(poses[:, :3], axis=1)
        angle = distance_and_angle(np.broadcast_to(ORIGIN, poses.shape), poses)[1] * DEG
        panels[0].curve(*thin(run.t, size, POINTS), look, name)
        panels[1].curve(*thin(run.t, angle, POINTS), look)
    panels[2].y.log = True
    for values, colour, label in (
        (left_m * 1e3, ROBOT1, "position [mm]"),
        (left_rad * DEG, ROBOT2, "attitude [deg]"),
    ):
        panels[2].curve(*crest(run.t, np.maximum(values, LEFT_FLOOR), ENVELOPE), LineStyle(colour, 1.3), label)
    panels[2].y.in_decades()
    panels[2].y.limits = LEFT_FLOOR, 10.0 * panels[2].y.range[1]  # room for the legend
    for panel, label in zip(panels, ("distance [m]", "attitude [deg]", "left to converge"), strict=True):
        panel.y.label = label
    panels[0].y.reach(low=0.0)
    panels[0].legend, panels[2].legend = Legend(columns=3), Legend(columns=2)
    return sheet


def _sheet(run: BridgeRun, height: float, count: int, gap: float) -> tuple[Sheet, list[Panel]]:
    """A strip of phases above panels that share its time axis."""
    sheet = Sheet(WIDTH, height)
    room = Box.inside(0.075, 0.985, 0.5 / height, 1.0 - 0.15 / height)
    strip, below = room.rows(2, 0.04, (0.2, height - 1.0))
    add_bands(sheet, [strip], run)
    panels = sheet.column(below, count, gap)
    stack(panels, TIME_LABEL, run_span(run))
    return sheet, panels


def relative_error_figure(run: BridgeRun, direct: RelativeErrors, delay_removed: RelativeErrors) -> Sheet:
    """Actual against commanded relative pose while following, as it is and with the robots' delay taken off."""
    sheet, panels = _sheet(run, 4.2, 2, 0.14)
    for errors, look, name in (
        (direct, LineStyle(ROBOT1, 2.2, alpha=0.45), "as it is"),
        (delay_removed, LineStyle(ROBOT1, 1.1), "robots' delay taken off"),
    ):
        for panel, values, scale in zip(panels, (errors.position, errors.attitude), (1e3, DEG), strict=True):
            panel.y.log = True
            panel.curve(*crest(run.t, values * scale, POINTS // 2), look, name)
    for panel, label in zip(panels, ("position [mm]", "attitude [deg]"), strict=True):
        panel.y.in_decades()
        panel.y.label = label
    panels[0].legend = Legend(columns=2)
    return sheet


def clearance_figure(run: BridgeRun, found: Clearances) -> Sheet:
    """Clearance to red, commanded and actual; yellow at its least thickness (a pair that moves has more of its own)."""
    sheet, (panel,) = _sheet(run, 3.6, 1, 0.0)
    panel.curve(*thin(found.t, found.actual, POINTS), LineStyle(RAIL, 2.2), "actual")
    panel.curve(*thin(found.t, found.commanded, POINTS), COMMANDED, "commanded")
    low, high = min(-0.05, panel.y.known[0]), max(0.15, panel.y.known[1])
    panel.y.limits = low - 0.05 * (high - low), high + 0.12 * (high - low)
    panel.layer(panel.y.limits[0], 0.0, ZONE_COLOURS[2], 0.18)
    panel.layer(0.0, float(found.yellow.min()), ZONE_COLOURS[1], 0.4)
    panel.level(0.0, LineStyle(BAD, 1.0))
    panel.y.label, panel.legend = "clearance to red [m]", Legend(columns=2)
    return sheet
