"""Figures of a mission over time: distance and docking conditions, conservation audit, surroundings."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.applications.mission.report.bands import sheet
from proxops.applications.mission.report.criteria import AUDIT_MAX
from proxops.applications.mission.report.mission_run import IN_CORRIDOR, MissionRun
from proxops.applications.mission.report.summary import AUDIT
from proxops.core.docking_standard import ANGLE_MAX_RAD, LATERAL_MAX_M
from proxops.core.mission import ApproachStep, FinalStep
from proxops.ground.panels.items import DOTTED, SOLID, LineStyle
from proxops.ground.panels.panel import Legend, Panel
from proxops.ground.panels.sheet import Sheet
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, crest, thin
from proxops.ground.plots import DEG

POINTS: Final = 900
LIMIT: Final = LineStyle(BAD, 1.0, DOTTED)
PLANNED: Final = LineStyle(GREY, 0.9, (3.0, 2.0))
SUN: Final = "#e9b949"
AUDIT_COLOURS: Final = (ROBOT2, ROBOT1)  # target, chaser
AUDIT_LINES: Final = (SOLID, (4.0, 2.0), (1.0, 1.5))
AUDIT_FLOOR: Final = 1e-17
SUPERSCRIPTS: Final = str.maketrans("-0123456789", "⁻⁰¹²³⁴⁵⁶⁷⁸⁹")


def course_figure(run: MissionRun) -> Sheet:
    """Distance, closing rate, use of the corridor, lateral offset and angles, against their limits."""
    out, (panels,) = sheet(run, 8.2, 5)
    _distance(panels[0], run)
    _closing(panels[1], run)
    _corridor(panels[2], run)
    _offsets(panels[3], panels[4], run)
    return out


def _distance(panel: Panel, run: MissionRun) -> None:
    gap = np.maximum(run.of("gap", run.truth), 1e-3)
    panel.curve(*thin(run.t, run.distance, POINTS), LineStyle(ROBOT1, 2.0), "centres of mass")
    panel.curve(*thin(run.t, gap, POINTS), LineStyle(RAIL, 1.4), "interfaces, along the docking axis")
    panel.level(run.file.abort.keep_out_m, PLANNED, "keep-out sphere")
    panel.y.log, panel.y.limits = True, (0.01, 4.0 * float(run.distance.max()))
    panel.y.label, panel.legend = "distance [m]", Legend(columns=3)


def _closing(panel: Panel, run: MissionRun) -> None:
    """Of the centres of mass: the rate of the interfaces holds the target's turning as well, far away."""
    v = run.table("relative", ("v_x", "v_y", "v_z"), run.truth)
    closing = -np.einsum("ij,ij->i", run.p_lvlh, v) / np.maximum(run.distance, 1e-9)
    panel.curve(*thin(run.t, closing * 1e3, POINTS), LineStyle(ROBOT1, 1.2))
    for speed in sorted({step.speed_m_s for step in run.file.plan if isinstance(step, ApproachStep | FinalStep)}):
        panel.level(speed * 1e3, PLANNED)
    panel.y.label = "closing [mm/s]"


def _corridor(panel: Panel, run: MissionRun) -> None:
    used = np.where(np.isin(run.of("phase", run.steps), IN_CORRIDOR), run.of("corridor", run.steps), 0.0)
    panel.curve(*thin(run.t_steps, np.where(used > 0.0, used, np.nan) * 100.0, POINTS), LineStyle(ROBOT1, 1.2))
    worst = float(used.max()) if used.size else 0.0
    panel.y.limits = 0.0, 100.0 * max(0.2, 1.15 * worst)
    if worst > 0.5:
        panel.level(100.0, LIMIT)
    panel.y.label = "corridor used [%]"


def _offsets(across: Panel, angles: Panel, run: MissionRun) -> None:
    lateral, tilt, roll = (np.abs(run.of(name, run.truth)) for name in ("lateral", "tilt", "roll"))
    across.y.log = angles.y.log = True
    across.curve(*thin(run.t, np.maximum(lateral, 1e-4) * 1e3, POINTS), LineStyle(ROBOT1, 1.3))
    across.level(LATERAL_MAX_M * 1e3, LIMIT, "limit at contact")
    across.y.label, across.legend = "lateral [mm]", Legend()
    across.y.in_decades()
    angles.curve(*thin(run.t, np.maximum(tilt * DEG, 1e-2), POINTS), LineStyle(ROBOT1, 1.3), "tilt")
    angles.curve(*thin(run.t, np.maximum(roll * DEG, 1e-2), POINTS), LineStyle(ROBOT2, 1.1), "roll")
    angles.level(ANGLE_MAX_RAD * DEG, LIMIT, "limit at contact")
    angles.y.label, angles.legend = "angle [deg]", Legend("lower left", 3)
    angles.y.limits = 1e-2, 1e3


def audit_figure(run: MissionRun) -> Sheet:
    """What is left when every change is accounted for, relative; greatest of each stretch, logarithmic."""
    out, ((panel,),) = sheet(run, 3.4, 1)
    for k, name in enumerate(AUDIT):
        values = np.maximum(np.abs(run.table("audit", (name,), run.truth)[:, 0]), AUDIT_FLOOR)
        look = LineStyle(AUDIT_COLOURS[k % 2], 1.2, AUDIT_LINES[k // 2])
        panel.curve(*crest(run.t, values, POINTS // 3), look, name.replace("_", " "))
    panel.level(AUDIT_MAX, LIMIT)
    panel.y.log, panel.y.limits = True, (AUDIT_FLOOR, AUDIT_MAX * 1e5)
    panel.y.label, panel.legend = "relative [1]", Legend(columns=3)
    return out


def surroundings_figure(run: MissionRun) -> Sheet:
    """Sunlight and density of the air along the orbit."""
    out, ((light, density),) = sheet(run, 2.7, 2)
    sun, air = (run.table("orbit", (name,), run.truth)[:, 0] for name in ("sunlight", "density"))
    t, shown = thin(run.t, sun * 100.0, POINTS)
    light.between(t, np.zeros_like(shown), shown, SUN, 0.6)
    light.y.limits, light.y.label = (0.0, 105.0), "sunlight [%]"
    power = math.floor(math.log10(air.max())) if air.max() > 0.0 else 0
    air = air / 10.0**power
    density.curve(*thin(run.t, air, POINTS), LineStyle(INK, 1.2))
    density.y.label = f"air [10{str(power).translate(SUPERSCRIPTS)} kg/m³]"
    density.y.limits = 0.0, 1.15 * float(air.max()) if air.max() > 0.0 else 1.0
    return out
