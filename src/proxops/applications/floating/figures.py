"""Drawings of a micro-gravity run: pushes as the sensor saw them (figures 4 and 5 of paper 002), way of the module, energy,
joints."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final

import numpy as np

from proxops.applications.floating.detectors import derivative_settings
from proxops.applications.floating.impulse_figures import ImpulseCurves, draw_push, draw_reconstruction
from proxops.applications.floating.tables import DetectorTable, FloatSensorTable
from proxops.core.toml_text import read_toml
from proxops.ground.log import Log
from proxops.ground.plot_style import BAD, GREY, INK, RAIL, ROBOT1, ROBOT2, new_figure, styled
from proxops.ground.recorded import Floats
from proxops.ground.section import Drawing
from proxops.touch.derivative_detector import DerivativeDetector

FLOAT: Final = 1  # stage
AXES: Final = ("x", "y", "z")
COLOURS: Final = (ROBOT1, ROBOT2, RAIL)


def draw(log: Log, about: dict[str, Any]) -> Iterator[Drawing]:
    """For the report."""
    t, floating = log.values("loop.t"), log.values("loop.stage") == FLOAT
    if not floating.any():
        return
    curves = _curves(log, t, about)
    if len(curves.pushes_s):
        yield Drawing(
            draw_push(curves),
            (
                "Figure 4 of paper 002: the first recognised push along its strongest axis of the sensor. Left: force, "
                "the module's own weight and "
                "inertia taken off, offset left in; after the push the arm's counter-impulse. Right: derivative of the "
                "smoothed force, which the "
                "paper's detector thresholds."
            ),
        )
        yield Drawing(
            draw_reconstruction(curves),
            (
                "Figure 5: measured force and what was handed to the physics, sensor axes. Offset, drift and "
                "counter-impulse are gone."
            ),
        )
    yield Drawing(
        _ways(log, t, floating),
        (
            "Way of the module's middle: what the physics says and what the arm showed; dashed: where it would touch "
            "the box, upright. Top right: seen "
            "from above; bottom right: from the side."
        ),
    )
    yield Drawing(
        _books(log, t, floating, curves),
        (
            "Kinetic energy of the module (pushes shaded; it dips while a wall gives way), distance between the module "
            "shown and the one computed, "
            "and the joints' set-points."
        ),
    )


def _curves(log: Log, t: Floats, about: dict[str, Any]) -> ImpulseCurves:
    """Pushes are those that the log's own phase shows; before a crossing the loop dates them back as the figures tell."""
    force = {name: np.stack([log.values(f"{name}.f{axis}") for axis in AXES], axis=1) for name in ("residual", "felt")}
    force["smoothed"], force["slope"] = _papers_curves(log)
    spans = np.array(about["figures"]["spans_s"], float).reshape(-1, 2)
    handed, impulses = np.zeros_like(force["felt"]), []
    for begin, end in spans:
        inside = (t >= begin - 1e-9) & (t <= end + 1e-9)
        handed[inside] = force["felt"][inside]
        impulses.append(force["felt"][inside].sum(axis=0))
    return ImpulseCurves(
        t, force["residual"], force["smoothed"], force["slope"], handed, spans, np.array(impulses).reshape(-1, 3)
    )


def _papers_curves(log: Log) -> tuple[Floats, Floats]:
    """The residual force smoothed by eq. 2 of paper 002, and its derivative, eq. 3; after a fault of the sensor nobody knows."""
    scenario = read_toml(log.metadata["scenario_file"], log.path)
    sensor = FloatSensorTable.model_validate(scenario.get("sensor", {}))
    table = DetectorTable.model_validate(scenario.get("detector", {}))
    residual = np.stack([log.values(f"residual.{kind}{axis}") for kind in "ft" for axis in AXES], axis=1)
    smoothed, slope = np.full((2, *residual.shape), np.nan)
    known = np.isfinite(residual).all(axis=1)
    detector = DerivativeDetector(derivative_settings(table, sensor))
    smoothed[known], slope[known] = detector.curves(residual[known])
    return smoothed[:, :3], slope[:, :3]


def _ways(log: Log, t: Floats, floating: Any) -> Any:
    scenario = read_toml(log.metadata["scenario_file"], log.path)
    box, sides = scenario["box"], scenario["object"].get("size_m", [0.0])
    room = np.array(box["size_m"]) / 2.0 - (np.array(sides) / 2.0 if len(sides) == 3 else sides[0])
    centre = np.array(box.get("centre_m", (0.0, 0.0, 0.0)))
    with styled():
        figure = new_figure(11.0, 5.2)
        grid = figure.add_gridspec(
            3, 2, width_ratios=(1.7, 1.0), left=0.07, right=0.985, top=0.94, bottom=0.09, wspace=0.22, hspace=0.2
        )
        way = {
            name: np.stack([log.values(f"{name}.{axis}") for axis in AXES], axis=1)[floating]
            for name in ("module", "shown")
        }
        for i, axis in enumerate(AXES):
            axes = figure.add_subplot(grid[i, 0])
            axes.plot(t[floating], way["shown"][:, i], color=COLOURS[i], lw=3.0, alpha=0.4, label="shown")
            axes.plot(t[floating], way["module"][:, i], color=COLOURS[i], lw=1.0, label="computed")
            for sign in (-1.0, 1.0):
                axes.axhline(centre[i] + sign * room[i], color=GREY, lw=0.8, ls="--")
            axes.set_ylabel(f"{axis} [m]")
            axes.tick_params(labelbottom=i == 2)
            if i == 0:
                axes.set_title("Module's middle")
                axes.legend(loc="upper right", ncols=2)
        axes.set_xlabel("t [s]")
        for k, (a, b) in enumerate(((0, 1), (0, 2))):
            plan = figure.add_subplot(grid[0:2, 1] if k == 0 else grid[2, 1])
            plan.plot(way["module"][:, a], way["module"][:, b], color=INK, lw=0.8)
            low, high = centre - room, centre + room
            plan.plot(
                [low[a], high[a], high[a], low[a], low[a]],
                [low[b], low[b], high[b], high[b], low[b]],
                color=GREY,
                lw=0.8,
                ls="--",
            )
            plan.set(xlabel="x [m]" if k else "", ylabel=f"{AXES[b]} [m]")
            plan.set_aspect("equal", adjustable="datalim")
    return figure


def _books(log: Log, t: Floats, floating: Any, curves: ImpulseCurves) -> Any:
    with styled():
        figure = new_figure(11.0, 3.4)
        energy, off, joints = figure.subplots(1, 3)
        energy.plot(t[floating], 1e3 * log.values("loop.energy")[floating], color=ROBOT1)
        for begin, end in curves.pushes_s:
            energy.axvspan(begin, end, color=RAIL, alpha=0.3, lw=0)
        energy.set(xlabel="t [s]", ylabel="[mJ]", title="Kinetic energy", ylim=(0.0, None))
        away = np.sqrt(sum((log.values(f"shown.{axis}") - log.values(f"module.{axis}")) ** 2 for axis in AXES))
        off.semilogy(t[floating], 1e3 * np.maximum(away[floating], 1e-8), color=BAD, lw=0.8)
        off.set(xlabel="t [s]", ylabel="[mm]", title="Shown from computed")
        names = log.names("setpoint")
        for name in names:
            joints.plot(t[floating], np.degrees(log.values(f"setpoint.{name}")[floating]), lw=1.0, label=name)
        low, high = joints.get_ylim()
        joints.set(
            xlabel="t [s]", ylabel="[deg]", title="Set-points of the joints", ylim=(low, high + 0.5 * (high - low))
        )
        joints.legend(loc="upper right", ncols=4)
        figure.tight_layout()
    return figure
