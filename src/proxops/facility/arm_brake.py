"""Bringing an arm to rest however its loop has ended: within its accelerations, by its own clock, whatever fails meanwhile."""

from __future__ import annotations

import math
from collections.abc import Callable

from proxops.safety.arm_guard import ArmGuard
from proxops.safety.rules import Rule, Stop


def brake_arm(
    guard: ArmGuard, read: Callable[[], float], send: Callable[[float], None], advance: Callable[[], object], *,
    seen: float, settle_s: float,
) -> Exception | None:  # fmt: skip
    """Each cycle: ``read`` gives the time of the newest measurement, ``send`` hands over the guard's set-point in answer to it.
    What fails is tried again in the next cycle; the first failure is returned once the arm stands: whoever has a graver one
    raises that. ``settle_s``: after the set-point rests. ``seen``: time of the last measurement."""
    guard.brake(Stop(Rule.OPERATOR))
    trouble: Exception | None = None
    left = math.ceil(settle_s / guard.cycle_s)
    while left > 0:
        advance()
        cycles = 1
        try:
            t = read()
            if math.isfinite(t) and t > seen:
                cycles, seen = max(1, round((t - seen) / guard.cycle_s)), t
        except Exception as error:  # the arm has to come to rest first
            trouble = trouble or error
        guard.judge(guard.joints, cycles)
        try:
            send(seen)
        except Exception as error:  # likewise
            trouble = trouble or error
        left -= guard.at_rest
    return trouble
