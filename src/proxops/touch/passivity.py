"""Passivity in the time domain: an observer of the energy that a contact has taken, a controller that damps what it gives too
much. A guard and not a cure: it sees only whether energy was made, not how much should have been lost."""

from __future__ import annotations

from typing import Final

from proxops.maths.kernel import kernel

MOST: Final = 0.5  # of the mass per tick: damping that may act in one tick


@kernel
def watched_force(force: float, rate: float, stored: float, mass: float, dt: float) -> tuple[float, float]:
    """Force (N) and energy (J) after a tick: ``stored`` is what the contact has taken from the mass so far.

    While it is above zero the force passes. Otherwise a damper takes back what the tick would give too much
    (Hannaford and Ryu's observer and controller, on the impedance side). The tick's energy is counted at the mean rate."""
    mean = rate - 0.5 * force / mass * dt
    stored += force * mean * dt
    if stored >= 0.0 or mean == 0.0:
        return force, stored
    damping = min(-stored / (mean * mean * dt), MOST * mass / dt)
    return force + damping * mean, stored + damping * mean * mean * dt
