"""Strips above the figures of a bridge run: the bridge's phase with its cause, and the collision states."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any, Final

import numpy as np

from proxops.core.vocabulary import Phase, Standstill, Zone
from proxops.ground.bridge_run import UNJUDGED, BridgeRun, Words
from proxops.ground.plot_style import INK, Piece, band

PHASE_COLOURS: Final = {
    Phase.IDLE: "#dde2e6",
    Phase.WAITING: "#cfd6dc",
    Phase.STANDING: "#a9b5c0",
    Phase.SEARCHING: "#a9b5c0",
    Phase.JOINING: "#b79be0",
    Phase.CONVERGING: "#5cc1c4",
    Phase.FOLLOWING: "#7db4ea",
    Phase.HALTING: "#e5734d",
}
ZONE_COLOURS: Final = {
    UNJUDGED: "#e6eaed",
    int(Zone.GREEN): "#62b877",
    int(Zone.YELLOW): "#f2cb45",
    int(Zone.RED): "#d9463f",
}
SHOWN_PHASES: Final = (
    Phase.WAITING, Phase.STANDING, Phase.JOINING, Phase.CONVERGING, Phase.FOLLOWING, Phase.HALTING
)  # fmt: skip
FROM_ZERO: Final = 0.02  # a run that begins within this share of its length is drawn from 0 s
CELLS: Final = 600  # of a strip; each shows the worst that happened in it


def phase_pieces(run: BridgeRun) -> Iterator[Piece]:
    """The phases, those at rest with their cause."""
    for stretch in run.stretches:
        name, cause = stretch.phase.name.lower(), stretch.cause.name.replace("_", " ").lower()
        names = (name,) if stretch.cause is Standstill.NONE else (f"{name}: {cause}", cause, name)
        yield Piece(stretch.begin, stretch.end, PHASE_COLOURS[stretch.phase], names)


def zone_pieces(run: BridgeRun, zones: Words) -> Iterator[Piece]:
    """Collision states, coarse: a state that comes and goes within a pixel would only make the file large."""
    edges = np.unique(np.linspace(0, zones.size, CELLS + 1).astype(int))
    worst = np.maximum.reduceat(zones, edges[:-1])
    starts = [0, *(np.flatnonzero(np.diff(worst)) + 1).tolist(), worst.size]
    times = np.append(run.t, run.stretches[-1].end)[edges]
    for a, b in pairwise(starts):
        zone = int(worst[a])
        name = "not judged" if zone == UNJUDGED else Zone(zone).name.lower()
        yield Piece(float(times[a]), float(times[b]), ZONE_COLOURS[zone], (name,))


def run_span(run: BridgeRun) -> tuple[float, float]:
    """Time axis of the run's figures."""
    begin, end = run.stretches[0].begin, run.stretches[-1].end
    return (0.0 if begin < FROM_ZERO * end else begin), end


def phase_key(figure: Any, right: float, top: float) -> None:
    """What the colours of the phases mean: short stretches have no room for their name."""
    from matplotlib.patches import Patch

    patches = [Patch(color=PHASE_COLOURS[phase], lw=0, label=phase.name.lower()) for phase in SHOWN_PHASES]
    figure.legend(
        handles=patches, ncol=len(patches), loc="upper right", bbox_to_anchor=(right, top), borderaxespad=0.0,
        handlelength=1.0, handleheight=0.8, columnspacing=1.4, borderpad=0.0,
    )  # fmt: skip


def draw_bands(figure: Any, cells: Any, run: BridgeRun, *, zones: bool = False) -> Any:
    """Strips in the rows of ``cells`` from the top, named at their left; the first axes, for sharing the time axis."""
    span = run_span(run)
    strips = {"bridge": list(phase_pieces(run))}
    if zones:
        strips["commanded"] = list(zone_pieces(run, run.commanded_zone))
        strips["actual"] = list(zone_pieces(run, run.actual_zone))
    first = None
    for i, (name, pieces) in enumerate(strips.items()):
        axes = figure.add_subplot(cells[i], sharex=first)
        axes.set_xlim(*span)
        band(axes, pieces, span)
        if zones:
            axes.text(-0.008, 0.45, name, transform=axes.transAxes, ha="right", va="center", fontsize=8, color=INK)
        first = first or axes
    return first
