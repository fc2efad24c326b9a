"""Phases of an approach as a table, and the watch over the causes to give it up."""

from __future__ import annotations

import math
from enum import IntEnum
from typing import Final

from proxops.core.docking_standard import ANGLE_MAX_RAD, LATERAL_MAX_M
from proxops.core.flight import Estimate, Floats
from proxops.core.mission import Abort, ApproachStep, FinalStep, FlyAroundStep, Step
from proxops.core.vocabulary import AbortCause, MissionPhase
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length
from proxops.maths.small_matrix import largest_eigenvalue

P = MissionPhase
# Python 3.11 calls a function whenever a member of an enumeration is named: what is asked in every cycle is named once.
APPROACHING: Final = (P.HOLD, P.APPROACH, P.FLY_AROUND, P.FINAL, P.REACQUISITION)
NONE, CORRIDOR, FIELD_OF_VIEW, UNCERTAIN = (
    AbortCause.NONE,
    AbortCause.CORRIDOR,
    AbortCause.FIELD_OF_VIEW,
    AbortCause.UNCERTAIN,
)


SIGMAS: Final = 3.0  # of the position, by which it counts as nearer than it is believed to be
BLIND_M: Final = 0.1  # between the interfaces: from here on the final step may end without measurements
ACCEPTED: Final = 0.5  # of what a docking system must accept: where the filter has to know itself for that


class ApproachEvent(IntEnum):
    """What moves an approach on."""

    HOLD = 1  # a step of the plan begins: one of four
    APPROACH = 2
    FLY_AROUND = 3
    FINAL = 4
    CONTACT = 5  # the interfaces meet, as far as the filter knows
    ABORT = 6
    BURNT = 7  # the retreat's burn is done
    LOST = 8  # no measurement for a while


STEPS: Final = {
    P.HOLD: ApproachEvent.HOLD,
    P.APPROACH: ApproachEvent.APPROACH,
    P.FLY_AROUND: ApproachEvent.FLY_AROUND,
    P.FINAL: ApproachEvent.FINAL,
}
NEXT: Final[dict[tuple[MissionPhase, ApproachEvent], MissionPhase]] = {
    (P.ACQUISITION, ApproachEvent.HOLD): P.HOLD,
    (P.ACQUISITION, ApproachEvent.APPROACH): P.APPROACH,
    (P.ACQUISITION, ApproachEvent.FLY_AROUND): P.FLY_AROUND,
    (P.ACQUISITION, ApproachEvent.ABORT): P.DRIFT,  # nothing known to retreat from
    **{(phase, event): step for phase in (P.HOLD, P.APPROACH, P.FLY_AROUND) for step, event in STEPS.items()},
    **{(phase, ApproachEvent.LOST): P.REACQUISITION for phase in STEPS},
    **{(P.REACQUISITION, event): step for step, event in STEPS.items()},  # there it is again: the step goes on
    **{(phase, ApproachEvent.ABORT): P.RETREAT for phase in APPROACHING},
    **{(phase, ApproachEvent.CONTACT): P.MATED for phase in (P.FINAL, P.REACQUISITION)},
    (P.RETREAT, ApproachEvent.BURNT): P.DRIFT,
}
del NEXT[(P.APPROACH, ApproachEvent.FINAL)]  # only from the docking axis


class ApproachLogic:
    """The phase; an event that the table does not list changes nothing and is counted."""

    def __init__(self) -> None:
        self.phase = P.ACQUISITION
        self.cause = AbortCause.NONE
        self.unexpected = 0

    def happen(self, event: ApproachEvent, cause: AbortCause = AbortCause.NONE) -> None:
        after = NEXT.get((self.phase, event))
        if after is None:
            self.unexpected += 1
            return
        self.phase = after
        if event is ApproachEvent.ABORT:
            self.cause = cause

    @property
    def approaching(self) -> bool:
        """Whether there is something to give up."""
        return self.phase in APPROACHING


def event_of(step: Step) -> ApproachEvent:
    """The event of a step's beginning."""
    if isinstance(step, ApproachStep):
        return ApproachEvent.APPROACH
    if isinstance(step, FlyAroundStep):
        return ApproachEvent.FLY_AROUND
    return ApproachEvent.FINAL if isinstance(step, FinalStep) else ApproachEvent.HOLD


def trusted(estimate: Estimate, limits: Abort, final: bool) -> bool:
    """Whether the filter knows enough to go on."""
    distance_m, position_m, attitude_rad = uncertainty(estimate.position, estimate.covariance)
    known = position_m <= limits.position_sigma_share * distance_m
    return known and (not final or attitude_rad <= math.radians(limits.attitude_sigma_deg))


def sure_of_contact(estimate: Estimate, gap_m: float) -> bool:
    """Whether the interfaces, ``gap_m`` apart, would meet well within what they accept if nothing more were measured: so near
    that eyes see too little of the client, who goes on arrives better than who stands there and drifts."""
    _, position_m, attitude_rad = uncertainty(estimate.position, estimate.covariance)
    return (
        gap_m < BLIND_M
        and SIGMAS * position_m < ACCEPTED * LATERAL_MAX_M
        and SIGMAS * attitude_rad < ACCEPTED * ANGLE_MAX_RAD
    )


def may_touch(estimate: Estimate, gap_m: float) -> bool:
    """Whether the interfaces, believed to be ``gap_m`` apart, may have met already, and not as they should."""
    _, position_m, _ = uncertainty(estimate.position, estimate.covariance)
    return gap_m < SIGMAS * position_m and not sure_of_contact(estimate, gap_m)


def far_off(estimate: Estimate, limits: Abort) -> bool:
    """Whether the chaser is outside of the keep-out sphere as far as the filter can tell: then there is time to search."""
    distance_m, position_m, _ = uncertainty(estimate.position, estimate.covariance)
    return distance_m - SIGMAS * position_m > limits.keep_out_m


@kernel
def uncertainty(position: Floats, covariance: Floats) -> tuple[float, float, float]:
    """Distance, m, and the largest standard deviation in any direction of position, m, and of the client's attitude, rad."""
    by_position, by_attitude = largest_eigenvalue(covariance[:3, :3]), largest_eigenvalue(covariance[6:9, 6:9])
    return length(position), math.sqrt(max(by_position, 0.0)), math.sqrt(max(by_attitude, 0.0))


class AbortWatch:
    """Causes to give up. What is judged from the estimate has to last, since one bad cycle is no reason to end a mission; who
    knows too little and is far off stands and searches for as long as one who sees nothing."""

    LASTING_S: Final = 1.0

    def __init__(self, limits: Abort, half_view: float, period_s: float) -> None:
        self._limits, self._half_view = limits, half_view
        self._cycles, self._patience = (max(1, round(s / period_s)) for s in (self.LASTING_S, limits.sensor_loss_s))
        self._bad = [0] * (max(AbortCause) + 1)  # cycles in a row, for each cause

    def look(
        self, estimate: Estimate, age_s: float, corridor: float, off_boresight: float, enough_thrusters: bool, final: bool,
        enough_propellant: bool = True, gap_m: float = math.inf,
    ) -> AbortCause:  # fmt: skip
        """The cause to give up now, if any. ``gap_m``: of the interfaces; who is blind does not wait to touch."""
        if not enough_thrusters:
            return AbortCause.ACTUATORS
        if not enough_propellant:
            return AbortCause.PROPELLANT
        if age_s > self._limits.sensor_loss_s:
            return AbortCause.SENSOR_LOST
        if self._lasts(CORRIDOR, corridor > 1.0):
            return CORRIDOR
        if self._lasts(FIELD_OF_VIEW, off_boresight > self._half_view):
            return FIELD_OF_VIEW
        known = trusted(estimate, self._limits, final)
        known = known and not (final and age_s > self._limits.sensor_hold_s and may_touch(estimate, gap_m))
        cycles = self._cycles if known or not far_off(estimate, self._limits) else max(self._cycles, self._patience)
        if self._lasts(UNCERTAIN, not known, cycles):
            return UNCERTAIN
        return NONE

    def _lasts(self, cause: AbortCause, bad: bool, cycles: int = 0) -> bool:
        lasted = self._bad[cause] = self._bad[cause] + 1 if bad else 0
        return lasted >= (cycles or self._cycles)
