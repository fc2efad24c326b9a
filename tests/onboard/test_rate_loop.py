"""How much damping a loop stands whose rates are late: against its closed form, and against the loop itself, stepped."""

import math

import numpy as np
import pytest

from proxops.core.joint_table import EncoderTable, JointsTable, MotorTable
from proxops.maths.low_pass import low_pass_share
from proxops.onboard.rate_loop import RateLoop, rate_loop


@pytest.mark.parametrize("delay", [0, 1, 2, 5])
def test_bound_with_true_rates_is_the_closed_form(delay: int) -> None:
    assert RateLoop(delay).most == pytest.approx(2.0 * math.sin(math.pi / (4 * delay + 2)), rel=1e-12)


def test_plain_differences_cost_nothing_without_delay_and_a_little_with_one() -> None:
    """Without delay z² + (s − 2 + a s/2) z + 1 − s + a s/2: stable below 2, whatever the low-pass. With one cycle and s = 1
    z³ − z² + a/2 z + a/2: by Jury's condition 1 − (a/2)² > a, so a/2 is below √2 − 1."""
    assert [RateLoop(0, share).most for share in (1.0, 0.3, 0.01)] == pytest.approx([2.0] * 3, rel=1e-6)
    assert RateLoop(1, 1.0).most == pytest.approx(2.0 * (math.sqrt(2.0) - 1.0), rel=1e-6)


@pytest.mark.parametrize("delay", [0, 2])
@pytest.mark.parametrize("share", [1.0, low_pass_share(50.0, 1e-3)])
def test_a_loop_dies_out_just_below_its_bound_and_grows_just_above(delay: int, share: float) -> None:
    most = RateLoop(delay, share).most
    assert _left(0.97 * most, delay, share) < 1e-3
    assert _left(1.03 * most, delay, share) > 1e3


def _left(a: float, delay: int, share: float) -> float:
    """Rate of a joint after 4000 cycles, started at 1: torque held over a cycle, mean rate of the last one, low-pass, delay."""
    rate, before, filtered, under_way = 1.0, 1.0, 1.0, [0.0] * delay
    peak = 0.0
    for cycle in range(4000):
        filtered += share * (0.5 * (rate + before) - filtered)
        under_way.append(-a * filtered)
        before, rate = rate, rate + under_way.pop(0)
        peak = max(peak, abs(rate)) if cycle > 3900 else peak
        if not np.isfinite(rate) or abs(rate) > 1e6:
            return math.inf
    return peak


def test_what_makes_a_loop_late_is_taken_from_the_scenario() -> None:
    assert rate_loop(None, 1e-3).most == pytest.approx(2.0)
    assert rate_loop(JointsTable(motor=MotorTable(delay_cycles=1)), 1e-3).most == pytest.approx(1.0)
    late = rate_loop(JointsTable(motor=MotorTable(delay_cycles=1), encoder=EncoderTable(cutoff_hz=50.0)), 1e-3)
    assert late.delay == 1 and late.share == pytest.approx(1.0 - math.exp(-0.1 * math.pi)) and late.most < 0.83
