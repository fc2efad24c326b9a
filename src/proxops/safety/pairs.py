"""Which bodies are watched for nearing each other, and which are not, with the reason: every two bodies are in one table."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from proxops.lab.cell import Cell
from proxops.lab.shapes import BODIES, CARRIAGE, FLANGE, FLOOR, MOCKUP, RAIL, ROBOT1, ROBOT2, Shape
from proxops.safety.nearness import ABOVE_FLOOR, RAIL_ENDS, SOLIDS, WALLS

Row = tuple[Iterable[int], Iterable[int], str]


def _robot(start: int, first: int = 0, last: int = MOCKUP) -> range:
    """Bodies of one robot: 0 base, 1 … 6 links, 7 flange with its plate, 8 mock-up."""
    return range(start + first, start + last + 1)


def _own(start: int) -> tuple[tuple[Row, ...], tuple[Row, ...]]:
    """An arm against itself: watched, not watched."""
    watched: tuple[Row, ...] = (
        (_robot(start, 0, 3), _robot(start, FLANGE), "plate and mock-up can be turned into their own arm"),
    )
    unwatched: tuple[Row, ...] = (
        *(((start + i,), (start + i + 1,), "neighbours: they overlap at their joint") for i in range(MOCKUP)),
        *(
            ((start + i,), _robot(start, i + 2, 6), "the maker's axis ranges keep a bare arm off itself")
            for i in range(5)
        ),
        (
            (start + 4,),
            _robot(start, FLANGE),
            "turned by A5 alone; before they meet the plate is yellow against link_3",
        ),
        ((start + 5,), _robot(start, FLANGE), "A6 alone decides: the distance is the same in every posture"),
        ((start + 6,), (start + MOCKUP,), "both are bolted to the flange"),
    )
    return watched, unwatched


WATCHED: Final[tuple[Row, ...]] = (
    (_robot(ROBOT1), _robot(ROBOT2), "the robots meet"),
    ((CARRIAGE,), _robot(ROBOT2), "the carriage passes robot 2"),
    ((RAIL,), _robot(ROBOT2, 2), "robot 2 reaches over the rail"),
    ((RAIL, CARRIAGE), _robot(ROBOT1, 3), "robot 1 reaches down in front of itself"),
    ((FLOOR,), _robot(ROBOT1, 2), "an arm reaches down"),
    ((FLOOR,), _robot(ROBOT2, 2), "an arm reaches down"),
    *_own(ROBOT1)[0],
    *_own(ROBOT2)[0],
)
UNWATCHED: Final[tuple[Row, ...]] = (
    ((FLOOR,), (RAIL, CARRIAGE), "the rail stands on the floor, the carriage keeps its height"),
    ((RAIL,), (CARRIAGE,), "the carriage runs on the rail"),
    ((FLOOR,), _robot(ROBOT1, 0, 1), "base and column keep their height"),
    ((FLOOR,), _robot(ROBOT2, 0, 1), "base and column keep their height"),
    ((RAIL,), _robot(ROBOT2, 0, 1), "base and column stand beside the rail and above its bed"),
    ((RAIL, CARRIAGE), _robot(ROBOT1, 0, 1), "base and column stand on the carriage"),
    ((RAIL, CARRIAGE), (ROBOT1 + 2,), "the range of A2 keeps the link arm above axis 2"),
    *_own(ROBOT1)[1],
    *_own(ROBOT2)[1],
)


def body_pairs(table: Iterable[Row]) -> Iterator[tuple[int, int]]:
    """Every pair of bodies that a table speaks of."""
    for first, second, _ in table:
        for a in first:
            for b in second:
                yield a, b


class Pair(NamedTuple):
    """Two solids that are watched, as numbers of shapes; walls and rail ends have one solid, twice."""

    kind: int
    first: int
    second: int
    margin_m: float
    name: str


def watched(cell: Cell, shapes: tuple[Shape, ...], opened: bool = False) -> list[Pair]:
    """Everything that is watched, the spacecraft boxes (the last two shapes) first. ``opened``: but the two mock-ups with
    each other, for a docking that a scenario has opened the zone for."""
    solids = range(len(shapes) - 2)
    box1, box2 = len(shapes) - 2, len(shapes) - 1
    margin = cell.file.zones.body_margin_mm * 1e-3
    found = [
        Pair(SOLIDS, box1, box2, 0.0, "spacecraft box 1 – spacecraft box 2"),
        Pair(WALLS, box1, box1, 0.0, "spacecraft box 1 – walls"),
        Pair(WALLS, box2, box2, 0.0, "spacecraft box 2 – walls"),
        Pair(RAIL_ENDS, box1, box1, 0.0, "carriage – end of the rail"),
    ]
    for a, b in body_pairs(WATCHED):
        kind = ABOVE_FLOOR if a == FLOOR else SOLIDS
        found += [
            Pair(kind, i, j, margin, f"{BODIES[a]} – {BODIES[b]}")
            for i in solids if shapes[i].body == a
            for j in solids if shapes[j].body == b
        ]  # fmt: skip
    meeting = {box1, box2} | {i for i in solids if shapes[i].body in (ROBOT1 + MOCKUP, ROBOT2 + MOCKUP)}
    bodies = [shape.body for shape in shapes]
    return [
        pair for pair in found
        if not opened or not {pair.first, pair.second} <= meeting or bodies[pair.first] == bodies[pair.second]
    ]  # fmt: skip
