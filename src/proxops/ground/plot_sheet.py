"""A figure whose axes draw their ticks at once.

Matplotlib makes five artists for every tick and draws one after the other: half of the time of a page. Here the first tick of
an axis draws all of them: one path of grid lines, one row of marks, one label at a time. What is seen stays the same.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.axis import XAxis, YAxis
from matplotlib.figure import Figure
from matplotlib.ticker import NullLocator
from numpy.typing import NDArray

Floats = NDArray[np.float64]
CLOSE = 1e-10  # of the axis: a tick at its very end belongs to it


class TicksAtOnce:
    """What the x axis and the y axis have in common; beside one of Matplotlib's."""

    axis_name: str
    _boxes: tuple[list[Any], list[Any]] | None = None  # round the labels of both sides, while the axis is drawn
    _drawing: list[Any]

    def set_clip_path(self: Any, path: Any, transform: Any = None) -> None:
        """Without making ticks for it: what is clipped are grid lines, when they are drawn."""
        Artist.set_clip_path(self, path, transform)

    def set_tick_params(self: Any, which: Any = "major", reset: bool = False, **look: Any) -> None:
        """Without making ticks for it: those that are made later know their look, and most axes have no minor ones."""
        unmade = [name for name in ("majorTicks", "minorTicks") if name not in self.__dict__]
        self.__dict__.update({name: [] for name in unmade})
        whole: Any = super()
        whole.set_tick_params(which, reset, **look)
        for name in unmade:
            self.__dict__.pop(name, None)

    def draw(self: Any, renderer: Any) -> None:
        """Grid lines, marks and labels, then the name of the axis."""
        if not self.get_visible():
            return
        renderer.open_group("matplotlib.axis", gid=self.get_gid())
        groups = list(self._shown())  # formatters know their offset from now on
        self._boxes, self._drawing = ([], []), [tick for tick, _, _ in groups]
        self.offsetText.set_text(self.major.formatter.get_offset())
        measured = bool(self.offsetText.get_text() or (self._autolabelpos and self.label.get_text()))
        for tick, places, labels in groups:
            self._draw_lines(renderer, tick, places)
            self._draw_labels(renderer, tick, places, labels, measured)
        self._update_label_position(renderer)
        self.label.draw(renderer)
        self._update_offset_text_position(*self._boxes)
        self.offsetText.draw(renderer)
        self._boxes = None
        renderer.close_group("matplotlib.axis")
        self.stale = False

    def _shown(self: Any) -> Iterator[tuple[Any, Floats, list[str]]]:
        """Major and minor: the tick that draws them, where they are in view, their labels."""
        to_paper = self.get_transform().transform
        low, high = sorted(to_paper(np.sort(self.get_view_interval())).tolist())
        slack = CLOSE * (high - low)
        for major, ticker in ((True, self.major), (False, self.minor)):
            if isinstance(ticker.locator, NullLocator):
                continue
            places = np.asarray(self.get_majorticklocs() if major else self.get_minorticklocs(), np.float64)
            labels = ticker.formatter.format_ticks(places)
            on_paper = to_paper(places)
            seen = np.flatnonzero((on_paper >= low - slack) & (on_paper <= high + slack))
            if seen.size:
                yield (self.majorTicks if major else self.minorTicks)[0], places[seen], [labels[i] for i in seen]

    def _draw_lines(self: Any, renderer: Any, tick: Any, places: Floats) -> None:
        if tick.gridline.get_visible():
            tick.gridline.set_clip_path(self.axes.patch)
            across, along = np.tile([0.0, 1.0, np.nan], places.size), np.repeat(places, 3)
            self._draw_line(renderer, tick.gridline, along, across)
        for line, side in ((tick.tick1line, 0.0), (tick.tick2line, 1.0)):
            if line.get_visible():
                self._draw_line(renderer, line, places, np.full(places.size, side))

    def _draw_line(self, renderer: Any, line: Any, along: Floats, across: Floats) -> None:
        line.set_data(*((along, across) if self.axis_name == "x" else (across, along)))
        line.draw(renderer)

    def _draw_labels(self: Any, renderer: Any, tick: Any, places: Floats, words: list[str], measured: bool) -> None:
        """``measured``: the name of the axis, or its common factor, stands beside them."""
        for label, boxes in zip((tick.label1, tick.label2), self._boxes, strict=True):
            if not label.get_visible():
                continue
            for place, word in zip(places.tolist(), words, strict=True):
                if not word:
                    continue
                label.set(**{self.axis_name: place, "text": word})
                label.draw(renderer)
                if measured:
                    boxes.append(label.get_window_extent(renderer))

    def _get_tick_boxes_siblings(self: Any, renderer: Any) -> Any:
        """Matplotlib asks for them where it places the name of the axis: while we draw, they are known."""
        whole: Any = super()
        return whole._get_tick_boxes_siblings(renderer) if self._boxes is None else self._boxes

    def _update_ticks(self: Any) -> Any:
        """Matplotlib asks for them where it looks how far ticks reach out."""
        whole: Any = super()
        return whole._update_ticks() if self._boxes is None else self._drawing


class QuickXAxis(TicksAtOnce, XAxis):
    """Of ``QuickAxes``."""


class QuickYAxis(TicksAtOnce, YAxis):
    """Of ``QuickAxes``."""


class QuickAxes(Axes):
    """Rectangular axes for the report."""

    def _init_axis(self: Any) -> None:
        self.xaxis, self.yaxis = QuickXAxis(self, clear=False), QuickYAxis(self, clear=False)
        for axis, sides in ((self.xaxis, ("bottom", "top")), (self.yaxis, ("left", "right"))):
            for side in sides:
                self.spines[side].register_axis(axis)

    def _update_title_position(self: Any, renderer: Any) -> None:
        """Nothing is in the way of a title but the common factor of the labels below it."""
        formatter = self.yaxis.major.formatter
        formatter.set_locs(self.yaxis.get_majorticklocs())
        if formatter.get_offset():
            whole: Any = super()
            whole._update_title_position(renderer)


class PlotSheet(Figure):
    """A figure with ``QuickAxes``, unless a projection is asked for."""

    def add_subplot(self, *place: Any, **options: Any) -> Any:
        return super().add_subplot(*place, **_quick(options))

    def add_axes(self, *place: Any, **options: Any) -> Any:
        return super().add_axes(*place, **_quick(options))


def _quick(options: dict[str, Any]) -> dict[str, Any]:
    return options if "projection" in options else {"axes_class": QuickAxes, **options}
