"""The answer as one plain table of values: for JSON, for the terminal and for tests."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import AXES
from proxops.core.vocabulary import Standstill, Zone
from proxops.facility.feasibility.answer import FeasibilityAnswer
from proxops.facility.feasibility.beginning import phi_deg_of
from proxops.facility.feasibility.examination import Examination, Pause
from proxops.facility.feasibility.margin import (
    KINDS,
    Least,
    greatest_use,
    near_singularities,
    smallest_clearance,
    smallest_margin,
)
from proxops.facility.feasibility.motion import ExaminedMotion, MotionPart
from proxops.facility.feasibility.stretch import SHOWN_CLEARANCE_M, HaltCause

Flags = NDArray[np.bool_]
Table = dict[str, Any]
ALONG: Final = 400
CAUSES: Final = {
    Standstill.OUT_OF_REACH: "out of reach",
    Standstill.COMMANDED_YELLOW: "yellow",
    Standstill.COMMANDED_RED: "red",
    Standstill.WAY_BLOCKED: "way blocked",
    Standstill.LIMIT: "limit",
    Standstill.SILENCE: "silence",
}


def table_of(found: FeasibilityAnswer) -> Table:
    """Everything, in SI units and degrees as the names say."""
    e = found.shown
    m, counts = e.motion, e.motion.counts
    return {
        "feasible": found.feasible,
        "answer": found.word,
        "name": found.asked.name,
        "source": found.asked.source,
        "duration_s": float(m.t[-1]),
        "step_s": m.step_s,
        "distance_m": [float(m.distance_m.min()), float(m.distance_m.max())],
        "shown_share": float(1.0 - e.trouble[counts].mean()) if counts.any() else 1.0,
        "segments": [_segment(e, number, part) for number, part in enumerate(m.parts)],
        "pauses": [_pause(m, pause) for pause in e.pauses],
        "start": {
            "follows_from_s": float(m.t[e.opening.sample]) if e.opening.start else None,
            "own_choice": _start(found, found.own),
            "best": _start(found, found.best),
            "own_choice_is_best": found.own is found.best,
        },
        "along": _along(e),
        "advice": [{"kind": a.kind, "value": a.value, "text": a.text} for a in found.advice],
    }


def _along(e: Examination) -> Table:
    """Margins along the way at up to ``ALONG`` moments; None where the hall does not follow."""
    m, step = e.motion, max(1, math.ceil(len(e.motion) / ALONG))
    rows = np.full((len(m), 1 + len(KINDS)), np.nan)
    for s in e.stretches:
        kinds = [s.course.shares[:, columns].min(axis=1) for columns in KINDS.values()]
        rows[s.begin : s.end] = np.stack([s.use, *kinds], axis=1)
    names = ("rates", *KINDS)
    columns = zip(names, rows[::step].T.tolist(), strict=True)
    return {
        "t_s": m.t[::step].tolist(),
        "distance_m": m.distance_m[::step].tolist(),
        **{name: [_finite(value) for value in values] for name, values in columns},
    }


def _segment(e: Examination, number: int, part: MotionPart) -> Table:
    mask = e.motion.part == number
    notes = list(_notes(e, mask))
    use, clearance = greatest_use(e, mask), smallest_clearance(e, mask)
    return {
        "number": part.number,
        "kind": part.kind,
        "text": part.text,
        "from_s": part.start_s,
        "to_s": part.end_s,
        "counts": part.counts,
        "verdict": _verdict(e, mask, part),
        "notes": notes,
        "margin": _least(e.motion, smallest_margin(e, mask)),
        "rates": _least(e.motion, use),
        "clearance": _clearance(e.motion, clearance),
    }


def _verdict(e: Examination, mask: Flags, part: MotionPart) -> str:
    """shown, lags, waits (it could not begin or go on) or halts (it had to stop); silent and jump name themselves."""
    if not mask.any():
        return part.kind
    if not (mask & e.motion.sending).any():
        return "silent"
    halted = any(mask[s.end] for s in e.stretches if s.cause and s.end < len(mask))
    if halted:
        return "halts"
    if (mask & e.standing).any():
        return "waits"
    return "lags" if (mask & e.lagging).any() else "shown"


def _notes(e: Examination, mask: Flags) -> Iterator[str]:
    """What happens in a part, one thing after the other."""
    for pause in e.pauses:
        inside = np.flatnonzero(mask[pause.begin : pause.end])
        if len(inside) and pause.cause.word is not Standstill.SILENCE:
            yield _told(e, pause, mask)
    lagging = mask & e.lagging
    if lagging.any():
        most = greatest_use(e, lagging)
        assert most is not None
        at = np.flatnonzero(lagging)
        yield (
            f"too fast from {e.motion.t[at[0]]:.1f} s to {e.motion.t[at[-1]]:.1f} s: "
            f"{most.what} {100.0 * most.share:.0f} % of what the bridge gives, at {e.motion.t[most.sample]:.1f} s"
        )
    for near in near_singularities(e, mask):
        size = f"{math.degrees(near.value):.1f} deg" if near.unit == "rad" else f"{near.value * 1e3:.0f} mm"
        harmless = "" if near.what == "wrist" else " (no matter to the mapping: axes 1 to 3 are free)"
        yield f"near the singular {near.what}: {size} at {e.motion.t[near.sample]:.1f} s{harmless}"


def _told(e: Examination, pause: Pause, mask: Flags) -> str:
    m = e.motion
    began = max(pause.begin, int(mask.argmax()))
    halts = any(s.cause and s.end == pause.begin for s in e.stretches) and mask[pause.begin]
    text = f"{'halts' if halts else 'stands'} at {m.t[began]:.1f} s, {m.distance_m[began]:.3f} m: {_why(pause.cause)}"
    if pause.end < len(m) and mask[pause.end] and any(s.begin == pause.end for s in e.stretches):
        text += f"; follows from {m.t[pause.end]:.1f} s, {m.distance_m[pause.end]:.3f} m"
    return text


def _why(cause: HaltCause) -> str:
    word = CAUSES[cause.word]
    if cause.word is Standstill.OUT_OF_REACH:
        return f"{word} ({cause.what})"
    if cause.word is Standstill.LIMIT:
        return f"{word} of {cause.what}"
    room = f"{cause.clearance_m * 1e3:.0f} mm, layer {cause.layer_m * 1e3:.0f} mm"
    return f"{word}: {cause.what} ({room})"


def _pause(m: ExaminedMotion, pause: Pause) -> Table:
    return {
        "from_s": float(m.t[pause.begin]),
        "to_s": float(m.t[min(pause.end, len(m) - 1)]),
        "distance_m": float(m.distance_m[pause.begin]),
        "cause": pause.cause.word.name,
        "of": pause.cause.what,
        "text": CAUSES[pause.cause.word] if pause.cause.word is Standstill.SILENCE else _why(pause.cause),
        "clearance_m": _finite(pause.cause.clearance_m),
        "layer_m": _finite(pause.cause.layer_m),
    }


def _finite(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _least(m: ExaminedMotion, least: Least | None) -> Table | None:
    if least is None:
        return None
    size: Table = {"share": least.share, "of": least.what}
    if least.unit:
        size |= {"value": least.value, "unit": least.unit}
    return size | {"at_s": float(m.t[least.sample]), "at_distance_m": float(m.distance_m[least.sample])}


def _clearance(m: ExaminedMotion, least: Least | None) -> Table | None:
    """Exact below ``SHOWN_CLEARANCE_M``, at least that otherwise."""
    if least is None:
        return None
    zone = Zone.GREEN if least.share > 0.0 else Zone.YELLOW if least.value > 0.0 else Zone.RED
    return {
        "m": least.value,
        "exact": least.value < SHOWN_CLEARANCE_M,
        "of": least.what,
        "zone": zone.name,
        "at_s": float(m.t[least.sample]),
    }


def _start(found: FeasibilityAnswer, e: Examination) -> Table | None:
    """Posture, phi and margin of a beginning."""
    start = e.opening.start
    if start is None:
        return None
    q = start.seat.q
    axes = {name: float(q[i] * 1e3 if i == 0 else math.degrees(q[i])) for i, name in enumerate(AXES)}
    return {
        "phi_deg": phi_deg_of(start),
        "phi_held": start.phi_held,
        "a5_signs": [int(sign) for sign in start.seat.signs],
        "axes_mm_deg": axes,
        "joining_s": found.hall.joining_s(q),  # from home
        "fits": e.fits,
        "margin": _least(e.motion, smallest_margin(e, e.motion.counts)),
        "clearance": _clearance(e.motion, smallest_clearance(e, e.motion.counts)),
    }
