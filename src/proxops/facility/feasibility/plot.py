"""The answer as a picture: margins, rates, clearance and distance over time, shaded where the hall does not show the motion."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.vocabulary import Standstill
from proxops.facility.feasibility.answer import FeasibilityAnswer
from proxops.facility.feasibility.examination import Examination
from proxops.facility.feasibility.margin import KINDS
from proxops.facility.feasibility.stretch import SHOWN_CLEARANCE_M
from proxops.ground.plot_style import (
    BAD,
    GREY,
    INK,
    RAIL,
    ROBOT1,
    ROBOT2,
    checked_suffix,
    new_figure,
    save,
    styled,
    thin,
)

Floats = NDArray[np.float64]
YELLOW: Final = "#e8c13a"
COLOURS: Final = dict(zip(KINDS, (ROBOT1, ROBOT2, "#9a7fd1", RAIL), strict=True))
SHADES: Final = {  # of what keeps the hall from showing the motion
    Standstill.OUT_OF_REACH: ("#8a949e", "out of reach"),
    Standstill.COMMANDED_YELLOW: (YELLOW, "halted: yellow"),
    Standstill.COMMANDED_RED: (BAD, "halted: red"),
    Standstill.WAY_BLOCKED: ("#e5734d", "halted: way blocked"),
    Standstill.LIMIT: ("#e5734d", "halted: limit"),
    Standstill.SILENCE: ("#c9d2da", "silent client"),
}
LAGGING: Final = ("#e3a857", "too fast: falls behind")


def plot_answer(found: FeasibilityAnswer, out: Path) -> None:
    """Write the picture as .svg, .png or .pdf."""
    checked_suffix(out)
    with styled():
        figure = _Sheet(found).draw()
    save(figure, out)


class _Sheet:
    """One figure under construction."""

    def __init__(self, found: FeasibilityAnswer) -> None:
        self._found, self._e = found, found.shown
        self._m = self._e.motion
        self._shades: dict[str, str] = {}

    def draw(self) -> Any:
        figure = new_figure(10.5, 8.2)
        grid = figure.add_gridspec(
            5, 1, height_ratios=[0.14, 1.25, 1, 1, 1], hspace=0.3, left=0.085, right=0.975, top=0.93, bottom=0.065
        )
        band = figure.add_subplot(grid[0])
        panels = [figure.add_subplot(grid[k], sharex=band) for k in range(1, 5)]
        self._parts(band)
        for panel, drawn in zip(panels, (self._margins, self._rates, self._clearance, self._distance), strict=True):
            drawn(panel)
            self._shade(panel)
            panel.yaxis.set_label_coords(-0.062, 0.5)
            panel.tick_params(labelbottom=panel is panels[-1])
        panels[-1].set_xlabel("time [s]")
        band.set_xlim(0.0, max(float(self._m.t[-1]), self._m.step_s))
        self._titles(figure)
        return figure

    def _titles(self, figure: Any) -> None:
        from matplotlib.patches import Patch

        words = {"yes": "feasible", "in part": "feasible in part", "no": "not feasible"}
        name = Path(self._found.asked.name).name
        figure.suptitle(
            f"{name}: {words[self._found.word]}", x=0.085, y=0.985, ha="left", va="top", fontsize=13, weight="bold"
        )
        patches = [Patch(facecolor=colour, alpha=0.35, lw=0, label=label) for label, colour in self._shades.items()]
        if patches:
            figure.legend(handles=patches, loc="upper right", bbox_to_anchor=(0.98, 0.992), ncol=len(patches))

    def _parts(self, band: Any) -> None:
        """Names of the segments along the top."""
        band.set_ylim(0, 1)
        band.axis("off")
        whole = max(float(self._m.t[-1]), self._m.step_s)
        for k, part in enumerate(self._m.parts):
            colour = ("#a9c8e4", "#cfe0ef")[k % 2] if part.counts else "#efc9b8"
            band.axvspan(part.start_s, part.end_s, color=colour, lw=0)
            room = 130.0 * (part.end_s - part.start_s) / whole
            names = (f"{part.number} {part.kind.replace('_', '-')}", str(part.number), "")
            name = next(name for name in names if len(name) <= room)
            middle = 0.5 * (part.start_s + part.end_s)
            band.text(middle, 0.45, name, ha="center", va="center", fontsize=7.5, color="#10202c")

    def _curve(self, panel: Any, values: Floats, **style: Any) -> None:
        """One value per sample of the motion; gaps where the hall does not follow."""
        for s in self._e.stretches:
            if s.end > s.begin:
                panel.plot(*thin(self._m.t[s.begin : s.end], values[s.begin : s.end]), **style)
                style.pop("label", None)

    def _followed(self, pick: Any) -> Floats:
        out = np.full(len(self._m), np.nan)
        for s in self._e.stretches:
            out[s.begin : s.end] = pick(s)
        return out

    def _margins(self, panel: Any) -> None:
        for kind, columns in KINDS.items():
            values = self._followed(lambda s, c=columns: 100.0 * s.course.shares[:, c].min(axis=1))
            self._curve(panel, values, color=COLOURS[kind], label=kind)
        panel.axhline(0.0, color=BAD, lw=1.0)
        panel.set_ylim(-4.0, 104.0)
        panel.set_ylabel("margin left [%]")
        panel.legend(loc="upper right", ncol=4, bbox_to_anchor=(1.005, 1.17))

    def _rates(self, panel: Any) -> None:
        values = self._followed(lambda s: 100.0 * s.use)
        self._curve(panel, values, color=INK)
        most = float(np.nanmax(values, initial=0.0)) if np.isfinite(values).any() else 0.0
        panel.set_ylim(0.0, max(110.0, min(1.1 * most, 400.0)))
        panel.axhline(100.0, color=BAD, lw=1.0)
        panel.set_ylabel("rates used [%]")
        panel.set_title("from 100 % on the bridge falls behind", loc="right", fontsize=8, weight="normal", pad=3)

    def _clearance(self, panel: Any) -> None:
        """Smallest clearance with the zones behind it; exact below half a metre."""
        top = 1e3 * SHOWN_CLEARANCE_M
        first = True
        for s in self._e.stretches:
            if not s.looks:
                continue
            t = self._m.t[s.begin + s.looked]
            layer = np.array([1e3 * look.layer_m for look in s.looks])
            values = np.minimum([1e3 * look.clearance_m for look in s.looks], top)
            panel.fill_between(
                t, 0.0, np.minimum(layer, top), color=YELLOW, alpha=0.45, lw=0, label="yellow" if first else None
            )
            panel.plot(*thin(t, values), color=INK, label="smallest clearance" if first else None)
            first = False
        panel.axhspan(-0.08 * top, 0.0, color=BAD, alpha=0.45, lw=0)
        panel.set_ylim(-0.08 * top, 1.04 * top)
        panel.set_ylabel("clearance [mm]")
        if not first:
            panel.legend(loc="upper right", ncol=2, bbox_to_anchor=(1.005, 1.21))

    def _distance(self, panel: Any) -> None:
        panel.plot(*thin(self._m.t, self._m.distance_m), color=GREY, ls=(0, (4, 2.5)), lw=1.0, label="asked for")
        self._curve(panel, self._m.distance_m, color=RAIL, lw=2.2, label="followed")
        panel.set_ylim(bottom=0.0, top=1.08 * float(self._m.distance_m.max()))
        panel.set_ylabel("distance [m]")
        panel.legend(loc="upper right", ncol=2, bbox_to_anchor=(1.005, 1.21))

    def _shade(self, panel: Any) -> None:
        t, step = self._m.t, self._m.step_s
        for p in self._e.pauses:
            colour, label = SHADES[p.cause.word]
            self._shades[label] = colour
            panel.axvspan(t[p.begin], t[p.end - 1] + step, color=colour, alpha=0.28, lw=0)
        for begin, end in _runs(self._e):
            self._shades[LAGGING[1]] = LAGGING[0]
            panel.axvspan(t[begin], t[end - 1] + step, color=LAGGING[0], alpha=0.35, lw=0)


def _runs(e: Examination) -> list[tuple[int, int]]:
    """Stretches of samples at which the bridge falls behind."""
    edges = np.flatnonzero(np.diff(np.concatenate([[0], e.lagging.astype(np.int8), [0]])))
    return list(zip(edges[::2].tolist(), edges[1::2].tolist(), strict=True))
