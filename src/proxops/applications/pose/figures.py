"""Errors of accepted poses against range, with what estimators claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from proxops.applications.pose.statistics import PoseJudgement
from proxops.ground.plot_style import BAD, GREY, ROBOT1, new_figure, styled


def draw_errors(judged: Sequence[PoseJudgement]) -> Any:
    """Place and attitude, each over the range; without truth only the claims."""
    good = [one for one in judged if one.accepted and np.isfinite(one.range_m)]
    with styled():
        figure = new_figure(10.0, 3.6)
        axes = figure.subplots(1, 2)
        figure.subplots_adjust(left=0.07, right=0.985, top=0.9, bottom=0.15, wspace=0.22)
        ranges = np.array([one.range_m for one in good])
        place = np.array([[1e3 * one.place_m, 1e3 * one.sigma_m] for one in good]).reshape(-1, 2)
        turn = np.degrees(np.array([[one.turn_rad, one.sigma_rad] for one in good]).reshape(-1, 2))
        wrong = np.array([one.wrong for one in good], np.bool_)
        for ax, values, title in ((axes[0], place, "Place [mm]"), (axes[1], turn, "Attitude [deg]")):
            _panel(ax, ranges, values, wrong, title)
        axes[0].legend(loc="best")
    return figure


def _panel(ax: Any, ranges: Any, values: Any, wrong: Any, title: str) -> None:
    ax.plot(ranges, values[:, 1], ".", color=GREY, ms=4, label="claimed, one sigma, widest axis")
    if np.isfinite(values[:, 0]).any():
        ax.plot(ranges[~wrong], values[~wrong, 0], ".", color=ROBOT1, ms=5, label="error")
        if wrong.any():
            ax.plot(ranges[wrong], values[wrong, 0], "x", color=BAD, ms=6, label="wrong, accepted")
    if len(ranges):
        ax.set_xscale("log")
        ax.set_yscale("log")
    ax.set_xlabel("range [m]")
    ax.set_title(title)
