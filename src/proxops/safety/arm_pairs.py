"""Which solids of a cell of arms are watched for nearing each other. One rule does for all cells, where a hall has a table
(``pairs``): links of one arm with enough joints between them, links of two arms, and moving links against what stands still."""

from __future__ import annotations

from itertools import combinations
from typing import Final

from proxops.core.errors import BadInput
from proxops.lab.arm_cell import ArmCell
from proxops.lab.shapes import Shape
from proxops.safety.nearness import ABOVE_FLOOR, SOLIDS
from proxops.safety.pairs import Pair

# Joints between two links of one arm: nearer ones overlap, or their ranges keep them apart.
APART: Final = 3
# Joints that move a link against what stands still: the first joint only turns its link on its own foot.
LOOSE: Final = 2


def arm_pairs(cell: ArmCell, shapes: tuple[Shape, ...]) -> list[Pair]:
    """The pairs of ``shapes`` to watch, the floor first in its own."""
    margin = cell.file.zones.body_margin_mm * 1e-3
    bodies = [*(link.name for link in cell.links), "lab"]
    unwatched = _unwatched(cell, bodies)
    found = []
    for (i, first), (j, second) in combinations(enumerate(shapes), 2):
        pair = frozenset({first.body, second.body})
        if len(pair) == 2 and pair not in unwatched and _watched(cell, bodies, first.body, second.body):
            a, b = (j, i) if second.kind == "halfspace" else (i, j)
            kind = ABOVE_FLOOR if shapes[a].kind == "halfspace" else SOLIDS
            found.append(Pair(kind, a, b, margin, f"{shapes[a].name} – {shapes[b].name}"))
    if not found:
        raise BadInput("zones: nothing in this cell can meet", where=str(cell.source))
    return found


def _watched(cell: ArmCell, bodies: list[str], first: int, second: int) -> bool:
    """Two bodies, by the axes that carry one of them alone: what both share brings them no nearer."""
    apart = len(_movers(cell, first) ^ _movers(cell, second))
    one, other = _arm(bodies[first]), _arm(bodies[second])
    if not (one and other):
        return apart >= LOOSE
    return apart >= APART if one == other else apart > 0


def _arm(body: str) -> str:
    """``robot1`` of ``robot1/link_3``; empty for rail, carriage and the lab."""
    arm, slash, _ = body.partition("/")
    return arm if slash else ""


def _movers(cell: ArmCell, body: int) -> set[int]:
    """Axes that carry a body; none for what stands still."""
    found = set()
    while 0 <= body < len(cell.links):
        if cell.links[body].drive >= 0:
            found.add(cell.links[body].drive)
        body = cell.links[body].parent
    return found


def _unwatched(cell: ArmCell, bodies: list[str]) -> set[frozenset[int]]:
    """Pairs that the cell's file takes out, by the numbers of their bodies."""
    found = set()
    for pair in cell.file.zones.unwatched:
        for name in pair:
            if name not in bodies:
                raise BadInput(
                    "zones.unwatched: no such link", where=str(cell.source), value=name, bound=", ".join(bodies)
                )
        found.add(frozenset(map(bodies.index, pair)))
    return found
