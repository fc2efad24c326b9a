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
from proxops.core.craft import Body
from proxops.core.vocabulary import MissionPhase
from proxops.ground.figures import WIDTH
from proxops.ground.plot_style import GREY, INK, ROBOT1, ROBOT2, new_figure, styled
from proxops.ground.recorded import Floats

POINTS: Final = 900
AXIS_M: Final = 4.0
MOMENTS: Final = 4
LABEL_PAD: Final = 4.0  # points
LABEL_PAD_PER_ZOOM: Final = 9.0
THIN: Final = 0.2
NEAR_M: Final = 6.5
LEAST_SIDE_M: Final = 0.2
ELEVATION_DEG: Final = 20.0
AZIMUTH_DEG: Final = -68.0
TO_EYE: Final = np.array([0.352, -0.871, 0.342])  # of these two angles
RIGHT: Final = np.array([0.927, 0.375, 0.0])  # width and height on paper of a box seen so, per side
UP: Final = np.array([0.128, 0.317, 0.940])
FILLED: Final = (0.72, 0.82)  # of the panel's width and height: the rest is for labels
LIGHT: Final = np.array([-0.3, -0.5, 0.81])
PANE: Final = "#8a949e50"
FACES: Final = ((0, 1, 3, 2), (4, 5, 7, 6), (0, 1, 5, 4), (2, 3, 7, 6), (0, 2, 6, 4), (1, 3, 7, 5))


def box_sides(body: Body) -> Floats:
    """(3) m, of the solid box with this mass and these moments: from I_xx = m (b² + c²) / 12 and so on."""
    moments = np.diag(body.inertia)
    squares = 12.0 / body.mass_kg * (0.5 * moments.sum() - moments)
    sides: Floats = np.sqrt(np.maximum(squares, LEAST_SIDE_M**2))
    return sides


def scene_figure(run: MissionRun) -> Any:
    """The whole path and, below it, what happened near the target."""
    with styled():
        figure = new_figure(WIDTH, 8.4)
        rows = np.arange(run.t.size)
        close = np.flatnonzero(run.distance <= NEAR_M)
        if close.size in (0, rows.size):
            _scene(_panel(figure, 0.02, 0.95), run, rows, axes=True)
        else:
            _scene(_panel(figure, 0.6, 0.37), run, rows)
            _scene(_panel(figure, 0.02, 0.56), run, close, axes=True)
            figure.text(0.02, 0.975, "Whole approach", weight="bold", fontsize=9.5, va="top")
            figure.text(0.02, 0.6, f"Within {NEAR_M:g} m", weight="bold", fontsize=9.5, va="top")
        phase_key(figure, run, loc="upper right", bbox_to_anchor=(0.985, 0.985))
        return figure


def _panel(figure: Any, bottom: float, height: float) -> Any:
    """Over the whole width; shares of the figure's height."""
    return figure.add_axes((0.0, bottom, 1.0, height), projection="3d", computed_zorder=False)


def _chosen(run: MissionRun, rows: Any) -> list[int]:
    """Rows at which the chaser is drawn, evenly along its way."""
    way = np.cumsum(np.append(0.0, np.linalg.norm(np.diff(run.p_lvlh[rows], axis=0), axis=1)))
    places = np.linspace(0.0, way[-1], MOMENTS)
    return [int(rows[min(k, rows.size - 1)]) for k in np.searchsorted(way, places)]


def _drawn(p: Floats) -> Floats:
    """LVLH as it is looked at: flight to the right, the Earth below."""
    out: Floats = p * np.array([1.0, -1.0, -1.0])
    return out


def _scene(panel: Any, run: MissionRun, rows: Any, *, axes: bool = False) -> None:
    """Drawn from back to front: craft on the way, path, docking axes, both craft at the end."""
    keep, moments = rows[evenly(rows.size, POINTS)], _chosen(run, rows)
    x, y, z = _drawn(run.p_lvlh).T
    _limits(panel, np.stack([x[keep], y[keep], z[keep]], axis=1))
    panel.plot(x[keep], y[keep], np.full(keep.size, panel.get_zlim()[0]), color=GREY, lw=0.9, alpha=0.7)  # its shadow
    R_target, R_chaser = (body_in_lvlh(run, body, run.truth[moments]) for body in ("target", "chaser"))
    chaser, target = box_sides(run.file.chaser), box_sides(run.file.target)
    for k, row in enumerate(moments[:-1]):
        _box(panel, run.p_lvlh[row], R_chaser[k], chaser, ROBOT1, 0.3)
    coloured_path(panel, run, keep, x, y, z)
    if axes:
        _docking_axes(panel, run, moments, R_target)
    last = [(run.p_lvlh[moments[-1]], R_chaser[-1], chaser, ROBOT1), (np.zeros(3), R_target[-1], target, ROBOT2)]
    for centre, R, sides, colour in sorted(last, key=lambda craft: float(_drawn(craft[0]) @ TO_EYE)):
        _box(panel, centre, R, sides, colour, 0.92)
    for artist in (*panel.lines, *panel.collections):
        artist.set_clip_on(False)  # a picture in three dimensions ends where it ends


def _docking_axes(panel: Any, run: MissionRun, moments: list[int], R_target: Floats) -> None:
    """Where the target's +x pointed, in the colour of the phase, with the time."""
    phases = phase_of_truth(run)
    for k, row in enumerate(moments):
        tip = _drawn(AXIS_M * R_target[k][:, 0])
        colour = PHASE_COLOURS[MissionPhase(int(phases[row]))]
        panel.plot(*np.stack([np.zeros(3), tip], axis=1), color=colour, lw=1.6, ls=(0, (4, 1.5)))
        panel.text(*(1.08 * tip), f"{run.t[row]:.0f} s", fontsize=8, color=INK, ha="center")


def _limits(panel: Any, points: Floats) -> None:
    """Equal scales; a box just round path and target."""
    low, high = np.minimum(points.min(axis=0), -1.5), np.maximum(points.max(axis=0), 1.5)
    panel.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]))
    zoom = _zoom(panel, high - low)
    panel.set_box_aspect(high - low, zoom=zoom)
    panel.set_proj_type("ortho")
    panel.view_init(elev=ELEVATION_DEG, azim=AZIMUTH_DEG)
    for axis, label in zip((panel.xaxis, panel.yaxis, panel.zaxis), ("x [m]", "−y [m]", "−z [m]"), strict=True):
        axis.set_label_text(label)
        axis.labelpad = LABEL_PAD - LABEL_PAD_PER_ZOOM * max(zoom - 1.0, 0.0)  # matplotlib moves labels out as it zooms
        axis.pane.fill = False
        axis.pane.set_edgecolor(PANE)
        axis._axinfo["grid"].update(color=GREY, linewidth=0.3)
    for name, size in zip("xyz", high - low, strict=True):
        panel.locator_params(axis=name, nbins=2 if size < THIN * float((high - low).max()) else 5)
    if high[1] - low[1] < THIN * (high[0] - low[0]):
        panel.set(yticks=[], ylabel="")  # its labels would lie on top of each other; the view from near has them


def _zoom(panel: Any, size: Floats) -> float:
    """So that the box fills its panel, whatever its shape: matplotlib fits its diagonal into the panel's shorter side."""
    place, figure = panel.get_position(original=True), panel.figure
    width, height = place.width * figure.get_figwidth(), place.height * figure.get_figheight()
    per_metre = min(FILLED[0] * width / float(RIGHT @ size), FILLED[1] * height / float(UP @ size))
    return float(per_metre * np.linalg.norm(size) / min(width, height))


def _box(panel: Any, centre: Floats, R_lvlh_body: Floats, sides: Floats, colour: str, alpha: float) -> None:
    from mpl_toolkits.mplot3d.art3d import Poly3DCollection  # type: ignore[import-untyped]

    signs = np.array([[i, j, k] for i in (-1, 1) for j in (-1, 1) for k in (-1, 1)])
    corners = _drawn(0.5 * (signs * sides) @ R_lvlh_body.T)
    faces = [corners[list(face)] for face in FACES]
    normals = [face.mean(axis=0) / np.linalg.norm(face.mean(axis=0)) for face in faces]
    shades = [_shaded(colour, float(normal @ LIGHT)) for normal in normals]
    places = [face + _drawn(centre) for face in faces]
    panel.add_collection3d(Poly3DCollection(places, facecolors=shades, edgecolors=INK, lw=0.5, alpha=alpha))


def _shaded(colour: str, facing: float) -> tuple[float, ...]:
    """Lighter where a face looks to the light, darker where it looks away."""
    from matplotlib.colors import to_rgb

    share = 0.3 * facing
    return tuple(c + share * ((1.0 - c) if share > 0.0 else c) for c in to_rgb(colour))
