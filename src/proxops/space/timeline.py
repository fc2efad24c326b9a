"""Past, present and future of a floating world, cycle by cycle of the hall.

A push is recognised some time after it began. Physics is deterministic, so the world goes back to the state of that
moment, takes the push in, and runs again: the same to the bit as if it had been known in time. For the same reason the world
runs ahead of the present and its future is known, until the next push makes it obsolete.

Cycle k lasts from t_k to t_k + ``cycle_s``; its wrench (force at the mass centre and torque on the first object, world axes)
is constant. Rings hold the state at the beginning of each cycle from ``past`` cycles ago to ``ahead`` cycles on, and of some
more that are computed already."""

from __future__ import annotations

from typing import Final, NamedTuple

import numpy as np

from proxops.core.errors import BadInput, ProxopsError
from proxops.core.messages import PERIOD_S
from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array, copy_to
from proxops.space.floating_world import NO_WRENCH, FloatingWorld

PAST_S: Final = 0.05
AT_ONCE: Final = 12  # cycles that are computed beyond the horizon once it is as far as it may be


class WorldMoment(NamedTuple):
    """The beginning of a cycle, as the properties of ``Timeline`` tell it one by one."""

    pose: Array
    velocity: Array
    energy: float
    touching: bool
    turned_back: bool


class Timeline:
    """``now``: number of the cycle that begins now; ``horizon``: of the last one whose beginning is known."""

    def __init__(
        self, world: FloatingWorld, cycle_s: float = PERIOD_S, past_s: float = PAST_S, ahead_s: float = 0.5
    ) -> None:
        self.world, self.cycle_s = world, cycle_s
        self.steps = round(cycle_s / world.dt)
        if self.steps < 1 or abs(self.steps * world.dt - cycle_s) > 1e-9 * cycle_s:
            raise BadInput(
                "cycle of the timeline: not whole physics steps", value=cycle_s, bound=f"multiples of {world.dt:g}"
            )
        self.past, self.ahead = _cycles(past_s, cycle_s), _cycles(ahead_s, cycle_s)
        # One more: advance() may need the next beginning beyond the horizon.
        self._slots = self.past + self.ahead + 2 + AT_ONCE
        n = len(world.scene.objects)
        self._states = np.zeros((self._slots, world.state_size))
        self._wrenches = np.zeros((self._slots, 6))
        self._poses, self._velocities = np.zeros((self._slots, n, 7)), np.zeros((self._slots, n, 6))
        self._energies, self._touching = np.zeros(self._slots), np.zeros(self._slots, dtype=bool)
        self._turned = np.zeros(self._slots, dtype=bool)
        self.now = self.horizon = self._computed = 0
        self._rings = self._poses, self._velocities, self._energies
        world.put_moment(0, *self._rings)
        self._store(0)

    # --- time ---
    def advance(self) -> None:
        """A cycle has passed. If the world has not run ahead, it takes this step now."""
        if self.horizon == self.now:
            self._run_on(1)
        self.now += 1

    def catch_up(self, steps: int) -> int:
        """Run ahead as far as ``ahead`` allows by at most so many physics steps, whole cycles; how many cycles those were."""
        count = max(min(steps // self.steps, self.now + self.ahead - self.horizon), 0)
        ran = self._computed < self.horizon + count
        self._run_on(count)
        if ran and self.horizon == self.now + self.ahead:
            self._compute_more(min(AT_ONCE, steps // self.steps - count))
        return count

    # --- pushes ---
    def push(self, wrench: Array) -> None:
        """Add a wrench to the cycle that begins now."""
        self.push_late(0, wrench[None, :])

    def push_late(self, cycles_ago: int, wrenches: Array) -> None:
        """Add wrenches (m, 6) to the cycle that began ``cycles_ago`` cycles ago and those after it, at most to the one that
        begins now, and run again up to now. What was known of the future is forgotten."""
        reach = min(self.past, self.now)
        if not 0 <= cycles_ago <= reach:
            raise BadInput("push in the past: out of reach", value=f"{cycles_ago} cycles ago", bound=f"0 … {reach}")
        if wrenches.ndim != 2 or wrenches.shape[1] != 6 or len(wrenches) > cycles_ago + 1:
            raise BadInput(
                "push in the past: not so many cycles",
                value=wrenches.shape,
                bound=f"at most {cycles_ago + 1} rows of 6",
            )
        if not np.isfinite(wrenches).all():
            raise BadInput("push on the floating object: not a number", value=wrenches.tolist())
        first = self.now - cycles_ago
        for i, wrench in enumerate(wrenches):
            self._wrenches[(first + i) % self._slots] += wrench
        self._rewind(first)
        self._run_on(self.now - first)

    def _rewind(self, cycle: int) -> None:
        self.world.restore(self._states[cycle % self._slots])
        self.horizon = self._computed = cycle

    def _run_on(self, cycles: int) -> None:
        """The horizon goes on, over what is computed and what is not yet."""
        for _ in range(cycles):
            if self._computed == self.horizon:
                self._run_cycle()
            self.horizon += 1

    def _compute_more(self, cycles: int) -> None:
        """Beyond the horizon, where nobody looks yet: several cycles at once take half the time of as many one by one, each after
        other work. What goes wrong there goes wrong again, and is told, when the horizon comes there."""
        try:
            for _ in range(cycles):
                self._run_cycle()
        except ProxopsError:
            self.world.restore(self._states[self._computed % self._slots])

    def _run_cycle(self) -> None:
        slot, after = self._computed % self._slots, (self._computed + 1) % self._slots
        self.world.step_into(self._wrenches[slot], self.steps, self._states[slot], after, *self._rings)
        self._computed += 1
        if (
            self._computed > self.now
        ):  # nobody has pushed in the future, but the slot may still hold what has long passed
            self._wrenches[after] = NO_WRENCH
        self._store(after)

    def _store(self, slot: int) -> None:
        """What the world's rings do not have already."""
        world = self.world
        world.save(self._states[slot])
        self._touching[slot], self._turned[slot] = world.touching, world.turned_back

    # --- what is known ---
    @property
    def t(self) -> float:
        return self.now * self.cycle_s

    @property
    def ahead_s(self) -> float:
        """How far the future is known at present."""
        return (self.horizon - self.now) * self.cycle_s

    @property
    def pose_now(self) -> Array:
        """Of the first object's frame: position and quaternion (7), world axes."""
        pose: Array = self._poses[self.now % self._slots, 0]
        return pose

    @property
    def velocity_now(self) -> Array:
        """Of the first object's mass centre, then the angular one (6)."""
        velocity: Array = self._velocities[self.now % self._slots, 0]
        return velocity

    @property
    def poses_now(self) -> Array:
        """Of all objects (n, 7)."""
        poses: Array = self._poses[self.now % self._slots]
        return poses

    @property
    def energy_now(self) -> float:
        """Kinetic, of all objects (J)."""
        return float(self._energies[self.now % self._slots])

    @property
    def touching_now(self) -> bool:
        """Did anything touch at the end of the last cycle?"""
        return bool(self._touching[self.now % self._slots])

    @property
    def turned_back_now(self) -> bool:
        """Did the limit of its turning turn the first object back in the last cycle?"""
        return bool(self._turned[self.now % self._slots])

    @property
    def moment_now(self) -> WorldMoment:
        slot = self.now % self._slots
        return WorldMoment(
            self._poses[slot, 0], self._velocities[slot, 0], self._energies[slot], self._touching[slot], self._turned[slot]
        )  # fmt: skip

    def predicted(self, count: int, spacing: int = 1, first: int = 0) -> Array:
        """Poses (up to ``count``, 7) of the first object: ``first`` cycles from now, ``spacing`` cycles on, …; fewer if less is
        known."""
        return self._future(self._poses, count, spacing, first)

    def predicted_velocities(self, count: int, spacing: int = 1) -> Array:
        """Beside ``predicted``: (up to ``count``, 6)."""
        return self._future(self._velocities, count, spacing, 0)

    def _future(self, ring: Array, count: int, spacing: int, first: int) -> Array:
        known = max((self.horizon - self.now - first) // spacing + 1, 0)
        out = np.empty((min(count, known), ring.shape[2]))
        unroll(ring, self.now + first, spacing, out)
        return out


@kernel
def unroll(ring: Array, first: int, spacing: int, out: Array) -> None:
    """Of the first object: the entry of cycle ``first`` and those ``spacing`` cycles on."""
    for k in range(out.shape[0]):
        copy_to(ring[(first + spacing * k) % ring.shape[0], 0], out[k])


def _cycles(span_s: float, cycle_s: float) -> int:
    """Whole cycles that cover the span."""
    return int(np.ceil(span_s / cycle_s - 1e-9))
