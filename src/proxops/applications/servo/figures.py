"""Drawings of the experiment ``servo``: what the camera saw, the paper's figure 15, errors of all servos, Table 5 as bars."""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO
from typing import Any, Final

import numpy as np

from proxops.ground.log import Log
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, in_decades, new_figure, styled
from proxops.ground.recorded import Floats, stacked
from proxops.ground.section import Drawing

AXES: Final = (("x", ROBOT1), ("y", ROBOT2), ("z", RAIL))
JOINT_COLOURS: Final = (ROBOT1, ROBOT2, RAIL, "#9a5fc9", "#4fb3b8", BAD, GREY, INK)
COLOURS: Final = {"law 1": "#9a5fc9", "law 2": ROBOT1, "law 3": ROBOT2, "law 4": RAIL, "indirect": INK}
NAMES: Final = {
    "law 1": "1 velocity",
    "law 2": "2 acceleration,\nwith inertia",
    "law 3": "3 acceleration,\nwithout inertia",
    "law 4": "4 force",
    "indirect": "indirect",
}
PICTURED: Final = "law 3"


def draw(log: Log, about: dict[str, Any]) -> Iterator[Drawing]:
    """For the report."""
    names = list(about["figures"]["runs"])
    pictured = PICTURED if PICTURED in names else names[0]
    with styled():
        if about["figures"]["corners"]:
            yield Drawing(
                _views(log, about),
                "First and last image in which the marker was found, as rendered; orange: sides as found, dot: its first corner.",
            )
        yield Drawing(
            _figure_15(log, pictured),
            f"Figure 15 of the paper, {pictured}: marker in the robot frame, path of the hand, torques, errors.",
        )
        yield Drawing(
            _errors(log, names), "Errors of all servos, right model: as the flight software believes, and in truth."
        )
        yield Drawing(_approach(log, names), "Hand from the true grasp, and what the arm's motion does to the base.")
        yield Drawing(
            _bars(about),
            "Mean errors beside the paper's Table 5, final errors, and the same with a wrong model in the flight software.",
        )


def _views(log: Log, about: dict[str, Any]) -> Any:
    from matplotlib.image import imread

    corners = about["figures"]["corners"]
    figure = new_figure(10.5, 4.1)
    figure.subplots_adjust(left=0.01, right=0.99, top=0.92, bottom=0.01, wspace=0.03)
    for i, (moment, square) in enumerate(corners.items()):
        axes = figure.add_subplot(1, len(corners), i + 1)
        axes.imshow(imread(BytesIO(log.attachments[f"{moment}.png"])), cmap="gray", vmin=0.0, vmax=1.0)
        sides = np.array([*square, square[0]])
        axes.plot(*sides.T, color=ROBOT2, lw=1.4)
        axes.plot(*sides[0], "o", color=ROBOT2, ms=5)
        axes.set_title(f"{moment} image")
        axes.axis("off")
    return figure


def _figure_15(log: Log, name: str) -> Any:
    figure = new_figure(10.5, 7.2)
    figure.subplots_adjust(left=0.075, right=0.98, top=0.95, bottom=0.07, hspace=0.3, wspace=0.24)
    _marker(figure.add_subplot(2, 2, 1), log, name)
    _path(figure.add_subplot(2, 2, 2, projection="3d"), log, name)
    _torques(figure.add_subplot(2, 2, 3), log, name)
    _error(figure.add_subplot(2, 2, 4), log, name)
    return figure


def _marker(axes: Any, log: Log, name: str) -> None:
    t, truth, seen = log.values("clock.t_sim"), _vector(log, name, "marker"), _vector(log, name, "seen")
    for i, (axis, colour) in enumerate(AXES):
        axes.plot(t[::10], 1e3 * (seen[::10, i] - truth[0, i]), ".", color=colour, ms=3.5, alpha=0.7)
        axes.plot(t, 1e3 * (truth[:, i] - truth[0, i]), color=colour, lw=1.0, label=f"{axis}, from {truth[0, i]:.3f} m")
    axes.set_title("(a) Marker in the robot frame; dots: last sighting")
    axes.set_ylabel("moved by [mm]")
    axes.set_xlabel("t [s]")
    axes.legend(loc="best")


def _path(axes: Any, log: Log, name: str) -> None:
    from matplotlib.ticker import MaxNLocator

    hand, path = _vector(log, name, "hand"), _vector(log, name, "path")
    path = path[np.isfinite(path[:, 0])]
    axes.plot(*hand.T, color=BAD, lw=2.4, alpha=0.6, label="hand")
    axes.plot(*path.T, color=INK, lw=1.0, ls=(0, (4, 2.5)), label="path as planned")
    axes.plot(*hand[[0]].T, "o", color=INK, ms=4)
    axes.plot(*path[-1:].T, "o", color=INK, ms=4, mfc="white")  # none before the first plan
    axes.set_box_aspect(np.maximum(np.ptp(hand, axis=0), 0.45 * np.ptp(hand, axis=0).max()), zoom=1.05)
    for axis in "xyz":
        getattr(axes, f"set_{axis}label")(f"{axis} [m]", labelpad=0)
        getattr(axes, f"{axis}axis").set_major_locator(MaxNLocator(4))
    axes.tick_params(pad=-1)
    axes.set_title("(b) Path of the hand, inertial axes")
    axes.legend(loc="upper right")


def _torques(axes: Any, log: Log, name: str) -> None:
    t = log.values("clock.t_sim")
    for column in _numbered(log, name, "torque_"):
        number = int(column.removeprefix("torque_"))
        colour = JOINT_COLOURS[(number - 1) % len(JOINT_COLOURS)]
        axes.plot(t, log.values(f"{_group(name)}.{column}"), color=colour, lw=1.2, label=f"joint {number}")
    axes.set_title("(c) Control actions")
    axes.set_ylabel("torque [N m]")
    axes.set_xlabel("t [s]")
    axes.legend(ncol=2, loc="lower left", fontsize=7.0)


def _error(axes: Any, log: Log, name: str) -> None:
    t, error, true = log.values("clock.t_sim"), _vector(log, name, "error"), log.values(f"{_group(name)}.true_error")
    for i, (axis, colour) in enumerate(AXES):
        axes.plot(t, 1e3 * error[:, i], color=colour, label=axis)
    axes.plot(t, 1e3 * true, color=INK, lw=0.9, ls=(0, (4, 2.5)), label="true distance")
    axes.set_title("(d) Tracking error, and the true one")
    axes.set_ylabel("[mm]")
    axes.set_xlabel("t [s]")
    axes.legend(ncol=4, loc="upper right")


def _errors(log: Log, names: list[str]) -> Any:
    rows = (("error", "Tracking error, as believed", 1e3), ("true_error", "True error", 1e3))
    return _panels(log, names, rows, ("[mm]", "[mm]"), logarithmic=(0, 1))


def _approach(log: Log, names: list[str]) -> Any:
    rows = (("to_go", "Hand from the true grasp", 1e3), ("base_turn", "Attitude of the base", 180.0 / np.pi))
    return _panels(log, names, rows, ("distance [mm]", "turn from its start [deg]"), logarithmic=(0,))


def _panels(
    log: Log,
    names: list[str],
    rows: tuple[tuple[str, str, float], ...],
    labels: tuple[str, ...],
    logarithmic: tuple[int, ...],
) -> Any:
    figure, t = new_figure(10.5, 3.6), log.values("clock.t_sim")
    figure.subplots_adjust(left=0.07, right=0.98, top=0.9, bottom=0.14, wspace=0.2)
    for i, (column, title, scale) in enumerate(rows):
        axes = figure.add_subplot(1, len(rows), i + 1)
        for k, name in enumerate(names):
            width = 2.6 - 0.35 * k  # they often lie on one line
            axes.plot(t, scale * log.values(f"{_group(name)}.{column}"), color=COLOURS[name], lw=width, label=name)
        axes.set_title(title)
        axes.set_ylabel(labels[i])
        axes.set_xlabel("t [s]")
        if i in logarithmic:
            low = max(axes.get_ylim()[0], 1e-3)
            axes.set_ylim(bottom=low)
            in_decades(axes)
        if i == 0:
            axes.legend(loc="best", ncol=2)
    return figure


def _bars(about: dict[str, Any]) -> Any:
    runs = about["figures"]["runs"]
    kinds: list[tuple[str, str, Any]] = [
        ("paper", GREY, lambda row: row["paper_m"]),
        ("tracking, mean", ROBOT1, lambda row: row["tracking_error_m"]),
        ("true, mean", ROBOT2, lambda row: row["true_error_m"]),
        ("true, final", RAIL, lambda row: row["final_error_m"]),
    ]
    if about["figures"]["wrong_share"] is not None:
        kinds.append(("wrong model: tracking, mean", "#a9cbee", lambda row: row["wrong_model"]["tracking_error_m"]))
        kinds.append(("wrong model: true, final", "#a3d6b8", lambda row: row["wrong_model"]["final_error_m"]))
    figure = new_figure(10.5, 4.0)
    axes, width = figure.add_axes((0.07, 0.15, 0.91, 0.74)), 0.8 / len(kinds)
    for k, (label, colour, value) in enumerate(kinds):
        heights = [value(row) or np.nan for row in runs.values()]
        axes.bar(np.arange(len(runs)) + (k + 0.5) * width - 0.4, heights, 0.92 * width, color=colour, label=label)
    axes.set_xticks(range(len(runs)), [NAMES[name] for name in runs])
    axes.grid(visible=False, axis="x")
    axes.set_ylabel("error [m]")
    axes.set_title("Table 5")
    in_decades(axes)
    axes.legend(ncol=len(kinds), loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
    return figure


def _group(name: str) -> str:
    return name.replace(" ", "")


def _vector(log: Log, name: str, what: str) -> Floats:
    return stacked(log, _group(name), [f"{what}_{axis}" for axis in "xyz"])


def _numbered(log: Log, name: str, prefix: str) -> list[str]:
    return [one for one in log.names(_group(name)) if one.startswith(prefix)]
