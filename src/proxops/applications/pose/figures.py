"""Errors of accepted poses against range, with what estimators claim."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.ticker import LogLocator, NullLocator

from proxops.applications.pose.statistics import PoseJudgement
from proxops.ground.plot_style import BAD, GREY, ROBOT1, in_decades, new_figure, styled


def draw_errors(judged: Sequence[PoseJudgement]) -> Any:
    """Place and attitude, each over the range; without truth only the claims."""
    good = [one for one in judged if one.accepted and np.isfinite(one.range_m) and one.range_m > 0.0]
    with styled():
        figure = new_figure(10.0, 3.8)
        axes = figure.subplots(1, 2)
        figure.subplots_adjust(left=0.07, right=0.985, top=0.9, bottom=0.15, wspace=0.22)
        ranges = np.array([one.range_m for one in good])
        place = np.array([[1e3 * one.place_m, 1e3 * one.sigma_m] for one in good]).reshape(-1, 2)
        turn = np.degrees(np.array([[one.turn_rad, one.sigma_rad] for one in good]).reshape(-1, 2))
        wrong = np.array([one.wrong for one in good], np.bool_)
        _panel(axes[0], ranges, place, wrong, "Place [mm]", 0.01)
        _panel(axes[1], ranges, turn, wrong, "Attitude [deg]", 0.001)
        axes[0].legend(
            loc="lower right",
            bbox_to_anchor=(1.0, 0.995),
            ncol=3,
            borderaxespad=0.1,
            columnspacing=1.0,
            handletextpad=0.2,
        )
    return figure


def _panel(ax: Any, ranges: Any, values: Any, wrong: Any, title: str, least: float) -> None:
    """``least``: what is smaller is drawn there."""
    values = np.maximum(values, least)
    ax.plot(ranges, values[:, 1], ".", color=GREY, ms=4, label="claimed, one sigma")
    if np.isfinite(values[:, 0]).any():
        ax.plot(ranges[~wrong], values[~wrong, 0], ".", color=ROBOT1, ms=5, label="error")
        if wrong.any():
            ax.plot(ranges[wrong], values[wrong, 0], "x", color=BAD, ms=6, label="wrong, accepted")
    ax.set_xscale("log")
    ax.xaxis.set_major_locator(LogLocator(subs=(1.0, 1.5, 2.0, 3.0, 5.0, 7.0)))
    ax.xaxis.set_minor_locator(NullLocator())
    ax.xaxis.set_major_formatter("{x:g}")
    in_decades(ax)
    ax.set_xlabel("range [m]")
    ax.set_title(title)
