"""A mission in figures: how it ended, contact, propellant, thrusters, wheels, measurements, estimate, corridor, audit.

SI units and plain names, from the log only. What the scenario says of a craft is nominal (mass for delta-v).
"""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from proxops.applications.mission.report.estimate import estimate_figures
from proxops.applications.mission.report.eyes_figures import eyes_figures
from proxops.applications.mission.report.mission_run import IN_CORRIDOR, MissionRun
from proxops.applications.mission.report.pose import (
    ContactConditions,
    hall_contact,
    hall_delays,
    hall_errors,
    true_contact,
)
from proxops.applications.mission.report.vision_figures import vision_figures
from proxops.core.earth import STANDARD_GRAVITY
from proxops.core.messages import PERIOD_S, POOL
from proxops.core.vocabulary import MissionPhase, SensorSource
from proxops.ground.course import Figures, number
from proxops.ground.recorded import Floats
from proxops.lab.cell import Cell

AUDIT: Final = tuple(v.name for group in POOL if group.name == "audit" for v in group.variables)
LINE_COUNTS: Final = tuple(
    v.name for group in POOL if group.name == "flight_line" for v in group.variables if v.type == "u4"
)
UNITS: Final = {
    "gap": "m",
    "lateral": "m",
    "tilt": "rad",
    "roll": "rad",
    "closing_rate": "m_s",
    "lateral_rate": "m_s",
    "angular_rate": "rad_s",
}
HALL: Final = (
    "hall_position_error_max_m",
    "hall_position_error_rms_m",
    "hall_attitude_error_max_rad",
    "hall_attitude_error_rms_rad",
)


def figures_of(run: MissionRun, cell: Cell) -> Figures:
    """All figures of a mission; most of them None if it never began."""
    figures: Figures = {
        "name": run.file.name,
        "began": run.began,
        "end": run.end.name,
        "abort": run.abort.name,
        "faults": len(run.file.fault),
        "wants_contact": run.wants_contact,
        "expect": run.file.expect,
        "uses_hall": run.uses_hall,
        "steps_planned": len(run.file.plan),
        "step_reached": int(run.of("step", run.truth).max()) if run.began else 0,
        "phase": _last_phase(run),
        "duration_s": float(run.t[-1]) if run.began else None,
        "contact": _contact(true_contact(run)),
        "hall_contact": _contact(hall_contact(run)),
        **_distances(run),
        **_propulsion(run),
        **_measurements(run),
        "free_running": not run.file.flight.waits,
        "flight_line": _flight_line(run),
        "estimate": estimate_figures(run),
        **_phases(run),
        "audit": _audit(run),
        **eyes_figures(run, cell),
        **(vision_figures(run.vision) if run.began else {}),
    }
    return {**figures, **_hall(run, cell)}


def _last_phase(run: MissionRun) -> str:
    return run.phases[-1].phase.name if run.phases else MissionPhase.NONE.name


def _contact(found: ContactConditions | None) -> dict[str, float] | None:
    return None if found is None else {f"{name}_{UNITS[name]}": value for name, value in found._asdict().items()}


def _distances(run: MissionRun) -> Figures:
    """Between the centres of mass; after an abort also from when the chaser first was outside of the keep-out sphere."""
    figures: Figures = {
        "distance_start_m": float(run.distance[0]) if run.began else None,
        "distance_end_m": float(run.distance[-1]) if run.began else None,
        "distance_min_m": float(run.distance.min()) if run.began else None,
        "keep_out_m": run.file.abort.keep_out_m,
        "abort_at_s": None,
        "abort_distance_m": None,
        "distance_min_after_abort_m": None,
        "left_keep_out": None,
        "distance_min_after_leaving_m": None,
    }
    after = run.distance[run.aborted]
    if after.size:
        figures["abort_at_s"], figures["abort_distance_m"] = float(run.t[run.aborted][0]), float(after[0])
        figures["distance_min_after_abort_m"] = float(after.min())
        left = np.flatnonzero(after >= run.file.abort.keep_out_m)
        figures["left_keep_out"] = bool(left.size)
        figures["distance_min_after_leaving_m"] = float(after[left[0] :].min()) if left.size else None
    return figures


def _propulsion(run: MissionRun) -> Figures:
    """Delta-v by the rocket equation with the nominal mass: what the propellant is worth, not the way it was spent."""
    names = ("propellant_used_kg", "delta_v_m_s", "thruster_pulses", "thruster_on_s", "wheel_momentum_share_max")
    if not run.began:
        return {**dict.fromkeys(names), "thrusters_isolated": 0}
    chaser = run.file.chaser
    left = float(run.of("propellant", run.truth[-1:])[0])
    used = float(run.of("propellant", run.truth[:1])[0]) - left
    exhaust = chaser.thrusters.specific_impulse_s * STANDARD_GRAVITY
    momentum = float(np.abs(run.wheels).max()) / chaser.wheels.momentum_n_m_s
    found = (used, exhaust * math.log(chaser.mass_kg / (chaser.mass_kg - used)), *_pulses(run), momentum)
    return {
        **dict(zip(names, found, strict=True)),
        "thrusters_isolated": int(run.of("isolated", run.truth[-1:])[0]),
    }


def _pulses(run: MissionRun) -> tuple[int, float]:
    """How often any thruster was switched on, and its time on, all thrusters together."""
    on = run.thrusters
    begun = on[1:] & ~on[:-1]
    return int(begun.sum() + on[:1].sum()), float(on.sum() * PERIOD_S)


def _measurements(run: MissionRun) -> Figures:
    """Of the relative sensor; a rejection is told by the step in which the filter looked at it."""
    measured = run.log.values("mission.measured")[run.cycles].astype(np.int64)
    source = run.log.values("mission.sensor")[run.cycles]
    total = int(measured.sum())
    rejected = int(run.of("rejected", run.steps).sum())
    hall, software = (int(measured[source == kind].sum()) for kind in (SensorSource.HALL, SensorSource.SOFTWARE))
    share: dict[str, Any] = {name: None for name in ("hall", "software", "rejected")}
    if total:
        share = {"hall": hall / total, "software": software / total, "rejected": rejected / total}
    final = measured * (run.log.values("mission.phase")[run.cycles] == MissionPhase.FINAL)
    return {
        "measurements": total,
        "measurements_hall": hall,
        "measurements_rejected": rejected,
        "measurement_share": share,
        "final_hall_share": float(final[source == SensorSource.HALL].sum() / final.sum()) if final.sum() else None,
    }


def _flight_line(run: MissionRun) -> Figures | None:
    """How an on-board computer kept up that was not waited for; None where it was, or there was none."""
    if run.file.flight.waits or not run.began:
        return None
    last = run.truth[-1]
    late = run.lateness
    return {
        **{name: int(run.log.values(f"flight_line.{name}")[last]) for name in LINE_COUNTS},
        "lateness_median_s": float(np.median(late)) if late.size else None,
        "lateness_max_s": float(run.log.values("flight_line.lateness_max")[last]) if late.size else None,
    }


def _phases(run: MissionRun) -> Figures:
    """How long the flight software was in each phase, and what it used of the corridor there."""
    told, corridor = run.of("phase", run.steps), run.of("corridor", run.steps)
    seconds = dict.fromkeys(MissionPhase, 0.0)
    for stretch in run.phases:
        seconds[stretch.phase] += stretch.end - stretch.begin
    used = {p.name: float(corridor[told == p].max()) for p in IN_CORRIDOR if corridor[told == p].any()}
    return {"phase_s": {p.name: s for p, s in seconds.items() if s}, "corridor_max": used}


def _audit(run: MissionRun) -> dict[str, float | None]:
    """Greatest of each figure; None if it is not a number somewhere."""
    if not run.began:
        return dict.fromkeys(AUDIT)
    return {name: number(np.abs(run.table("audit", (name,), run.truth)).max()) for name in AUDIT}


def _hall(run: MissionRun, cell: Cell) -> Figures:
    """The hall against the pose it was to show, with its delay taken off, while it showed the mission."""
    if not run.began:
        return {"hall_share": None, **dict.fromkeys(HALL)}
    found = [value for errors in hall_errors(run, hall_delays(cell)) for value in _max_and_rms(errors)]
    shown = run.log.values("bridge.converged")[run.cycles]
    return {"hall_share": float(np.mean(shown == 1)), **dict(zip(HALL, found, strict=True))}


def _max_and_rms(values: Floats) -> tuple[float | None, float | None]:
    known = values[np.isfinite(values)]
    return (float(known.max()), math.sqrt(float(np.mean(known * known)))) if known.size else (None, None)
