"""What came of a micro-gravity run: pushes and how they were recognised, the reaction's time budget, tracking, energy."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from proxops.core.experiment_result import Criterion, ExperimentResult, Series
from proxops.core.messages import PERIOD_S
from proxops.facility.float_bench import SETTLE_S
from proxops.facility.float_loop import FloatLoop, Reaction, Stage
from proxops.maths.rotation import Array
from proxops.touch.derivative_detector import DerivativeDetector, DerivativeSettings
from proxops.touch.joint_follower import Following
from proxops.touch.push import Push

if TYPE_CHECKING:
    from proxops.facility.float_experiment import FloatRan

Rows = np.ndarray[Any, Any]
Table = tuple[str, tuple[str, ...], tuple[tuple[str, ...], ...]]
BEFORE_S: Final = 0.06  # a push may be dated this much before it truly began
MAGNITUDE, DIRECTION_DEG = 0.12, 8.0  # what 95 of 100 pushes keep (docs/touch.md)
REACTION_CYCLES: Final = 2
ON_COURSE_MM: Final = 0.5
GAINED: Final = 1e-6  # of the energy, by rounding in a bounce
CONVENTIONS: Final = (
    "World axes: those of the arm's foot turned and shifted as the scenario says. Wrenches of the sensor: on the "
    "module, in the flange's "
    "axes about its origin, the module's own weight and inertia taken off.",
    "The virtual hand pushes with its counter-impulse, as the paper measured it; the scored impulse is the push alone.",
    "Times of a reaction count in the arm's cycles of 4 ms: crossing, when the detector is certain; set-point, the "
    "first that differs from "
    "the course planned before; motion, when encoders differ from it by 0.2 mrad.",
    "Energy: kinetic, of the module that floats; it dips while a wall gives way.",
)


@dataclass(frozen=True)
class Matched:
    """A recognised push and the scripted or live one that it was; None: nobody pushed."""

    reaction: Reaction
    push: Push | None
    impulse: Array  # (3) found, world axes

    @property
    def magnitude_error(self) -> float:
        assert self.push is not None
        return float(np.linalg.norm(self.impulse) / np.linalg.norm(self.push.impulse[:3]) - 1.0)

    @property
    def direction_error_deg(self) -> float:
        assert self.push is not None
        a, b = self.impulse, self.push.impulse[:3]
        cosine = float(a @ b / (np.linalg.norm(a) * np.linalg.norm(b)))
        return math.degrees(math.acos(min(1.0, max(-1.0, cosine))))


def sum_up(ran: FloatRan) -> ExperimentResult:
    """Series, tables, criteria."""
    loop = ran.loop
    rows = loop.rows[: loop.count]
    given, matched = pushes_of(ran), matches(ran)
    figures = _figures(rows, given, matched, ran)
    criteria = _criteria(ran, rows, given, matched)
    tables = [_pushes(matched), _reactions(loop, matched), _tracking(rows)]
    if ran.timing:
        tables.append(_timing(rows, ran.timing))
    return ExperimentResult(
        rows["t"].copy(),
        _series(rows, loop),
        figures,
        criteria,
        CONVENTIONS,
        tuple(t for t in tables if t[2]),
        loop.failure,
    )


def pushes_of(ran: FloatRan) -> list[Push]:
    """Those that fell into the flight."""
    end = ran.loop.count * PERIOD_S
    floating = ran.loop.rows["stage"][: ran.loop.count] == Stage.FLOAT
    last = float(np.flatnonzero(floating)[-1]) * PERIOD_S if floating.any() else end
    module = ran.loop.module
    hand = module.hand.pushes if module is not None else []
    return [push for push in hand if push.at_s >= SETTLE_S and push.end_s < last]


def matches(ran: FloatRan) -> list[Matched]:
    """Recognised pushes beside true ones, by time."""
    loop, out = ran.loop, []
    for reaction in loop.reactions:
        found = reaction.impulse
        if found is None:
            continue
        mine = [p for p in pushes_of(ran) if found.t_start < p.end_s and found.t_end > p.at_s - BEFORE_S]
        out.append(Matched(reaction, mine[0] if mine else None, _world_impulse(loop, reaction)))
    return out


def _world_impulse(loop: FloatLoop, reaction: Reaction) -> Array:
    """The finished impulse's force part in world axes; the flange hardly turns in a push."""
    assert reaction.impulse is not None
    turned: Array = loop.rotation_at(reaction.crossed) @ reaction.impulse.impulse[:3]
    return turned


def _figures(rows: Rows, given: list[Push], matched: list[Matched], ran: FloatRan) -> dict[str, Any]:
    known = [m for m in matched if m.push is not None]
    on = _on_course(rows)
    error = tracking_mm(rows)
    return {
        "spans_s": [[m.reaction.impulse.t_start, m.reaction.impulse.t_end] for m in matched if m.reaction.impulse],
        "pushes": len(given), "recognised": len(known), "invented": len(matched) - len(known),
        "magnitude_error": [m.magnitude_error for m in known], "direction_error_deg": [m.direction_error_deg for m in known],
        "latency_ms": [_latency_ms(m) for m in known], "rewind_ms": [m.reaction.rewind * PERIOD_S * 1e3 for m in known],
        "crossing_to_setpoint_cycles": [m.reaction.changed - m.reaction.crossed for m in known if m.reaction.changed >= 0],
        "robot_delay_ms": [_robot_ms(m.reaction) for m in known if m.reaction.moved >= 0],
        "push_to_motion_ms": [_motion_ms(m) for m in known if m.reaction.moved >= 0],
        "bounces": int(np.sum(np.diff(rows["touching"]) > 0)),
        "tracking_median_um": 1e3 * float(np.median(error[on])) if on.any() else None,
        "tracking_worst_mm": float(error[rows["stage"] == Stage.FLOAT].max()) if (rows["stage"] == Stage.FLOAT).any() else None,
        "on_course_share": float(on.sum() / max(np.sum(rows["stage"] == Stage.FLOAT), 1)),
        **({"missed_cycles": ran.timing["missed"], "granted": ran.timing["granted"]} if ran.timing else {}),
    }  # fmt: skip


def _latency_ms(m: Matched) -> float:
    assert m.push is not None
    return (m.reaction.crossed * PERIOD_S - m.push.at_s) * 1e3


def _robot_ms(r: Reaction) -> float:
    return (r.moved - r.shown) * PERIOD_S * 1e3


def _motion_ms(m: Matched) -> float:
    assert m.push is not None
    return (m.reaction.moved * PERIOD_S - m.push.at_s) * 1e3


def tracking_mm(rows: Rows) -> Array:
    """Distance of the shown module from the one that floats; the pose of the physics is that of the cycle's beginning."""
    out: Array = 1e3 * np.linalg.norm(rows["shown"][:, :3] - rows["pose"][:, :3], axis=1)
    return out


def _on_course(rows: Rows) -> np.ndarray[Any, np.dtype[np.bool_]]:
    out: np.ndarray[Any, np.dtype[np.bool_]] = (rows["stage"] == Stage.FLOAT) & (
        rows["following"] == Following.ON_COURSE
    )
    return out


def energy_gained(rows: Rows) -> float:
    """Largest rise of the energy from one free moment to the next without a push in between, as a share of the energy."""
    floating = rows[rows["stage"] == Stage.FLOAT]
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


def _criteria(ran: FloatRan, rows: Rows, given: list[Push], matched: list[Matched]) -> tuple[Criterion, ...]:
    known = [m for m in matched if m.push is not None]
    found = [
        Criterion("pushes recognised", len(known), len(given), "equal"),
        Criterion("pushes invented", len(matched) - len(known), 0, "equal"),
    ]
    if known:
        found += [
            Criterion("magnitude of a push, worst error", max(abs(m.magnitude_error) for m in known), MAGNITUDE),
            Criterion("direction of a push, worst error", max(m.direction_error_deg for m in known), DIRECTION_DEG, unit="deg"),
        ]  # fmt: skip
        late = [m.reaction.changed - m.reaction.crossed for m in known if m.reaction.changed >= 0]
        if late:
            found.append(Criterion("from crossing to another set-point, cycles", max(late), REACTION_CYCLES))
    on = _on_course(rows)
    if on.any():
        found.append(
            Criterion(
                "module shown from module computed, median on course",
                float(np.median(tracking_mm(rows)[on])),
                ON_COURSE_MM,
                unit="mm",
            )
        )
        found.append(Criterion("energy gained without a push, share", energy_gained(rows), GAINED))
    return tuple(found)


def _pushes(matched: list[Matched]) -> Table:
    rows = []
    for m in matched:
        r = m.reaction
        assert r.impulse is not None
        true = f"{np.linalg.norm(m.push.impulse[:3]):.3f} N s" if m.push else "nobody pushed"
        size = f"{np.linalg.norm(m.impulse):.3f} N s"
        errors = (f"{m.magnitude_error:+.1%}", f"{m.direction_error_deg:.1f} deg") if m.push else ("", "")
        lasted = f"{(r.impulse.t_end - r.impulse.t_start) * 1e3:.0f} ms"
        rows.append(
            (
                f"{r.crossed * PERIOD_S:.3f} s",
                true,
                size,
                *errors,
                lasted,
                f"{np.linalg.norm(r.impulse.peak[:3]):.1f} N",
            )
        )
    return "Pushes", ("crossing at", "given", "found", "magnitude", "direction", "lasted", "peak"), tuple(rows)


def _reactions(loop: FloatLoop, matched: list[Matched]) -> Table:
    """The time budget, from recorded times."""
    rows = []
    for m in matched:
        r = m.reaction
        if m.push is None or r.moved < 0:
            continue
        rows.append(
            (
                f"{m.push.at_s:.3f} s", f"{_latency_ms(m):.0f} ms", f"{r.rewind * PERIOD_S * 1e3:.0f} ms",
                f"{r.changed - r.crossed} cycles", f"{(r.shown - r.crossed) * PERIOD_S * 1e3:.0f} ms", f"{_robot_ms(r):.0f} ms",
                f"{_motion_ms(m):.0f} ms",
            )
        )  # fmt: skip
    own = loop.bench.traits.delay_s * 1e3
    head = (
        "push at", "until certain", "physics went back", "to another set-point", "to one that shows",
        f"arm's own (nominal {own:.0f} ms)", "push to motion",
    )  # fmt: skip
    return "Reaction (FZI: 300 ms)", head, tuple(rows)


def _tracking(rows: Rows) -> Table:
    floating, on, error = rows["stage"] == Stage.FLOAT, _on_course(rows), tracking_mm(rows)
    if not on.any():
        return "Following", (), ()
    share = on.sum() / floating.sum()
    cells = (
        (
            "on course",
            f"{share:.1%} of the time",
            f"median {1e3 * np.median(error[on]):.2f} µm, largest {error[on].max():.3f} mm",
        ),
        (
            "all the time",
            "",
            f"95th percentile {np.percentile(error[floating], 95):.2f} mm, largest {error[floating].max():.1f} mm",
        ),
        ("bounces", str(int(np.sum(np.diff(rows["touching"]) > 0))), ""),
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


def _series(rows: Rows, loop: FloatLoop) -> tuple[Series, ...]:
    s = loop.bench.file.sensor
    smoothed, slope = DerivativeDetector(DerivativeSettings(s.noise_N, s.noise_Nm)).curves(rows["residual"])
    six = (("fx", "N"), ("fy", "N"), ("fz", "N"), ("tx", "N m"), ("ty", "N m"), ("tz", "N m"))
    slopes = (("fx", "N/s"), ("fy", "N/s"), ("fz", "N/s"), ("tx", "N m/s"), ("ty", "N m/s"), ("tz", "N m/s"))
    pose = (("x", "m"), ("y", "m"), ("z", "m"), ("qw", ""), ("qx", ""), ("qy", ""), ("qz", ""))
    twist = (("vx", "m/s"), ("vy", "m/s"), ("vz", "m/s"), ("wx", "rad/s"), ("wy", "rad/s"), ("wz", "rad/s"))
    joints = tuple((name, "rad") for name in loop.bench.arm.joints)
    rates = tuple((name, "rad/s") for name in loop.bench.arm.joints)
    state = np.stack(
        [
            rows[k]
            for k in ("stage", "phase", "touching", "following", "ahead_s", "arm_angle", "energy", "work", "lateness")
        ],
        axis=1,
    )
    columns = (
        ("stage", ""), ("phase", ""), ("touching", ""), ("following", ""), ("ahead", "s"), ("arm_angle", "rad"), ("energy", "J"),
        ("work", "s"), ("lateness", "s"),
    )  # fmt: skip
    return (
        Series("loop", "what the loop is doing", columns, state),
        Series("module", "pose of the module that floats, world axes", pose, rows["pose"]),
        Series("module_rate", "velocity of its mass centre and rate", twist, rows["velocity"]),
        Series("shown", "pose of the module as the arm holds it", pose, rows["shown"]),
        Series("reading", "of the force sensor, its axes", six, rows["read"]),
        Series("residual", "less the module's own weight and inertia", six, rows["residual"]),
        Series("felt", "less offset and drift, too", six, rows["felt"]),
        Series("smoothed", "residual by eq. 2 of paper 002", six, smoothed),
        Series("slope", "its derivative, eq. 3", slopes, slope),
        Series("applied", "on the module in the physics, world axes at its mass centre", six, rows["applied"]),
        Series("pushed", "by the hand, truly, with its counter-impulse; world axes", six, rows["pushed"]),
        Series("joints", "encoders", joints, rows["measured"]),
        Series("setpoint", "for the arm", joints, rows["setpoint"]),
        Series("setpoint_rate", "and its rate", rates, rows["rates"]),
    )
