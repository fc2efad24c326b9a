"""Figures 4 and 5 of paper 002: what the force sensor showed of a push, and the pushes that were recognised in it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from proxops.ground.plot_style import BAD, GREY, INK, RAIL, new_figure, styled, thin
from proxops.ground.recorded import Floats

AXES: Final = ("x", "y", "z")
MEASURED: Final[dict[str, Any]] = {"color": GREY, "lw": 0.7, "alpha": 0.9}


@dataclass(frozen=True, eq=False)
class ImpulseCurves:
    """What is drawn, as plain arrays; components in the sensor's axes."""

    t_s: Floats  # (n)
    measured_N: Floats  # (n, 3) as read, with offset
    smoothed_N: Floats  # (n, 3) eq. 2
    rate_N_s: Floats  # (n, 3) eq. 3
    reconstructed_N: Floats  # (n, 3) what was handed to the physics, zero outside pushes
    pushes_s: Floats  # (m, 2) beginning and end of each recognised push
    corrected_Ns: Floats  # (m, 3) its impulse, as weighed when it was over


def draw_push(curves: ImpulseCurves, push: int = 0, around_s: float = 0.6) -> Any:
    """Figure 4: one push, along the axis on which it is strongest; left the force, right the derivative of the smoothed force."""
    begin, end = curves.pushes_s[push]
    shown = (curves.t_s >= begin - around_s) & (curves.t_s <= end + 1.5 * around_s)
    axis = int(np.abs(curves.corrected_Ns[push]).argmax())
    t = curves.t_s[shown]
    pushed = np.where((t >= begin) & (t <= end), 1.0, np.nan)
    with styled():
        figure = new_figure(10.5, 3.6)
        figure.subplots_adjust(left=0.065, right=0.985, top=0.9, bottom=0.14, wspace=0.2)
        force, rate = figure.add_subplot(1, 2, 1), figure.add_subplot(1, 2, 2)
        force.plot(t, curves.measured_N[shown, axis], **MEASURED, label="measured")
        force.plot(t, curves.smoothed_N[shown, axis], color=INK, lw=1.1, label="smoothed (eq. 2)")
        force.plot(t, pushed * curves.measured_N[shown, axis], color=BAD, label="recognised push")
        rate.plot(t, curves.rate_N_s[shown, axis], color=BAD, lw=1.0)
        _name(force, f"Force along {AXES[axis]}", "N")
        _name(rate, "Derivative of the smoothed force (eq. 3)", "N/s")
        force.legend(loc="best")
    return figure


def draw_reconstruction(curves: ImpulseCurves) -> Any:
    """Figure 5: measured force and what was handed to the physics, all three axes; shaded: recognised pushes."""
    with styled():
        figure = new_figure(10.5, 6.2)
        figure.subplots_adjust(left=0.065, right=0.985, top=0.955, bottom=0.08, hspace=0.16)
        first = None
        for i, name in enumerate(AXES):
            axes = figure.add_subplot(3, 1, i + 1, sharex=first)
            first = first or axes
            axes.plot(*thin(curves.t_s, curves.measured_N[:, i]), **MEASURED, label="measured")
            axes.plot(*thin(curves.t_s, curves.reconstructed_N[:, i]), color=RAIL, lw=1.2, label="reconstructed")
            for begin, end in curves.pushes_s:
                axes.axvspan(begin, end, color=RAIL, alpha=0.13, lw=0)
            axes.set_ylabel(f"{name}, N")
            axes.tick_params(labelbottom=i == len(AXES) - 1)
        figure.axes[0].legend(loc="upper right", ncols=2)
        figure.axes[0].set_title("Measured force and reconstructed pushes")
        figure.align_ylabels()
        figure.axes[-1].set_xlabel("time, s")
        figure.axes[-1].set_xlim(np.nanmin(curves.t_s), curves.t_s[-1])
    return figure


def _name(axes: Any, title: str, unit: str) -> None:
    axes.set_title(title)
    axes.set_xlabel("time, s")
    axes.set_ylabel(unit)
    axes.margins(x=0.0)
