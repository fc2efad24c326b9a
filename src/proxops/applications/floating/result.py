"""What came of a micro-gravity run: pushes and how they were recognised, the reaction's time budget, tracking, energy."""

from __future__ import annotations

import math
from typing import Any, Final

import numpy as np

from proxops.applications.floating.application import FloatApplication, FloatingStage
from proxops.applications.floating.comparison import detector_figures, detector_table, found_by_both, offset_table
from proxops.applications.floating.pushes import REACTION_CYCLES, Matched, budget, judged_reactions, matches, pushes_of
from proxops.applications.floating.reaction import LONGEST
from proxops.applications.floating.turning import (
    Rows,
    Table,
    edges,
    turn_error_deg,
    turning_criteria,
    turning_table,
)
from proxops.core.criterion import Criterion
from proxops.core.experiment_result import POSE, TWIST, WRENCH, ExperimentResult, Series
from proxops.core.messages import PERIOD_S
from proxops.maths.rotation import Array
from proxops.runs.arm_parts import ArmRan
from proxops.touch.joint_follower import FollowerState
from proxops.touch.push import Push

ON_COURSE_MM: Final = 0.5
ON_COURSE_SHARE: Final = 0.5  # of the flight, at least: else the arm shows another motion than the module has
MOSTLY_MM, WORST_MM = 20.0, 50.0  # module shown from module computed: 95 of 100 cycles, and all
GAINED: Final = 1e-6  # of the energy, by rounding in a bounce
MOSTLY_DEG, WORST_DEG = 2.0, 10.0  # attitude shown from attitude computed: 95 of 100 cycles, and all
CONVENTIONS: Final = (
    "World axes: those of the arm's foot turned and shifted as the scenario says. Wrenches of the sensor: on the "
    "module, in the flange's "
    "axes about its origin, the module's own weight and inertia taken off.",
    "The virtual hand pushes with its counter-impulse, as the paper measured it, if the arm is stiff; with [impedance] the arm "
    "swings back by itself. The scored impulse is the push alone. Both detectors are shown the same readings; which of them "
    "moved the module says detector.kind.",
    "Times of a reaction count in the arm's cycles of 4 ms, by the clock: crossing, when the detector is certain; set-point, the "
    "first that differs (by 1 µrad) from the one planned from the same state without the push; visible, when it differs by "
    "0.2 mrad; the arm's own, from there until the encoders differ by as much. Push to motion is the sum of detector, "
    "set-point and arm.",
    "Limits of force are judged on what acts from outside: the residual less the zero taken before the flight, which follows "
    "no more than the sensor's stated drift.",
    "Energy: kinetic, of the module that floats; it dips while a wall gives way.",
    "Limit of turning ([turn_limit]): tilt of the fixture's axis from its direction in the middle, and twist about it. There a "
    "pure couple reverses the rate at which the angle grows (times the restitution): linear momentum stays, angular momentum "
    "stays across that couple, and with restitution 1 so does the energy.",
)


def sum_up(ran: ArmRan[FloatApplication]) -> ExperimentResult:
    """Series, tables, criteria."""
    app = ran.application
    rows = app.rows[: app.count]
    given, matched = pushes_of(app), matches(app)
    both = found_by_both(app) if _known(app) else {}
    figures = {**_figures(rows, given, matched, ran), "detectors": detector_figures(app, both)}
    criteria = _criteria(ran, rows, given, matched)
    tables = [_pushes(app, matched), _reactions(app, matched), _tracking(rows), turning_table(app, rows)]
    if both and given:
        tables[1:1] = [detector_table(app, both), offset_table(app)]
    if ran.timing:
        tables.append(_timing(rows, ran.timing))
    return ExperimentResult(
        rows["t"].copy(),
        series_of(rows),
        figures,
        criteria,
        CONVENTIONS,
        tuple(t for t in tables if t[2]),
        app.failure,
    )


def _known(app: FloatApplication) -> bool:
    """Does anybody know what was truly pushed?"""
    return app.module is not None


def _figures(rows: Rows, given: list[Push], matched: list[Matched], ran: ArmRan[FloatApplication]) -> dict[str, Any]:
    app = ran.application
    known = [m for m in matched if m.push is not None]
    budgets = [budget(app, m.reaction, m.push) for m in (known if _known(app) else matched)]
    on, error = _on_course(rows), tracking_mm(rows)[rows["stage"] == FloatingStage.FLOAT]
    return {
        "spans_s": [[m.reaction.impulse.t_start, m.reaction.impulse.t_end] for m in matched if m.reaction.impulse],
        "truth_known": _known(app), "pushes": len(given) if _known(app) else None,
        "recognised": len(known) if _known(app) else len(matched),
        "invented": len(matched) - len(known) if _known(app) else None,
        "magnitude_error": [m.magnitude_error for m in known], "direction_error_deg": [m.direction_error_deg for m in known],
        "latency_ms": [b.latency_ms for b in budgets], "rewind_ms": [b.rewind_ms for b in budgets],
        "crossing_to_setpoint_cycles": [b.to_setpoint for b in budgets],
        "robot_delay_ms": [None if b.robot is None else b.robot * PERIOD_S * 1e3 for b in budgets],
        "push_to_motion_ms": [b.push_to_motion_ms for b in budgets],
        "crossing_to_visible_ms": [b.to_visible_ms for b in budgets],
        "bounces": edges(rows["touching"]), "turned_back": edges(rows["turned"]),
        "turn_error_worst_deg": _percentile(turn_error_deg(rows)[rows["stage"] == FloatingStage.FLOAT], 100.0),
        "tracking_median_um": 1e3 * float(np.median(tracking_mm(rows)[on])) if on.any() else None,
        "tracking_95_mm": _percentile(error, 95.0), "tracking_worst_mm": _percentile(error, 100.0),
        "on_course_share": _share(rows),
        "force_outside_most_N": float(np.linalg.norm(rows["outside"][:, :3], axis=1).max()) if len(rows) else None,
        **({"missed_cycles": ran.timing["missed"], "granted": ran.timing["granted"]} if ran.timing else {}),
    }  # fmt: skip


def _percentile(values: Array, share: float) -> float | None:
    return float(np.percentile(values, share)) if len(values) else None


def _share(rows: Rows) -> float | None:
    floating = int(np.sum(rows["stage"] == FloatingStage.FLOAT))
    return float(_on_course(rows).sum() / floating) if floating else None


def tracking_mm(rows: Rows) -> Array:
    """Distance of the shown module from the one that floats; the pose of the physics is that of the cycle's beginning."""
    out: Array = 1e3 * np.linalg.norm(rows["shown"][:, :3] - rows["pose"][:, :3], axis=1)
    return out


def _on_course(rows: Rows) -> np.ndarray[Any, np.dtype[np.bool_]]:
    out: np.ndarray[Any, np.dtype[np.bool_]] = (rows["stage"] == FloatingStage.FLOAT) & (
        rows["following"] == FollowerState.ON_COURSE
    )
    return out


def energy_gained(rows: Rows) -> float:
    """Largest rise of the energy from one free moment to the next without a push in between, as a share of the energy."""
    floating = rows[rows["stage"] == FloatingStage.FLOAT]
    worst, before = 0.0, math.nan
    for energy, touching, applied in zip(
        floating["energy"], floating["touching"], np.abs(floating["applied"]).max(axis=1), strict=True
    ):
        if applied > 0.0:
            before = math.nan
        elif not touching:
            if math.isfinite(before) and before > 0.0:
                worst = max(worst, float(energy) / before - 1.0)
            before = float(energy)
    return worst


def _criteria(
    ran: ArmRan[FloatApplication], rows: Rows, given: list[Push], matched: list[Matched]
) -> tuple[Criterion, ...]:
    truth = _recognition(ran.application, given, matched) if _known(ran.application) else []
    return (*truth, *_reaction_times(ran.application), *_following(rows), *turning_criteria(ran.application, rows))


def _recognition(app: FloatApplication, given: list[Push], matched: list[Matched]) -> list[Criterion]:
    known, accepted = [m for m in matched if m.push is not None], app.bench.file.accepted
    found = [
        Criterion("pushes recognised", len(known), len(given), "equal"),
        Criterion("pushes invented", len(matched) - len(known), 0, "equal"),
    ]
    if known:
        found += [
            Criterion("magnitude of a push, worst error", max(abs(m.magnitude_error) for m in known), accepted.magnitude_share),
            Criterion(
                "direction of a push, worst error", max(m.direction_error_deg for m in known), accepted.direction_deg, unit="deg",
            ),
        ]  # fmt: skip
    return found


def _reaction_times(app: FloatApplication) -> list[Criterion]:
    """Of every reaction, whoever pushed. One that never came is a failure, not left out; but a push too small to be seen in the
    encoders says nothing of the arm."""
    own, found = app.lead + 1, []
    late = [budget(app, r, None).to_setpoint for r in judged_reactions(app, REACTION_CYCLES)]
    if late:
        found.append(Criterion("from crossing to another set-point, cycles", _worst(late), REACTION_CYCLES))
    seen = [r for r in judged_reactions(app, LONGEST + own) if r.shown >= 0]
    if seen:
        moved = [budget(app, r, None).to_motion for r in seen]
        found.append(Criterion("from crossing to motion, cycles", _worst(moved), REACTION_CYCLES + own))
    return found


def _worst(values: list[int | None]) -> int | None:
    """None if any is."""
    told = [value for value in values if value is not None]
    return max(told) if len(told) == len(values) else None


def _following(rows: Rows) -> list[Criterion]:
    on, error = _on_course(rows), tracking_mm(rows)
    floating, turned = (values[rows["stage"] == FloatingStage.FLOAT] for values in (error, turn_error_deg(rows)))
    what = "module shown from module computed"
    return [
        Criterion("on course, share of the flight", _share(rows), ON_COURSE_SHARE, "at least"),
        Criterion(f"{what}, median on course", _percentile(error[on], 50.0), ON_COURSE_MM, unit="mm"),
        Criterion(f"{what}, 95th percentile", _percentile(floating, 95.0), MOSTLY_MM, unit="mm"),
        Criterion(f"{what}, worst", _percentile(floating, 100.0), WORST_MM, unit="mm"),
        Criterion(f"attitude of the {what}, 95th percentile", _percentile(turned, 95.0), MOSTLY_DEG, unit="deg"),
        Criterion(f"attitude of the {what}, worst", _percentile(turned, 100.0), WORST_DEG, unit="deg"),
        Criterion("energy gained without a push, share", energy_gained(rows), GAINED),
    ]


def _pushes(app: FloatApplication, matched: list[Matched]) -> Table:
    rows = []
    for m in matched:
        r = m.reaction
        assert r.impulse is not None
        true, errors = "nobody pushed" if _known(app) else "nobody knows", ("", "")
        if m.given is not None:
            true = f"{np.linalg.norm(m.given[m.part]):.3f} {m.unit}"
            errors = (f"{m.magnitude_error:+.1%}", f"{m.direction_error_deg:.1f} deg")
        peak = f"{np.linalg.norm(r.impulse.peak[m.part]):.3g} {m.unit[:-2]}"
        lasted = f"{(r.impulse.t_end - r.impulse.t_start) * 1e3:.0f} ms"
        found = f"{np.linalg.norm(m.found[m.part]):.3f} {m.unit}"
        rows.append((f"{app.rows['t'][r.crossed]:.3f} s", true, found, *errors, lasted, peak))
    return "Pushes", ("crossing at", "given", "found", "magnitude", "direction", "lasted", "peak"), tuple(rows)


def _reactions(app: FloatApplication, matched: list[Matched]) -> Table:
    """The time budget, from recorded times; what was not seen is a dash."""
    rows, own, period = [], app.lead + 1, PERIOD_S * 1e3
    for m in matched:
        b = budget(app, m.reaction, m.push)
        robot = None if b.robot is None else b.robot * period
        allowed = None if b.latency_ms is None else b.latency_ms + (REACTION_CYCLES + own) * period
        setpoint = "never" if b.to_setpoint is None else f"{b.to_setpoint} cycles"
        at = f"{app.rows['t'][m.reaction.crossed]:.3f} s"
        rows.append(
            (
                at, _ms(b.latency_ms), _ms(b.rewind_ms), setpoint, _ms(robot), _ms(b.push_to_motion_ms), _ms(allowed),
                _ms(b.to_visible_ms),
            )
        )  # fmt: skip
    head = (
        "crossing at", "until certain", "physics went back", "to another set-point", f"arm's own (nominal {own * period:.0f} ms)",
        "push to motion", "allowed", "crossing to a set-point that shows",
    )  # fmt: skip
    return "Reaction (FZI: 300 ms)", head, tuple(rows)


def _ms(value: float | None) -> str:
    return "–" if value is None else f"{value:.0f} ms"


def _tracking(rows: Rows) -> Table:
    floating, on, error = rows["stage"] == FloatingStage.FLOAT, _on_course(rows), tracking_mm(rows)
    if not floating.any():
        return "Following", (), ()
    share, away = on.sum() / floating.sum(), error[on] if on.any() else np.full(1, math.nan)
    cells = (
        (
            "on course",
            f"{share:.1%} of the time",
            f"median {1e3 * np.median(away):.2f} µm, largest {away.max():.3f} mm",
        ),
        (
            "all the time",
            "",
            f"95th percentile {np.percentile(error[floating], 95):.2f} mm, largest {error[floating].max():.1f} mm",
        ),
        ("bounces", str(edges(rows["touching"])), ""),
    )
    return "Following", ("", "", "module shown from module computed"), cells


def _spread(values: Array, unit: str) -> str:
    middle, high = np.percentile(values, (50, 99))
    return f"median {middle:.3g} {unit}, 99th percentile {high:.3g} {unit}, largest {values.max():.3g} {unit}"


def _timing(rows: Rows, timing: dict[str, Any]) -> Table:
    work, late = 1e6 * rows["work"], 1e3 * rows["lateness"]
    cells = (
        ("work of a cycle", _spread(work, "µs")), ("lateness", _spread(late, "ms")),
        ("cycles lost", str(timing["missed"])), ("rights", timing["granted"]),
    )  # fmt: skip
    return "Timing", ("", ""), cells


def series_of(rows: Rows) -> tuple[Series, ...]:
    """What the log has of the rows; encoders and set-points are the facility's own."""
    state = np.stack(
        [rows[k] for k in ("t", "stage", "phase", "touching", "turned", "following", "ahead_s", "arm_angle", "energy")],
        axis=1,
    )
    columns = (
        ("t", "s"), ("stage", ""), ("phase", ""), ("touching", ""), ("turned_back", ""), ("following", ""),
        ("ahead", "s"), ("arm_angle", "rad"), ("energy", "J"),
    )  # fmt: skip
    return (
        Series("loop", "what the application is doing, and its own time", columns, state),
        Series("module", "pose of the module that floats, world axes", POSE, rows["pose"]),
        Series("module_rate", "velocity of its mass centre and rate", TWIST, rows["velocity"]),
        Series("shown", "pose of the module as the arm holds it", POSE, rows["shown"]),
        Series("reading", "of the force sensor, its axes", WRENCH, rows["read"]),
        Series("residual", "less the module's own weight and inertia", WRENCH, rows["residual"]),
        Series("felt", "less the detector's line through the past, too", WRENCH, rows["felt"]),
        Series("outside", "residual less the sensor's zero: what limits are judged on", WRENCH, rows["outside"]),
        Series("applied", "on the module in the physics, world axes at its mass centre", WRENCH, rows["applied"]),
        Series("pushed", "by the hand, truly, with its counter-impulse; world axes", WRENCH, rows["pushed"]),
    )
