"""How our plots look: colours, thin axes, curves thinned to what can be seen, and files that are the same for the same log."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.ground.wordless_import import wordless_import

Floats = NDArray[np.float64]

INK: Final = "#1b2733"  # text and commanded curves; the report turns it into the colour of its own text
GREY: Final = "#8a949e"
ROBOT1: Final = "#2b7fd4"
ROBOT2: Final = "#e0730d"
RAIL: Final = "#2a9d5c"
BAD: Final = "#d1342f"
POINTS: Final = 4000
FORMATS: Final[dict[str, dict[str, Any]]] = {
    ".png": {},
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""Kinds of files, with what keeps the time of writing out of them."""

RC: Final[dict[str, Any]] = {
    "svg.hashsalt": "proxops",
    "svg.fonttype": "none",
    "font.size": 9.0,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.titlelocation": "left",
    "axes.labelsize": 8.5,
    "xtick.labelsize": 8.0,
    "ytick.labelsize": 8.0,
    "legend.fontsize": 8.0,
    "legend.frameon": False,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.grid": True,
    "grid.color": GREY,
    "grid.alpha": 0.28,
    "grid.linewidth": 0.6,
    "axes.linewidth": 0.7,
    "axes.edgecolor": GREY,
    "axes.facecolor": "none",
    "axes.formatter.useoffset": False,
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "lines.linewidth": 1.5,
    "lines.solid_joinstyle": "round",
}


def styled() -> Any:
    """Our style as a ``with`` block, for making and for saving figures."""
    import matplotlib

    return matplotlib.rc_context(RC)


def new_figure(width: float, height: float) -> Any:
    """A figure of its own, without pyplot's global state. Inches."""
    with wordless_import():
        from proxops.ground.plot_sheet import PlotSheet

    return PlotSheet(figsize=(width, height), facecolor="white")


def thin(t: Floats, y: Floats, points: int = POINTS) -> tuple[Floats, Floats]:
    """At most ``points`` of a curve: the lowest and the highest of each stretch, so that no peak is lost."""
    if y.size <= points:
        return t, y
    width = -(-y.size // max(points // 2 - 1, 1))
    padded = np.append(y, np.full(-y.size % width, y[-1])).reshape(-1, width)
    starts = width * np.arange(len(padded))
    peaks = [np.minimum(starts + peak, y.size - 1) for peak in (padded.argmin(axis=1), padded.argmax(axis=1))]
    keep = np.unique(np.concatenate([*peaks, [0, y.size - 1]]))
    return t[keep], y[keep]


def crest(t: Floats, y: Floats, points: int) -> tuple[Floats, Floats]:
    """The greatest value of each of ``points`` stretches: a quiet curve of how large something noisy gets. NaN where a
    stretch holds nothing else."""
    if y.size <= points:
        return t, y
    starts = np.linspace(0, y.size, points + 1).astype(int)[:-1]
    return t[starts], np.fmax.reduceat(y, starts)


def in_decades(axes: Any) -> None:
    """Logarithmic, from one power of ten to another, so that no labels are squeezed between them."""
    axes.set_yscale("log")
    low, high = (np.log10(y) for y in axes.get_ylim())
    bottom = np.floor(low + 0.05)
    axes.set_ylim(10.0**bottom, 10.0 ** max(np.ceil(high - 0.05), bottom + 1.0))
    axes.yaxis.set_major_formatter("{x:g}")
    axes.yaxis.set_minor_formatter("")


def checked_suffix(out: Path) -> str:
    """The kind of picture that a file name asks for; BadInput when it is none that we write."""
    suffix = out.suffix.lower()
    if suffix not in FORMATS:
        raise BadInput("no such kind of picture", where=str(out), value=repr(out.suffix), bound=", ".join(FORMATS))
    return suffix


def save(figure: Any, out: Path) -> None:
    """Write a figure as its suffix says."""
    try:
        with styled():
            figure.savefig(out, dpi=130, **FORMATS[checked_suffix(out)])
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(out)) from reason
