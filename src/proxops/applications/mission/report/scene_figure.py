"""The approach in three dimensions: path in LVLH, both craft as boxes, and where the target's docking axis pointed.

The scenario has no shapes: a box is the solid one with the craft's mass and moments of inertia about its body axes, round its
centre of mass. That is about the size of the craft, not its looks.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.bands import PHASE_COLOURS, coloured_path, evenly, phase_key, phase_of_truth
from proxops.applications.mission.report.mission_run import MissionRun
from proxops.applications.mission.report.pose import body_in_lvlh
from proxops.applications.mission.report.scene_space import Space, towards_eye
from proxops.core.craft import Body
from proxops.core.vocabulary import MissionPhase
from proxops.ground.figures import WIDTH
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import LineStyle, Words
from proxops.ground.panels.sheet import Sheet
from proxops.ground.plot_style import GREY, INK, ROBOT1, ROBOT2
from proxops.ground.recorded import Floats

POINTS: Final = 900
AXIS_M: Final = 4.0
MOMENTS: Final = 4
NEAR_M: Final = 6.5
LEAST_SIDE_M: Final = 0.2
LEAST_M: Final = 1.5  # of the space, to every side of the target
LIGHT: Final = np.array([-0.3, -0.5, 0.81])
SHADOW: Final = LineStyle(GREY, 0.9, alpha=0.7)
EDGE: Final = LineStyle(INK, 0.5)
FACES: Final = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))
NAMES: Final = ("x [m]", "−y [m]", "−z [m]")


def box_sides(body: Body) -> Floats:
    """(3) m, of the solid box with this mass and these moments: from I_xx = m (b² + c²) / 12 and so on."""
    moments = np.diag(body.inertia)
    squares = 12.0 / body.mass_kg * (0.5 * moments.sum() - moments)
    sides: Floats = np.sqrt(np.maximum(squares, LEAST_SIDE_M**2))
    return sides


def scene_figure(run: MissionRun) -> Sheet:
    """The whole path and, below it, what happened near the target."""
    sheet = Sheet(WIDTH, 8.4)
    rows = np.arange(run.t.size)
    close = np.flatnonzero(run.distance <= NEAR_M)
    if close.size in (0, rows.size):
        _scene(sheet, Box(0.0, 0.02, 1.0, 0.95), run, rows, axes=True)
    else:
        _scene(sheet, Box(0.0, 0.6, 1.0, 0.37), run, rows)
        _scene(sheet, Box(0.0, 0.02, 1.0, 0.56), run, close, axes=True)
        sheet.words.append(Words((0.02, 0.975), "Whole approach", 9.5, up="top", bold=True))
        sheet.words.append(Words((0.02, 0.6), f"Within {NEAR_M:g} m", 9.5, up="top", bold=True))
    sheet.keys.append(phase_key(run, 0.985, 0.985))
    return sheet


def _chosen(run: MissionRun, rows: Any) -> list[int]:
    """Rows at which the chaser is drawn, evenly along its way."""
    way = np.cumsum(np.append(0.0, np.linalg.norm(np.diff(run.p_lvlh[rows], axis=0), axis=1)))
    places = np.linspace(0.0, way[-1], MOMENTS)
    return [int(rows[min(k, rows.size - 1)]) for k in np.searchsorted(way, places)]


def _drawn(p: Floats) -> Floats:
    """LVLH as it is looked at: flight to the right, the Earth below."""
    out: Floats = p * np.array([1.0, -1.0, -1.0])
    return out


def _scene(sheet: Sheet, box: Box, run: MissionRun, rows: Any, *, axes: bool = False) -> None:
    """Drawn from back to front: craft on the way, path, docking axes, both craft at the end."""
    keep, moments = rows[evenly(rows.size, POINTS)], _chosen(run, rows)
    path = _drawn(run.p_lvlh)
    low, high = np.minimum(path[keep].min(axis=0), -LEAST_M), np.maximum(path[keep].max(axis=0), LEAST_M)
    space = Space(sheet, box, low, high, NAMES)
    space.line(np.column_stack([path[keep, :2], np.full(keep.size, low[2])]), SHADOW)
    R_target, R_chaser = (body_in_lvlh(run, body, run.truth[moments]) for body in ("target", "chaser"))
    chaser, target = box_sides(run.file.chaser), box_sides(run.file.target)
    for k, row in enumerate(moments[:-1]):
        _craft(space, run.p_lvlh[row], R_chaser[k], chaser, ROBOT1, 0.3)
    for colour, piece in coloured_path(run, keep, path):
        space.line(piece, LineStyle(colour, 2.0))
    if axes:
        _docking_axes(space, run, moments, R_target)
    last = [(run.p_lvlh[moments[-1]], R_chaser[-1], chaser, ROBOT1), (np.zeros(3), R_target[-1], target, ROBOT2)]
    for centre, R, sides, colour in sorted(last, key=lambda craft: towards_eye(_drawn(craft[0]))):
        _craft(space, centre, R, sides, colour, 0.92)


def _docking_axes(space: Space, run: MissionRun, moments: list[int], R_target: Floats) -> None:
    """Where the target's +x pointed, in the colour of the phase, with the time."""
    phases = phase_of_truth(run)
    for k, row in enumerate(moments):
        tip = _drawn(AXIS_M * R_target[k][:, 0])
        colour = PHASE_COLOURS[MissionPhase(int(phases[row]))]
        space.line(np.stack([np.zeros(3), tip]), LineStyle(colour, 1.6, (4.0, 1.5)))
        space.words(1.08 * tip, f"{run.t[row]:.0f} s")


def _craft(space: Space, centre: Floats, R_lvlh_body: Floats, sides: Floats, colour: str, alpha: float) -> None:
    """A box, its faces from back to front."""
    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    corners = _drawn(0.5 * (signs * sides) @ R_lvlh_body.T)
    for face in sorted((corners[list(face)] for face in FACES), key=lambda face: towards_eye(face.mean(axis=0))):
        normal = face.mean(axis=0) / np.linalg.norm(face.mean(axis=0))
        space.face(face + _drawn(centre), _shaded(colour, float(normal @ LIGHT)), alpha, EDGE)


def _shaded(colour: str, facing: float) -> str:
    """Lighter where a face looks to the light, darker where it looks away."""
    share = 0.3 * facing
    parts = (int(colour[k : k + 2], 16) for k in (1, 3, 5))
    return "#" + "".join(f"{round(c + share * ((255 - c) if share > 0.0 else c)):02x}" for c in parts)
