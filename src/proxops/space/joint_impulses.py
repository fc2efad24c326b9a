"""What friction and stops do to the joints in one step: impulses, solved for together and implicitly.

A wrist of 0.002 kg m2 with 1 N m of friction stops within a step: as a torque that depends on the rate, friction
would throw it back and forth. Here each joint's impulse is the one that Coulomb's law, viscous friction and a spring
and damper beyond the limit give for the rate AFTER the step, as the accelerations at its beginning foretell it; a
joint that friction can hold stands still."""

from __future__ import annotations

from typing import Final

from proxops.arms.model import N_BASE, N_BASE_Q, Floats
from proxops.maths.kernel import kernel

SWEEPS: Final = 50  # at most; joints that hardly couple need three
SETTLED: Final = 1e-12  # rad/s, change in one sweep


@kernel
def beyond(y: Floats, lower: Floats, upper: Floats) -> bool:
    """Is a joint past one of its limits?"""
    past = False
    for i in range(lower.shape[0]):
        past |= not lower[i] <= y[N_BASE_Q + i] <= upper[i]
    return past


@kernel
def settle(
    v: Floats, y: Floats, inverse: Floats, dt: float, viscous: Floats, coulomb: Floats, lower: Floats, upper: Floats,
    stiffness: float, damping: float, impulse: Floats,
) -> None:  # fmt: skip
    """Impulses (N m s) of one step. ``v``: all velocities at its end without them, changed to those with them;
    ``inverse``: of the whole mass matrix."""
    n = viscous.shape[0]
    impulse[:] = 0.0
    for _ in range(SWEEPS):
        moved = 0.0
        for i in range(n):
            share = inverse[N_BASE + i, N_BASE + i]
            now, angle = v[N_BASE + i], y[N_BASE_Q + i]
            alone = now - share * impulse[i]  # the rate without this joint's own impulse
            after = _rate_after(
                alone, share, dt, viscous[i], coulomb[i], angle - lower[i], angle - upper[i], stiffness, damping
            )
            change = (after - now) / share
            impulse[i] += change
            for j in range(n + N_BASE):
                v[j] += inverse[j, N_BASE + i] * change
            moved = max(moved, abs(after - now))
        if moved < SETTLED:
            break


@kernel
def _rate_after(
    alone: float, share: float, dt: float, viscous: float, coulomb: float, over_lower: float, over_upper: float, stiffness: float,
    damping: float,
) -> float:  # fmt: skip
    """Of one joint, ``share`` its rate by an impulse of one N m s."""
    past = min(over_lower, 0.0) + max(over_upper, 0.0)
    if past != 0.0:
        after = _slowed(alone - share * dt * stiffness * past, share, dt, viscous + damping + dt * stiffness, coulomb)
        if (stiffness * (past + dt * after) + damping * after) * past > 0.0:  # a stop pushes, it never pulls
            return after
    return _slowed(alone, share, dt, viscous, coulomb)


@kernel
def _slowed(rate: float, share: float, dt: float, viscous: float, coulomb: float) -> float:
    """By viscous friction and, as far as it reaches, by Coulomb's."""
    yielding = 1.0 + share * dt * viscous
    free, grip = rate / yielding, share * dt * coulomb / yielding
    if free > grip:
        return free - grip
    return free + grip if free < -grip else 0.0
