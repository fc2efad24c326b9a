"""A sheet as SVG. Its unit is a tenth of a point: whole numbers are as fine as any screen shows."""

from __future__ import annotations

import base64
import io
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape
from typing import Final

import numpy as np

from proxops.ground.panels.axis import Axis
from proxops.ground.panels.items import Curve, Floats, Item, LineStyle, Mark, Point, Raster, Region, Words
from proxops.ground.panels.letters import FAMILY, width_of
from proxops.ground.panels.panel import Panel
from proxops.ground.panels.sheet import Sheet
from proxops.ground.panels.svg_legend import key, legend
from proxops.ground.panels.svg_path import path_data
from proxops.ground.panels.svg_style import UNIT, line_style, paint, symbol, units, written
from proxops.ground.panels.ticks import Ticks
from proxops.ground.plot_style import GREY, INK

TICK_SIZE: Final = 8.0  # points, as all of these
LABEL_SIZE: Final = 8.5
TITLE_SIZE: Final = 9.5
TICK: Final = 3.5
SHORT_TICK: Final = 2.0
PAD: Final = 3.5
LABEL_PAD: Final = 6.0
X_LABEL_PAD: Final = 4.5
TITLE_PAD: Final = 6.0
ASCENT: Final = 0.76  # of the letters' size
MIDDLE: Final = 0.36
FRAME: Final = LineStyle(GREY, 0.7)
GRID: Final = LineStyle(GREY, 0.6, alpha=0.28)
APART: Final = 1.25  # widths of a word from one tick to the next


@dataclass(frozen=True)
class _Plot:
    """A panel with its place on the picture: points from the upper left corner."""

    panel: Panel
    left: float
    top: float
    width: float
    height: float

    def x(self, values: Floats) -> Floats:
        out: Floats = UNIT * (self.left + self.width * self.panel.x.shares(values))
        return out

    def y(self, values: Floats) -> Floats:
        out: Floats = UNIT * (self.top + self.height * (1.0 - self.panel.y.shares(values)))
        return out

    def at(self, point: Point) -> tuple[float, float]:
        x, y = np.asarray(point, np.float64)[:, None]
        return float(self.x(x)[0]), float(self.y(y)[0])

    def x_ticks(self) -> Ticks:
        room = int(self.width / (3.0 * TICK_SIZE))
        ticks = self.panel.x.ticks(room)
        while room > 1 and self.panel.x.places is None and _crowded(ticks, self.panel.x, self.width):
            room -= 1
            ticks = self.panel.x.ticks(room)
        return ticks

    def y_ticks(self) -> Ticks:
        return self.panel.y.ticks(int(self.height / (2.0 * TICK_SIZE)))


def _crowded(ticks: Ticks, axis: Axis, length: float) -> bool:
    if len(ticks.places) < 2 or not axis.worded:
        return False
    places = length * np.abs(np.diff(axis.shares(np.array(ticks.places))))
    return bool(places.min() < APART * max(width_of(word, TICK_SIZE) for word in ticks.words))


def svg_of(sheet: Sheet, *, ink: str = "currentColor") -> str:
    """``ink``: the colour that takes the place of INK. Its size is left to the page."""
    width, height = 72.0 * sheet.width, 72.0 * sheet.height
    plots = [_placed(panel, width, height) for panel in sheet.panels]
    words_left = _beside_ticks(plots)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {units(width)} {units(height)}" fill="none"',
        f' font-family="{FAMILY}" font-size="{units(TICK_SIZE)}" stroke-linejoin="round" style="white-space:pre">',
        *(part for plot in plots for part in _plot(plot, words_left[round(plot.left)])),
        *(part for shown in sheet.keys for part in key(shown, width, height)),
        *(_words(words, UNIT * width * words.at[0], UNIT * height * (1.0 - words.at[1])) for words in sheet.words),
        "</svg>",
    ]
    return "".join(parts).replace(INK, ink)


def svg_file(sheet: Sheet) -> str:
    """As a file of its own, on white paper."""
    body = svg_of(sheet, ink=INK)
    size = f'width="{72.0 * sheet.width:g}pt" height="{72.0 * sheet.height:g}pt"'
    head, rest = body.split(">", 1)
    paper = '<path d="M0 0h99999v99999h-99999z" fill="#fff"/>'
    return f'<?xml version="1.0" encoding="utf-8"?>\n{head} {size}>{paper}{rest}\n'


def ticks_of(panel: Panel, sheet: Sheet) -> tuple[Ticks, Ticks]:
    """Of both axes, as many as there is room for."""
    plot = _placed(panel, 72.0 * sheet.width, 72.0 * sheet.height)
    return plot.x_ticks(), plot.y_ticks()


def _placed(panel: Panel, width: float, height: float) -> _Plot:
    left, bottom, wide, high = panel.box
    return _Plot(panel, left * width, (1.0 - bottom - high) * height, wide * width, high * height)


def _beside_ticks(plots: Iterable[_Plot]) -> dict[int, float]:
    """How far names of y axes stand from panels that begin there: one below the other, beside the widest words of all."""
    widest: dict[int, float] = {}
    for plot in plots:
        words = plot.y_ticks().words if plot.panel.y.worded and not plot.panel.bare else []
        wide = max((width_of(word, TICK_SIZE) for word in words), default=0.0)
        widest[round(plot.left)] = max(widest.get(round(plot.left), 0.0), wide)
    return {left: TICK + PAD + wide + LABEL_PAD for left, wide in widest.items()}


def _plot(plot: _Plot, label_at: float) -> Iterator[str]:
    """Grid, what is drawn, frame and words, and on top what may stick out."""
    panel = plot.panel
    items = sorted(panel.items, key=lambda item: item.z)
    inside = [item for item in items if isinstance(item, Raster | Curve | Region) and getattr(item, "clipped", True)]
    if not panel.bare:
        yield from _grid(plot)
    if inside:
        x, y, width, height = (units(number) for number in (plot.left, plot.top, plot.width, plot.height))
        yield f'<svg x="{x}" y="{y}" width="{width}" height="{height}" viewBox="{x} {y} {width} {height}">'
        yield from (_item(plot, item) for item in inside)
        yield "</svg>"
    if not panel.bare:
        yield from _frame(plot)
        yield from _labels(plot, label_at)
    yield from (_item(plot, item) for item in items if item not in inside)
    if panel.title:
        yield written(panel.title, UNIT * plot.left, UNIT * (plot.top - TITLE_PAD), TITLE_SIZE, bold=True)
    if panel.legend:
        yield from legend(panel, plot.left, plot.top, plot.width, plot.height)


def _item(plot: _Plot, item: Item) -> str:
    match item:
        case Curve():
            return f'<path d="{path_data(plot.x(item.x), plot.y(item.y))}"{line_style(item.look)}/>'
        case Region():
            d = path_data(plot.x(item.x), plot.y(item.y), closed=True)
            edge = line_style(item.edge) if item.edge else ""
            return f'<path d="{d}"{paint("fill", item.colour, item.alpha)}{edge}/>'
        case Mark():
            return symbol(item, *plot.at(item.at))
        case Words():
            x, y = plot.at(item.at)
            x = UNIT * (plot.left + plot.width * item.at[0]) if item.share[0] else x
            y = UNIT * (plot.top + plot.height * (1.0 - item.at[1])) if item.share[1] else y
            return _words(item, x, y)
        case Raster():
            return _raster(plot, item)


def _raster(plot: _Plot, item: Raster) -> str:
    from PIL import Image

    buffer = io.BytesIO()
    Image.fromarray(item.cells).save(buffer, format="PNG", optimize=True)
    x, y, width, height = (units(number) for number in (plot.left, plot.top, plot.width, plot.height))
    return (
        f'<image x="{x}" y="{y}" width="{width}" height="{height}" preserveAspectRatio="none" '
        f'style="image-rendering:pixelated" href="data:image/png;base64,{base64.b64encode(buffer.getvalue()).decode()}"/>'
    )


def _words(words: Words, x: float, y: float) -> str:
    up = {"bottom": 0.0, "middle": MIDDLE, "top": ASCENT}[words.up] * words.size
    at = x + UNIT * words.shift[0], y + UNIT * (up - words.shift[1])
    return written(words.text, *at, words.size, across=words.across, colour=words.colour, bold=words.bold)


def _grid(plot: _Plot) -> Iterator[str]:
    """Lines through all ticks, in one path."""
    left, top, width, height = (units(number) for number in (plot.left, plot.top, plot.width, plot.height))
    lines = [f"M{units(x)} {top}v{height}" for x in _tick_places(plot, "x")] if plot.panel.x.grid else []
    lines += [f"M{left} {units(y)}h{width}" for y in _tick_places(plot, "y")] if plot.panel.y.grid else []
    if lines:
        yield f'<path d="{"".join(lines)}"{line_style(GRID)}/>'


def _tick_places(plot: _Plot, name: str, *, between: bool = False) -> list[float]:
    """Points on the picture."""
    ticks = plot.x_ticks() if name == "x" else plot.y_ticks()
    places = np.array(ticks.between if between else ticks.places)
    return [place / UNIT for place in (plot.x(places) if name == "x" else plot.y(places)).tolist()]


def _frame(plot: _Plot) -> Iterator[str]:
    """Left and bottom edge with their ticks."""
    left, bottom = plot.left, plot.top + plot.height
    side, away = (left + plot.width, TICK) if plot.panel.y.right else (left, -TICK)
    parts = [] if plot.panel.y.right else [
        f"M{units(left)} {units(plot.top)}V{units(bottom)}H{units(left + plot.width)}"
    ]  # fmt: skip
    if not plot.panel.y.right:
        for between, size in ((False, TICK), (True, SHORT_TICK)):
            parts += [f"M{units(x)} {units(bottom)}v{units(size)}" for x in _tick_places(plot, "x", between=between)]
    for between, size in ((False, away), (True, away * SHORT_TICK / TICK)):
        parts += [f"M{units(side)} {units(y)}h{units(size)}" for y in _tick_places(plot, "y", between=between)]
    if parts:
        yield f'<path d="{"".join(parts)}"{line_style(FRAME)}/>'


def _labels(plot: _Plot, label_at: float) -> Iterator[str]:
    """Words at the ticks and names of the axes."""
    x, y, bottom = plot.panel.x, plot.panel.y, plot.top + plot.height
    if x.worded:
        yield from _tick_words(
            plot.x_ticks().words, _tick_places(plot, "x"), bottom + TICK + PAD + ASCENT * TICK_SIZE, "x"
        )
    if y.worded:
        side = plot.left + plot.width + TICK + PAD if y.right else plot.left - TICK - PAD
        yield from _tick_words(plot.y_ticks().words, _tick_places(plot, "y"), side, "right" if y.right else "left")
    if x.label:
        down = TICK + PAD + TICK_SIZE + X_LABEL_PAD + ASCENT * LABEL_SIZE
        yield written(
            x.label, UNIT * (plot.left + 0.5 * plot.width), UNIT * (bottom + down), LABEL_SIZE, across="middle"
        )
    if y.label:
        wide = max((width_of(word, TICK_SIZE) for word in plot.y_ticks().words), default=0.0)
        right = plot.left + plot.width + TICK + PAD + wide + LABEL_PAD + ASCENT * LABEL_SIZE
        across = right if y.right else plot.left - label_at
        middle = plot.top + 0.5 * plot.height
        turned = f' transform="rotate(-90 {units(across)} {units(middle)})"'
        yield written(y.label, UNIT * across, UNIT * middle, LABEL_SIZE, across="middle", more=turned)


def _tick_words(words: list[str], places: list[float], other: float, side: str) -> Iterator[str]:
    """One group for all of them."""
    anchor = {"x": "middle", "left": "end", "right": "start"}[side]
    yield f'<g text-anchor="{anchor}"{paint("fill", INK)}>'
    for word, place in zip(words, places, strict=True):
        if word:
            x, y = (place, other) if side == "x" else (other, place + MIDDLE * TICK_SIZE)
            yield f'<text x="{units(x)}" y="{units(y)}">{escape(word, quote=False)}</text>'
    yield "</g>"
