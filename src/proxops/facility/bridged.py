"""The bridge as a motion: control logic over filter, estimate, clutch, mapping, posture search and collision avoidance.

Every cycle: packets → one sample → estimate → zones → a phase. The hall moves in three phases only (JOINING, CONVERGING,
FOLLOWING); whatever speaks against that halts it, unlatched, and is named as the cause. At standstill the phase is worked
out anew each cycle from what there is, so there is no start procedure; a search that fails is tried again.
"""

from __future__ import annotations

import math
from collections.abc import Generator, Iterator
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.bridge import estimate as estimates
from proxops.bridge.clutch import CLUTCH_DTYPE
from proxops.bridge.clutch import seat as seat_clutch
from proxops.bridge.cost import cost_of
from proxops.bridge.descent import FIRST_STEP, begin, relax
from proxops.bridge.estimate import ESTIMATE_DTYPE
from proxops.bridge.input_filter import InputFilter, Sample
from proxops.bridge.mapping import OK, PHI, PLACE_DTYPE, rig_of
from proxops.bridge.posture import PORTION, START_ROOM, Posture, PostureSearch
from proxops.bridge.reach import smallest_room
from proxops.bridge.ride import RIDE_DTYPE, command_place, new_free, ride_tick, seat_ride
from proxops.bridge.settings import BridgeSettings
from proxops.core.messages import PERIOD_S
from proxops.core.vocabulary import InputState, Mode, Phase, Severity, Standstill, Zone
from proxops.facility.bridge_port import BridgePort
from proxops.facility.facility import Facility
from proxops.facility.joiner import Joiner, least_rolled, looks, ways
from proxops.facility.motion import Rest, Wish
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import way_between
from proxops.maths.rotation import Array, matrix_from_quat, quat_from_matrix
from proxops.safety.rules import Rule, Stop
from proxops.safety.zone_watch import ZoneWatch
from proxops.safety.zones import LOGIC

Axes = NDArray[np.float64]
MOVING: Final = frozenset({Phase.JOINING, Phase.CONVERGING, Phase.FOLLOWING})
RELAX_PORTIONS: Final = 6  # at standstill, before the posture that there is may be judged
LOOK_AGAIN: Final = 25  # cycles between two attempts at standstill when nothing has changed
SEARCH_AGAIN: Final = 250  # cycles between two whole searches
POSTURES_TRIED: Final = 4
NO_VELOCITY: Final = np.zeros(6)
NOBODY: Final = frozenset({Standstill.NO_CLIENT, Standstill.SILENCE, Standstill.NEW_CLIENT})  # whose command counts
NO_ONE: Final = NOBODY | {Standstill.NOT_RECORDED, Standstill.NONE}
PHI_TOLERANCE: Final = math.radians(2.0)
NO_LEFT: Final = (math.nan,) * 3
WAY_DIP_M: Final = 0.01  # by which a way out of yellow may come nearer at first; never nearer than this to red
YELLOW_STAYS_M: Final = 0.003  # beyond the layer: what stands at its edge does not flicker


@kernel
def _tell_poses(
    est: NDArray[np.void], ride: NDArray[np.void], place: NDArray[np.void], shown: bool, asked: bool, out: Array
) -> None:
    e, o = est[0], place[0]
    out[:] = np.nan
    if e.seated:
        out[0:3] = e.p
        out[3:7] = e.q
    if shown:
        out[7:14] = ride[0].pose
    if asked:
        out[14:17] = o.P1
        out[17:21] = quat_from_matrix(o.R1)


def doubles_of(record: NDArray[np.void], first: str, count: int) -> Axes:
    """View of neighbouring doubles of a one-element record, which is quicker to read than its fields."""
    fields = record.dtype.fields
    assert fields is not None
    return np.ndarray((count,), "<f8", record.data, int(fields[first][1]))


class Bridged:
    """Motion of mode BRIDGED. ``step`` every cycle, in HALTING too."""

    def __init__(self, facility: Facility, port: BridgePort, settings: BridgeSettings, zones: ZoneWatch) -> None:
        self._f, self._port, self._settings, self._zones = facility, port, settings, zones
        cell = facility.cell
        self._cell, self._hall = cell, cell.hall
        self.filter = InputFilter(settings.timeout_ns)
        self._est, self._clutch = np.zeros(1, ESTIMATE_DTYPE), np.zeros(1, CLUTCH_DTYPE)
        self._cost, self._command_cost = cost_of(cell), cost_of(cell)
        for cost in (self._cost, self._command_cost):
            cost[0]["sun_weight"], cost[0]["phi_fixed"] = settings.sun_weight, settings.phi_rad is not None
        self._rig = rig_of(cell)
        self._free, self._command_free = new_free(), new_free()
        self._ride = np.zeros(1, RIDE_DTYPE)
        self._place, self._command_place = np.zeros(1, PLACE_DTYPE), np.zeros(1, PLACE_DTYPE)
        self._limits = settings.limits
        self._pose = np.zeros(7)  # estimated command, packed
        self._step = FIRST_STEP  # of the command's descent
        self._ridden: Axes = self._place[0]["q"]  # views of what the ride gives
        self._ridden_rate: Axes = self._ride[0]["rate"]
        self._converged = self._clutch["converged"]
        self._left = doubles_of(self._clutch, "left_m", 3)
        self._cost_and_pace = doubles_of(self._ride, "cost", 2)
        self._phi = self._free[0]["x"][PHI:]
        self._wish: Axes = self._ridden
        self._rate: Axes = self._ridden_rate
        self.client = False  # one is there and sends
        self._clear = False  # the last wish was green all round
        self.phase, self.cause = Phase.WAITING, Standstill.NO_CLIENT
        self._told: tuple[Phase, Standstill] | None = None
        self.rule = 0
        self.sample: Sample | None = None  # newest that went out of the filter
        self.commanded_zone = self.actual_zone = Zone.GREEN
        self.commanded_clearance_m = self.actual_clearance_m = math.nan
        self._actual_pair = ""
        self.yellow_m = zones.minimum_m
        self.placed = False  # the commanded pose has a place
        self._must_join = False  # the clutch cannot get there from here
        self._wait = 0  # cycles until the next attempt at standstill
        self._work: Iterator[None] | None = None  # attempt under way at standstill, a portion each cycle
        self._joiner: Joiner | None = None

    # ------------------------------------------------------------------ the cycle
    def step(self) -> Wish:
        self._listen()
        self._judge()
        if self.actual_zone is Zone.RED:
            return self._in_red()
        if self._f.mode is Mode.HALTING:
            self.phase = Phase.HALTING
            return Rest.HOLD
        if self.phase is Phase.HALTING:
            self._halted()
        against = self._against()
        if self.phase in MOVING:
            return self._halt(against) if against else self._move()
        if against in NOBODY:
            self.placed = False
            self._stand(Phase.STANDING if against is Standstill.NEW_CLIENT else Phase.WAITING, against)
            return Rest.HOLD
        if self._f.not_recorded:
            self.placed = False
            self._stand(Phase.STANDING, Standstill.NOT_RECORDED)
            return Rest.HOLD
        return self._at_rest()

    def _in_red(self) -> Stop:
        self._stand(Phase.STANDING, Standstill.ACTUAL_RED)
        return Stop(Rule.COLLISION_ZONE, value=self.actual_clearance_m, detail=self._actual_pair)

    def _listen(self) -> None:
        """Packets to one sample, sample to estimate."""
        sample = self.filter.step(self._port.samples, self._f.clock.now_ns())
        pose, velocity, fresh = self._pose, NO_VELOCITY, sample is not None
        if sample is not None:
            self.sample, pose = sample, sample.relative
            if sample.velocity is not None:
                velocity = sample.velocity
            if sample.sun is not None and self._settings.sun_weight > 0.0:
                self._see_sun(sample)
        dry = self.filter.state is InputState.DRY
        self.client = estimates.hear(
            self._est, pose, velocity, fresh, velocity is not NO_VELOCITY, dry, self.filter.gone, self._pose
        )

    def _see_sun(self, sample: Sample) -> None:
        """Direction to the sun in the chaser's frame."""
        R_client_target = matrix_from_quat(sample.T_client_target[3:7])
        R_target_chaser = matrix_from_quat(sample.relative[3:7])
        assert sample.sun is not None
        sun = (R_client_target @ R_target_chaser).T @ sample.sun
        self._cost[0]["sun"] = self._command_cost[0]["sun"] = sun

    def _judge(self) -> None:
        """Zones of the actual and, in motion, of the commanded pose. While following, the look at the last wish does for both."""
        if self._clear and self.client and self.phase is Phase.FOLLOWING:
            self.commanded_zone = self.actual_zone = Zone.GREEN
            return
        self._judge_actual()
        if self.phase in MOVING and self.client:
            self._place_command()

    def _judge_actual(self) -> None:
        facility, zones = self._f, self._zones
        stays = YELLOW_STAYS_M if self.actual_zone is Zone.YELLOW else 0.0
        actual = zones.actual(facility.actual, facility.guard.rate, stays)
        self.actual_zone, self._actual_pair = actual.zone, actual.finding.pair
        due = facility.clock.tick % LOOK_AGAIN == 0 or math.isnan(self.actual_clearance_m)
        if actual.zone is not Zone.GREEN or due:
            self.actual_clearance_m = zones.nearest(facility.actual).distance_m
        self.yellow_m = max(zones.minimum_m, actual.finding.layer_m)

    def _all_clear(self) -> bool:
        """One look for all while following: wish, robots and the way of a stop are green. Displays get clearances at 10 Hz."""
        layer = self._zones.all_clear(self._wish, self._rate, self._f.actual)
        if layer < 0.0:
            return False
        self.yellow_m = layer
        if self._f.clock.tick % LOOK_AGAIN == 0:
            self.commanded_clearance_m = self.actual_clearance_m = self._zones.nearest(self._wish).distance_m
        return True

    def _place_command(self) -> None:
        """Where the commanded pose would be, with parameters of its own that settle for it."""
        if self.phase is Phase.FOLLOWING:
            self._command_free[0] = self._free[0]
        elif self.phase is Phase.CONVERGING and self.placed:
            _, self._step = relax(
                self._hall, self._rig, self._command_cost, self._pose, self._command_free,
                self._command_place[0]["q"], 1, self._step, self._command_place,
            )  # fmt: skip
        code = command_place(
            self._hall, self._rig, self._pose, self._command_free, self._f.guard.setpoint, self._command_place
        )
        self.placed = code == OK
        if self.placed:
            self._judge_command(self._command_place[0]["q"])

    def _judge_command(self, q: Axes) -> None:
        closing, turning = estimates.closing(self._est)
        self._zones.expect(min(closing, self._settings.speed_m_s), min(turning, self._settings.rate_rad_s))
        judged = self._zones.commanded(q)
        self.commanded_zone = judged.zone
        if judged.zone is not Zone.GREEN or self._f.clock.tick % LOOK_AGAIN == 0:
            self.commanded_clearance_m = self._zones.nearest(q).distance_m

    def _against(self) -> Standstill:
        """What speaks against motion now; Table 1 is ``LOGIC``."""
        if not self.client:
            if self._port.place.waiting:
                return Standstill.NEW_CLIENT
            return Standstill.NO_CLIENT if self.sample is None else Standstill.SILENCE
        if self.phase not in MOVING:
            return Standstill.NONE
        if not self.placed:
            return Standstill.OUT_OF_REACH
        if not LOGIC[self.commanded_zone, self.actual_zone]:
            return Standstill.COMMANDED_RED if self.commanded_zone is Zone.RED else Standstill.COMMANDED_YELLOW
        return Standstill.NONE

    # ------------------------------------------------------------------ in motion
    def _move(self) -> Wish:
        guard = self._f.guard
        if self.phase is Phase.JOINING:
            axes = self._joiner.step() if self._joiner else None
            if axes is None:
                return self._joined()
            self._wish, self._rate = axes, (axes - guard.setpoint) / PERIOD_S
        else:
            code = ride_tick(
                self._hall, self._rig, self._cost, self._est, self._clutch, self._limits, self._free, self._ride,
                guard.setpoint, guard.rate, self._place,
            )  # fmt: skip
            if code != OK:
                self._must_join = True
                return self._halt(Standstill.LIMIT)
            self._wish, self._rate = self._ridden, self._ridden_rate
            phase = Phase.FOLLOWING if self._converged[0] else Phase.CONVERGING
            if phase is not self.phase:
                self._command_free[0], self._command_place[0] = self._free[0], self._place[0]
                self._step = FIRST_STEP
                self._set_phase(phase)
        if self.phase is Phase.FOLLOWING:
            self._clear = self._all_clear()
            if self._clear:
                return self._wish
            self._judge_actual()
            if self.actual_zone is Zone.RED:
                return self._in_red()
        blocked = self._zones.blocked(self._wish, self._rate)
        if blocked:
            self._must_join = True
            self._tell(f"{blocked.pair} in the way")
            return self._halt(Standstill.WAY_BLOCKED)
        return self._wish

    def _halt(self, cause: Standstill) -> Rest:
        self._set_phase(Phase.HALTING, cause)
        self._joiner = None
        return Rest.HALT

    def note_limit(self) -> None:
        """The guard has objected to the wish of this cycle: it is not shown."""
        if self.phase in MOVING:
            limit = self._f.limit
            self.rule = int(limit.rule) if limit else 0
            self._set_phase(Phase.HALTING, Standstill.LIMIT)
            self._joiner = None

    def _halted(self) -> None:
        """Standing again: what was it?"""
        limit, self._f.limit = self._f.limit, None
        self.rule = int(limit.rule) if limit else 0
        if limit:
            self._must_join = True
            self.cause = Standstill.LIMIT
            self._tell(str(limit))
        self._wait = LOOK_AGAIN if self._must_join else 0
        self._set_phase(Phase.STANDING, self.cause)

    def _set_phase(self, phase: Phase, cause: Standstill = Standstill.NONE) -> None:
        self.phase, self.cause = phase, cause
        if (phase, cause) != self._told and phase is not Phase.SEARCHING:  # a search that fails again is no news
            self._told = phase, cause
            self._tell(phase.name if cause is Standstill.NONE else f"{phase.name} ({cause.name})")
        if phase is Phase.FOLLOWING:
            self._must_join = False

    def _tell(self, text: str) -> None:
        self._f.events.tell(Severity.INFO, "bridge", text)

    def _stand(self, phase: Phase, cause: Standstill) -> None:
        self._work = None
        self._set_phase(phase, cause)

    # ------------------------------------------------------------------ at rest
    def _at_rest(self) -> Rest:
        """One portion of the attempt to get going; a new attempt when the last one has failed and waited."""
        if self._wait > 0:
            self._wait -= 1
            return Rest.HOLD
        if self._work is None:
            self._work = self._attempt()
        if next(self._work, self) is self:
            self._work = None
        return Rest.HOLD

    def _attempt(self) -> Iterator[None]:
        """From standstill into CONVERGING (from this posture) or JOINING (to a better one), or to a cause that is named."""
        if not self._must_join:
            yield from self._from_here()
            if self.phase in MOVING:
                return
            if self.placed and self.commanded_zone is not Zone.GREEN:
                self._refuse_command(LOOK_AGAIN)
                return
        self.placed = False
        self._set_phase(Phase.SEARCHING, Standstill.NO_POSTURE if self.cause in NO_ONE else self.cause)
        phi = self._settings.phi_rad
        search = PostureSearch(
            self._cell, self._command_cost.copy(), self._pose, self._f.guard.setpoint,
            None if phi is None else math.degrees(phi),
        )  # fmt: skip
        while not search.step():
            yield
        yield from self._choose(search)

    def _from_here(self) -> Iterator[None]:
        """The posture that there is: relaxed at the commanded pose, does it leave room, and is it green?"""
        if self._seat() != OK or self._off_phi():
            self.placed = False
            return
        self._command_free[0] = self._free[0]
        self._command_place[0] = self._place[0]
        self._step = FIRST_STEP
        code = OK
        for _ in range(RELAX_PORTIONS):
            code = command_place(
                self._hall, self._rig, self._pose, self._command_free, self._command_place[0]["q"], self._command_place
            )
            if code != OK:
                break
            _, self._step = relax(
                self._hall, self._rig, self._command_cost, self._pose, self._command_free,
                self._command_place[0]["q"], PORTION, self._step, self._command_place,
            )  # fmt: skip
            yield
        self.placed = code == OK and smallest_room(self._hall, self._command_place, self._f.guard.roll)[0] >= START_ROOM
        if not self.placed:
            return
        self._judge_command(self._command_place[0]["q"])
        if LOGIC[self.commanded_zone, self.actual_zone]:
            self._engage()

    def _seat(self) -> int:
        """Read pose and parameters back from where the robots stand; the plates' rolls are counted as the guard does."""
        guard = self._f.guard
        self._cost[0]["roll"] = self._command_cost[0]["roll"] = guard.roll
        return int(seat_ride(self._hall, self._rig, guard.setpoint, self._free, self._ride, self._place))

    def _off_phi(self) -> bool:
        """The operator has given phi, and the robots stand at another."""
        wanted = self._settings.phi_rad
        return wanted is not None and abs(math.remainder(self.phi - wanted, 2.0 * math.pi)) > PHI_TOLERANCE

    def _engage(self) -> None:
        """Close the clutch at what the robots show."""
        shown = self._ride[0]["pose"]
        seat_clutch(self._clutch, shown)
        angle_rad = way_between(shown[3:], self._pose[3:], np.empty(3))
        self._left[:] = math.dist(shown[:3], self._pose[:3]), angle_rad, math.nan
        self.rule = 0
        self._set_phase(Phase.CONVERGING)

    def _refuse_command(self, wait: int) -> None:
        red = self.commanded_zone is Zone.RED
        self._wait = wait
        self._set_phase(Phase.STANDING, Standstill.COMMANDED_RED if red else Standstill.COMMANDED_YELLOW)

    def _choose(self, search: PostureSearch) -> Iterator[None]:
        """The best posture that is green and can be reached."""
        start = self._f.guard.setpoint.copy()
        found = search.best(start)[:POSTURES_TRIED]
        if not found:
            self.commanded_zone, self.commanded_clearance_m = Zone.RED, math.nan
            self._must_join = False
            self._wait = SEARCH_AGAIN
            self._set_phase(Phase.STANDING, Standstill.OUT_OF_REACH)
            return
        green = []
        for posture in found:
            self._judge_command(posture.q)
            yield
            if LOGIC[self.commanded_zone, self.actual_zone]:
                green.append(posture)
        if not green:
            self._refuse_command(SEARCH_AGAIN)
            return
        for posture in green:
            goal = least_rolled(self._cell, start, posture.q, self._f.guard.roll)
            yield
            for corners in ways(self._cell, start, goal):
                free = yield from self._look_along(start, corners)
                if free:
                    self._begin_joining(start, corners, posture)
                    if self.phase is Phase.JOINING:
                        return
                    break
        self._must_join = False  # no way round: next time from here
        self._wait = SEARCH_AGAIN
        self._set_phase(Phase.STANDING, Standstill.NO_POSTURE)

    def _look_along(self, start: Axes, corners: list[Axes]) -> Generator[None, None, bool]:
        """Whether a way keeps out of yellow, or at least no deeper in it than where it starts."""
        path, bound = self._zones.path, self._zones.minimum_m
        here = path.at(start, bound).distance_m
        bound = min(bound, max(here - WAY_DIP_M, min(here - 0.001, WAY_DIP_M)))
        for posture in looks(start, corners):
            if path.at(posture, bound).distance_m < bound:
                return False
            yield
        return True

    def _begin_joining(self, start: Axes, corners: list[Axes], posture: Posture) -> None:
        self._rig[0]["sign1"], self._rig[0]["sign2"] = posture.signs
        begin(self._rig, self._pose, posture.free, self._command_free)
        self._place_command()
        if not self.placed or not LOGIC[self.commanded_zone, self.actual_zone]:
            return  # the command has moved on meanwhile
        self._joiner = Joiner(self._cell, start, corners)
        self._set_phase(Phase.JOINING)

    def _joined(self) -> Rest:
        """At the posture: the clutch closes here."""
        if self._f.guard.moving:
            return Rest.HOLD
        if self._seat() != OK:
            return self._halt(Standstill.NO_POSTURE)
        self._command_free[0] = self._free[0]
        self._command_place[0] = self._place[0]
        self._must_join = False
        self._engage()
        return Rest.HOLD

    # ------------------------------------------------------------------ what is told
    @property
    def converged(self) -> bool:
        return self.phase is Phase.FOLLOWING

    @property
    def left(self) -> tuple[float, ...]:
        """m, rad and s to convergence; NaN when there is nothing to converge to."""
        if self.phase in (Phase.CONVERGING, Phase.FOLLOWING):
            return tuple(self._left.tolist())
        return NO_LEFT

    @property
    def phi(self) -> float:
        return float(self._phi.item(0))

    @property
    def cost_and_pace(self) -> list[float]:
        told: list[float] = self._cost_and_pace.tolist()
        return told

    def tell_poses(self, out: Axes) -> None:
        """Relative poses commanded and shown, and T_lab_port1 that the command asks for, packed (21); NaN where there is none."""
        shown = self.phase in (Phase.CONVERGING, Phase.FOLLOWING)
        asked = self._place if self.phase is Phase.FOLLOWING else self._command_place
        _tell_poses(self._est, self._ride, asked, shown, self.placed and self.client, out)
