"""When the responder looks for set-points: often enough for every one, and hardly ever in vain."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proxops.facility.cadence import REST_NS, Cadence, look_every_ns

MS = 1_000_000
STALE_NS = 8 * MS  # the shortest stall that a cell may name: a set-point seen as late as that is refused
PERIODS_NS = [MS // 2, MS, 4 * MS, 25 * MS, 100 * MS]


def looks(period_ns: int, sent_ns: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Moments at which the responder looks while set-points are sent at these, and those that it finds."""
    cadence, now, ahead = Cadence(period_ns), 0, list(sent_ns)
    while ahead:
        now += cadence.wait_ns(now)
        found = [at for at in ahead if at <= now]
        ahead = ahead[len(found) :]
        if found:
            cadence.heard(found[-1])
        yield now, found


def delays(period_ns: int, sent_ns: list[int]) -> list[int]:
    return [now - at for now, found in looks(period_ns, sent_ns) for at in found]


@pytest.mark.parametrize("period_ns", PERIODS_NS)
def test_looks_are_close_while_a_set_point_is_due(period_ns: int) -> None:
    assert look_every_ns(period_ns) <= min(2 * MS, period_ns) // 2
    assert REST_NS <= STALE_NS // 2


@pytest.mark.parametrize("period_ns", PERIODS_NS)
@given(st.lists(st.floats(0.0, 0.999), min_size=1, max_size=40), st.sets(st.integers(1, 40)))
def test_whatever_is_late_or_lost_a_set_point_is_seen_within_a_look(
    period_ns: int, late: list[float], lost: set[int]
) -> None:
    """From the first that was on time. Each is sent so late in its cycle, and some cycles are lost."""
    shares = [0.0, *late]
    sent = [round((k + 1 + share) * period_ns) for k, share in enumerate(shares) if k not in lost]
    assert max(delays(period_ns, sent)) <= look_every_ns(period_ns)


@pytest.mark.parametrize("period_ns", PERIODS_NS)
@given(st.lists(st.integers(1, 200 * MS), min_size=1, max_size=40))
def test_whenever_it_is_sent_no_set_point_grows_stale(period_ns: int, gaps: list[int]) -> None:
    """Also of a facility whose cycles lie anywhere."""
    sent = [sum(gaps[: k + 1]) for k in range(len(gaps))]
    assert max(delays(period_ns, sent)) <= REST_NS


def test_a_facility_that_keeps_its_time_is_looked_at_once_in_a_cycle() -> None:
    period_ns, cycles = 4 * MS, 100
    sent = [(k + 1) * period_ns + (k % 5) * MS // 20 for k in range(cycles)]
    before_the_first = period_ns // look_every_ns(period_ns)
    assert len(list(looks(period_ns, sent))) <= cycles + before_the_first
