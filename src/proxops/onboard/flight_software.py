"""The chaser's flight software: from measurements to commands, once per cycle, in reading order.

watch thrusters → navigate → decide (plan, aborts) → guide → control → allocate → tell.
"""

from __future__ import annotations

import math
from typing import Final, Protocol

import numpy as np

from proxops.core.flight import Commands, Estimate, Floats, Measurements, Telemetry, onboard_data
from proxops.core.mission import ApproachStep, FinalStep, MissionFile
from proxops.core.vocabulary import AbortCause, MissionPhase
from proxops.maths.quaternion import turned
from proxops.onboard.actuation import Actuation
from proxops.onboard.approach_logic import (
    NONE,
    AbortWatch,
    ApproachEvent,
    ApproachLogic,
    event_of,
    sure_of_contact,
    trusted,
)
from proxops.onboard.attitude_reference import Slew
from proxops.onboard.compilation import compile_kernels
from proxops.onboard.corridor import axis_share, line_share
from proxops.onboard.guidance import Guidance, Reference
from proxops.onboard.local_orbit import local_orbit
from proxops.onboard.retreat import reserve_kg, retreat_burn
from proxops.onboard.situation import Situation

SPEED_OFF_M_S: Final = 0.1  # velocity off the reference, at the target
SPEED_OFF_SHARE: Final = 0.01  # and per metre of distance, 1/s
BURNT_M_S: Final = 0.001  # of a retreat's burn may be left
BURN_S: Final = 120.0  # by then it is over, even if thrusters failed

# Named once: see `approach_logic`.
ACQUISITION, MATED, REACQUISITION, RETREAT = (
    MissionPhase.ACQUISITION,
    MissionPhase.MATED,
    MissionPhase.REACQUISITION,
    MissionPhase.RETREAT,
)
WITH_CORRIDOR: Final = (FinalStep, ApproachStep)


class Navigator(Protocol):
    """What the flight software asks of its filter."""

    def step(self, m: Measurements, acceleration: Floats, /) -> None: ...
    @property
    def ready(self) -> bool: ...
    @property
    def estimate(self) -> Estimate: ...
    @property
    def age_s(self) -> float: ...
    @property
    def accepted(self) -> int: ...
    @property
    def rejected(self) -> int: ...
    @property
    def q_eci_chaser(self) -> Floats: ...
    @property
    def w_eci_chaser(self) -> Floats: ...
    @property
    def p_eci_chaser(self) -> Floats: ...
    @property
    def v_eci_chaser(self) -> Floats: ...


class RendezvousSoftware:
    """Made with the mission's file, nominal data; another filter may be handed in."""

    def __init__(self, file: MissionFile, navigation: Navigator | None = None) -> None:
        self.data = onboard_data(file)
        if navigation is None:
            from proxops.onboard.navigation_build import navigation_of

            navigation = navigation_of(file, self.data)
        self.navigation = navigation
        self.logic = ApproachLogic()
        self.guidance = Guidance(file.plan, self.data)
        self.actuation = Actuation(self.data)
        self.watch = self.actuation.watch
        self.aborts = AbortWatch(file.abort, math.radians(0.5 * file.sensor.field_of_view_deg), self.data.period_s)
        self._file, self._situation = file, Situation(self.data)
        self._slew: Slew | None = None
        self._estimate: Estimate | None = None  # the last one there was
        self._reference: Reference | None = None
        self._line = [0.0, 0.0, 0.0]  # direction of the present approach, LVLH
        self._burn, self._burn_s = np.zeros(3), 0.0  # what is left of a retreat's burn, m/s in eci axes; its time
        self._corridor = 0.0
        self._left_kg = file.chaser.propellant_kg
        self._reserve_kg = reserve_kg(self.data, file.abort.retreat_m_s)
        compile_kernels(self.data)

    def step(self, measurements: Measurements) -> Commands:
        """One cycle."""
        self.watch.look(measurements.thruster_on_s)
        self._left_kg = measurements.propellant_kg
        mass_kg = self.data.mass_kg - (self._file.chaser.propellant_kg - measurements.propellant_kg)
        nav = self.navigation
        nav.step(measurements, self.actuation.acceleration(measurements.thruster_on_s, mass_kg))
        if self._slew is None:
            self._slew = Slew(nav.q_eci_chaser, nav.w_eci_chaser, self.data)
        if self.logic.phase == RETREAT:
            gained = self.actuation.impulse(measurements.thruster_on_s) / mass_kg
            self._burn = self._burn - turned(nav.q_eci_chaser, gained)
        acceleration = self._decide(nav, self._slew)
        on_time_s, torques = self.actuation.act(
            acceleration, mass_kg, measurements.wheel_rate, nav.q_eci_chaser, nav.w_eci_chaser, self._slew,
            self._situation.distance_m,
        )  # fmt: skip
        self.watch.remember(on_time_s)
        return Commands(on_time_s, torques, self.watch.isolated.copy(), self._telemetry(nav))

    # --- what to do ---

    def _decide(self, nav: Navigator, slew: Slew) -> Floats | None:
        """Acceleration wanted of the thrusters (eci), None for thrusters off; the slew is moved on."""
        if nav.ready:
            self._estimate = nav.estimate
        estimate = self._estimate
        if estimate is None:
            if not self.watch.enough:
                self.logic.happen(ApproachEvent.ABORT, AbortCause.ACTUATORS)
            slew.steady(local_orbit(nav.p_eci_chaser, nav.v_eci_chaser).w, self.data.period_s)
            return None  # attitude only: there is nothing yet to steer by
        now = self._situation
        now.look(nav.p_eci_chaser, nav.v_eci_chaser, nav.q_eci_chaser, estimate, self._reference)
        if self.logic.phase == ACQUISITION and self._knows(nav, estimate, final=False):
            self.guidance.start(now.orbit, estimate, now.turning)
            self._begin()
        if self.logic.approaching:
            self._walk(nav, now, estimate)
        if self.logic.approaching and nav.ready:
            self._reference = self.guidance.step(now.orbit, estimate, now.turning, slew)
            return self.actuation.control.acceleration(self._reference, estimate)
        return self._leave(nav, now, estimate, slew)

    def _walk(self, nav: Navigator, now: Situation, estimate: Estimate) -> None:
        """Give up, arrive, or go to the next step."""
        final = isinstance(self.guidance.present, FinalStep)
        self._corridor = max(self._corridor_share(now), self._tracking_share(now))
        cause = self.aborts.look(
            estimate, nav.age_s, self._corridor, now.off_boresight, self.watch.enough, final, self._left_kg > self._reserve_kg,
            now.between[0],
        )  # fmt: skip
        if cause is not NONE:
            self.logic.happen(ApproachEvent.ABORT, cause)
            limits, orbit = self._file.abort, now.orbit
            burn = retreat_burn(
                orbit.p_eci_target, orbit.v_eci_target, estimate, limits.keep_out_m, limits.retreat_m_s
            )  # fmt: skip
            self._burn = burn.dv
            self.actuation.forget()
        elif final and now.between[0] <= 0.0:
            self.logic.happen(ApproachEvent.CONTACT)
        elif self._goes_on(nav, now, estimate, final) == (self.logic.phase == REACQUISITION):
            self._lose_or_find()
        elif self.logic.phase == REACQUISITION:
            return  # no step begins by what was not measured
        elif self.guidance.finished() and self.guidance.advance(now.orbit, estimate, now.turning):
            self._begin()

    def _knows(self, nav: Navigator, estimate: Estimate, final: bool) -> bool:
        """Whether it sees the client, and knows enough to go on."""
        return nav.age_s <= self._file.abort.sensor_hold_s and trusted(estimate, self._file.abort, final)

    def _goes_on(self, nav: Navigator, now: Situation, estimate: Estimate, final: bool) -> bool:
        """Whether it need not stand and wait."""
        return self._knows(nav, estimate, final) or (final and sure_of_contact(estimate, now.between[0]))

    def _begin(self) -> None:
        """A step of the plan begins."""
        self.logic.happen(event_of(self.guidance.present))
        self._line = self.guidance.direction.tolist()

    def _lose_or_find(self) -> None:
        """Stand, look where the client is believed to be and wait for measurements, or go on with the step: they have come."""
        found = self.logic.phase == REACQUISITION
        self.logic.happen(event_of(self.guidance.present) if found else ApproachEvent.LOST)
        self.guidance.waiting = not found

    def _leave(self, nav: Navigator, now: Situation, estimate: Estimate, slew: Slew) -> Floats | None:
        """Mated, retreating, drifting, or for a while without an estimate: look at the target as long as there is an estimate
        (mated: turn with it), else turn with LVLH; the burn, then nothing."""
        dt = self.data.period_s
        self._reference = None
        if self.logic.phase == MATED:
            slew.follow(estimate.q_eci_target, *now.turning, dt)
            return None
        if nav.ready and self.logic.phase != ACQUISITION:
            self.guidance.watch(now.orbit, estimate, slew)
        else:
            slew.steady(now.orbit.w, dt)
        if self.logic.phase != RETREAT:
            return None
        self._burn_s += dt
        if math.sqrt(self._burn @ self._burn) < BURNT_M_S or self._burn_s > BURN_S:
            self.logic.happen(ApproachEvent.BURNT)
            return None
        return self._burn / dt

    # --- what is known of it ---

    def _corridor_share(self, now: Situation) -> float:
        step = self.guidance.present
        if isinstance(step, FinalStep):
            return axis_share(now.between, self._file.corridor)
        if isinstance(step, ApproachStep):
            return line_share(now.place_lvlh, self._line, step.to_m, self._file.corridor)
        return 0.0

    def _tracking_share(self, now: Situation) -> float:
        """How far off the reference of the cycle before it is, in speed and, where there is no corridor, in place."""
        if self._reference is None:
            return 0.0
        speed = now.off_m_s / (SPEED_OFF_M_S + SPEED_OFF_SHARE * now.distance_m)
        if isinstance(self.guidance.present, WITH_CORRIDOR):
            return speed
        corridor = self._file.corridor
        tube_m = corridor.radius_m + 0.5 * math.tan(math.radians(corridor.half_angle_deg)) * now.distance_m
        return max(speed, now.off_m / tube_m)

    def _telemetry(self, nav: Navigator) -> Telemetry:
        goal = None if self._reference is None else self._reference.position
        number = 0 if self.logic.phase == ACQUISITION else self.guidance.number + 1
        estimate = nav.estimate if nav.ready else None
        return Telemetry(
            self.logic.phase, self.logic.cause, number, estimate, goal, self._corridor, nav.accepted, nav.rejected
        )
