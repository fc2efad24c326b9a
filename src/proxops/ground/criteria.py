"""What a good run keeps: a short list of bounds, each with the value that was measured against it."""

from __future__ import annotations

import math
from typing import Any, Final

from proxops.ground.mission_criteria import judged

Criterion = dict[str, Any]

POSITION_RMS_M: Final = 2e-3
"""Port position, delay taken off. EPOS states 1.56 mm (3 sigma) after calibration."""
ATTITUDE_RMS_RAD: Final = math.radians(0.2)
"""Port attitude, delay taken off. EPOS states 0.2 deg (3 sigma)."""
SHOWN_M: Final = 1e-9
SHOWN_RAD: Final = 1e-9
"""Of the bridge's set-points against the relative pose they shall show: rounding is 1e-14, a wrong formula is not."""
WHOLE_SHARE: Final = 1.0 + 1e-9
"""All that the guard allows: it brakes with exactly that, and differences of rounded rates may add a last digit."""
LATENESS_S: Final = 1e-3
MISSED_SHARE: Final = (
    1e-3  # of the cycles: a virtual machine that is taken away for 100 ms now and then loses that many
)
LATE_SHARE: Final = 1e-2  # of the cycles that may wake up later than LATENESS_S


def criteria(figures: dict[str, Any]) -> list[Criterion]:
    """Judge the figures of ``summarise``: of motion when something ran, of timing when it was live."""
    served = figures["lines"] is None and figures["run_ended"] is None  # a live session in which nothing ran
    rows = [] if served else [_equal("run finished", figures["run_ended"], "finished")]
    rows += [
        _at_most("stops in the run", figures["stops"], 0),
        _at_most("cycles missing in the log", figures["lost_ticks"], 0),
        _equal("log closed properly", figures["complete"], True),
        _equal("cell and tool are those of the log", figures["cell_matches_log"], True),
    ]
    if figures["kind"] is not None:
        rows += {"played": _played, "bridged": _bridged}[figures["kind"]](figures)
    if "mission" in figures:
        judge = {"at most": _at_most, "at least": _at_least, "equal": _equal}
        rows += [judge[kind](name, value, bound) for name, value, bound, kind in judged(figures["mission"])]
    if figures["missed_cycles"] is not None:
        rows.append(_at_most("missed_share", figures["missed_cycles"] / max(1, figures["cycles"]), MISSED_SHARE))
        rows.append(_at_most("late_share", figures["late_share"], LATE_SHARE))
    return rows


def _played(figures: dict[str, Any]) -> list[Criterion]:
    rows = []
    for robot in ("robot1", "robot2"):
        for what, unit, bound in (("position", "m", POSITION_RMS_M), ("attitude", "rad", ATTITUDE_RMS_RAD)):
            name = f"{robot}_{what}_error_delay_removed_rms_{unit}"
            rows.append(_at_most(name, figures[name], bound))
    for name in ("margin_axis_range_min", "margin_table3_min_m", "margin_speed_min"):
        rows.append(_at_least(name, figures[name], 0.0))
    return rows


def _bridged(figures: dict[str, Any]) -> list[Criterion]:
    """Whether it followed is up to its client; what it shows, and how safely, is up to the bridge."""
    rows = [_at_most("red_cycles", figures["red_cycles"], 0)]
    for what in ("speed", "acceleration"):
        name = f"setpoint_{what}_share_max"
        rows.append(_at_most(name, figures[name], WHOLE_SHARE))
    for name in ("margin_axis_range_min", "margin_table3_min_m"):
        rows.append(_at_least(name, figures[name], 0.0))
    if figures["shown_error_max_m"] is not None:
        rows.append(_at_most("shown_error_max_m", figures["shown_error_max_m"], SHOWN_M))
        rows.append(_at_most("shown_error_max_rad", figures["shown_error_max_rad"], SHOWN_RAD))
    return rows


def _at_most(name: str, value: float | None, bound: float) -> Criterion:
    return _criterion(name, value, bound, "at most", value is not None and value <= bound)


def _at_least(name: str, value: float | None, bound: float) -> Criterion:
    return _criterion(name, value, bound, "at least", value is not None and value >= bound)


def _equal(name: str, value: object, bound: object) -> Criterion:
    return _criterion(name, value, bound, "equal", value == bound)


def _criterion(name: str, value: object, bound: object, kind: str, passed: bool) -> Criterion:
    return {"name": name, "value": value, "bound": bound, "kind": kind, "passed": passed}
