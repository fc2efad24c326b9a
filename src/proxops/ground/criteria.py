"""What a good run keeps: a short list of bounds, each with the value that was measured against it."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any, Final

from proxops.core.criterion import Criterion
from proxops.core.vocabulary import Phase

POSITION_RMS_M: Final = 2e-3
"""Port position, delay taken off. EPOS states 1.56 mm (3 sigma) after calibration."""
ATTITUDE_RMS_RAD: Final = math.radians(0.2)
"""Port attitude, delay taken off. EPOS states 0.2 deg (3 sigma)."""
SHOWN_M: Final = 1e-9
SHOWN_RAD: Final = 1e-9
"""Of the bridge's set-points against the relative pose they shall show: rounding is 1e-14, a wrong formula is not."""
WHOLE_SHARE: Final = 1.0 + 1e-9
"""All that the guard allows: it brakes with exactly that, and differences of rounded rates may add a last digit."""
PATIENCE_S: Final = 120.0
"""For which a client of a served hall asks, beside the time in which the robots are on their way to it, however slowly."""
LATENESS_S: Final = 1e-3
# Of the cycles: a virtual machine that is taken away for 100 ms now and then loses that many.
MISSED_SHARE: Final = 1e-3
LATE_SHARE: Final = 1e-2  # of the cycles that may wake up later than LATENESS_S


def criteria(figures: dict[str, Any], more: Iterable[Criterion] = ()) -> list[Criterion]:
    """Judge the figures of ``summarise``: of motion when something ran, of timing when it was live. ``more``: of its kind."""
    served = figures["lines"] is None and figures["run_ended"] is None  # a live session in which nothing ran
    rows = [] if served else [Criterion("run finished", figures["run_ended"], "finished", "equal")]
    rows += [
        Criterion("stops in the run", figures["stops"], 0),
        Criterion("cycles missing in the log", figures["lost_ticks"], 0),
        Criterion("log closed properly", figures["complete"], True, "equal"),
        Criterion("cell and tool are those of the log", figures["cell_matches_log"], True, "equal"),
    ]
    if figures["motion"] is not None:
        rows += {"played": _played, "bridged": _bridged}[figures["motion"]](figures)
    rows += more
    if figures["missed_cycles"] is not None:
        missed = figures["missed_cycles"] / max(1, figures["cycles"])
        rows.append(_share("missed_share", missed, MISSED_SHARE, label="cycles missed by the live loop"))
        rows.append(_share("late_share", figures["late_share"], LATE_SHARE, label="cycles later than 1 ms"))
    return rows


def _share(name: str, value: float | None, bound: float, kind: str = "at most", label: str = "") -> Criterion:
    return Criterion(name, value, bound, kind, label=label, shown_in="%")


def _played(figures: dict[str, Any]) -> list[Criterion]:
    rows = []
    for n in (1, 2):
        for what, unit, bound, shown in (
            ("position", "m", POSITION_RMS_M, "mm"),
            ("attitude", "rad", ATTITUDE_RMS_RAD, "deg"),
        ):
            name = f"robot{n}_{what}_error_delay_removed_rms_{unit}"
            label = f"robot {n}, {what} error rms, delay taken off"
            rows.append(Criterion(name, figures[name], bound, unit=unit, label=label, shown_in=shown))
    left = _share("margin_speed_min", figures["margin_speed_min"], 0.0, "at least", "speed left of the axis limits")
    return [*rows, *_ranges(figures), left]


def _ranges(figures: dict[str, Any]) -> list[Criterion]:
    axes, table3 = figures["margin_axis_range_min"], figures["margin_table3_min_m"]
    return [
        _share("margin_axis_range_min", axes, 0.0, "at least", "margin to the axis ranges"),
        Criterion("margin_table3_min_m", table3, 0.0, "at least", "m", "margin to Table 3's position ranges"),
    ]


def _bridged(figures: dict[str, Any]) -> list[Criterion]:
    """How much of its client's motion it shall show, the scenario says; what it shows, and how safely, is up to the bridge. A
    served hall has no scenario: it shall show anything at all to a client that stays."""
    rows = [Criterion("red_cycles", figures["red_cycles"], 0, label="cycles in red")]
    expected = figures["expected_shown_share"]
    if expected is not None:
        label = "shown by the hall, of the time in which a pose was asked for"
        rows.append(_share("shown_share", figures["shown_share"], expected, "at least", label))
    elif figures["kind"] == "serve" and figures["asked_s"] - _joining_s(figures) >= PATIENCE_S:
        rows.append(Criterion("anything of what was asked for was shown", figures["converged_s"] > 0.0, True, "equal"))
    for what in ("speed", "acceleration"):
        name, label = f"setpoint_{what}_share_max", f"set-point {what}, share of the axis limits"
        rows.append(_share(name, figures[name], WHOLE_SHARE, label=label))
    rows += _ranges(figures)
    if figures["shown_error_max_m"] is not None:
        for what, unit, bound in (("position", "m", SHOWN_M), ("attitude", "rad", SHOWN_RAD)):
            name, label = f"shown_error_max_{unit}", f"set-points against the relative pose to show, {what}"
            rows.append(Criterion(name, figures[name], bound, unit=unit, label=label, shown_in=f"n{unit}"))
    return rows


def _joining_s(figures: dict[str, Any]) -> float:
    return sum(float(figures["phase_s"].get(phase.name, 0.0)) for phase in (Phase.JOINING, Phase.CONVERGING))
