"""The approach drawn: in the orbit frame, along the docking axis, and in the laboratory from above."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.bands import coloured_path, evenly, phase_key, phase_of_truth
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.applications.mission.report.pose import POSE, between_interfaces, body_in_lvlh, sent_pose
from proxops.core.mission import ApproachStep
from proxops.core.vocabulary import MissionPhase
from proxops.ground.figures import WIDTH
from proxops.ground.plot_style import BAD, GREY, INK, ROBOT2, new_figure, styled
from proxops.ground.recorded import Floats
from proxops.lab.cell import Cell

POINTS: Final = 1500
ZOOM_M: Final = 6.0
MARGIN_M: Final = 1.0
VIEWS: Final = ((2, "z, to the Earth [m]"), (1, "y, against the orbit's normal [m]"))
X_LABEL: Final = "x, along the flight [m]"
CORRIDOR: Final[dict[str, Any]] = {"color": BAD, "alpha": 0.09, "lw": 0, "zorder": 0}


def orbit_frame_figure(run: MissionRun) -> Any:
    """The path of the chaser's centre of mass in LVLH, whole and its last metres; and of its interface along the docking
    axis, in the target's turning frame."""
    with styled():
        figure = new_figure(WIDTH, 8.6)
        outer = figure.add_gridspec(
            2, 1, height_ratios=[1.22, 1.0], left=0.065, right=0.985, top=0.935, bottom=0.06, hspace=0.25
        )
        wide, near = outer[0].subgridspec(2, 1, hspace=0.36), outer[1].subgridspec(1, 3, wspace=0.28)
        for row, (axis, label) in enumerate(VIEWS):
            _whole(figure.add_subplot(wide[row]), run, axis, label)
        for column, (axis, label) in enumerate(VIEWS):
            _near(figure.add_subplot(near[column]), run, axis, label)
        _along_axis(figure.add_subplot(near[2]), run)
        phase_key(figure, run, loc="upper right", bbox_to_anchor=(0.985, 0.988))
        return figure


def _whole(panel: Any, run: MissionRun, axis: int, label: str) -> None:
    """All of it in one plane of LVLH."""
    _view(panel, run, axis, np.arange(run.t.size))
    p = run.p_lvlh[:, [0, axis]]
    panel.annotate("start", p[0], xytext=(0, 8), textcoords="offset points", ha="center", fontsize=8)
    _frame(panel, np.vstack([p, [[0.0, 0.0]]]), axis == 2)
    panel.set_ylabel(label.split(",")[0] + " [m]")
    panel.set_title("In the orbit's plane" if axis == 2 else "Across it")


def _near(panel: Any, run: MissionRun, axis: int, label: str) -> None:
    """What happened within some metres of the target, or the end of what never came there."""
    near = np.flatnonzero(run.distance <= ZOOM_M)
    near = near if near.size else np.flatnonzero(run.t >= 0.9 * run.t[-1])
    _view(panel, run, axis, near)
    _frame(panel, np.vstack([run.p_lvlh[near][:, [0, axis]], [[0.0, 0.0]]]), axis == 2)
    panel.set_ylabel(label)
    panel.set_title(f"Within {ZOOM_M:g} m: {'in the plane' if axis == 2 else 'across it'}")


def _view(panel: Any, run: MissionRun, axis: int, rows: Any) -> None:
    _corridors(panel, run, axis)
    coloured_path(panel, run, rows[evenly(rows.size, POINTS)], run.p_lvlh[:, 0], run.p_lvlh[:, axis])
    _marks(panel, run, axis, rows)
    panel.set_xlabel(X_LABEL)


def _frame(panel: Any, points: Floats, earth_below: bool) -> None:
    """Equal scales that fill the panel, round all of ``points``."""
    place, figure = panel.get_position(), panel.figure
    ratio = place.height * figure.get_figheight() / (place.width * figure.get_figwidth())
    low, high = points.min(axis=0) - MARGIN_M, points.max(axis=0) + MARGIN_M
    centre, (across, up) = 0.5 * (low + high), high - low
    half_x = 0.5 * max(across, up / ratio)
    panel.set_xlim(centre[0] - half_x, centre[0] + half_x)
    bottom, top = centre[1] - half_x * ratio, centre[1] + half_x * ratio
    panel.set_ylim((top, bottom) if earth_below else (bottom, top))


def _marks(panel: Any, run: MissionRun, axis: int, rows: Any) -> None:
    """Target with its docking axis at the end, keep-out sphere, start, end, and where it held."""
    from matplotlib.patches import Circle

    p = run.p_lvlh[:, [0, axis]]
    panel.add_patch(Circle((0.0, 0.0), run.file.abort.keep_out_m, fill=False, ec=GREY, lw=0.9, ls=(0, (3, 2))))
    axis_end = body_in_lvlh(run, "target", run.truth[-1:])[0][[0, axis], 0]
    panel.plot([0.0, ZOOM_M * axis_end[0]], [0.0, ZOOM_M * axis_end[1]], color=ROBOT2, lw=0.9, ls=(0, (5, 2)))
    panel.plot(0.0, 0.0, "s", color=ROBOT2, ms=7, zorder=5)
    for row in _holds(run):
        if row in rows:
            panel.plot(*p[row], "D", mfc="none", mec=INK, ms=6, zorder=5)
    if rows[0] == 0:
        panel.plot(*p[0], "o", mfc="white", mec=INK, ms=6, zorder=6)
    if rows[-1] == run.t.size - 1:
        panel.plot(*p[-1], "o", color=INK, ms=6, zorder=6)


def _holds(run: MissionRun) -> list[int]:
    """Rows of truth in the middle of each hold."""
    middles = [0.5 * (s.begin + s.end) for s in run.phases if s.phase is MissionPhase.HOLD]
    return [int(row) for row in np.minimum(np.searchsorted(run.t, middles), run.t.size - 1)]


def _corridors(panel: Any, run: MissionRun, axis: int) -> None:
    """The cone of each straight approach, cut by this plane: its axis is the direction in which the approach began."""
    corridor, wide = run.file.corridor, np.tan(np.radians(run.file.corridor.half_angle_deg))
    steps = [step for step in run.file.plan if isinstance(step, ApproachStep)]
    begun = [s for s in run.phases if s.phase is MissionPhase.APPROACH]
    for step, stretch in zip(steps, begun, strict=False):
        start = run.p_lvlh[min(int(np.searchsorted(run.t, stretch.begin)), run.t.size - 1)]
        far, u = float(np.linalg.norm(start)), start / np.linalg.norm(start)
        along = np.array([u[0], u[axis]])
        size = float(np.linalg.norm(along))
        if size < 0.1:
            continue  # end on: it would be a circle
        across = np.array([-along[1], along[0]]) / size
        widths = (corridor.radius_m, corridor.radius_m + (far - step.to_m) * wide)
        left = [r * along + w * across for r, w in zip((step.to_m, far), widths, strict=True)]
        right = [r * along - w * across for r, w in zip((step.to_m, far), widths, strict=True)]
        panel.fill(*np.array([*left, *right[::-1]]).T, **CORRIDOR)


def _along_axis(panel: Any, run: MissionRun) -> None:
    """The chaser's interface from the target's in the target's frame: gap and offset, with the corridor of the final step."""
    place = between_interfaces(run, sent_pose(run, run.truth))
    offset = np.hypot(place[:, 1], place[:, 2])
    corridor, far = run.file.corridor, ZOOM_M
    wide = corridor.radius_m + far * np.tan(np.radians(corridor.half_angle_deg))
    panel.fill([0.0, far, far, 0.0], [corridor.radius_m, wide, 0.0, 0.0], **CORRIDOR)
    near = np.flatnonzero((np.abs(place[:, 0]) < far) & (offset < 2.0 * wide))
    if near.size:
        coloured_path(panel, run, near[evenly(near.size, POINTS)], place[:, 0], np.maximum(offset, 1e-4))
        panel.plot(place[-1, 0], offset[-1], "o", color=INK, ms=6, zorder=6)
    final = place[phase_of_truth(run) == MissionPhase.FINAL, 0]
    panel.set_xlim(-0.12, 1.15 * float(final.max()) if final.size else far)
    panel.set_yscale("log")
    panel.set_ylim(1e-3, 3.0)
    panel.yaxis.set_major_formatter("{x:g}")
    panel.set_xlabel("gap along the docking axis [m]")
    panel.set_ylabel("offset from the docking axis [m]")
    panel.set_title("Interfaces, target's frame")


def laboratory_figure(run: MissionRun, cell: Cell) -> Any:
    """Both ports in the hall from above while the mission went on, with rail and walls."""
    from matplotlib.patches import Rectangle

    rows = run.truth[evenly(run.truth.size, POINTS)]
    keep = evenly(run.truth.size, POINTS)
    room, rail = cell.file.zones.room, cell.file.rail
    chaser, target = (run.table(f"actual_port{n}", POSE, rows) for n in (1, 2))
    with styled():
        figure = new_figure(WIDTH, 4.1)
        panel = figure.add_axes((0.055, 0.11, 0.93, 0.77))
        (x0, x1), (y0, y1) = room.x_m, room.y_m
        panel.add_patch(Rectangle((x0, y0), x1 - x0, y1 - y0, fill=False, ec=GREY, lw=1.4))
        travel = rail.origin_lab_m[0] + np.array([cell.axes.lower[0], cell.axes.upper[0]])
        for side in (-0.5, 0.5):
            panel.plot(travel, [rail.origin_lab_m[1] + side] * 2, color=GREY, lw=1.6, alpha=0.6)
        panel.plot([], [], color=GREY, lw=1.6, alpha=0.6, label="rail")
        whole = np.empty((run.truth.size, 2))
        whole[keep] = chaser[:, :2]
        coloured_path(panel, run, keep, whole[:, 0], whole[:, 1], lw=2.4)
        panel.plot(*target[:, :2].T, color=ROBOT2, lw=2.0, label="target's port")
        _headings(panel, chaser, target)
        panel.plot(*chaser[0, :2], "o", mfc="white", mec=INK, ms=6, label="chaser's port, start")
        panel.plot(*chaser[-1, :2], "o", color=INK, ms=6, label="end")
        panel.set_aspect("equal")
        panel.set_xlim(x0 - 0.5, x1 + 0.5)
        panel.set_ylim(y0 - 0.4, y1 + 0.4)
        panel.set_xlabel("x in the lab [m]")
        panel.set_ylabel("y in the lab [m]")
        panel.legend(ncol=4, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
        phase_key(figure, run, loc="upper left", bbox_to_anchor=(0.06, 0.985))
        return figure


def _headings(panel: Any, chaser: Floats, target: Floats) -> None:
    """Docking axes (the ports' x axes) at a few moments."""
    for row in evenly(len(chaser), 6):
        for pose, colour in ((chaser, INK), (target, ROBOT2)):
            w, x, y, z = pose[row, 3:]
            ahead = np.array([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)])
            ahead = -ahead if pose is chaser else ahead
            panel.annotate(
                "", pose[row, :2] + 0.9 * ahead, pose[row, :2],
                arrowprops={"arrowstyle": "->", "color": colour, "lw": 1.1, "shrinkA": 0, "shrinkB": 0},
            )  # fmt: skip
