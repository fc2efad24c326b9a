"""What a page is told once, when it comes: variables, modes, rules, interlocks, limits. All from where they are defined."""

from __future__ import annotations

import math
from typing import Any

import proxops
from proxops.console.conversation import VERSION
from proxops.core.messages import PERIOD_NS, Group, group_offset, pool_dtype
from proxops.core.vocabulary import Mode
from proxops.facility.motions.jog import RAMP_S
from proxops.lab.any_cell import AnyCell, pool_of
from proxops.safety.interlocks import KINDS
from proxops.safety.modes import NEXT, OF_A_HALL, OWN
from proxops.safety.rules import RULES, Category


def variables(table: tuple[Group, ...]) -> list[dict[str, Any]]:
    """Every variable of a pool with its place in a record."""
    rows, record = [], pool_dtype(table)
    for group in table:
        fields = record[group.name].fields
        assert fields is not None
        for v in group.variables:
            rows.append(
                {
                    "path": f"{group.name}.{v.name}", "group": group.name, "name": v.name, "type": v.type,
                    "offset": group_offset(group.name, record) + int(fields[v.name][1]), "unit": v.unit,
                    "meaning": f"{group.meaning}: {v.meaning}",
                    "names": {str(int(n)): n.name for n in v.names} if v.names else None,
                }
            )  # fmt: skip
    return rows


def greeting(cell: AnyCell, groups: tuple[Group, ...] = (), period_ns: int = PERIOD_NS) -> dict[str, Any]:
    """The part that is the same for every page. ``hall``: the cell is two arms and a rail, so there are ports, a bridge and
    coordinate systems of its commands. ``groups``: that an application has added to the pool."""
    limits, table = cell.file.limits, (*pool_of(cell), *groups)
    return {
        "kind": "hello",
        "version": VERSION,
        "proxops": proxops.__version__,
        "cell": cell.file.name,
        "hall": cell.hall is not None,
        "period_s": period_ns * 1e-9,
        "record_bytes": pool_dtype(table).itemsize,
        "variables": variables(table),
        **_mode_machine(hall=cell.hall is not None),
        "interlocks": [
            each.model_dump() | {"rule": KINDS[each.kind][0].name, "allows": [mode.name for mode in KINDS[each.kind][1]]}
            for each in cell.file.interlock
        ],
        "plan": cell.file.plan.model_dump() if cell.file.plan else None,
        "rules": {
            str(int(rule)): {
                "name": rule.name, "meaning": entry.text, "unit": entry.unit,
                "drives_off": entry.category is Category.DRIVES_OFF,
            }
            for rule, entry in RULES.items()
        },
        "jog": {
            "speed_m_s": limits.jog_speed_m_s, "rate_rad_s": math.radians(limits.jog_rate_deg_s),
            "reduced_share": limits.reduced_share, "ramp_s": RAMP_S,
        },
        "axes": [
            {
                "name": name, "slides": bool(cell.slides[i]),
                "lower": _finite(cell.axes.lower[i]), "upper": _finite(cell.axes.upper[i]),
                "speed": float(cell.axes.speed[i]), "acceleration": float(cell.axes.acceleration[i]),
            }
            for i, name in enumerate(cell.axis_names)
        ],
    }  # fmt: skip


def _mode_machine(*, hall: bool) -> dict[str, Any]:
    """Modes that the cell can be in, and what leads from one to another."""
    steps = {pair: to for pair, to in NEXT.items() if hall or pair[1] not in OF_A_HALL}
    reached, before = {Mode.STANDBY}, 0
    while len(reached) > before:
        before = len(reached)
        reached |= {to for (mode, _), to in steps.items() if mode in reached}
    return {
        "modes": [mode.name for mode in Mode if mode in reached],
        "edges": [
            {"mode": mode.name, "event": event.value, "to": to.name, "own": event in OWN}
            for (mode, event), to in steps.items()
            if mode in reached
        ],
    }


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
