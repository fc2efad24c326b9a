"""What every limit shares: how a broken rule is reported, and a range whose way back in stays open."""

from __future__ import annotations

from proxops.maths.kernel import kernel
from proxops.maths.rotation import Array

ROUNDING = 1e-9  # of a position (m, rad) that arithmetic may add
SPEED_ROUNDING = 1e-6  # share of a speed that rounding in files (six decimals of a mm) may add
JUMP_FACTOR = 4.0  # a step of more than four cycles' worth of full speed is a jump, not a fast motion


@kernel
def broken(report: Array, number: int, value: float, bound: float, rule: int) -> int:
    report[0], report[1], report[2] = number, value, bound
    return rule


@kernel
def within(
    value: float, lower: float, upper: float, before: float, number: int, rule: int, report: Array
) -> tuple[int, float]:
    """Rule broken (or 0) and margin of ``value``. Outside a range the way back in stays open: only a margin that
    shrinks breaks the rule."""
    margin = min(value - lower, upper - value)
    if margin < -ROUNDING and margin < before - 1e-12:
        return broken(report, number, value, lower if value < lower else upper, rule), margin
    return 0, margin
