"""A run of the bridge in figures: phases, standstills, errors of what it showed, clearances, travel, input filter."""

from __future__ import annotations

import math
from typing import Final

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Phase, Standstill, Zone
from proxops.ground.bridge_clearance import Clearances
from proxops.ground.bridge_following import RelativeErrors
from proxops.ground.bridge_run import BridgeRun, PhaseSpan, Words
from proxops.ground.course import Figures, number
from proxops.ground.hall_run import HallRun
from proxops.ground.log import Log
from proxops.ground.motion import greatest_sizes
from proxops.ground.pose_rows import distance_and_angle
from proxops.ground.recorded import Floats, Recorded
from proxops.safety.rules import Rule

EXPECTED: Final = "expected_shown_share"  # metadata of a run whose scenario says how much of its motion shall be shown
IMPOSSIBLE: Final = (Standstill.OUT_OF_REACH, Standstill.COMMANDED_RED, Standstill.COMMANDED_YELLOW)
# Instead of an outcome, when a search was broken off:
BROKEN_OFF: Final = (Standstill.NO_CLIENT, Standstill.NEW_CLIENT, Standstill.SILENCE, Standstill.NOT_RECORDED)
COUNTERS: Final = ("taken", "lost", "extrapolated", "stale", "doubled", "refused")


def bridge_figures(whole: HallRun) -> Figures:
    """All figures of the last run, when the bridge made it."""
    log, data, run, motion = whole.log, whole.data, whole.bridge, whole.motion
    direct, delay_removed = whole.relative_errors
    return {
        **_course(run),
        **_asked(log, run),
        **_standstills(log, data, run),
        **_error_figures(direct, ""),
        **_error_figures(delay_removed, "_delay_removed"),
        **_clutch_figures(log, data, run),
        "setpoint_speed_share_max": _greatest(motion.speed_share),
        "setpoint_acceleration_share_max": _greatest(motion.acceleration_share),
        **_clearance_figures(whole.clearances),
        "red_cycles": int(np.count_nonzero(run.actual_zone == Zone.RED)),
        "entered_red": bool((run.actual_zone == Zone.RED).any()),
        "chaser_travel_m": _travel(run),
        "input": {name: int(log.values(f"bridge.{name}")[data.run][-1]) for name in COUNTERS},
    }


def _course(run: BridgeRun) -> Figures:
    """How long it was in each phase, and when it showed what was commanded."""
    converged = np.flatnonzero(run.following)
    cycles = np.bincount(run.told_phase, minlength=len(Phase))
    return {
        "phase_s": {p.name: int(cycles[p]) * PERIOD_S for p in Phase if p is not Phase.IDLE},
        "first_converged_s": float(run.t[converged[0]]) if converged.size else None,
        "converged_s": converged.size * PERIOD_S,
        "converged_share": converged.size / run.t.size,
    }


def _asked(log: Log, run: BridgeRun) -> Figures:
    """How much of the motion that the client asked for was possible (in reach, in a zone where the hall may go), and shown."""
    sent = np.isfinite(run.commanded[:, 0])
    asked = int(np.count_nonzero(sent))
    possible = int(np.count_nonzero(sent & ~np.isin(_outcomes(run), IMPOSSIBLE)))
    shown = int(np.count_nonzero(sent & run.following))
    expected = log.metadata.get(EXPECTED)
    return {
        "asked_s": asked * PERIOD_S,
        "possible_share": possible / max(1, asked),
        "shown_share": shown / max(1, asked),
        "shown_of_possible": shown / max(1, possible),
        EXPECTED: None if expected is None else float(expected),
    }


def _outcomes(run: BridgeRun) -> Words:
    """Causes; of a search, that which came of it: what it was begun for may no longer hold. One that was broken off has that
    alone."""
    known = np.append(np.flatnonzero(run.told_phase != Phase.SEARCHING), run.t.size)
    after = known[np.searchsorted(known, np.arange(run.t.size))]
    outcome = np.append(run.cause, int(Standstill.SILENCE))[after]
    return np.where(np.isin(outcome, BROKEN_OFF), run.cause, outcome)


def _standstills(log: Log, data: Recorded, run: BridgeRun) -> Figures:
    stood = [stretch for stretch in run.stretches if stretch.cause is not Standstill.NONE]
    causes = sorted({stretch.cause for stretch in stood})
    return {
        "halts": [_halt(log, data, stretch) for stretch in run.halts],
        "standstills": [
            {"phase": s.phase.name, "cause": s.cause.name, "begin_s": s.begin, "duration_s": s.duration} for s in stood
        ],
        "standstill_s": {cause.name: sum(s.duration for s in stood if s.cause is cause) for cause in causes},
    }


def _halt(log: Log, data: Recorded, halt: PhaseSpan) -> Figures:
    """The rule of a halt is told once the hall stands."""
    after = min(halt.rows.stop, data.run.stop - data.run.start - 1)
    rule = int(log.values("bridge.rule")[data.run][after]) if halt.cause is Standstill.LIMIT else 0
    return {
        "cause": halt.cause.name,
        "rule": Rule(rule).name if rule in list(Rule) and rule else None,
        "at_s": halt.begin,
        "braking_s": halt.duration,
    }


def _error_figures(errors: RelativeErrors, suffix: str) -> Figures:
    figures: Figures = {}
    for what, values, unit in (("position", errors.position, "m"), ("attitude", errors.attitude, "rad")):
        known = values[np.isfinite(values)]
        name = f"relative_{what}_error{suffix}"
        figures[f"{name}_max_{unit}"] = number(known.max()) if known.size else None
        figures[f"{name}_rms_{unit}"] = math.sqrt(float(np.mean(known * known))) if known.size else None
    return figures


def _clutch_figures(log: Log, data: Recorded, run: BridgeRun) -> Figures:
    """What the clutch had still to close while following, and whether set-points show exactly what it says."""
    figures: Figures = {}
    apart = distance_and_angle(run.shown[run.clutched], run.setpoint[run.clutched])
    for unit, shown in zip(("m", "rad"), apart, strict=True):
        left = log.values(f"bridge.left_{unit}")[data.run][run.following]
        figures[f"left_following_max_{unit}"] = number(left.max()) if left.size else None
        figures[f"shown_error_max_{unit}"] = number(shown.max()) if shown.size else None
    return figures


def _greatest(shares: Floats) -> float | None:
    return number(greatest_sizes(shares).max()) if shares.size else None


def _clearance_figures(found: Clearances) -> Figures:
    known = found.commanded[np.isfinite(found.commanded)]
    return {
        "commanded_clearance_min_m": number(known.min()) if known.size else None,
        "actual_clearance_min_m": number(found.actual.min()) if found.actual.size else None,
        "actual_clearance_min_pair": found.pair or None,
        "yellow_max_m": number(found.yellow.max()) if found.yellow.size else None,
    }


def _travel(run: BridgeRun) -> dict[str, float | None]:
    """Range of the chaser's port in the lab while following."""
    places = run.chaser[run.following, :3]
    return dict(zip("xyz", map(number, np.ptp(places, axis=0)), strict=True)) if len(places) else dict.fromkeys("xyz")
