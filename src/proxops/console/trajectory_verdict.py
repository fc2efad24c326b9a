"""What the hall makes of a trajectory whose lines are well written: the guard's word on it as it is, the bridge's on its relative
motion. In a compact form for the page; numbers in SI, a negative margin is over the bound."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

from rich.text import Text

from proxops.bridge.settings import BridgeSettings
from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import Standstill
from proxops.facility.feasibility import FiledMotion, Table, TrialHall, answer, table_of
from proxops.facility.feasibility.terminal import headline
from proxops.facility.trajectories.preflight import Forbidden, preflight
from proxops.lab.cell import Cell
from proxops.lab.trajectory import BadLine, Trajectory

Row = dict[str, Any]


def verdict(cell: Cell, trajectory: Trajectory) -> Row:
    """``preflight``: what keeps it from being played as it is written; ``may_run``; ``feasible``; ``answer``."""
    stops = as_written(cell, trajectory)
    told: Row = {"preflight": stops, "may_run": not stops}
    try:
        asked = FiledMotion(cell, trajectory)
    except BadInput as refusal:  # lines of IDC beyond reach: there is no relative motion to show
        return told | {"answer": {"verdict": str(refusal), "findings": [], "notes": [], "advice": [], "margins": {}}}
    about = table_of(answer(TrialHall(cell, BridgeSettings()), asked))
    return told | {"feasible": about["feasible"], "answer": compact(about)}


def as_written(cell: Cell, trajectory: Trajectory) -> list[Row]:
    """The first line that cannot be run, if there is one: nothing behind it has been judged."""
    try:
        preflight(cell, trajectory)
    except Forbidden as stopped:
        stop = stopped.stop
        over = -abs(stop.value - stop.bound)
        return [_finding(stopped.index * PERIOD_S, stop.rule.name, str(stopped), (stop.value, stop.bound, over))]
    except BadLine as unreachable:
        return [_finding(unreachable.index * PERIOD_S, "UNREACHABLE", str(unreachable))]
    return []


def compact(about: Table) -> Row:
    """The table of ``proxops check`` without what only a plot needs."""
    (part,) = about["segments"]  # a file is one
    return {
        "verdict": Text.from_markup(headline(about)).plain,
        "word": about["answer"],
        "shown_share": about["shown_share"],
        "findings": list(_findings(about, part)),
        "notes": part["notes"],
        "advice": [advice["text"] for advice in about["advice"]],
        "margins": {name: part[name] for name in ("margin", "rates", "clearance")},
    }


def _findings(about: Table, part: Table) -> Iterator[Row]:
    """Where it does not follow, and where it asks for too much."""
    for pause in about["pauses"]:
        if pause["cause"] == Standstill.SILENCE.name:
            continue
        room, layer = pause["clearance_m"], pause["layer_m"]
        numbers = None if room is None or layer is None else (room, layer, room - layer)
        yield _finding(pause["from_s"], pause["cause"], pause["text"], numbers)
    rates = part["rates"]
    if rates and rates["share"] > 1.0:
        text = f"{rates['of']}: {100.0 * rates['share']:.0f} % of what the bridge gives"
        yield _finding(rates["at_s"], "RATE", text, (rates["share"], 1.0, 1.0 - rates["share"]))


def _finding(t_s: float, rule: str, text: str, numbers: tuple[float, float, float] | None = None) -> Row:
    """``numbers``: value, bound and margin, where the rule has some."""
    value, bound, margin = (number if math.isfinite(number) else None for number in numbers or (math.nan,) * 3)
    return {
        "line": round(t_s / PERIOD_S) + 1, "t_s": t_s, "rule": rule, "value": value, "bound": bound, "margin": margin,
        "text": text,
    }  # fmt: skip
