"""A pulse that stops is noticed, never by mistake, and neither end ever waits."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from proxops.core.pulse import Pulse, beat


@pytest.fixture
def pulse() -> Iterator[Pulse]:
    made = Pulse(3.0, 60.0)
    made.begin(0.0)
    yield made
    made.close()


def listened(pulse: Pulse, begin_s: float, end_s: float) -> bool:
    """Whether it has stopped, after listening every 0.2 s."""
    t = begin_s
    while t < end_s:
        pulse.listen(t)
        t += 0.2
    return pulse.stopped


def test_silence_after_a_beat_is_noticed(pulse: Pulse) -> None:
    beat(pulse.writing)
    assert not listened(pulse, 0.0, 2.9)
    assert listened(pulse, 2.9, 3.5)
    beat(pulse.writing)
    pulse.listen(3.6)
    assert not pulse.stopped


def test_a_start_may_take_longer(pulse: Pulse) -> None:
    assert not listened(pulse, 0.0, 59.0) and not pulse.heard
    assert listened(pulse, 59.0, 61.0)


def test_our_own_standstill_says_nothing_of_the_other(pulse: Pulse) -> None:
    beat(pulse.writing)
    pulse.listen(0.1)
    pulse.listen(500.0)
    assert not pulse.stopped
    assert listened(pulse, 500.0, 503.5)


def test_it_may_ask_for_more_time_once(pulse: Pulse) -> None:
    beat(pulse.writing, "ending")
    assert pulse.listen(0.1) == ["ending"]
    pulse.bear(20.0)
    assert not listened(pulse, 0.1, 19.0)
    assert listened(pulse, 19.0, 21.0)


def test_what_is_told_arrives_in_lines_however_it_is_cut(pulse: Pulse) -> None:
    beat(pulse.writing)
    beat(pulse.writing, "two\nlines, ünd more")
    assert pulse.listen(0.1) == ["two lines, ünd more"]
    for _ in range(1000):
        beat(pulse.writing, "x" * 1000)
    told = [text for _ in range(200) for text in pulse.listen(0.2)]
    assert set(told) == {"x" * 400} and len(told) > 100  # what did not fit is gone; nobody waited


def test_a_new_process_begins_anew(pulse: Pulse) -> None:
    beat(pulse.writing, "of the old one")
    pulse.begin(100.0)
    assert pulse.listen(100.1) == [] and not pulse.heard


def test_a_listener_that_is_gone_is_no_reason_to_fail() -> None:
    import os

    reading, writing = os.pipe()
    os.close(reading)
    beat(writing)
    os.close(writing)
