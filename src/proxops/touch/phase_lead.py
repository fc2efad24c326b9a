"""Phase lead, the simplest remedy of a delay: the force is carried forward along its own slope. For comparison only: it
doubles the noise times tau / dt and knows nothing of where the contact ends."""

from __future__ import annotations

from proxops.maths.kernel import kernel


@kernel
def led_force(force: float, before: float, tau: float) -> float:
    """N, a delay of ``tau`` ticks ahead (half a tick of hold included by the caller); a contact pushes and never pulls."""
    if force <= 0.0:
        return 0.0
    return max(0.0, force + tau * (force - before))
