"""UTC and GPS time against known instants; the lockstep clock; the live clock's bookkeeping on a clock of our own."""

import time
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxops.core import clock as module
from proxops.core.clock import LiveClock, LockstepClock, gps_from_utc_ns, parse_utc_ns, utc_from_gps_ns
from proxops.core.errors import BadInput
from proxops.core.messages import PERIOD_NS

S = 1_000_000_000
QUIET = settings(max_examples=300, deadline=None, derandomize=True)


@pytest.mark.parametrize(
    ("utc", "gps_s"),
    [
        ("2017-01-01T00:00:00Z", 1_167_264_018),  # the first instant with 18 leap seconds
        ("2019-04-07T00:00:00Z", 1_238_630_418),  # week 2048 (rollover) began 18 s earlier: 2048 * 604800 + 18
        ("2026-01-01T00:00:00Z", 1_451_260_818),  # 2400 weeks are 1451520000 s, 2026-01-04 less 18 s
    ],
)
def test_gps_time_at_known_instants(utc: str, gps_s: int) -> None:
    assert gps_from_utc_ns(parse_utc_ns(utc)) == gps_s * S
    assert utc_from_gps_ns(gps_s * S) == parse_utc_ns(utc)


def test_week_arithmetic_agrees() -> None:
    """The working behind the numbers above: GPS weeks are 604800 s and began on 1980-01-06."""
    assert 1_238_630_418 == 2048 * 604_800 + 18
    assert 1_451_260_818 == 2400 * 604_800 - 3 * 86_400 + 18


@given(st.integers(1_483_228_800 * S, 4_000_000_000 * S))
@QUIET
def test_utc_and_gps_are_inverse_to_the_nanosecond(utc_ns: int) -> None:
    assert utc_from_gps_ns(gps_from_utc_ns(utc_ns)) == utc_ns


NOON = 1_767_268_800 * S  # 2026-01-01T12:00:00Z, by date(1)


@pytest.mark.parametrize(
    ("text", "ns"),
    [
        ("2026-01-01T12:00:00Z", NOON),
        ("2026-01-01T12:00:00", NOON),
        ("2026-01-01 12:00:00", NOON),
        ("  2026-01-01T12:00:00Z\n", NOON),
        ("2026-01-01T12:00:00+00:00", NOON),
        ("2026-01-01T13:00:00+01:00", NOON),
        ("2026-01-01T06:30:00-05:30", NOON),
        ("2026-01-01T12:00Z", NOON),
        ("20260101T120000Z", NOON),
        ("2026-01-01", NOON - 43_200 * S),
        ("2026-01-01T12:00:00.5Z", NOON + S // 2),
        ("2026-01-01T12:00:00.000000001Z", NOON + 1),
        ("2026-01-01T12:00:00.123456789Z", NOON + 123_456_789),
        ("2026-01-01T12:00:00.123456789", NOON + 123_456_789),
        ("2026-01-01T13:00:00.123456789+01:00", NOON + 123_456_789),
        ("2026-01-01T12:00:00.999999999Z", NOON + 999_999_999),
        ("1970-01-01T00:00:00Z", 0),
        ("1969-12-31T23:59:59.25Z", -S + S // 4),
    ],
)
def test_forms_of_utc(text: str, ns: int) -> None:
    assert parse_utc_ns(text) == ns


@pytest.mark.parametrize("text", ["2026-01-01T12:00:00,5Z", "2026-01-01T12:00:00,123456789Z"])
def test_a_decimal_comma_is_read_or_refused(text: str) -> None:
    """ISO 8601 allows it and ``fromisoformat`` takes it: then its digits may not be lost."""
    digits = text.split(",")[1].rstrip("Z")
    try:
        ns = parse_utc_ns(text)
    except BadInput:
        return
    assert ns == NOON + int(digits.ljust(9, "0"))


@pytest.mark.parametrize(
    "text",
    [
        "", "now", "2026", "2026-13-01T00:00:00Z", "2026-01-01T25:00:00Z", "2026-02-30T00:00:00Z", "1451260818",
        "2026-01-01T12:00:00.Z.5", "2026-01-01T12:00:00.5.5Z", "01.01.2026 12:00", "nan",
        "2026-01-01T12:00:00+99:00", ".5", "\x00",
    ],
)  # fmt: skip
def test_what_is_no_time_is_refused_with_value_and_form(text: str) -> None:
    with pytest.raises(BadInput) as caught:
        parse_utc_ns(text)
    assert repr(text) in str(caught.value)
    assert "ISO 8601" in str(caught.value)


@pytest.mark.parametrize("text", ["2026-01-01T12:00.5Z", "2026-01-01T12:00:00+01:00.5", "2026-01-01.5"])
def test_a_fraction_of_something_else_than_seconds_is_not_taken_for_seconds(text: str) -> None:
    """Half a minute, half a zone, half a day: not half a second."""
    with pytest.raises(BadInput):
        parse_utc_ns(text)


@given(st.text(max_size=40))
@QUIET
def test_any_text_is_a_time_or_bad_input(text: str) -> None:
    try:
        assert isinstance(parse_utc_ns(text), int)
    except BadInput as complaint:
        assert repr(text) in str(complaint)


@given(st.datetimes(datetime(1971, 1, 1), datetime(2200, 1, 1)), st.integers(0, 999))
@QUIET
def test_nanoseconds_are_kept(moment: datetime, below_micro: int) -> None:
    text = f"{moment.isoformat(timespec='microseconds')}{below_micro:03d}Z"
    whole = moment.replace(tzinfo=UTC) - datetime(1970, 1, 1, tzinfo=UTC)
    micro = (whole.days * 86_400 + whole.seconds) * 1_000_000 + whole.microseconds
    assert parse_utc_ns(text) == micro * 1000 + below_micro


# --- clocks ---


def test_lockstep_time_passes_only_when_told() -> None:
    clock = LockstepClock("2026-01-01T12:00:00Z")
    assert clock.utc_ns() == clock.utc_ns() == NOON
    for _ in range(250):
        assert clock.advance() == 0.0
    assert clock.tick == 250
    assert clock.utc_ns() == NOON + S


def test_lockstep_has_the_same_time_every_time() -> None:
    assert LockstepClock().utc_ns() == LockstepClock().utc_ns() == parse_utc_ns("2026-01-01T00:00:00Z")


class FakeTime:
    """A monotonic clock in the test's hand: sleeping is exact unless ``oversleep`` says otherwise."""

    def __init__(self) -> None:
        self.now, self.oversleep, self.slept = 1_000 * S, 0, 0

    def clock_gettime_ns(self, which: int) -> int:
        return self.now

    def time_ns(self) -> int:
        return NOON

    def sleep(self, seconds: float) -> None:
        self.slept += 1
        self.now += round(seconds * S) + self.oversleep


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> FakeTime:
    fake = FakeTime()
    monkeypatch.setattr(module, "time", fake)
    return fake


def test_live_deadlines_are_absolute(fake: FakeTime) -> None:
    """Work of 1 ms and waking 0.1 ms late does not add up: after 1000 cycles it is 4 s, not 4.1."""
    clock = LiveClock()
    fake.oversleep = 100_000
    for _ in range(1000):
        fake.now += 1_000_000
        assert clock.advance() == pytest.approx(1e-4)
    assert clock.tick == 1000
    assert clock.missed == 0
    assert fake.now == 1_000 * S + 1000 * PERIOD_NS + 100_000
    assert clock.utc_ns() == NOON + 1000 * PERIOD_NS


def test_lost_cycles_are_counted_and_not_made_up_for(fake: FakeTime) -> None:
    """A tick of 21 ms: 17 ms late, so four whole cycles are lost; the next deadline is the fifth after, on the old grid."""
    clock = LiveClock()
    fake.now += 21_000_000
    assert clock.advance() == pytest.approx(0.017)
    assert clock.missed == 4
    assert fake.slept == 0
    assert clock.advance() == 0.0
    assert clock.missed == 4
    assert fake.now == 1_000 * S + 24_000_000
    assert clock.utc_ns() == NOON + 24_000_000


def test_steps_of_the_wall_clock_do_not_reach_the_time_stamps(fake: FakeTime, monkeypatch: pytest.MonkeyPatch) -> None:
    clock = LiveClock()
    monkeypatch.setattr(fake, "time_ns", lambda: NOON + 3600 * S)
    clock.advance()
    assert clock.utc_ns() == NOON + PERIOD_NS


def test_the_real_clocks_agree_roughly() -> None:
    """Only that the right system clock is read: within a minute of the machine's own."""
    assert abs(LiveClock().utc_ns() - time.time_ns()) < 60 * S
