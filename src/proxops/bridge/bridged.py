"""The bridge as a motion: control logic over hearing, zones, coupling and the start from standstill.

Every cycle: packets → one sample → estimate → zones → a phase. The hall moves in three phases only (JOINING, CONVERGING,
FOLLOWING); whatever speaks against that halts it, unlatched, and is named as the cause. At standstill the phase is worked
out anew each cycle from what there is, so there is no start procedure; a search that fails is tried again.
"""

from __future__ import annotations

import math
from typing import Final

from proxops.bridge.coupling import Coupling
from proxops.bridge.cruise import Cruise
from proxops.bridge.hall_state import Axes, HallState
from proxops.bridge.hearing import Hearing, sun_of
from proxops.bridge.joiner import Joiner
from proxops.bridge.mapping import OK
from proxops.bridge.port import BridgePort
from proxops.bridge.settings import BridgeSettings
from proxops.bridge.start import LOOK_AGAIN, Attempt, Decision, Start
from proxops.bridge.zone_judge import ZoneJudge
from proxops.core.vocabulary import Mode, Phase, Severity, Standstill, Tell, Zone
from proxops.safety.motion import GuardedCycle, Motion, Passing, Rest, Wish
from proxops.safety.rules import LIMITS, Rule, Stop
from proxops.safety.zone_watch import ZoneWatch

MOVING: Final = frozenset({Phase.JOINING, Phase.CONVERGING, Phase.FOLLOWING})
NOBODY: Final = frozenset({Standstill.NO_CLIENT, Standstill.SILENCE, Standstill.NEW_CLIENT})  # whose command counts
NO_ONE: Final = NOBODY | {Standstill.NOT_RECORDED, Standstill.NONE}
NO_LEFT: Final = (math.nan,) * 3


class Bridged(Motion):
    """Motion of mode BRIDGED. ``step`` every cycle, in HALTING too."""

    def __init__(
        self, state: HallState, port: BridgePort, settings: BridgeSettings, zones: ZoneWatch, tell: Tell,
    ) -> None:  # fmt: skip
        self._state, self._port, self._settings, self._tell_people = state, port, settings, tell
        self.hearing = Hearing(settings.timeout_ns)
        self.coupling = Coupling(state.cell, settings)
        self.zones = ZoneJudge(state, settings, zones)
        self.cruise: Cruise | None = None  # for several cycles at once, where that is wanted
        self._start = Start(state, settings, zones, self.hearing, self.coupling, self.zones, self._searching)
        self.phase, self.cause = Phase.WAITING, Standstill.NO_CLIENT
        self._told: tuple[Phase, Standstill] | None = None
        self.rule = 0
        self._limit: Stop | None = None  # what the guard has objected to
        self._clear = False  # the last wish was green all round
        self.placed = False  # the commanded pose has a place
        self._must_join = False  # the clutch cannot get there from here
        self._wait = 0  # cycles until the next attempt at standstill
        self._attempt: Attempt | None = None  # under way at standstill, a portion each cycle
        self._joiner: Joiner | None = None

    # ------------------------------------------------------------------ the cycle
    def step(self) -> Wish:
        self._listen()
        self._judge()
        if self.zones.actual is Zone.RED:
            return self._in_red()
        if self._state.mode is Mode.HALTING:
            self.phase = Phase.HALTING
            return Rest.HOLD
        if self.phase is Phase.HALTING:
            self._halted()
        against = self._against()
        if self.phase in MOVING:
            return self._halt(against) if against else self._move()
        if against in NOBODY:
            return self._stand(Phase.STANDING if against is Standstill.NEW_CLIENT else Phase.WAITING, against)
        if self._state.not_recorded:
            return self._stand(Phase.STANDING, Standstill.NOT_RECORDED)
        return self._at_rest()

    def usual_cycles(self, cycle: GuardedCycle, passing: Passing, most: int) -> int:
        """Where a step would follow, all clear, and do nothing else: as many steps as the client is known for."""
        follows = self._clear and self.placed and self.phase is Phase.FOLLOWING and self._state.mode is Mode.BRIDGED
        green = self.zones.commanded is self.zones.actual is Zone.GREEN  # and told so: a stretch tells nothing of zones
        if self.cruise is None or not (follows and green) or not self.hearing.client or self._settings.sun_weight > 0.0:
            return 0
        return self.cruise.follow(cycle, passing, most)

    def _listen(self) -> None:
        sample = self.hearing.step(self._port.samples, self._state.clock.now_ns())
        if sample is not None and self._settings.sun_weight > 0.0:
            self.coupling.see_sun(sun_of(sample))

    def _judge(self) -> None:
        """Zones of the actual and, in motion, of the commanded pose. While following, the look at the last wish does for both."""
        if self._clear and self.hearing.client and self.phase is Phase.FOLLOWING:
            self.zones.remain_clear()
            return
        self.zones.see_robots()
        if self.phase in MOVING and self.hearing.client:
            self._place_command()

    def _place_command(self) -> None:
        """Where the commanded pose would be, with parameters of its own that settle for it."""
        coupling, pose = self.coupling, self.hearing.pose
        if self.phase is Phase.FOLLOWING:
            coupling.share_parameters()
        elif self.phase is Phase.CONVERGING and self.placed:
            coupling.relax_command(pose, 1)
        self.placed = coupling.place_command(pose, self._state.guard.setpoint)
        if self.placed:
            self.zones.see_command(coupling.command_axes, *self.hearing.closing)

    def _against(self) -> Standstill:
        """What speaks against motion now."""
        if not self.hearing.client:
            if self._port.place.waiting:
                return Standstill.NEW_CLIENT
            return Standstill.NO_CLIENT if self.hearing.sample is None else Standstill.SILENCE
        if self.phase not in MOVING:
            return Standstill.NONE
        if not self.placed:
            return Standstill.OUT_OF_REACH
        if not self.zones.allowed:
            return Standstill.COMMANDED_RED if self.zones.commanded is Zone.RED else Standstill.COMMANDED_YELLOW
        return Standstill.NONE

    def _in_red(self) -> Stop:
        self._attempt = None
        self._set_phase(Phase.STANDING, Standstill.ACTUAL_RED)
        return Stop(Rule.COLLISION_ZONE, value=self.zones.actual_clearance_m, detail=self.zones.pair)

    # ------------------------------------------------------------------ in motion
    def _move(self) -> Wish:
        return self._join() if self.phase is Phase.JOINING else self._ride()

    def _join(self) -> Wish:
        axes = self._joiner.step() if self._joiner else None
        return self._joined() if axes is None else axes

    def _joined(self) -> Rest:
        """At the posture: the clutch closes here."""
        at = self._state.guard
        if at.moving:
            return Rest.HOLD
        if self.coupling.seat(at) != OK:
            return self._halt(Standstill.NO_POSTURE)
        self.coupling.share_posture()
        self.coupling.engage(self.hearing.pose)
        self._must_join = False
        self._begin(Phase.CONVERGING)
        return Rest.HOLD

    def _ride(self) -> Wish:
        coupling = self.coupling
        if coupling.ride(self.hearing.estimate, self._state.guard) != OK:
            self._must_join = True
            return self._halt(Standstill.LIMIT)
        phase = Phase.FOLLOWING if coupling.converged else Phase.CONVERGING
        if phase is not self.phase:
            coupling.share_posture()
            self._set_phase(phase)
        if phase is Phase.FOLLOWING:
            self._clear = self.zones.all_clear(coupling.ridden, coupling.rate)
            if not self._clear:
                self.zones.see_robots()
                if self.zones.actual is Zone.RED:
                    return self._in_red()
        return coupling.ridden

    def _begin(self, phase: Phase) -> None:
        self.rule = 0
        self._set_phase(phase)

    # ------------------------------------------------------------------ halting
    def _halt(self, cause: Standstill) -> Rest:
        self._set_phase(Phase.HALTING, cause)
        self._joiner = None
        return Rest.HALT

    def refused(self, stop: Stop) -> Stop | Rest:
        """Limits of axes and ports, and something in the way, are waited out: the command may lead elsewhere."""
        if stop.rule is Rule.COLLISION_ZONE:
            self._must_join = True
            self._tell(f"{stop.detail} in the way")
            return self._halt(Standstill.WAY_BLOCKED)
        if stop.rule not in LIMITS:
            return stop
        self._limit, self.rule = stop, int(stop.rule)
        return self._halt(Standstill.LIMIT)

    def _halted(self) -> None:
        """Standing again: what was it?"""
        limit, self._limit = self._limit, None
        self.rule = int(limit.rule) if limit else 0
        if limit:
            self._must_join = True
            self.cause = Standstill.LIMIT
            self._tell(str(limit))
        self._wait = LOOK_AGAIN if self._must_join else 0
        self._set_phase(Phase.STANDING, self.cause)

    # ------------------------------------------------------------------ at rest
    def _stand(self, phase: Phase, cause: Standstill) -> Rest:
        self._attempt, self.placed = None, False
        self._set_phase(phase, cause)
        return Rest.HOLD

    def _at_rest(self) -> Rest:
        """One portion of the attempt to get going; a new attempt when the last one has failed and waited."""
        if self._wait > 0:
            self._wait -= 1
            return Rest.HOLD
        if self._attempt is None:
            self._attempt = self._start.attempt(self._must_join)
        try:
            next(self._attempt)
        except StopIteration as end:
            self._attempt = None
            self._decide(end.value)
        return Rest.HOLD

    def _searching(self) -> None:
        self.placed = False
        self._set_phase(Phase.SEARCHING, Standstill.NO_POSTURE if self.cause in NO_ONE else self.cause)

    def _decide(self, decision: Decision) -> None:
        self.placed, self._wait, self._joiner = decision.placed, decision.wait, decision.joiner
        self._must_join = decision.search_next
        if decision.phase is Phase.CONVERGING:
            self._begin(decision.phase)
        else:
            self._set_phase(decision.phase, decision.cause)

    # ------------------------------------------------------------------ what is told
    def _set_phase(self, phase: Phase, cause: Standstill = Standstill.NONE) -> None:
        self.phase, self.cause = phase, cause
        if (phase, cause) != self._told and phase is not Phase.SEARCHING:  # a search that fails again is no news
            self._told = phase, cause
            self._tell(phase.name if cause is Standstill.NONE else f"{phase.name} ({cause.name})")
        if phase is Phase.FOLLOWING:
            self._must_join = False

    def _tell(self, text: str) -> None:
        self._tell_people(Severity.INFO, "bridge", text)

    @property
    def converged(self) -> bool:
        return self.phase is Phase.FOLLOWING

    @property
    def left(self) -> tuple[float, ...]:
        """m, rad and s to convergence; NaN when there is nothing to converge to."""
        if self.phase in (Phase.CONVERGING, Phase.FOLLOWING):
            return tuple(self.coupling.left.tolist())
        return NO_LEFT

    def tell_poses(self, out: Axes) -> None:
        """Relative poses commanded and shown, and T_lab_port1 that the command asks for, packed (21); NaN where there is none."""
        shown, asked = self.phase in (Phase.CONVERGING, Phase.FOLLOWING), self.placed and self.hearing.client
        self.coupling.tell_poses(self.hearing.estimate, self.phase is Phase.FOLLOWING, shown, asked, out)
