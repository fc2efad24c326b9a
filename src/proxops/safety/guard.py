"""The guard: holds the set-point, judges every wish, brakes. Nothing reaches the robots but through here."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator
from typing import Final, Protocol

import numpy as np
from numpy.typing import NDArray

from proxops.lab.any_cell import AnyCell
from proxops.maths.record import doubles_of
from proxops.safety.limits import (
    LOOK,
    accept,
    begin_braking,
    brake,
    guard_record,
    judge,
    judge_leg,
    judge_run,
    rest_place,
    stand,
)
from proxops.safety.rules import Rule, Stop

NEAR_WRIST: Final = math.radians(5.0)  # |A5| below which a racing A4 or A6 is the singularity's doing
RACING: Final = frozenset({Rule.JUMP, Rule.AXIS_SPEED, Rule.AXIS_ACCELERATION})
LOOK_AGAIN_M: Final = 0.02  # of motion, before clearances that were not enough are worth another look

Axes = NDArray[np.float64]


class Zones(Protocol):
    """Whoever says that a motion leads into a red zone; only asked when bounds leave it open."""

    @property
    def levers(self) -> Axes: ...
    @property
    def lags_s(self) -> Axes: ...
    def refuses(self, q: Axes, rate: Axes, actual: Axes, *, leaving: bool) -> Stop | None: ...
    def near(self, q: Axes, bound_m: float) -> Stop | None: ...
    def astray(self, actual: Axes) -> Stop | None: ...
    def room_m(self, q: Axes) -> float: ...
    def stand(self, q: Axes) -> None: ...
    def rest(self, q: Axes) -> None: ...


def stop_of(rule: int, report: Axes, setpoint: Axes, names: tuple[str, ...] = ()) -> Stop:
    """The stop behind a rule of ``judge``; ``names``: of the axes, where they are not the hall's. Where A4 or A6 race because A5
    is near zero, the singularity is named."""
    number, value, bound = report.tolist()
    if names:
        return Stop(Rule(rule), value=value, bound=bound, detail=names[int(number) - 1] if number else "")
    stop = Stop(Rule(rule), int(number), value, bound)
    a5 = {5: 6, 7: 6, 11: 12, 13: 12}.get(stop.axis)  # A4 and A6 of each robot, as numbered in rules.AXIS_TEXT
    if a5 is None or stop.rule not in RACING:
        return stop
    angle = abs(math.asin(math.sin(setpoint[a5 - 1])))
    if angle >= NEAR_WRIST:
        return stop
    return Stop(
        Rule.WRIST_SINGULARITY,
        a5,
        angle,
        NEAR_WRIST,
        f"A{4 if stop.axis in (5, 11) else 6} would race: {stop.rule.name}",
    )


class Guard:
    """State of the set-point. ``setpoint`` and ``rate`` are views that change in place."""

    def __init__(self, cell: AnyCell, margins: Axes, zones: Zones) -> None:
        self._hall = cell.hall
        self._names = () if cell.hall is not None else cell.axis_names
        self._state, self._report = guard_record(cell), np.zeros(3)
        self.margins = margins  # six numbers that the kernels fill, see ``limits``
        g = self._state[0]
        self.setpoint: Axes = g["x"]
        self.rate: Axes = g["v"]
        self.wish: Axes = g["wish"]
        # Wish, set-point and rate, as the pool has them.
        self.told: Axes = doubles_of(self._state, "wish", 3 * cell.n_axes)
        self.roll: Axes = g["roll"]  # of both plates, counted through full turns
        self._next, self._next_rate, self._looked_at = g["next_x"], g["next_v"], g["zone_q"]
        self._slack: Axes = self._state["zone_slack"]
        self._levers: Axes = g["levers"]
        self._astray: Axes = g["astray"]
        self._brake_from: Axes = g["brake_from"]
        self._asked, self._shape = np.zeros(cell.n_axes), (cell.n_axes,)
        self.watch(zones)

    @property
    def parts(self) -> tuple[NDArray[np.void], Axes, Axes, Axes]:
        """State, the wish that is judged, margins and report, for kernels that judge as ``judge`` does."""
        return self._state, self._asked, self.margins, self._report

    def watch(self, zones: Zones) -> None:
        """Collisions are these zones' affair from now on."""
        self.zones = zones
        self._state["levers"], self._state["lag"] = zones.levers, zones.lags_s
        self._state["zone_slack"] = -np.inf  # nothing is known yet
        zones.stand(self.setpoint)

    def limit_points(self, speed_m_s: float) -> None:
        """No point of the robots may be faster than this from now on; what is faster may only slow down."""
        self._state["point_limit"] = speed_m_s

    def stand(self, q: Axes) -> None:
        """The robots stand at ``q``: this is the set-point from now on. Nobody can stand at what is no number."""
        if not np.isfinite(q).all():
            return
        stand(self._hall, self._state, q, self.margins)
        self.zones.stand(q)

    def carry(self, drift: Axes) -> None:
        """The robots have been led elsewhere than to their set-point by so much: it is carried along, and whatever was to come of
        it. Rates stay."""
        for part in (self.setpoint, self.wish, self._brake_from):
            part += drift

    def understood(self, wish: Axes) -> Axes | Stop:
        """``wish`` as the kernels take it: they would read on behind the end of a short one, and compile anew for other numbers
        or another layout, with the robots in motion."""
        if wish.shape != self._shape:
            return Stop(
                Rule.BAD_COMMAND, detail=f"a motion asks for {wish.size} numbers, for {len(self.setpoint)} axes"
            )
        self._asked[:] = wish
        return self._asked

    def judge(self, wish: Axes, actual: Axes, *, leaving: bool = False) -> Stop | None:
        """Follow ``wish`` for one cycle, the robots being at ``actual``, or say why not; then the caller brakes. Who is
        ``leaving`` may go out of red."""
        rule = judge(self._hall, self._state, wish, actual, self.margins, self._report)
        return self._answer(rule, wish, actual, leaving) if rule else None

    def judge_run(self, wishes: Axes) -> tuple[int, Stop | None]:
        """Follow ``wishes`` (n, 13) cycle by cycle from rest at the first one: how many may be followed, and what forbids the
        next."""
        self.stand(wishes[0])
        done, rule = 0, LOOK
        while rule:
            done, rule = judge_run(self._hall, self._state, wishes, done, self.margins, self._report)
            stop = self._answer(rule, wishes[done], self._next, False) if rule else None
            if stop:
                return done, stop
            done += 1
        return len(wishes), None

    def _answer(self, rule: int, wish: Axes, actual: Axes, leaving: bool) -> Stop | None:
        """What comes of a wish that was not simply taken."""
        if rule == LOOK and self._look():
            rule = judge(self._hall, self._state, wish, actual, self.margins, self._report)
        if rule == 0:
            return None
        if rule != LOOK:
            return stop_of(rule, self._report, self.setpoint, self._names)
        stop = self.zones.refuses(self._next, self._next_rate, actual, leaving=leaving)
        if stop is None:
            accept(self._state, wish)
        return stop

    def _look(self) -> bool:
        """Clearances where the set-point goes next, unless next to nothing has moved since they were looked at: what is known of
        them may be enough for this wish, and for a while. False: nothing is known that was not."""
        known = self._slack[0] != -np.inf
        if known and float(self._levers @ np.abs(self._next - self._looked_at)) <= LOOK_AGAIN_M:
            return False
        room_m = self.zones.room_m(self._next)
        self._slack[0], self._looked_at[:] = room_m, self._next
        return room_m != -math.inf

    def slow_way(self) -> Callable[[Axes], Generator[None, None, Stop | None]]:
        """Asked for one corner of a way after the other, from the set-point at rest on: what limit of axes or ports forbids to go
        there slowly in a straight line of axes, found portion by portion. Zones are not asked."""
        state, margins, report = self._state.copy(), np.zeros_like(self.margins), np.zeros(3)

        def leg(corner: Axes) -> Generator[None, None, Stop | None]:
            start, rule, step = state[0]["x"].copy(), 0, 1
            while step:
                rule, step = judge_leg(self._hall, state, start, corner, step, margins, report)
                yield
            return stop_of(rule, report, state[0]["x"], self._names) if rule else None

        return leg

    def rehearse(self) -> None:
        """Ask the zones all that may be asked in flight, so that nothing has to be compiled then. Of a guard at standstill, which
        stands where it stood."""
        place = self.setpoint.copy()
        for leaving in (False, True):
            self.zones.refuses(place, self.rate, place, leaving=leaving)
        self.zones.astray(place)
        for _ in self.slow_way()(place):
            pass
        accept(self._state, place)
        self.stand(place)

    def red(self, actual: Axes) -> Stop | None:
        """Whether robots at ``actual`` are in red, and between what."""
        known = float(self._levers @ np.abs(actual - self._looked_at)) < float(self._slack[0])
        return None if known else self.zones.near(actual, 0.0)

    def off_course(self, actual: Axes, times: float = 1.0) -> Stop | None:
        """Whether an axis is off its set-point by more than ``times`` what it may be; what is no number is."""
        off = np.abs(actual - self.setpoint)
        astray = ~(off <= times * self._astray)
        if not astray.any():
            return None
        i = int(astray.argmax())
        report = np.array([i + 1.0, off[i], times * self._astray[i]])
        return stop_of(int(Rule.FOLLOWING), report, self.setpoint, self._names)

    @property
    def moving(self) -> bool:
        """True until the set-point is at rest; a wish that has ended is held until then."""
        return bool(self.rate.any())

    @property
    def rest(self) -> Axes:
        """Where the set-point comes to rest if it brakes from now on, or goes on braking."""
        place = np.empty_like(self.setpoint)
        rest_place(self._state, place)
        return place

    def begin_braking(self) -> float:
        """Brake from the present set-point, or go on braking; the time to standstill in seconds."""
        return float(begin_braking(self._state))

    def brake(self) -> bool:
        """One cycle of braking; True at rest."""
        rested = bool(brake(self._hall, self._state, self.margins))
        if rested:
            self.zones.rest(self.setpoint)
        return rested
