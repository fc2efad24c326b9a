"""Drawings of the experiment ``tracking``: the paper's figures 10 to 13 for every law, null-space motion, base, wrong models."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from proxops.ground.log import Log
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, in_decades, new_figure, styled
from proxops.ground.recorded import Floats, stacked
from proxops.ground.section import Drawing

LAW_COLOURS: Final = {1: "#9a5fc9", 2: ROBOT1, 3: ROBOT2, 4: RAIL}
AXES: Final = (("x", ROBOT1), ("y", ROBOT2), ("z", RAIL))
JOINT_COLOURS: Final = (ROBOT1, ROBOT2, RAIL, "#9a5fc9", "#4fb3b8", BAD, GREY, INK)
NAMES: Final = {
    1: "1 velocity-based",
    2: "2 acceleration-based, with inertia",
    3: "3 acceleration-based, without inertia",
    4: "4 force-based",
}


def draw(log: Log, about: dict[str, Any]) -> Iterator[Drawing]:
    """For the report."""
    laws = [law for law in NAMES if f"law{law}" in (log.dtype.names or ())]
    with styled():
        yield Drawing(
            _poses(log),
            "The arm at the start, halfway and at the end, and its tool's path. Square: origin of the base.",
        )
        yield Drawing(
            _paths(log, laws), "Path of the tool in inertial axes: demanded and followed. Disc: start; circle: end."
        )
        yield Drawing(_errors(log, laws), "Error of the tool's position for each law, right model. Mind the scales.")
        yield Drawing(_torques(log, laws), "Joint torques for each law, right model.")
        yield Drawing(
            _null_space(log, laws),
            "Motion in the null space, distance from the posture, distance from a singularity.",
        )
        yield Drawing(
            _base(log, laws), "What the arm's motion does to the base, and how well the tool's attitude is held."
        )
        if any(about["figures"]["laws"][f"law {law}"]["wrong_model_mean_errors_m"] for law in laws):
            caption = (
                "Mean errors with wrong models, one dot for each. Bar: median; dashed: its bound; cross: right model."
            )
            yield Drawing(_wrong_models(about), caption)


def _panels(log: Log, laws: list[int], what: str, **options: Any) -> tuple[Any, list[Any]]:
    """A figure with one panel for each law."""
    figure = new_figure(10.5, 3.1 * ((len(laws) + 1) // 2) + 0.3)
    figure.subplots_adjust(left=0.075, right=0.98, top=0.93, bottom=0.09, hspace=0.38, wspace=0.24)
    panels = []
    for i, law in enumerate(laws):
        axes = figure.add_subplot((len(laws) + 1) // 2, min(2, len(laws)), i + 1, **options)
        axes.set_title(NAMES[law])
        if what:
            axes.set_ylabel(what)
            axes.set_xlabel("t [s]")
        panels.append(axes)
    return figure, panels


def _poses(log: Log) -> Any:
    """Figure 10: three moments, seen from the front and the side."""
    figure = new_figure(10.5, 4.2)
    figure.subplots_adjust(left=0.0, right=0.97, top=0.95, bottom=0.05, wspace=0.02)
    names = _numbered(log, "skeleton", "p")
    places = stacked(log, "skeleton", tuple(names)).reshape(log.count, -1, 3)
    demand, last = stacked(log, "demand", ("x", "y", "z")), int(np.isfinite(places[:, 0, 0]).sum()) - 1
    rows = (0, last // 2, last)
    for column, (title, elevation, azimuth) in enumerate((("From the front", 18, 25), ("From above", 75, 0))):
        axes = figure.add_subplot(1, 2, column + 1, projection="3d")
        for row, colour, name in zip(rows, (GREY, ROBOT2, ROBOT1), ("start", "halfway", "end"), strict=True):
            axes.plot(*places[row].T, "-", color=colour, lw=2.6, label=name)
            axes.plot(*places[row][1:-1].T, "o", color=colour, ms=3.5)
            axes.plot(*places[row][:1].T, "s", color=colour, ms=7)
        axes.plot(*demand.T, color=INK, lw=1.0, ls=(0, (4, 2.5)), label="path of the tool")
        _label(axes)
        axes.set_aspect("equal")
        axes.view_init(elevation, azimuth)
        axes.set_title(title)
        if column == 0:
            axes.legend(loc="upper left")
    return figure


def _label(axes: Any) -> None:
    for name in "xyz":
        getattr(axes, f"set_{name}label")(f"{name} [m]", labelpad=-2)
        getattr(axes, f"{name}axis").set_major_locator(_few())
    axes.tick_params(pad=-1)


def _paths(log: Log, laws: list[int]) -> Any:
    figure, panels = _panels(log, laws, "", projection="3d")
    figure.subplots_adjust(left=0.05, right=0.96, hspace=0.24, wspace=0.0, bottom=0.06, top=0.95)
    demand = stacked(log, "demand", ("x", "y", "z"))
    for axes, law in zip(panels, laws, strict=True):
        followed = demand - stacked(log, f"law{law}", ("error_x", "error_y", "error_z"))
        axes.plot(*followed.T, color=BAD, lw=2.4, alpha=0.6, label="followed")
        axes.plot(*demand.T, color=INK, lw=1.0, ls=(0, (4, 2.5)), label="demanded")
        axes.plot(*demand[[0]].T, "o", color=INK, ms=4)
        axes.plot(*demand[[-1]].T, "o", color=INK, ms=4, mfc="white")
        axes.set_box_aspect(np.maximum(np.ptp(demand, axis=0), 0.3 * np.ptp(demand, axis=0).max()))
        _label(axes)
    panels[0].legend(loc="upper left", bbox_to_anchor=(-0.35, 0.95))
    return figure


def _few() -> Any:
    from matplotlib.ticker import MaxNLocator

    return MaxNLocator(4)


def _errors(log: Log, laws: list[int]) -> Any:
    figure, panels = _panels(log, laws, "error [µm]")
    t = log.values("clock.t_sim")
    for axes, law in zip(panels, laws, strict=True):
        for name, colour in AXES:
            axes.plot(t, 1e6 * log.values(f"law{law}.error_{name}"), color=colour, label=name)
        axes.plot(t, 1e6 * log.values(f"law{law}.error"), color=INK, lw=0.9, ls=(0, (4, 2.5)), label="distance")
    panels[0].legend(ncol=4, loc="lower right", bbox_to_anchor=(1.0, 1.0), borderaxespad=0.2)
    return figure


def _torques(log: Log, laws: list[int]) -> Any:
    figure, panels = _panels(log, laws, "torque [N m]")
    t = log.values("clock.t_sim")
    for axes, law in zip(panels, laws, strict=True):
        for name in _numbered(log, f"law{law}", "torque_"):
            number = int(name.removeprefix("torque_"))
            colour = JOINT_COLOURS[(number - 1) % len(JOINT_COLOURS)]
            axes.plot(t, log.values(f"law{law}.{name}"), color=colour, lw=1.2, label=f"joint {number}")
    panels[0].legend(ncol=4, loc="upper right", fontsize=7.0)
    return figure


def _null_space(log: Log, laws: list[int]) -> Any:
    figure = new_figure(10.5, 3.4)
    figure.subplots_adjust(left=0.07, right=0.98, top=0.89, bottom=0.15, wspace=0.3)
    t = log.values("clock.t_sim")
    rows = (
        ("null_rate", "Rate in the null space", "|N q̇| [mrad/s]", 1e3),
        ("posture_error", "Distance from the posture", "|q_s − q| [deg]", 180.0 / np.pi),
        ("sigma", "Smallest singular value of Jg", "σ_min", 1.0),
    )
    for i, (name, title, label, scale) in enumerate(rows):
        axes = figure.add_subplot(1, 3, i + 1)
        _by_law(axes, t, log, laws, name, scale)
        axes.set_title(title)
        axes.set_ylabel(label)
        axes.set_ylim(bottom=0.0)
        if i == 0:
            axes.legend(loc="best")
    return figure


def _base(log: Log, laws: list[int]) -> Any:
    figure = new_figure(10.5, 3.4)
    figure.subplots_adjust(left=0.07, right=0.98, top=0.89, bottom=0.15, wspace=0.3)
    t = log.values("clock.t_sim")
    rows = (
        ("base_turn", "Attitude of the base", "turn from its start [deg]", 1.0),
        ("base_move", "Place of the base", "distance from its start [mm]", 1e3),
        ("turn_error", "Attitude of the tool", "error [mrad]", 1e3),
    )
    for i, (name, title, label, scale) in enumerate(rows):
        axes = figure.add_subplot(1, 3, i + 1)
        _by_law(axes, t, log, laws, name, scale)
        axes.set_title(title)
        axes.set_ylabel(label)
        if name == "turn_error":
            axes.set_ylim(bottom=1e-4)
            in_decades(axes)
        if i == 0:
            axes.legend(loc="best")
    return figure


def _by_law(axes: Any, t: Floats, log: Log, laws: list[int], name: str, scale: float) -> None:
    """One curve for each law, thinner one above the other: they often lie on one line."""
    for k, law in enumerate(laws):
        values = scale * log.values(f"law{law}.{name}")
        axes.plot(t, values, color=LAW_COLOURS[law], lw=3.2 - 0.8 * k, label=f"law {law}")
    axes.set_xlabel("t [s]")


def _wrong_models(about: dict[str, Any]) -> Any:
    figure = new_figure(8.2, 3.8)
    axes = figure.add_axes((0.1, 0.14, 0.87, 0.76))
    bounds = {row["name"].split(":")[0]: row["bound"] for row in about["criteria"] if "median over" in row["name"]}
    laws = about["figures"]["laws"]
    for place, (name, row) in enumerate(laws.items()):
        values = np.array([value for value in row["wrong_model_mean_errors_m"] if value is not None])
        colour = LAW_COLOURS[int(name.split()[1].rstrip(","))]
        # Side by side in the order of the seeds: nothing is left to chance in a drawing.
        spread = place + np.linspace(-0.22, 0.22, max(len(values), 2))[: len(values)]
        axes.plot(spread, values, "o", color=colour, ms=4, alpha=0.75, mew=0)
        if row["wrong_model_median_m"] is not None:
            axes.hlines(row["wrong_model_median_m"], place - 0.3, place + 0.3, color=INK, lw=1.6)
        if name in bounds:
            axes.hlines(bounds[name], place - 0.3, place + 0.3, color=BAD, lw=1.2, ls=(0, (4, 2.5)))
        if row["mean_error_m"] is not None:
            axes.plot(place, row["mean_error_m"], "x", color=INK, ms=6)
    axes.set_xticks(range(len(laws)), [name.replace(", ", ",\n") for name in laws])
    axes.set_xlim(-0.5, len(laws) - 0.5)
    axes.set_ylabel("mean error [m]")
    axes.set_title(
        f"{about['figures']['seeds']} models, masses and inertias off by up to {100 * about['figures']['share']:g} %"
    )
    in_decades(axes)
    return figure


def _numbered(log: Log, group: str, prefix: str) -> list[str]:
    return [name for name in log.names(group) if name.startswith(prefix)]
