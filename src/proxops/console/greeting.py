"""What a page is told once, when it comes: variables, modes, rules, interlocks, limits. All from where they are defined."""

from __future__ import annotations

import math
from typing import Any

import proxops
from proxops.console.conversation import VERSION
from proxops.core.messages import AXES, PERIOD_S, POOL, POOL_DTYPE, group_offset
from proxops.core.vocabulary import Mode
from proxops.facility.jog import RAMP_S
from proxops.lab.cell import Cell
from proxops.safety.interlocks import KINDS
from proxops.safety.modes import NEXT, OWN
from proxops.safety.rules import RULES, Category


def variables() -> list[dict[str, Any]]:
    """Every variable of the pool with its place in a record."""
    rows = []
    for group in POOL:
        fields = POOL_DTYPE[group.name].fields
        assert fields is not None
        for v in group.variables:
            rows.append(
                {
                    "path": f"{group.name}.{v.name}", "group": group.name, "name": v.name, "type": v.type,
                    "offset": group_offset(group.name) + int(fields[v.name][1]), "unit": v.unit,
                    "meaning": f"{group.meaning}: {v.meaning}",
                    "names": {str(int(n)): n.name for n in v.names} if v.names else None,
                }
            )  # fmt: skip
    return rows


def greeting(cell: Cell) -> dict[str, Any]:
    """The part that is the same for every page."""
    limits = cell.file.limits
    return {
        "kind": "hello",
        "version": VERSION,
        "proxops": proxops.__version__,
        "cell": cell.file.name,
        "period_s": PERIOD_S,
        "record_bytes": POOL_DTYPE.itemsize,
        "variables": variables(),
        "modes": [mode.name for mode in Mode],
        "edges": [
            {"mode": mode.name, "event": event.value, "to": to.name, "own": event in OWN}
            for (mode, event), to in NEXT.items()
        ],
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
                "name": name, "lower": _finite(cell.axes.lower[i]), "upper": _finite(cell.axes.upper[i]),
                "speed": float(cell.axes.speed[i]), "acceleration": float(cell.axes.acceleration[i]),
            }
            for i, name in enumerate(AXES)
        ],
    }  # fmt: skip


def _finite(value: float) -> float | None:
    return float(value) if math.isfinite(value) else None
