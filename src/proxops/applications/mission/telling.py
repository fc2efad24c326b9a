"""What a mission tells of a cycle, as its record has it: words, truth, audit, thrusters."""

from __future__ import annotations

from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.truth import COUNT, tell_truth
from proxops.core.messages import MAX_WHEELS, MISSION_DTYPE, PERIOD_S, TRUTH_EVERY, group_offset
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array
from proxops.maths.stack import vector
from proxops.space.audit import FIGURES, examine
from proxops.space.coasting import Given, Looks
from proxops.space.two_craft import H_W, MASS, World

AUDIT_EVERY: Final = 25
WORDS: Final = 8  # bytes of the record with which the group ``mission`` begins, and among them
END, MEASURED = 2, 4


def _double(group: str) -> int:
    """Number of a group's first double among those of the record."""
    return group_offset(group, MISSION_DTYPE) // 8


# All of the record is laid out in steps of eight bytes: truth begins behind the words.
TRUTH, WHEELS, AUDIT = 1, _double("wheels"), _double("audit")
WHEELS_OF_STATE: Final = H_W.start
THRUSTERS: Final = group_offset("thrusters", MISSION_DTYPE)


class Told(NamedTuple):
    """A mission's record, and what will be told in it."""

    bytes: NDArray[np.uint8]  # all of it, and
    doubles: Array  # the same
    words: NDArray[np.uint8]  # as they are told next; a measurement is told once
    worst: Array  # of the audit so far


@kernel
def tell_cycle(
    y: Array, world: World, bank: NDArray[np.void], given: Given, looks: Looks, told: Told, cycle: int, waited: int, heard: bool
) -> None:  # fmt: skip
    """The state at the end of ``cycle``. Thrusters always; words with truth, where a measurement begins or ends to be told, and
    where an answer was ``heard``. ``waited``: cycles still counted before the mission begins."""
    b: Any = bank[0]
    for i in range(b.count):
        told.bytes[THRUSTERS + i] = b.on[i]
    on_time = cycle % TRUTH_EVERY == 0 or told.words[END] != 0
    if not (on_time or heard or told.words[MEASURED] != 0 or told.bytes[MEASURED] != 0):
        return
    for i in range(WORDS):
        told.bytes[i] = told.words[i]
    told.words[MEASURED] = 0
    if on_time:
        tell_craft(y, world, given, looks, told.doubles, cycle * PERIOD_S - waited * PERIOD_S)
    if cycle % AUDIT_EVERY == 0:
        tell_audit(y, world, given, told)


@kernel
def tell_craft(y: Array, world: World, given: Given, looks: Looks, doubles: Array, t: float) -> None:
    """Truth, and the wheels."""
    w: Any = world[0]
    tell_truth(
        t, y, given.degree, w.sunlight[0], w.density, y[MASS] - given.dry_mass, looks.interface_t, looks.interface_c,
        doubles[TRUTH : TRUTH + COUNT],
    )  # fmt: skip
    for i in range(MAX_WHEELS):
        doubles[WHEELS + i] = y[WHEELS_OF_STATE + i]


@kernel
def tell_audit(y: Array, world: World, given: Given, told: Told) -> None:
    """The audit of now, and the worst so far: NaN once there was one."""
    figures = vector(FIGURES)
    examine(y, world, given.book, given.held.size > 0, figures)
    for i in range(FIGURES):
        size = abs(figures[i])
        told.doubles[AUDIT + i] = figures[i]
        if not told.worst[i] >= size and told.worst[i] == told.worst[i]:
            told.worst[i] = size
