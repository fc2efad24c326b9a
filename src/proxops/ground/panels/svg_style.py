"""Colours, lines, symbols and words in SVG's own terms."""

from __future__ import annotations

from html import escape
from typing import Final

from proxops.ground.panels.items import Across, LineStyle, Mark
from proxops.ground.plot_style import INK

UNIT: Final = 10.0  # of the picture, per point


def units(points: float) -> str:
    """As a whole number."""
    return str(round(UNIT * points))


def paint(what: str, colour: str, alpha: float = 1.0) -> str:
    """Attributes of a stroke or of a fill."""
    return f' {what}="{colour}"' + (f' {what}-opacity="{alpha:.3g}"' if alpha < 1.0 else "")


def line_style(look: LineStyle) -> str:
    """Attributes of a line."""
    dash = " ".join(units(part * look.width) for part in look.dash)
    dashes = f' stroke-dasharray="{dash}"' if dash else ""
    return f'{paint("stroke", look.colour, look.alpha)} stroke-width="{units(look.width)}"{dashes}'


def symbol(mark: Mark, x: float, y: float) -> str:
    """A mark at a place in units."""
    half = 0.5 * UNIT * mark.size
    style = paint("fill", mark.fill or mark.colour) + line_style(LineStyle(mark.colour, mark.width))
    if mark.symbol == "circle":
        return f'<circle cx="{x:.0f}" cy="{y:.0f}" r="{half:.0f}"{style}/>'
    if mark.symbol == "cross":
        d = f"M{x - half:.0f} {y - half:.0f}l{2 * half:.0f} {2 * half:.0f}m0 {-2 * half:.0f}l{-2 * half:.0f} {2 * half:.0f}"
    elif mark.symbol == "square":
        d = f"M{x - half:.0f} {y - half:.0f}h{2 * half:.0f}v{2 * half:.0f}h{-2 * half:.0f}z"
    else:
        reach = 1.41 * half
        d = f"M{x:.0f} {y - reach:.0f}l{reach:.0f} {reach:.0f}l{-reach:.0f} {reach:.0f}l{-reach:.0f} {-reach:.0f}z"
    return f'<path d="{d}"{style}/>'


def written(
    text: str, x: float, y: float, size: float, *, across: Across = "start", colour: str = INK, bold: bool = False,
    more: str = "",
) -> str:  # fmt: skip
    """Words at a place in units; ``size`` in points."""
    anchor = f' text-anchor="{across}"' if across != "start" else ""
    weight = ' font-weight="bold"' if bold else ""
    look = f'{paint("fill", colour)} font-size="{units(size)}"{anchor}{weight}{more}'
    return f'<text x="{x:.0f}" y="{y:.0f}"{look}>{escape(text, quote=False)}</text>'
