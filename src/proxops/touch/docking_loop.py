"""Docking dynamics with the force felt in the hall: identify while it touches, replay, go on with what was found (6-D).

The hall shows a pose late, so the force that comes back belongs to the past and would put energy into the bounce. What the
hall tells in one cycle is consistent in itself, though: depth and force at the same stamp. From these pairs the law of the
contact is found (``contact_fit``), and the two bodies are flown again from before the touch with that law at their own,
undelayed pose. Each cycle replaces the state by the newest replay until three cycles after the hall has come apart, which is the
delay and three cycles after the computed separation; the commanded pose stays continuous, the correction fades into it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np

from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.quaternion import length, quat_inverse, quat_product, rotation_vector, turned
from proxops.maths.rotation import Array, quat_from_rotation_vector
from proxops.space.contact_pair import (
    SIZE,
    Pair,
    advance,
    books,
    contact_wrench,
    kick,
    relative,
    softness,
    towards_rigid,
)
from proxops.space.drogue import depth
from proxops.touch.contact_fit import ContactFit, Law

STEP_S: Final = 2.5e-4  # of the replay
STEPS: Final = round(PERIOD_S / STEP_S)
CLEAR_M: Final = 1e-3  # farther apart than this, and than what a cycle closes: nothing can touch
KEPT: Final = 256  # cycles of states
LONGEST: Final = 150  # cycles that are flown again; a longer contact moves its base on
FADE_S: Final = 0.04  # a correction of the state goes into the commanded pose with this time constant
NEAR_M: Final = 2e-3  # what robots, teaching in and shape may be off together
EARLIER: Final = 3  # cycles before the touch at which a replay begins
SURE: Final = 4  # cycles of a contact before its stiffness may be judged
APART: Final = 3  # cycles without force that end a contact


@kernel
def fly(pair: Pair, y: Array, pose: Array, twist: Array, normal: Array) -> None:
    """Both bodies on by a cycle: in small steps where they can touch within it, in two where they cannot."""
    relative(pair, y, pose, twist)
    speed = math.sqrt(twist[0] ** 2 + twist[1] ** 2 + twist[2] ** 2)
    clear = -depth(pair[0].drogue, pose, normal)
    if pair[0].latch.on or clear < CLEAR_M + speed * PERIOD_S:
        advance(pair, y, STEP_S, STEPS)
    else:
        advance(pair, y, 0.5 * PERIOD_S, 2)


@kernel
def clearance(pair: Pair, y: Array, pose: Array, twist: Array, normal: Array) -> float:
    """m, between ball and hardware; ``pose``, ``twist``: of the ball from the client."""
    relative(pair, y, pose, twist)
    return -depth(pair[0].drogue, pose, normal)


@kernel
def blend(pair: Pair, expected: Array, y: Array, pose: Array, twist: Array, normal: Array, away: Array) -> float:
    """The state has jumped from what was expected of it: the command, off by ``away``, goes on from there and fades over. Returns
    the clearance, m, between ball and hardware, as ``clearance``."""
    before, way = np.empty(7), np.empty(3)
    relative(pair, expected, before, twist)
    relative(pair, y, pose, twist)
    rotation_vector(quat_product(before[3:7], quat_inverse(pose[3:7])), way)
    fade = math.exp(-PERIOD_S / FADE_S)
    for i in range(3):
        away[i] = (away[i] + (before[i] - pose[i])) * fade
        away[3 + i] = (away[3 + i] + way[i]) * fade
    return -depth(pair[0].drogue, pose, normal)


@kernel
def show(pair: Pair, y: Array, away: Array, pose: Array, twist: Array, command: Array) -> None:
    """``command`` (7): port of the chaser in the client's frame."""
    relative(pair, y, pose, twist)
    q = quat_product(quat_from_rotation_vector(away[3:]), pose[3:7])
    command[3:7] = q
    command[:3] = pose[:3] + away[:3] - turned(q, pair[0].tip)


@kernel
def put_told(pair: Pair, y: Array, pose: Array, twist: Array, normal: Array, law: Array, sums: Array) -> float:
    """``pose``, ``twist`` of the ball from the client, the ``law`` (5) that is believed, and ``sums`` (8) as ``books`` has them;
    the depth, m."""
    relative(pair, y, pose, twist)
    r = pair[0].law
    law[0], law[1], law[2], law[3], law[4] = r.stiffness, r.damping, r.offset, r.exponent, r.friction
    books(pair, y, sums)
    return depth(pair[0].drogue, pose, normal)


class Felt(NamedTuple):
    """What the hall tells in one cycle, all of one stamp. Client axes."""

    pose: Array  # (7) ball's centre and chaser's attitude in the client's frame, by the encoders
    twist: Array  # (6) of the chaser at the ball, seen from the client
    wrench: Array  # (6) on the chaser at the ball's centre, by the force sensor, load and bias taken off
    latched: bool
    fresh: bool = True  # False: the wrench is an old one, held because no new reading has come


@dataclass
class Touch:
    """One contact, from the last free state to the first."""

    begun: int  # cycle of the first felt force
    energy_before: float  # J, relative kinetic energy: that of the common centre of mass left out
    closing: float  # m/s along the normal of the first touch
    normal: Array
    state: Array  # of both bodies before it
    after: Array = field(default_factory=lambda: np.full(SIZE, math.nan))  # and after it
    energy_after: float = math.nan
    leaving: float = math.nan
    ended: int = -1
    peak: float = 0.0  # N, felt
    scaled: float = 1.0  # what the guard of the energy left of the leaving speed; 1: nothing to do
    law: Law | None = None  # as found at its end

    @property
    def restitution(self) -> float:
        return self.leaving / self.closing


@dataclass
class DockingLoop:
    """``step`` once a cycle with what was felt; then ``y`` is the state now and ``command`` the pose to be shown. ``pair``
    carries the law that is believed; stiffness zero: nothing is known before the first touch."""

    pair: Pair
    y: Array
    delay_s: float
    threshold_n: float  # what noise and dead zone cannot be
    new_fit: Callable[[Law | None], ContactFit]  # with the law of the contact before, if there was one
    compensate: bool = True
    cycle: int = 0
    touches: list[Touch] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._fit = self.new_fit(None)
        self._law: Law | None = None  # as the present contact has shown it
        if not self.compensate:  # the force as it comes and nothing else: shows what a delay does
            self.pair[0]["law"]["stiffness"] = self.pair[0]["law"]["damping"] = 0.0
        self._states = np.zeros((KEPT, SIZE))
        self._states[:] = self.y
        self._pose, self._twist, self._normal = np.zeros(7), np.zeros(6), np.zeros(3)
        self._books = np.zeros(8)
        self._drogue, self._offset = self.pair["drogue"][0], self.pair["law"]["offset"]  # views
        self._base = -1  # cycle from which a contact is flown again; -1: free
        self._free = 0  # last cycle in which the computed ball was clear of the hardware
        self._silent = 0
        self._latched_at = -1
        self._learnt = False  # something in this cycle that makes the past another one
        self._known: Law | None = None  # of the last contact that has shown one
        self._slip = np.zeros(2)  # sums for the friction
        self._away = np.zeros(6)  # what the commanded pose still differs from the state
        self.model = np.zeros(6)  # force of the law at the felt pose
        self.late = math.ceil(self.delay_s / PERIOD_S - 1e-9)
        self.command = np.zeros(7)
        self._show()

    # ------------------------------------------------------------------ one cycle
    def step(self, felt: Felt) -> None:
        """One cycle on."""
        expected = self.y.copy()
        self._fly(expected)
        self.cycle += 1
        self._learnt = False
        if self.compensate:
            self._learn(felt)
        elif self._base < 0 and length(felt.wrench) > self.threshold_n and self._near(felt):
            self._begin(felt)
        if self._learnt:
            self._replay()
        elif self.compensate:
            self.y[:] = expected  # nothing is known better
        else:
            self._feel(felt)
        self._states[self.cycle % KEPT] = self.y
        if blend(self.pair, expected, self.y, self._pose, self._twist, self._normal, self._away) > -self._offset[0]:
            self._free = self.cycle
        self._look_for_end(felt)
        self._show()

    def _fly(self, y: Array) -> None:
        fly(self.pair, y, self._pose, self._twist, self._normal)

    def _feel(self, felt: Felt) -> None:
        """On with the force as it comes."""
        self.pair[0]["extra"] = felt.wrench if length(felt.wrench) > self.threshold_n else 0.0
        self._fly(self.y)

    def _replay(self) -> None:
        """From the base to now with the law as it is known now."""
        latch = self.pair[0]["latch"]
        y = self._states[self._base % KEPT].copy()
        for cycle in range(self._base, self.cycle):
            latch["on"] = 0 <= self._latched_at <= cycle
            self._fly(y)
            self._states[(cycle + 1) % KEPT] = y
        self.y[:] = y

    # ------------------------------------------------------------------ what is learnt
    def _learn(self, felt: Felt) -> None:
        if not felt.fresh:
            return
        feels = length(felt.wrench) > self.threshold_n
        if feels and self._base < 0 and self._near(felt):
            self._begin(felt)
        if self._base < 0:
            return
        deep = depth(self._drogue, felt.pose, self._normal)
        rate = -float(felt.twist[:3] @ self._normal)
        if self._latched_at < 0 and self._silent < APART:  # later than the delay and this the past stands
            self._fit_contact(felt, deep, rate)
        if felt.latched and self._latched_at < 0:
            self._latched_at, self._learnt = self.cycle - self.late, True
            self.pair[0]["latch"]["rest"] = felt.pose
        self.model[:] = 0.0
        contact_wrench(self.pair, felt.pose, felt.twist, self.model)

    def _fit_contact(self, felt: Felt, deep: float, rate: float) -> None:
        push, self._learnt = float(felt.wrench[:3] @ self._normal), True
        self._fit.add(deep, rate, push, self.cycle * PERIOD_S)
        law = self.pair[0]["law"]
        found = self._fit.solve()
        if found.valid:
            self._law = found
            law["stiffness"], law["damping"], law["offset"], law["exponent"] = found.k, found.c, found.d0, found.n
        slip = felt.twist[:3] + rate * self._normal
        pace = float(np.linalg.norm(slip))
        if push > self.threshold_n and pace > 3.0 * law["creep"]:
            self._slip += (-float(felt.wrench[:3] @ slip) / pace * push, push * push)
            law["friction"] = max(0.0, self._slip[0] / self._slip[1])

    def _near(self, felt: Felt) -> bool:
        """Can the hardware touch there? A force from nowhere is none of a contact."""
        return depth(self._drogue, felt.pose, self._normal) > -NEAR_M

    def _begin(self, felt: Felt) -> None:
        self._base = max(min(self._free, self.cycle - self.late) - EARLIER, self.cycle - KEPT + 1, 0)
        y = self._states[self._base % KEPT]
        books(self.pair, y, self._books)
        relative(self.pair, y, self._pose, self._twist)
        depth(self._drogue, felt.pose, self._normal)
        self._slip[:] = 0.0
        self._silent, self._fit, self._law = 0, self.new_fit(self._known), None
        self.touches.append(
            Touch(
                self.cycle, float(self._books[7]), -float(self._twist[:3] @ self._normal), self._normal.copy(), y.copy()
            )
        )

    # ------------------------------------------------------------------ the end of a contact
    def _look_for_end(self, felt: Felt) -> None:
        if self._base < 0:
            return
        force = float(np.linalg.norm(felt.wrench[:3]))
        self.touches[-1].peak = max(self.touches[-1].peak, force)
        self._silent = 0 if force > self.threshold_n else self._silent + 1
        if self._latched_at < 0 and self._silent >= self.late + APART and self._free == self.cycle:
            self._finish()
        elif self.cycle - self._base > LONGEST:
            self._base += LONGEST // 2  # what lies further back stands

    def _finish(self) -> None:
        """Apart again: what comes out may not be more than what went in."""
        touch = self.touches[-1]
        if self.compensate:
            touch.scaled = self._hold_energy(touch)
        books(self.pair, self.y, self._books)
        touch.ended, touch.energy_after, touch.law = self.cycle, float(self._books[7]), self._law
        self._known = self._law or self._known
        relative(self.pair, self.y, self._pose, self._twist)
        touch.leaving = float(self._twist[:3] @ touch.normal)
        touch.after = self.y.copy()
        self._base = -1

    def _hold_energy(self, touch: Touch) -> float:
        """The guard: energy that a contact has put in is taken out again, momentum kept: by an impulse against the leaving
        speed if that can do it, else from all motion of the two against each other. What is left of the leaving speed, as a
        share."""
        books(self.pair, self.y, self._books)
        gained = float(self._books[7]) - touch.energy_before
        if not gained > 0.0:
            return 1.0
        relative(self.pair, self.y, self._pose, self._twist)
        leaving = float(self._twist[:3] @ touch.normal)
        soft = softness(self.pair, self.y, touch.normal)
        square = leaving * leaving - 2.0 * soft * gained
        if leaving > 0.0 and square >= 0.0:
            kick(self.pair, self.y, (math.sqrt(square) - leaving) / soft * touch.normal)
            return math.sqrt(square) / leaving
        after, rigid = float(self._books[7]), self.y.copy()
        towards_rigid(self.pair, rigid, 0.0)
        books(self.pair, rigid, self._books)
        least = float(self._books[7])
        share = math.sqrt(max(touch.energy_before - least, 0.0) / (after - least))
        towards_rigid(self.pair, self.y, share)
        return share

    @property
    def latched(self) -> bool:
        return self._latched_at >= 0

    @property
    def found_law(self) -> Law | None:
        """As the present contact has shown it; None while there is nothing to go by."""
        if self._base < 0 or self._law is None or self.cycle - self.touches[-1].begun < SURE:
            return None
        return self._law

    @property
    def clearance_m(self) -> float:
        """Between ball and hardware, computed."""
        return clearance(self.pair, self.y, self._pose, self._twist, self._normal)

    def tell(self, kept: dict[str, Array], row: int) -> None:
        """What a log wants of this cycle, into a row of its columns."""
        ball, ball_twist, law, sums = (kept[name][row] for name in ("ball", "ball_twist", "law", "books"))
        kept["depth"][row] = put_told(self.pair, self.y, ball, ball_twist, self._normal, law, sums)
        kept["modelled"][row], kept["away"][row] = self.model, self._away

    # ------------------------------------------------------------------ the pose to be shown
    def _show(self) -> None:
        """Port of the chaser in the client's frame."""
        show(self.pair, self.y, self._away, self._pose, self._twist, self.command)
