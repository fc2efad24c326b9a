"""The application of a mission: two spacecraft, instruments, flight software. It is the facility's client and knows the hall
only by the packets it sends and by what its relative sensor sees there.

Each cycle: what it measures with looks, if that is due → flight software if due → actuators → orbit and attitude → packet. An
on-board computer that is not waited for is sent measurements when they are due, and listened to in every cycle.
"""

from __future__ import annotations

import math
import sys
from typing import Final

import numpy as np

from proxops.applications.mission.flight_host import WHEEL_HOLD, FlightHost, FlightSoftwareFailed, FreeRunningLink
from proxops.applications.mission.hall_view import HallView
from proxops.applications.mission.outcome import Outcome
from proxops.applications.mission.outlook import Outlook
from proxops.applications.mission.record import AUDIT_EVERY, MissionRecord
from proxops.applications.mission.seeing import NO_IMAGES, Seeing
from proxops.applications.mission.senses import Senses
from proxops.applications.mission.transmitter import Transmitter
from proxops.core.flight import Commands, FlightSoftware, Floats
from proxops.core.messages import PERIOD_S, TRUTH_EVERY
from proxops.core.mission import Mission
from proxops.core.vocabulary import AbortCause, MissionEnd
from proxops.space.pair import Looks, SpacecraftPair

STILL_S: Final = 1.0  # how long the last pose is sent after contact
NEAR_GAP_M: Final = 0.05  # interfaces so near are watched every cycle
CAPTURE_M: Final = 0.2  # interfaces that touch further apart, or more tilted, are not mated: a collision
CAPTURE_RAD: Final = math.radians(10.0)
CONSISTENCY_S: Final = 1.0  # between samples of the normalised error


class MissionApplication:
    """A client of the bridge. ``limit_s`` overrides the flight software's limit of the scenario; a link that is free-running has
    its own. ``seeing``: imaging sensors, and who finds the client in their images."""

    def __init__(
        self, mission: Mission, seed: int, software: FlightSoftware | FreeRunningLink, hall_latency_s: float = 0.0,
        limit_s: float | None = None, seeing: Seeing | None = None,
    ) -> None:  # fmt: skip
        self.file = file = mission.file
        true, sensor, avionics, line = np.random.default_rng(seed).spawn(4)
        self.pair = SpacecraftPair(file, true)
        limit_s = file.flight.limit_ms * 1e-3 if limit_s is None else limit_s
        self._fitted = self.pair.bank.count, len(file.chaser.wheels.axes), 1.0 / file.flight.rate_hz
        self._host = software if isinstance(software, FreeRunningLink) else FlightHost(software, *self._fitted, limit_s)
        self._transmitter = Transmitter(file.network, line, self.pair)
        self._senses = Senses(file, self.pair, sensor, avionics, self._transmitter, hall_latency_s, seeing or Seeing())
        self._every = round(1.0 / file.flight.rate_hz / PERIOD_S)
        self._silent = self._waited = 0
        self.begun = False
        self.outcome = Outcome(images=seeing.tally) if seeing else Outcome()
        t, c = self.pair.true.target.mass_centre, self.pair.true.chaser.mass_centre
        self._reach = file.target.radius_m + file.chaser.radius_m  # of the bodies' spheres together
        places = np.array(file.target.interface_m) - t, np.array(file.chaser.interface_m) - c
        self._looks = Looks(TRUTH_EVERY, NEAR_GAP_M, self._reach, *places)
        self.record = MissionRecord(self.pair, self._looks)
        self.record.line = self._host.figures if isinstance(self._host, FreeRunningLink) else None
        if seeing and seeing.vision:
            seeing.vision.listeners.append(self.record.note_seen)
        self._near, self._gap = False, -math.inf
        self._publish()

    # ------------------------------------------------------------------ life
    @property
    def over(self) -> bool:
        """Nothing more will be sent."""
        return self._silent * PERIOD_S >= STILL_S

    def advance(self, t: float, hall: HallView | None) -> list[bytes]:
        """One cycle; ``t`` is the facility's time, ``hall`` None when there is nothing to look at. What arrives at the
        bridge by then."""
        if not self.begun:
            self._wait(hall)
        elif self.outcome.end is MissionEnd.UNDER_WAY:
            self._fly(hall)
        elif self.outcome.end in (MissionEnd.FLIGHT_SOFTWARE, MissionEnd.IMAGES):
            self._silent = round(STILL_S / PERIOD_S)  # nobody flies: silence, and the hall halts
        else:
            self._silent += 1
        if self.over:
            return self._transmitter.due(t)
        return self._transmitter.send(t, self.begun and self.outcome.end is MissionEnd.UNDER_WAY)

    def fly_on(self) -> None:
        """In software, for nobody who listens or records: as ``advance`` without a hall and without packets. The cycles in
        which nothing is measured, decided or looked for are flown in one go."""
        if self.begun:
            self._fly(None, at_once=True)
        else:
            self._wait(None)

    def finish(self, end: MissionEnd) -> None:
        """The mission is over, and why."""
        out = self.outcome
        if out.end is not MissionEnd.UNDER_WAY:
            return
        out.end, out.t, out.news = end, self.pair.t, out.news + 1
        out.propellant_kg = self.file.chaser.propellant_kg - self.pair.propellant_kg
        self._publish()
        out.audit = self.record.worst

    def close(self) -> None:
        """Let the flight software go; if it does not go in peace, that is told and changes nothing."""
        self._senses.close()
        try:
            self._host.close()
        except Exception as error:  # the user's own code: the run is over and its results stand
            print(f"note: the flight software's close() raised {type(error).__name__}: {error}", file=sys.stderr)

    def _wait(self, hall: HallView | None) -> None:
        """Until the hall shows the first pose, or patience ends."""
        self._waited += 1
        self.begun = hall is None or hall.converged or self._waited * PERIOD_S >= self.file.hall.join_s
        self._publish()

    def _fly(self, hall: HallView | None, at_once: bool = False) -> None:
        if not self._decide(hall):
            return
        cycles, near = self._idle_cycles() if at_once else 1, True
        if cycles > 1:
            self._gap, near = self.pair.coast(cycles, self._looks, self._gap)
        else:
            self.pair.advance()
        self._publish()
        self._arrive(near)

    def _decide(self, hall: HallView | None) -> bool:
        """What is due before the craft move on; False where nobody flies any more."""
        try:
            self._senses.look(hall, self.record, self.outcome)
            self._fly_software(hall)
        except NO_IMAGES as failure:
            self.outcome.failure = str(failure)
            self.finish(MissionEnd.IMAGES)
            return False
        except FlightSoftwareFailed as failure:
            self.outcome.failure = str(failure)
            self.finish(MissionEnd.FLIGHT_SOFTWARE)
            return False
        return True

    def _arrive(self, near: bool) -> None:
        """Look whether this is the end; ``near``: contact may be."""
        if near:
            self._look_for_contact()
        if self.pair.t >= self.file.duration_s:
            self.finish(MissionEnd.TIME)

    def _idle_cycles(self) -> int:
        """From now on, until something may happen but motion."""
        if self._near or self.pair.pushed:
            return 1
        now = self.pair.cycle
        count = min(self._every - now % self._every, AUDIT_EVERY - now % AUDIT_EVERY)
        while count > 1 and self._eventful((now + count - 1) * PERIOD_S):
            count -= 1
        return count

    def _eventful(self, t: float) -> bool:
        return t >= self.file.duration_s or self._senses.eventful(t)

    def _publish(self) -> None:
        waited = 0 if self.begun else max(1, round(self.file.hall.join_s / PERIOD_S) - self._waited)
        self.record.publish(waited, self.outcome.end)

    # ------------------------------------------------------------------ ahead of the hall
    @property
    def foresees(self) -> bool:
        """Its packets arrive as they are sent, and its flight software is waited for: the next cycles can be flown at once."""
        waited_for = isinstance(self._host, FlightHost) and not self._near
        return self.begun and self._transmitter.perfect and waited_for and self.outcome.end is MissionEnd.UNDER_WAY

    def look_ahead(self, hall: HallView | None, out: Outlook) -> None:
        """As so many calls of ``advance``: of the cycle that begins now, and of those after it in which only the craft move."""
        cycles = min(self._idle_cycles(), out.room) if self._decide(hall) else 0
        line = self._transmitter
        out.begin(line.sent, self.pair, self.record, self._gap)
        while out.flown < cycles and not self._near and self.outcome.end is MissionEnd.UNDER_WAY:
            self._gap, near = out.coast(self.pair, cycles - out.flown, self._looks, self._gap, self.record, line)
            self._arrive(near)
        if self.outcome.end is not MissionEnd.UNDER_WAY:  # in the last cycle, or before any: nothing moves any more
            out.stand(line, self.record.bytes)

    def take_back(self, out: Outlook) -> None:
        """Be where the last cycle was that has been handed out: nobody will ask for the others."""
        if out.left and out.coasted:  # an end in a cycle that nobody asks for has not come
            self.outcome.end, self.outcome.contact = MissionEnd.UNDER_WAY, None
        if out.left and self.outcome.end is MissionEnd.UNDER_WAY:
            self._near, self._gap = False, out.restore(self.pair, self.record)
            for _ in range(out.handed_out):
                self.pair.advance()
                self._publish()
            self._transmitter.sent = out.next_number

    # ------------------------------------------------------------------ flight software
    def _fly_software(self, hall: HallView | None) -> None:
        """Ask it if that is due, and carry out what it has answered."""
        due, host = self.pair.cycle % self._every == 0, self._host
        if isinstance(host, FlightHost):
            if due:
                self._carry_out(host.step(self._senses.measure(hall, self.record, self.outcome)), self.pair.y)
            return
        if due:
            host.send(self._senses.measure(hall, self.record, self.outcome), self.pair.y)
        answer = host.take(*self._fitted)
        if answer is not None:
            self._carry_out(answer.commands, answer.y)
        elif host.unrenewed_cycles >= WHEEL_HOLD * self._every:  # thrusters end with their on-time by themselves
            self.pair.set_wheels(np.zeros(self._fitted[1]))

    def _carry_out(self, commands: Commands, y: Floats) -> None:
        """From this cycle on; ``y``: state of the craft when it was asked."""
        self.pair.command(commands.on_time_s, commands.wheel_torque, commands.isolated)
        self.record.note_told(commands.telemetry, y)
        self._senses.believe(commands.telemetry)
        self._remember(commands)

    def _remember(self, commands: Commands) -> None:
        told, out, distance = commands.telemetry, self.outcome, self.pair.distance_m
        out.phase, out.least_distance_m, out.news = told.phase, min(out.least_distance_m, distance), out.news + 1
        if told.abort is not AbortCause.NONE and out.abort is AbortCause.NONE:
            out.abort = told.abort
        if told.estimate is not None and self.pair.cycle % round(CONSISTENCY_S / PERIOD_S) == 0:
            out.nees.append((distance, self.record.nees))

    def _look_for_contact(self) -> None:
        if self._near:
            self.record.tell_truth()
        elif self.pair.cycle % TRUTH_EVERY:
            return
        told = self.record.interfaces
        gap, lateral, tilt = told[:3].tolist()
        before, self._gap = self._gap, gap
        beside = lateral < self._reach
        self._near = abs(gap) < NEAR_GAP_M and beside
        if gap <= 0.0 < before and gap > -NEAR_GAP_M and beside:  # the planes of the interfaces meet
            self.outcome.contact = told.copy()
            captured = lateral < CAPTURE_M and tilt < CAPTURE_RAD
            self.finish(MissionEnd.MATED if captured else MissionEnd.COLLISION)
        elif self.pair.distance_m < self._reach:
            self.finish(MissionEnd.COLLISION)

    # ------------------------------------------------------------------ packets
    def relative_pose(self) -> Floats:
        """T_target_chaser as computed, packed."""
        return self._transmitter.relative_pose
