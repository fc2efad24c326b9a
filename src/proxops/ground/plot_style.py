"""How our plots look: colours, thin axes, the band of modes, and files that are the same for the same log."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any, Final, NamedTuple

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.vocabulary import Mode
from proxops.ground.recorded import Floats, ModeSpan
from proxops.ground.wordless_import import wordless_import

INK: Final = "#1b2733"  # text and commanded curves; the report turns it into the colour of its own text
GREY: Final = "#8a949e"
ROBOT1: Final = "#2b7fd4"
ROBOT2: Final = "#e0730d"
RAIL: Final = "#2a9d5c"
BAD: Final = "#d1342f"
COMMANDED: Final[dict[str, Any]] = {"color": INK, "lw": 0.8, "ls": (0, (4, 2.5)), "zorder": 3}
POINTS: Final = 4000
FORMATS: Final[dict[str, dict[str, Any]]] = {
    ".png": {},
    ".svg": {"metadata": {"Date": None}},
    ".pdf": {"metadata": {"CreationDate": None}},
}
"""Kinds of files, with what keeps the time of writing out of them."""

MODE_COLOURS: Final = {
    Mode.STANDBY: "#a7b0b8",
    Mode.READY: "#8fb3cf",
    Mode.MANUAL: "#9a7fd1",
    Mode.SINE: "#4fb3b8",
    Mode.ARMED: "#d8c458",
    Mode.MOVING_TO_START: "#e3a857",
    Mode.AT_START: "#c9b18a",
    Mode.RUNNING: "#5cb270",
    Mode.STOPPING: "#e5734d",
    Mode.STOPPED: "#d1342f",
    Mode.RELEASING: "#b9c3a0",
    Mode.ENDING: "#a9d0b0",
    Mode.BRIDGED: "#5cb270",
    Mode.HALTING: "#e5734d",
}
SHORT_NAMES: Final = {
    Mode.MOVING_TO_START: "to start",
    Mode.STOPPED: "stop",
    Mode.STOPPING: "stop",
    Mode.MANUAL: "jog",
}
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


class Piece(NamedTuple):
    """A stretch of a band: its time, colour, and names from long to short."""

    begin: float
    end: float
    colour: str
    names: tuple[str, ...] = ()


def band(axes: Any, pieces: Iterable[Piece], span: tuple[float, float]) -> None:
    """A strip of coloured stretches; one too short for its name gets a shorter one or none."""
    from matplotlib.patches import Rectangle

    axes.set(xlim=span, ylim=(0, 1))
    axes.axis("off")
    letters = 14.0 * axes.get_position().width * axes.figure.get_figwidth()  # that fit into the strip
    for piece in pieces:
        begin, end = max(piece.begin, span[0]), min(piece.end, span[1])
        if end <= begin:
            continue
        stretch = Rectangle((begin, 0.0), end - begin, 1.0, color=piece.colour, lw=0)
        axes.add_artist(stretch)  # not add_patch, which looks how far it reaches: the limits are known
        room = letters * (end - begin) / (span[1] - span[0])
        name = next((name for name in piece.names if len(name) <= room), "")
        axes.text(0.5 * (begin + end), 0.45, name, ha="center", va="center", fontsize=7, color="#10202c")


def mode_band(axes: Any, phases: Iterable[ModeSpan], span: tuple[float, float]) -> None:
    """A strip of the facility's modes."""
    pieces = [
        Piece(
            phase.begin,
            phase.end,
            MODE_COLOURS[phase.mode],
            (phase.mode.name.replace("_", " ").lower(), SHORT_NAMES.get(phase.mode, "")),
        )
        for phase in phases
    ]
    band(axes, pieces, span)


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
