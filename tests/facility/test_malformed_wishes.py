"""A motion whose answer is no wish is a named stop: never the end of the tick, never numbers from elsewhere."""

from __future__ import annotations

import numpy as np
import pytest

from proxops.core.vocabulary import Mode
from proxops.safety.motion import Motion, Rest
from proxops.safety.rules import Rule, Stop


class Answers(Motion):
    """Whatever a test says."""

    def __init__(self, wish: object, refused: object = None) -> None:
        self._wish, self._refused = wish, refused

    def step(self) -> object:
        return self._wish

    def refused(self, stop: Stop) -> object:
        return self._refused


def begun(bench, wish: object, refused: object = None):
    facility = bench.ready().hall.facility
    bench.hall.desk.begin(Answers(wish, refused))
    bench.until(Mode.STOPPED, patience=2000)
    return facility


def test_a_short_wish_is_not_filled_up_from_the_memory_behind_it(bench) -> None:
    """Its neighbours were the set-point's own numbers: the kernel read on and took two axes for thirteen."""
    facility = begun(bench, bench.hall.facility.guard.setpoint[:2])
    assert facility.stop.rule is Rule.BAD_COMMAND and "2 numbers, for 13 axes" in str(facility.stop)


@pytest.mark.parametrize("wish", [None, [0.0] * 13, np.zeros(40), np.zeros((13, 1)), Rest.HALT], ids=str)
def test_what_is_no_wish_is_a_named_stop(bench, wish: object) -> None:
    assert begun(bench, wish).stop.rule is Rule.BAD_COMMAND


def test_a_motion_of_words_is_a_named_stop(bench) -> None:
    assert begun(bench, np.array(["here"] * 13)).stop.rule is Rule.INTERNAL_ERROR


@pytest.mark.parametrize("answer", [None, Rest.HALT, Rest.DONE], ids=str)
def test_a_refused_motion_that_only_halts_is_stopped_where_nothing_can_halt(bench, answer: object) -> None:
    """Only the bridge can; the tick ended with a refusal of its own table."""
    assert begun(bench, np.full(13, 50.0), answer).stop.rule is Rule.JUMP


def test_other_numbers_and_layouts_are_the_same_wish(bench) -> None:
    """Kernels are compiled for one kind of array; another one would be compiled with the robots in motion."""
    facility = bench.ready().hall.facility
    strided = np.repeat(facility.guard.setpoint, 2)[::2]
    strided.flags.writeable = False
    bench.hall.desk.begin(Answers(strided))
    bench.ticks(5)
    assert facility.stop is None
    assert facility.guard.understood(strided).flags.c_contiguous
