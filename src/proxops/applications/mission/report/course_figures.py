"""Figures of a mission over time: distance and docking conditions, conservation audit, surroundings."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.bands import line_up, sheet
from proxops.applications.mission.report.criteria import AUDIT_MAX
from proxops.applications.mission.report.mission_run import IN_CORRIDOR, MissionRun
from proxops.applications.mission.report.summary import AUDIT
from proxops.core.docking_standard import ANGLE_MAX_RAD, LATERAL_MAX_M
from proxops.core.mission import ApproachStep, FinalStep
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, crest, in_decades, styled, thin
from proxops.ground.plots import DEG
from proxops.ground.recorded import Floats

POINTS: Final = 900
LIMIT: Final[dict[str, Any]] = {"color": BAD, "lw": 1.0, "ls": ":"}
AUDIT_COLOURS: Final = (ROBOT2, ROBOT1)  # target, chaser
AUDIT_LINES: Final = ("-", (0, (4, 2)), (0, (1, 1.5)))
AUDIT_FLOOR: Final = 1e-17


def course_figure(run: MissionRun) -> Any:
    """Distance, closing rate, use of the corridor, lateral offset and angles, against their limits."""
    with styled():
        figure, panels = sheet(run, 8.2, 5)
        rows = [row[0] for row in panels]
        _distance(rows[0], run)
        _closing(rows[1], run)
        _corridor(rows[2], run)
        _offsets(rows[3], rows[4], run)
        line_up(panels)
        return figure


def _distance(panel: Any, run: MissionRun) -> None:
    gap = run.of("gap", run.truth)
    panel.plot(*thin(run.t, run.distance, POINTS), color=ROBOT1, lw=2.0, label="centres of mass")
    panel.plot(
        *thin(run.t, np.maximum(gap, 1e-3), POINTS), color=RAIL, lw=1.4, label="interfaces, along the docking axis"
    )
    panel.axhline(run.file.abort.keep_out_m, color=GREY, lw=0.9, ls=(0, (3, 2)), label="keep-out sphere")
    panel.set_yscale("log")
    panel.set_ylim(0.01, 4.0 * float(run.distance.max()))
    panel.yaxis.set_major_formatter("{x:g}")
    panel.set_ylabel("distance [m]")
    panel.legend(ncol=3, loc="upper right")


def _closing(panel: Any, run: MissionRun) -> None:
    """Of the centres of mass: the rate of the interfaces holds the target's turning as well, far away."""
    v = run.table("relative", ("v_x", "v_y", "v_z"), run.truth)
    closing = -np.einsum("ij,ij->i", run.p_lvlh, v) / np.maximum(run.distance, 1e-9)
    panel.plot(*thin(run.t, closing * 1e3, POINTS), color=ROBOT1, lw=1.2)
    for speed in sorted({step.speed_m_s for step in run.file.plan if isinstance(step, ApproachStep | FinalStep)}):
        panel.axhline(speed * 1e3, color=GREY, lw=0.9, ls=(0, (3, 2)))
    panel.set_ylabel("closing [mm/s]")


def _corridor(panel: Any, run: MissionRun) -> None:
    used = np.where(np.isin(run.of("phase", run.steps), IN_CORRIDOR), run.of("corridor", run.steps), 0.0)
    panel.plot(*thin(run.t_steps, np.where(used > 0.0, used, np.nan) * 100.0, POINTS), color=ROBOT1, lw=1.2)
    worst = float(used.max()) if used.size else 0.0
    panel.set_ylim(0.0, 100.0 * max(0.2, 1.15 * worst))
    if worst > 0.5:
        panel.axhline(100.0, **LIMIT)
    panel.set_ylabel("corridor used [%]")


def _offsets(across: Any, angles: Any, run: MissionRun) -> None:
    lateral, tilt, roll = (np.abs(run.of(name, run.truth)) for name in ("lateral", "tilt", "roll"))
    across.plot(*thin(run.t, np.maximum(lateral, 1e-4) * 1e3, POINTS), color=ROBOT1, lw=1.3)
    across.axhline(LATERAL_MAX_M * 1e3, **LIMIT, label="limit at contact")
    across.set_ylabel("lateral [mm]")
    across.legend(loc="upper right")
    angles.plot(*thin(run.t, np.maximum(tilt * DEG, 1e-2), POINTS), color=ROBOT1, lw=1.3, label="tilt")
    angles.plot(*thin(run.t, np.maximum(roll * DEG, 1e-2), POINTS), color=ROBOT2, lw=1.1, label="roll")
    angles.axhline(ANGLE_MAX_RAD * DEG, **LIMIT, label="limit at contact")
    angles.set_ylabel("angle [deg]")
    for panel in (across, angles):
        in_decades(panel)
    angles.set_ylim(1e-2, 1e3)
    angles.legend(ncol=3, loc="lower left")


def audit_figure(run: MissionRun) -> Any:
    """What is left when every change is accounted for, relative; greatest of each stretch, logarithmic."""
    with styled():
        figure, panels = sheet(run, 3.4, 1)
        panel = panels[0][0]
        for k, name in enumerate(AUDIT):
            values = np.maximum(np.abs(run.table("audit", (name,), run.truth)[:, 0]), AUDIT_FLOOR)
            look = {"color": AUDIT_COLOURS[k % 2], "ls": AUDIT_LINES[k // 2], "lw": 1.2}
            panel.plot(*crest(run.t, values, POINTS // 3), **look, label=name.replace("_", " "))
        panel.axhline(AUDIT_MAX, **LIMIT)
        panel.set_yscale("log")
        panel.set_ylim(AUDIT_FLOOR, AUDIT_MAX * 1e5)
        panel.set_ylabel("relative [1]")
        line_up(panels)
        panel.legend(ncol=3, loc="upper right")
        return figure


def surroundings_figure(run: MissionRun) -> Any:
    """Sunlight and density of the air along the orbit."""
    with styled():
        figure, panels = sheet(run, 2.7, 2)
        sun, air = (run.table("orbit", (name,), run.truth)[:, 0] for name in ("sunlight", "density"))
        panels[0][0].fill_between(*thin(run.t, sun * 100.0, POINTS), color="#e9b949", alpha=0.6, lw=0)
        panels[0][0].set_ylim(0.0, 105.0)
        panels[0][0].set_ylabel("sunlight [%]")
        power = math.floor(math.log10(air.max())) if air.max() > 0.0 else 0
        air = air / 10.0**power
        panels[1][0].plot(*thin(run.t, air, POINTS), color=INK, lw=1.2)
        panels[1][0].set_ylabel(f"air [10$^{{{power}}}$ kg/m³]")
        _from_zero(panels[1][0], air)
        line_up(panels)
        return figure


def _from_zero(panel: Any, values: Floats) -> None:
    panel.set_ylim(0.0, 1.15 * float(values.max()) if values.max() > 0.0 else 1.0)
