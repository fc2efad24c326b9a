"""How good the flight software's estimate was, by distance: error, what it claimed of itself, and whether both agree."""

from __future__ import annotations

from itertools import pairwise
from typing import Any, Final, NamedTuple

import numpy as np

from proxops.applications.mission.report.mission_run import MissionRun
from proxops.ground.recorded import Floats

EDGES_M: Final = (25.0, 15.0, 8.0, 4.0, 0.0)
START_ROOM: Final = 1.05  # a start dispersed a little beyond belongs to the first range
KINDS: Final = (("position", "m"), ("velocity", "m_s"), ("attitude", "rad"), ("rate", "rad_s"))
FREEDOM: Final = 12
WILSON_HILFERTY_95: Final = 1.959963984540054


class Range(NamedTuple):
    """Distances of the centres of mass from ``far_m`` down to ``near_m``."""

    far_m: float
    near_m: float

    @property
    def words(self) -> str:
        if np.isinf(self.far_m):
            return f"beyond {self.near_m:g} m"
        if self.near_m == EDGES_M[1]:
            return f"start … {self.near_m:g} m"
        return f"below {self.far_m:g} m" if self.near_m == 0.0 else f"{self.far_m:g} … {self.near_m:g} m"


def ranges(run: MissionRun) -> list[Range]:
    """The first holds the start, the one before it what is farther away (a retreat)."""
    start = START_ROOM * float(np.linalg.norm(run.file.start.position_m))
    first = max(EDGES_M[0], round(start, 2))
    edges = (np.inf, first, *EDGES_M[1:])
    return [Range(far, near) for far, near in pairwise(edges)]


def estimate_figures(run: MissionRun) -> list[dict[str, Any]]:
    """Of each range in which there were estimates: rms error, share inside of 3 sigma, mean normalised error."""
    out = []
    for part in ranges(run):
        inside = (run.step_distance < part.far_m) & (run.step_distance >= part.near_m) & np.isfinite(run.sigma[:, 0])
        if inside.any():
            row = {"range": part.words, "from_m": None if np.isinf(part.far_m) else part.far_m, "to_m": part.near_m}
            out.append(
                {**row, "steps": int(inside.sum()), **_of(run.error[inside], run.sigma[inside], run.nees[inside])}
            )
    return out


def _of(error: Floats, sigma: Floats, nees: Floats) -> dict[str, float | None]:
    figures: dict[str, float | None] = {}
    for k, (kind, unit) in enumerate(KINDS):
        e, s = error[:, 3 * k : 3 * k + 3], sigma[:, 3 * k : 3 * k + 3]
        figures[f"{kind}_error_rms_{unit}"] = float(np.sqrt(np.mean(np.sum(e * e, axis=1))))
        figures[f"{kind}_within_3_sigma"] = float(np.mean(np.abs(e) <= 3.0 * s))
    known = nees[np.isfinite(nees)]
    return {**figures, "nees_mean": float(known.mean()) if known.size else None}


def nees_band() -> tuple[float, float]:
    """Where 95 % of single values lie if the filter is right: chi-square of 12, by Wilson and Hilferty (1931), which is
    good to 1 % here."""
    spread = 2.0 / (9.0 * FREEDOM)
    low, high = (FREEDOM * (1.0 - spread + z * spread**0.5) ** 3 for z in (-WILSON_HILFERTY_95, WILSON_HILFERTY_95))
    return low, high
