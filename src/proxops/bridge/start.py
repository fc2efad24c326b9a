"""From standstill into motion: the posture that there is if it will do, else one that is searched for and joined.

An attempt is a generator: one portion of its work each cycle. It ends with a ``Decision`` that the motion carries out.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Generator
from dataclasses import dataclass
from typing import Final

from proxops.bridge.coupling import Coupling
from proxops.bridge.hall_state import Axes, HallState
from proxops.bridge.hearing import Hearing
from proxops.bridge.joiner import Joiner, least_rolled, ways, ways_out
from proxops.bridge.mapping import OK
from proxops.bridge.posture import PORTION, START_ROOM, Posture, PostureSearch
from proxops.bridge.settings import BridgeSettings
from proxops.bridge.zone_judge import ZoneJudge
from proxops.core.vocabulary import Phase, Standstill, Zone
from proxops.safety.zone_watch import ZoneWatch

RELAX_PORTIONS: Final = 6  # at standstill, before the posture that there is may be judged
LOOK_AGAIN: Final = 25  # cycles between two attempts at standstill when nothing has changed
SEARCH_AGAIN: Final = 250  # cycles between two whole searches
POSTURES_TRIED: Final = (
    4  # that are green: a valley has one for each pair of A5's signs, all red where a spacecraft is in a wall
)
OUT_TRIED: Final = 3  # ways out of a tight place, of those that lead furthest
OUT_SEEN_M: Final = 0.3  # clearances are told apart up to here


@dataclass(frozen=True)
class Decision:
    """What an attempt has come to. ``wait``: cycles until the next one, if it stands. ``placed``: the command has a posture."""

    phase: Phase
    cause: Standstill = Standstill.NONE
    placed: bool = True
    wait: int = 0
    joiner: Joiner | None = None
    search_next: bool = False  # the posture that there is will not do the next time either


Attempt = Generator[None, None, Decision]
Portions = Generator[None, None, bool]


class Start:
    """Makes attempts. ``searching`` is called when a search begins."""

    def __init__(
        self, state: HallState, settings: BridgeSettings, zones: ZoneWatch, hearing: Hearing, coupling: Coupling,
        judge: ZoneJudge, searching: Callable[[], None],
    ) -> None:  # fmt: skip
        self._state, self._settings, self._zones = state, settings, zones
        self._hearing, self._coupling, self._judge, self._searching = hearing, coupling, judge, searching

    def attempt(self, search_at_once: bool) -> Attempt:
        """``search_at_once``: the posture that there is has failed before."""
        if not search_at_once:
            placed = yield from self._settle()
            if placed and self._judge.allowed:
                self._coupling.engage(self._hearing.pose)
                return Decision(Phase.CONVERGING)
            if placed and self._judge.commanded is not Zone.GREEN:
                return self._refusal(placed=True, wait=LOOK_AGAIN)
        self._searching()
        phi, at = self._settings.phi_rad, self._state.guard
        search = PostureSearch(
            self._state.cell, self._coupling.command_cost.copy(), self._hearing.pose, at.setpoint,
            None if phi is None else math.degrees(phi),
        )  # fmt: skip
        while not search.step():
            yield
        return (yield from self._choose(search, search_at_once))

    def _settle(self) -> Portions:
        """The posture that there is, relaxed at the commanded pose: whether it leaves room there. Its zone is judged then."""
        coupling, pose = self._coupling, self._hearing.pose
        if coupling.seat(self._state.guard) != OK or coupling.off_phi:
            return False
        coupling.share_posture()
        for _ in range(RELAX_PORTIONS):
            if not coupling.place_command(pose, coupling.command_axes):
                return False
            coupling.relax_command(pose, PORTION)
            yield
        if coupling.room(self._state.guard.roll) < START_ROOM:
            return False
        self._see_command(coupling.command_axes)
        return True

    def _see_command(self, q: Axes) -> None:
        self._judge.see_command(q, *self._hearing.closing)

    def _refusal(self, *, placed: bool, wait: int, search_next: bool = False) -> Decision:
        """The command's zone forbids to go there."""
        red = self._judge.commanded is Zone.RED
        cause = Standstill.COMMANDED_RED if red else Standstill.COMMANDED_YELLOW
        return Decision(Phase.STANDING, cause, placed, wait, search_next=search_next)

    def _choose(self, search: PostureSearch, search_next: bool) -> Attempt:
        """The best posture that is green and can be reached."""
        start = self._state.guard.setpoint.copy()
        found = search.best(start)
        if not found:
            self._judge.out_of_reach()
            return Decision(
                Phase.STANDING, Standstill.OUT_OF_REACH, placed=False, wait=SEARCH_AGAIN, search_next=search_next
            )
        green = list[Posture]()
        for posture in found:
            self._see_command(posture.q)
            yield
            if self._judge.allowed:
                green.append(posture)
            if len(green) == POSTURES_TRIED:
                break
        if not green:
            self._see_command(found[0].q)  # the best one's zone is told
            return self._refusal(placed=False, wait=SEARCH_AGAIN, search_next=search_next)
        return (yield from self._reach(start, green, search_next))

    def _reach(self, start: Axes, green: list[Posture], search_next: bool) -> Attempt:
        """The first of these postures that can be reached."""
        outs = yield from self._ways_out(start)
        placed = False
        for posture in green:
            goal = least_rolled(self._state.cell, start, posture.q, self._state.guard.roll)
            yield
            corners = yield from self._free_way(start, outs, goal)
            placed = bool(corners) and self._place(posture)
            if placed and self._judge.allowed:
                joiner = Joiner(self._state.cell, start, corners, *self._settings.joining_limits)
                return Decision(Phase.JOINING, joiner=joiner, search_next=search_next)
        return Decision(
            Phase.STANDING, Standstill.NO_POSTURE, placed=placed, wait=SEARCH_AGAIN, search_next=search_next
        )

    def _ways_out(self, start: Axes) -> Generator[None, None, list[Axes]]:
        """If ``start`` is in yellow: places next to it that a free way leads to, those furthest from red first."""
        path, bound_m, found = self._zones.path, self._zones.minimum_m, list[Axes]()
        if path.at(start, bound_m).distance_m >= bound_m:
            return found
        places = []
        for out in ways_out(self._state.cell, start):
            places.append((path.at(out, OUT_SEEN_M).distance_m, out))
            yield
        for clearance_m, out in sorted(places, key=lambda place: -place[0]):
            if len(found) < OUT_TRIED and clearance_m > bound_m and (yield from self._look_along(start, [out])):
                found.append(out)
        return found

    def _free_way(self, start: Axes, outs: list[Axes], goal: Axes) -> Generator[None, None, list[Axes]]:
        """Corners of the first way that is free; none: there is no such way. Each is tried from here and from the places that
        lead out of here, before the next, longer one."""
        cell = self._state.cell
        firsts = [ways(cell, start, goal), *(([out, *way] for way in ways(cell, out, goal)) for out in outs)]
        for alike in itertools.zip_longest(*firsts, fillvalue=list[Axes]()):
            for corners in filter(None, alike):
                if (yield from self._look_along(start, corners)):
                    return corners
        return []

    def _look_along(self, start: Axes, corners: list[Axes]) -> Portions:
        """Whether the guard would let pass who goes this way: its limits and its zones, leg by leg."""
        forbidden, way = self._state.guard.slow_way(), self._zones.way_from(start)
        for corner in corners:
            if (yield from forbidden(corner)) or not (yield from way.leads_to(corner)):
                return False
        return True

    def _place(self, posture: Posture) -> bool:
        """Whether the command, which may have moved on meanwhile, has a place in this posture; its zone is judged then."""
        coupling, pose = self._coupling, self._hearing.pose
        coupling.take_posture(posture, pose)
        placed = coupling.place_command(pose, self._state.guard.setpoint)
        if placed:
            self._see_command(coupling.command_axes)
        return placed
