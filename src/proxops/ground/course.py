"""The course of a session in figures: phases, the end of the run, the stop, events, how time was kept."""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from proxops.core.vocabulary import Mode, Severity
from proxops.ground.criteria import LATENESS_S
from proxops.ground.log import Log
from proxops.ground.recorded import Recorded
from proxops.safety.modes import BRAKING
from proxops.safety.rules import AXIS_TEXT, Rule

Figures = dict[str, Any]


def number(value: float) -> float | None:
    """A plain float, or None for what JSON cannot hold."""
    return float(value) if math.isfinite(value) else None


def course(log: Log, data: Recorded) -> Figures:
    """Modes, phases, and how the run came to its end."""
    stops = [event for event in log.events if event["name"].startswith(b"stop.")]
    of_run = _within_run(log, data, stops) if data.ran else stops[-1:]  # where nothing ran, the newest stop tells why
    moves = [phase for phase in data.phases if phase.mode is Mode.MOVING_TO_START]
    sequence = int(log.values("command.sequence")[data.run.stop - 1]) if data.ran else None
    return {
        "final_mode": data.phases[-1].mode.name if data.phases else None,
        "motion": data.kind.value if data.kind else None,
        "runs": len(data.runs),
        "run_ended": _run_ended(data),
        "run_begin_s": data.runs[-1].begin if data.runs else None,
        "run_s": data.runs[-1].end - data.runs[-1].begin if data.runs else None,
        "move_to_start_s": moves[-1].duration if moves else None,
        "last_command": sequence,
        "stops": len(of_run),
        "stops_in_log": len(stops),
        "stop": _stop(log, of_run[0]) if of_run else None,
        "phases": [{"mode": p.mode.name, "begin_s": p.begin, "duration_s": p.duration} for p in data.phases],
    }


def _within_run(log: Log, data: Recorded, stops: list[np.void]) -> list[np.void]:
    """Stops from the run's first cycle until it stood still again: the first is what ended it."""
    ticks = log.values("clock.tick")
    after = [p.rows.start for p in data.phases if p.rows.start >= data.run.stop and p.mode not in BRAKING]
    first, last = int(ticks[data.run.start]) - 1, int(ticks[after[0]]) if after else int(ticks[-1]) + 1
    return [event for event in stops if first <= int(event["tick"]) <= last]


def _run_ended(data: Recorded) -> str | None:
    if not data.ran:
        return None
    later = [p.mode for p in data.phases if p.rows.start >= data.run.stop and p.mode is not Mode.ENDING]
    after = later[0] if later else None
    if after is None:
        return "cut off"
    return "stopped" if after in (Mode.STOPPING, Mode.STOPPED) else "finished"


def _stop(log: Log, event: np.void) -> Figures:
    """The stop of an event, with the numbers that the pool holds from that cycle on."""
    rule = event["name"].decode().removeprefix("stop.").upper()
    told = int(Rule[rule]) if rule in Rule.__members__ else 0
    rows = np.flatnonzero((log.values("clock.tick") >= event["tick"]) & (log.values("state.rule") == told))
    state = (
        {name: log.values(f"state.{name}")[rows[0]] for name in ("axis", "rule_value", "rule_bound")}
        if rows.size
        else None
    )
    axis = int(state["axis"]) if state is not None else 0
    return {
        "rule": rule,
        "number": told,
        "axis": AXIS_TEXT[axis] if 0 < axis < len(AXIS_TEXT) else None,
        "value": number(state["rule_value"]) if state is not None else None,
        "bound": number(state["rule_bound"]) if state is not None else None,
        "text": event["text"].decode(errors="replace"),
        "tick": int(event["tick"]),
        "at_s": (int(event["utc_ns"]) - int(log.values("clock.utc_ns")[0])) * 1e-9 if log.count else None,
    }


def timing(log: Log) -> Figures:
    """How the live loop kept its time; None in lockstep, where time does not pass by itself."""
    names = ("lateness_max_s", "lateness_p99_s", "late_share", "work_max_s", "missed_cycles")
    late = log.values("timing.lateness")
    if log.metadata.get("clock") == "lockstep" or not late.size or not late.any():
        return dict.fromkeys(names)
    found = (late.max(), np.percentile(late, 99), np.mean(late > LATENESS_S), log.values("timing.work").max())
    return dict(zip(names, [*map(number, found), int(log.values("timing.missed")[-1])], strict=True))


def events(log: Log) -> Figures:
    """Events by severity, and the alarms among them; the bits are those of ``state.alarms`` together."""
    names = [name.decode() for name in log.events["name"]]
    alarms = {name.removeprefix("alarm.") for name in names if name.startswith("alarm.")}
    levels = log.events["severity"]
    return {
        "events": {s.name: int(np.count_nonzero(levels == s)) for s in Severity},
        "alarms": sorted(alarms),
        "alarm_bits": int(np.bitwise_or.reduce(log.values("state.alarms"))) if log.count else 0,
    }
