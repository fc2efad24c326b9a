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
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import LineStyle, Mark, Words
from proxops.ground.panels.panel import Legend, Panel
from proxops.ground.panels.sheet import Sheet
from proxops.ground.plot_style import BAD, GREY, INK, ROBOT2
from proxops.ground.recorded import Floats
from proxops.lab.cell import Cell

POINTS: Final = 1500
ZOOM_M: Final = 6.0
MARGIN_M: Final = 1.0
VIEWS: Final = ((2, "z, to the Earth [m]"), (1, "y, against the orbit's normal [m]"))
X_LABEL: Final = "x, along the flight [m]"
RAIL_LOOK: Final = LineStyle(GREY, 1.6, alpha=0.6)
AHEAD_M: Final = 0.9  # length of an arrow
HEAD_M: Final = 0.13
ROUND: Final = np.linspace(0.0, 2.0 * np.pi, 97)


def orbit_frame_figure(run: MissionRun) -> Sheet:
    """The path of the chaser's centre of mass in LVLH, whole and its last metres; and of its interface along the docking
    axis, in the target's turning frame."""
    sheet = Sheet(WIDTH, 8.6)
    above, below = Box.inside(0.065, 0.985, 0.06, 0.935).rows(2, 0.25, (1.22, 1.0))
    near = below.columns(3, 0.28)
    for box, (axis, label) in zip(above.rows(2, 0.36), VIEWS, strict=True):
        _whole(sheet, box, run, axis, label)
    for box, (axis, label) in zip(near, VIEWS, strict=False):
        _near(sheet, box, run, axis, label)
    _along_axis(sheet.panel(near[2]), run)
    sheet.keys.append(phase_key(run, 0.985, 0.988))
    return sheet


def _whole(sheet: Sheet, box: Box, run: MissionRun, axis: int, label: str) -> None:
    """All of it in one plane of LVLH."""
    panel = sheet.panel(box)
    _view(panel, run, axis, np.arange(run.t.size))
    p = run.p_lvlh[:, [0, axis]]
    panel.words(Words(p[0], "start", across="middle", shift=(0.0, 8.0)))
    _frame(sheet, panel, np.vstack([p, [[0.0, 0.0]]]), axis == 2)
    panel.y.label = label.split(",")[0] + " [m]"
    panel.title = "In the orbit's plane" if axis == 2 else "Across it"


def _near(sheet: Sheet, box: Box, run: MissionRun, axis: int, label: str) -> None:
    """What happened within some metres of the target, or the end of what never came there."""
    panel = sheet.panel(box)
    near = np.flatnonzero(run.distance <= ZOOM_M)
    near = near if near.size else np.flatnonzero(run.t >= 0.9 * run.t[-1])
    _view(panel, run, axis, near)
    _frame(sheet, panel, np.vstack([run.p_lvlh[near][:, [0, axis]], [[0.0, 0.0]]]), axis == 2)
    panel.y.label = label
    panel.title = f"Within {ZOOM_M:g} m: {'in the plane' if axis == 2 else 'across it'}"


def _view(panel: Panel, run: MissionRun, axis: int, rows: Any) -> None:
    _corridors(panel, run, axis)
    _path(panel, run, rows[evenly(rows.size, POINTS)], run.p_lvlh[:, 0], run.p_lvlh[:, axis])
    _marks(panel, run, axis, rows)
    panel.x.label = X_LABEL


def _path(panel: Panel, run: MissionRun, keep: Any, x: Floats, y: Floats, width: float = 2.0) -> None:
    for colour, piece in coloured_path(run, keep, np.stack([x, y], axis=1)):
        panel.path(piece, LineStyle(colour, width))


def _frame(sheet: Sheet, panel: Panel, points: Floats, earth_below: bool) -> None:
    """Equal scales that fill the panel, round all of ``points``."""
    ratio = panel.box.height * sheet.height / (panel.box.width * sheet.width)
    low, high = points.min(axis=0) - MARGIN_M, points.max(axis=0) + MARGIN_M
    centre, (across, up) = 0.5 * (low + high), high - low
    half_x = 0.5 * max(across, up / ratio)
    panel.x.limits = centre[0] - half_x, centre[0] + half_x
    bottom, top = centre[1] - half_x * ratio, centre[1] + half_x * ratio
    panel.y.limits = (top, bottom) if earth_below else (bottom, top)


def _marks(panel: Panel, run: MissionRun, axis: int, rows: Any) -> None:
    """Target with its docking axis at the end, keep-out sphere, start, end, and where it held."""
    p, keep_out = run.p_lvlh[:, [0, axis]], run.file.abort.keep_out_m
    panel.curve(keep_out * np.cos(ROUND), keep_out * np.sin(ROUND), LineStyle(GREY, 0.9, (3.0, 2.0)))
    axis_end = body_in_lvlh(run, "target", run.truth[-1:])[0][[0, axis], 0]
    panel.curve([0.0, ZOOM_M * axis_end[0]], [0.0, ZOOM_M * axis_end[1]], LineStyle(ROBOT2, 0.9, (5.0, 2.0)))
    panel.mark(Mark((0.0, 0.0), "square", ROBOT2, 7.0, z=5.0))
    for row in _holds(run):
        if row in rows:
            panel.mark(Mark(p[row], "diamond", INK, 6.0, "none", z=5.0))
    if rows[0] == 0:
        panel.mark(Mark(p[0], "circle", INK, 6.0, "white", z=6.0))
    if rows[-1] == run.t.size - 1:
        panel.mark(Mark(p[-1], "circle", INK, 6.0, z=6.0))


def _holds(run: MissionRun) -> list[int]:
    """Rows of truth in the middle of each hold."""
    middles = [0.5 * (s.begin + s.end) for s in run.phases if s.phase is MissionPhase.HOLD]
    return [int(row) for row in np.minimum(np.searchsorted(run.t, middles), run.t.size - 1)]


def _corridors(panel: Panel, run: MissionRun, axis: int) -> None:
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
        corners = np.array([*left, *right[::-1]])
        _corridor(panel, corners[:, 0], corners[:, 1])


def _corridor(panel: Panel, x: Any, y: Any) -> None:
    panel.region(x, y, BAD, 0.09, z=0.0)


def _along_axis(panel: Panel, run: MissionRun) -> None:
    """The chaser's interface from the target's in the target's frame: gap and offset, with the corridor of the final step."""
    place = between_interfaces(run, sent_pose(run, run.truth))
    offset = np.hypot(place[:, 1], place[:, 2])
    corridor, far = run.file.corridor, ZOOM_M
    wide = corridor.radius_m + far * np.tan(np.radians(corridor.half_angle_deg))
    _corridor(panel, [0.0, far, far, 0.0], [corridor.radius_m, wide, 0.0, 0.0])
    near = np.flatnonzero((np.abs(place[:, 0]) < far) & (offset < 2.0 * wide))
    if near.size:
        _path(panel, run, near[evenly(near.size, POINTS)], place[:, 0], np.maximum(offset, 1e-4))
        panel.mark(Mark((place[-1, 0], offset[-1]), "circle", INK, 6.0, z=6.0))
    final = place[phase_of_truth(run) == MissionPhase.FINAL, 0]
    panel.x.limits = -0.12, 1.15 * float(final.max()) if final.size else far
    panel.y.log, panel.y.limits = True, (1e-3, 3.0)
    panel.x.label, panel.y.label = "gap along the docking axis [m]", "offset from the docking axis [m]"
    panel.title = "Interfaces, target's frame"


def laboratory_figure(run: MissionRun, cell: Cell) -> Sheet:
    """Both ports in the hall from above while the mission went on, with rail and walls."""
    keep = evenly(run.truth.size, POINTS)
    chaser, target = (run.table(f"actual_port{n}", POSE, run.truth[keep]) for n in (1, 2))
    sheet = Sheet(WIDTH, 4.1)
    panel = sheet.panel(Box(0.055, 0.11, 0.93, 0.77))
    _hall(panel, sheet, cell)
    whole = np.empty((run.truth.size, 2))
    whole[keep] = chaser[:, :2]
    _path(panel, run, keep, whole[:, 0], whole[:, 1], 2.4)
    panel.path(target, LineStyle(ROBOT2, 2.0), "target's port")
    _headings(panel, chaser, target)
    panel.mark(Mark(chaser[0, :2], "circle", INK, 6.0, "white", label="chaser's port, start"))
    panel.mark(Mark(chaser[-1, :2], "circle", INK, 6.0, label="end"))
    panel.x.label, panel.y.label = "x in the lab [m]", "y in the lab [m]"
    panel.legend = Legend("above", 4)
    sheet.keys.append(phase_key(run, 0.06, 0.935, "left"))
    return sheet


def _hall(panel: Panel, sheet: Sheet, cell: Cell) -> None:
    """Walls and rail, from above and with equal scales."""
    room, rail = cell.file.zones.room, cell.file.rail
    (x0, x1), (y0, y1) = room.x_m, room.y_m
    panel.curve([x0, x1, x1, x0, x0], [y0, y0, y1, y1, y0], LineStyle(GREY, 1.4, z=1.0))
    travel = rail.origin_lab_m[0] + np.array([cell.axes.lower[0], cell.axes.upper[0]])
    for side, label in ((-0.5, "rail"), (0.5, "")):
        panel.curve(travel, [rail.origin_lab_m[1] + side] * 2, RAIL_LOOK, label)
    width, height = x1 - x0 + 1.0, y1 - y0 + 0.8
    per_metre = min(panel.box.width * sheet.width / width, panel.box.height * sheet.height / height)  # inches
    half_x, half_y = (
        0.5 * size / per_metre for size in (panel.box.width * sheet.width, panel.box.height * sheet.height)
    )
    panel.x.limits = 0.5 * (x0 + x1) - half_x, 0.5 * (x0 + x1) + half_x
    panel.y.limits = 0.5 * (y0 + y1) - half_y, 0.5 * (y0 + y1) + half_y


def _headings(panel: Panel, chaser: Floats, target: Floats) -> None:
    """Docking axes (the ports' x axes) at a few moments."""
    for row in evenly(len(chaser), 6):
        for pose, colour in ((chaser, INK), (target, ROBOT2)):
            w, x, y, z = pose[row, 3:]
            ahead = np.array([1.0 - 2.0 * (y * y + z * z), 2.0 * (x * y + w * z)])
            _arrow(panel, pose[row, :2], -ahead if pose is chaser else ahead, colour)


def _arrow(panel: Panel, foot: Floats, ahead: Floats, colour: str) -> None:
    """As seen from above: shorter where it points up."""
    tip, across = foot + AHEAD_M * ahead, np.array([-ahead[1], ahead[0]])
    barbs = [tip - HEAD_M * (ahead + side * 0.5 * across) for side in (1.0, -1.0)]
    panel.path(np.array([foot, tip, barbs[0], tip, barbs[1]]), LineStyle(colour, 1.1))
