"""Strips above the figures of a bridge run: the bridge's phase with its cause, and the collision states."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vocabulary import Phase, Standstill, Zone
from proxops.ground.bridge_run import UNJUDGED, BridgeRun
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.items import LineStyle, Words
from proxops.ground.panels.sheet import Key, KeyEntry, Sheet
from proxops.ground.panels.strip import Piece, add_strip

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


def zone_pieces(run: BridgeRun, zones: NDArray[np.int64]) -> Iterator[Piece]:
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


def phase_key(x: float, y: float) -> Key:
    """What the colours of the phases mean: short stretches have no room for their name."""
    return Key(
        [KeyEntry(phase.name.lower(), LineStyle(PHASE_COLOURS[phase]), patch=True) for phase in SHOWN_PHASES], x, y
    )


def add_bands(sheet: Sheet, boxes: Sequence[Box], run: BridgeRun, *, zones: bool = False) -> None:
    """Strips from the top; with ``zones`` there are three, named at their left."""
    strips = {"bridge": list(phase_pieces(run))}
    if zones:
        strips["commanded"] = list(zone_pieces(run, run.commanded_zone))
        strips["actual"] = list(zone_pieces(run, run.actual_zone))
    for box, (name, pieces) in zip(boxes, strips.items(), strict=True):
        strip = add_strip(sheet, box, pieces, run_span(run))
        if zones:
            strip.words(Words((-0.008, 0.47), name, across="end", up="middle", share=(True, True)))
