"""A sheet drawn by Matplotlib, for files that are no SVG: the same limits and ticks, at the same places."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from proxops.ground.panels.axis import Axis
from proxops.ground.panels.items import Curve, Floats, Item, LineStyle, Mark, Raster, Region, Words
from proxops.ground.panels.panel import Panel
from proxops.ground.panels.sheet import Key, Sheet
from proxops.ground.panels.svg import ticks_of
from proxops.ground.plot_style import new_figure, styled

SYMBOLS: Final = {"circle": "o", "square": "s", "diamond": "D", "cross": "x"}
SIDES: Final = {"start": "left", "middle": "center", "end": "right"}
HEIGHTS: Final = {"bottom": "baseline", "middle": "center", "top": "top"}


def matplotlib_figure(sheet: Sheet) -> Any:
    """All of it."""
    with styled():
        figure = new_figure(sheet.width, sheet.height)
        for panel in sheet.panels:
            _draw_panel(figure.add_axes(tuple(panel.box)), panel, sheet)
        figure.align_ylabels()
        for words in sheet.words:
            figure.text(*words.at, words.text, **_letters(words))
        for key in sheet.keys:
            _draw_key(figure, key)
        return figure


def line_options(look: LineStyle) -> dict[str, Any]:
    """A style in Matplotlib's words."""
    style = (0, look.dash) if look.dash else "-"
    return {"color": look.colour, "lw": look.width, "ls": style, "alpha": look.alpha, "zorder": look.z}


def _draw_panel(axes: Any, panel: Panel, sheet: Sheet) -> None:
    for name, axis in (("x", panel.x), ("y", panel.y)):
        getattr(axes, f"set_{name}scale")("log" if axis.log else "linear")
        getattr(axes, f"set_{name}lim")(*axis.range)
    for item in panel.items:
        _draw(axes, panel, item)
    for name, (axis, ticks) in zip("xy", zip((panel.x, panel.y), ticks_of(panel, sheet), strict=True), strict=True):
        words = ticks.words if axis.worded else [""] * len(ticks.places)
        getattr(axes, f"set_{name}ticks")(ticks.places, words)
        getattr(axes, f"set_{name}ticks")(ticks.between, [""] * len(ticks.between), minor=True)
        axes.grid(axis.grid, axis=name)
        getattr(axes, f"set_{name}label")(axis.label)
        getattr(axes, f"set_{name}lim")(*axis.range)
    if panel.y.right:
        axes.yaxis.tick_right()
        axes.yaxis.set_label_position("right")
    axes.set_title(panel.title)
    if panel.bare:
        axes.axis("off")
    if panel.legend:
        above = panel.legend.corner == "above"
        place = {"loc": "lower right", "bbox_to_anchor": (1.0, 0.97)} if above else {"loc": panel.legend.corner}
        axes.legend(ncol=panel.legend.columns, **place)


def _draw(axes: Any, panel: Panel, item: Item) -> None:
    match item:
        case Curve():
            x, y = _inside(panel.x, item.x), _inside(panel.y, item.y)
            axes.plot(x, y, label=item.label, clip_on=item.clipped, **line_options(item.look))
        case Region():
            _fill(axes, panel, item)
        case Mark():
            axes.plot(
                *item.at, SYMBOLS[item.symbol], ms=item.size, mfc=item.fill or item.colour, mec=item.colour,
                mew=item.width, label=item.label, zorder=item.z, clip_on=False,
            )  # fmt: skip
        case Words():
            transform = axes.get_xaxis_transform() if item.share[1] else axes.transData
            axes.annotate(
                item.text, tuple(item.at), xytext=item.shift, textcoords="offset points",
                xycoords=axes.transAxes if all(item.share) else transform, zorder=item.z, **_letters(item),
            )  # fmt: skip
        case Raster():
            axes.imshow(item.cells, extent=(*panel.x.range, *panel.y.range), aspect="auto", zorder=item.z)


def _fill(axes: Any, panel: Panel, item: Region) -> None:
    """One patch after the other."""
    from matplotlib.patches import Polygon

    x, y = _inside(panel.x, item.x), _inside(panel.y, item.y)
    gaps = np.flatnonzero(np.isnan(x))
    for k, (px, py) in enumerate(zip(np.split(x, gaps), np.split(y, gaps), strict=True)):
        points = np.stack([px, py], axis=1)[np.isfinite(px)]
        if len(points):
            edge = {"ec": item.edge.colour, "lw": item.edge.width} if item.edge else {"lw": 0}
            label = "" if k else item.label
            axes.add_artist(
                Polygon(points, fc=item.colour, alpha=item.alpha, zorder=item.z, clip_on=item.clipped, **edge)
            )
            if label:
                axes.fill([], [], fc=item.colour, alpha=item.alpha, lw=0, label=label)


def _inside(axis: Axis, values: Floats) -> Floats:
    """Infinities at the panel's edges."""
    low, high = min(axis.range), max(axis.range)
    out: Floats = np.where(np.isposinf(values), high, np.where(np.isneginf(values), low, values))
    return out


def _letters(words: Words) -> dict[str, Any]:
    weight = "bold" if words.bold else "normal"
    return {
        "fontsize": words.size, "color": words.colour, "ha": SIDES[words.across], "va": HEIGHTS[words.up], "weight": weight
    }  # fmt: skip


def _draw_key(figure: Any, key: Key) -> None:
    from matplotlib.lines import Line2D
    from matplotlib.patches import Patch

    handles = [
        Patch(color=sample.look.colour, alpha=sample.alpha, lw=0, label=sample.label)
        if sample.patch
        else Line2D([], [], label=sample.label, **line_options(sample.look))
        for sample in key.samples
    ]
    figure.legend(
        handles=handles, ncol=len(handles), loc=f"upper {key.side}", bbox_to_anchor=(key.x, key.y), borderaxespad=0.0,
        borderpad=0.0,
    )  # fmt: skip
