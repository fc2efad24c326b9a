"""The plant that tests of the flight software fly: its steps."""

import math

import numpy as np
from rendezvous_plant import LONGEST_STEP, TICK_S, step_end


def test_a_step_always_leads_on() -> None:
    """On-times a rounding beyond the middle of a tick as well, where dividing by the tick comes back to that middle."""
    stuck = 0
    for tick in range(25):
        on = math.nextafter((tick + 0.5) * TICK_S, math.inf)
        stuck += math.ceil(on / TICK_S - 0.5) == tick
        assert step_end(np.array([on]), tick, 25) == tick + 1
    assert stuck > 0
    assert step_end(np.array([0.0, 2.6 * TICK_S]), 0, 25) == 3
    assert step_end(np.zeros(2), 0, 25) == LONGEST_STEP
    assert step_end(np.zeros(2), 24, 25) == 25
