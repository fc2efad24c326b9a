"""The spring and damper between two bodies that touch, from the restitution that is asked for.

The gap x of a single contact obeys x'' + 2 ζ ω x' + ω² x = 0 while the force pushes. It never pulls: the contact ends
when the force is zero, which with damping is before the gap opens again, and the speed of that moment is the one after
the bounce. That is ``contact_law.linear_restitution``.
"""

from __future__ import annotations

from typing import Final

from proxops.space.contact_law import linear_restitution

# Angle per physics step of the contact's oscillation. The step in which a contact begins sees the damper's force jump, and
# where in the step it begins shifts the restitution e by up to 0.1 ω dt (at e = 0.3; less elsewhere): 1 % of e needs 0.03.
OMEGA_DT: Final = 0.03
LARGEST_OMEGA_DT: Final = 0.1  # beyond, a bounce is no longer right to a hundredth of the speed
# Rounding and the steps' phase must not make a bounce that keeps all energy gain some.
LARGEST: Final = 0.9999
# A dead body's damper: harder ones hold it in the wall longer and change nothing to see.
SMALLEST: Final = 0.005


def damping_ratio(restitution: float) -> float:
    """ζ for a restitution in 0 … 1 (in SMALLEST … LARGEST, really); e falls with ζ, so halving finds it."""
    wanted = min(max(restitution, SMALLEST), LARGEST)
    low, high = 0.0, 20.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if linear_restitution(middle) > wanted else (low, middle)
    return 0.5 * (low + high)


def spring_and_damper(restitution: float, omega: float) -> tuple[float, float]:
    """ω² (1/s2) and 2 ζ ω (1/s): stiffness and damping by the mass that the contact moves."""
    return omega * omega, 2.0 * damping_ratio(restitution) * omega
