"""Axes that draw their ticks at once show what Matplotlib's own axes show, to the pixel."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pytest
from matplotlib.figure import Figure
from PIL import Image

from proxops.ground.plot_sheet import PlotSheet, QuickAxes
from proxops.ground.plot_style import in_decades, new_figure, styled


def pixels(figure: Any) -> Any:
    buffer = io.BytesIO()
    figure.savefig(buffer, format="png", dpi=100)
    return np.asarray(Image.open(buffer).convert("RGB"))


def plain(panel: Any) -> None:
    panel.plot([0.0, 1.0, 2.0], [1.0, -3.0, 2.0])
    panel.set(xlabel="time [s]", ylabel="value [m]", title="A title")


def logarithmic(panel: Any) -> None:
    panel.plot([0.0, 1.0, 2.0], [1e-4, 3.0, 2.0])
    in_decades(panel)
    panel.set_title("in decades")


def with_minor_labels(panel: Any) -> None:
    panel.plot([0.0, 1.0], [2.0, 7.0])
    panel.set(yscale="log", ylabel="within one decade")


def with_common_factor(panel: Any) -> None:
    """It stands where a title would be."""
    panel.plot([0.0, 1e7], [1e-9, 3e-9])
    panel.set_title("out of its way")


def upside_down(panel: Any) -> None:
    panel.plot([0.0, 1.0], [0.0, 5.0])
    panel.set_ylim(5.0, 0.0)
    panel.tick_params(labelbottom=False)


def named(panel: Any) -> None:
    panel.barh(range(3), [1.0, 2.0, 3.0])
    panel.set_yticks(range(3), ["rail", "robot 1", "robot 2"])
    panel.grid(axis="y", visible=False)


def on_both_sides(panel: Any) -> None:
    panel.plot([0.0, 1.0], [0.0, 5.0])
    panel.tick_params(right=True, top=True, labelright=True)


PANELS = (plain, logarithmic, with_minor_labels, with_common_factor, upside_down, named, on_both_sides)


@pytest.mark.parametrize("draw", PANELS)
def test_nothing_looks_different(draw: Any) -> None:
    seen = []
    with styled():
        for kind in (Figure, PlotSheet):
            figure = kind(figsize=(3.0, 2.0), facecolor="white")
            draw(figure.add_axes((0.25, 0.25, 0.6, 0.5)))
            seen.append(pixels(figure))
    assert isinstance(figure.axes[0], QuickAxes) and np.ptp(seen[0]) > 100
    np.testing.assert_array_equal(*seen)


def test_ticks_are_drawn_by_one() -> None:
    with styled():
        figure = new_figure(4.0, 2.0)
        panel = figure.add_subplot()
        panel.plot([0.0, 1.0, 2.0], [1.0, 0.0, 1.0])
        pixels(figure)
    assert len(panel.get_xticks()) > 3 and len(panel.xaxis.majorTicks) == 1


def test_three_dimensions_keep_their_own_axes() -> None:
    assert new_figure(2.0, 2.0).add_subplot(projection="3d").name == "3d"
