"""Timing watch: every cycle counted once, the histogram as numpy has it, misses with what the evidence says."""

from collections.abc import Iterator

import numpy as np
import pytest

from proxops.console.lateness_cause import Evidence
from proxops.console.timing_watch import EDGES_S, LATE_S, MISSES_KEPT, RECENT_NS, TimingWatch, histogram
from proxops.core.messages import PERIOD_NS, POOL_DTYPE
from proxops.core.ring import Ring, bytes_of

UTC_NS = 1_790_000_000_000_000_000
SLOTS = 64
RECENT_CYCLES = RECENT_NS // PERIOD_NS  # of the hall


class FakeWitness:
    """Tells what it is told to tell."""

    def __init__(self) -> None:
        self.now: Evidence | None = Evidence(0.0, 0.0, 0, 0)

    def sample(self) -> Evidence | None:
        return self.now

    def grow(self, *, stolen_s: float = 0.0, waited_s: float = 0.0, minor: int = 0, major: int = 0) -> None:
        was = self.now
        assert was is not None
        self.now = Evidence(
            was.stolen_s + stolen_s, was.waited_s + waited_s, was.minor_faults + minor, was.major_faults + major
        )


class Facility:
    """Writes cycles as the live loop does: late cycles lose whole periods, the work told is of the tick before."""

    def __init__(self, slots: int = SLOTS) -> None:
        self.ring = Ring.create("test", POOL_DTYPE, slots)
        self.record = np.zeros(1, POOL_DTYPE)
        self.tick = self.missed = 0
        self.utc_ns = UTC_NS

    def cycle(self, lateness_s: float = 1e-4, work_s: float = 1e-3) -> None:
        lost = round(lateness_s * 1e9) // PERIOD_NS
        self.tick += 1
        self.missed += lost
        self.utc_ns += PERIOD_NS * (1 + lost)
        r = self.record[0]
        r["clock"]["tick"], r["clock"]["utc_ns"] = self.tick, self.utc_ns
        r["timing"]["lateness"], r["timing"]["work"], r["timing"]["missed"] = lateness_s, work_s, self.missed
        self.ring.push(bytes_of(self.record))


@pytest.fixture
def facility() -> Iterator[Facility]:
    made = Facility()
    yield made
    made.ring.close()


@pytest.fixture
def witness() -> FakeWitness:
    return FakeWitness()


@pytest.fixture
def watch(facility: Facility, witness: FakeWitness) -> TimingWatch:
    return TimingWatch(facility.ring, 1, witness)


def test_histogram_agrees_with_numpy() -> None:
    lateness = 10.0 ** np.random.default_rng(3).uniform(-7, 0, 5000)
    lateness[:3] = 0.0, EDGES_S[7], EDGES_S[20]  # edges belong to the bin that they begin
    assert (histogram(lateness) == np.histogram(lateness, EDGES_S)[0]).all()


def test_what_is_later_than_the_scale_counts_in_the_last_bin() -> None:
    assert histogram(np.array([5.0]))[-1] == 1


def test_nothing_seen_is_a_state_too(watch: TimingWatch) -> None:
    watch.look()
    state = watch.state()
    assert (state["cycles"], state["quantiles_s"], state["work_s"], state["misses"]) == (0, {}, {}, [])
    assert sum(state["counts"]) == sum(state["recent"]) == 0


def test_every_cycle_counts_once_however_the_looks_fall(facility: Facility, watch: TimingWatch) -> None:
    rng = np.random.default_rng(5)
    lateness = 10.0 ** rng.uniform(-5, -2.5, 300)
    work = rng.uniform(5e-4, 2e-3, 300)
    for k in range(300):
        facility.cycle(float(lateness[k]), float(work[k]))
        if rng.random() < 0.1:
            watch.look()
    watch.look()
    watch.look()
    state = watch.state()
    assert watch.overtaken == 0
    assert state["cycles"] == 300 and state["counts"] == np.histogram(lateness, EDGES_S)[0].tolist()
    assert state["recent"] == state["counts"]  # less than ten seconds in all
    assert state["late"] == np.count_nonzero(lateness > LATE_S)
    assert state["quantiles_s"]["p50"] == pytest.approx(np.median(lateness))
    assert state["quantiles_s"]["max"] == lateness.max()
    assert state["work_s"] == {"mean": pytest.approx(work.mean()), "max": work.max()}


def test_what_was_overwritten_is_counted_not_invented(facility: Facility, watch: TimingWatch) -> None:
    for _ in range(SLOTS + 10):
        facility.cycle()
    watch.look()
    # One slot less than there are: the writer may be busy with the oldest at any moment.
    assert (watch.state()["cycles"], watch.overtaken) == (SLOTS - 1, 11)


def test_ten_seconds_are_by_the_cycles_own_time() -> None:
    facility = Facility(4 * RECENT_CYCLES)
    watch = TimingWatch(facility.ring, 1, FakeWitness())
    for _ in range(100):
        facility.cycle(2e-3)
    facility.cycle(6.0)  # six seconds lost
    for _ in range(RECENT_CYCLES // 2):
        facility.cycle(1e-5)
    watch.look()
    facility.ring.close()
    state = watch.state()
    assert sum(state["recent"]) == RECENT_CYCLES // 2 + 1  # five seconds, and the late cycle; the others lie 11 s back
    assert state["quantiles_s"]["max"] == 6.0 and sum(state["counts"]) == RECENT_CYCLES // 2 + 101


def test_more_than_ten_seconds_at_once(facility: Facility) -> None:
    facility = Facility(4 * RECENT_CYCLES)
    watch = TimingWatch(facility.ring, 1, FakeWitness())
    for k in range(3 * RECENT_CYCLES):
        facility.cycle(2e-3 if k < 2 * RECENT_CYCLES else 1e-5)
    watch.look()
    facility.ring.close()
    state = watch.state()
    assert state["late"] == 2 * RECENT_CYCLES and state["quantiles_s"]["max"] == 1e-5
    assert sum(state["recent"]) == RECENT_CYCLES


def test_miss_names_cycle_work_and_loss(facility: Facility, watch: TimingWatch) -> None:
    watch.look()
    facility.cycle()
    facility.cycle(9.5e-3, 5.1e-3)
    facility.cycle(3.9e-3)  # late, but nothing is lost
    watch.look()
    (miss,) = watch.state()["misses"]
    assert miss == {
        "utc_ms": (UTC_NS + 4 * PERIOD_NS) / 1e6, "tick": 2, "lateness_s": 9.5e-3, "work_s": 5.1e-3, "lost": 2,
        "cause": "own work 5.1 ms",
    }  # fmt: skip
    assert watch.state()["missed"] == 2


CAUSES = [
    ({}, "woken late by the timer"),
    ({"stolen_s": 0.01}, "stolen by the virtual machine's host"),
    ({"stolen_s": 0.01, "waited_s": 1.0}, "stolen by the virtual machine's host and waited for a core"),
    ({"waited_s": 3.1e-3}, "waited for a core"),
    ({"waited_s": 2.9e-3}, "woken late by the timer"),  # less than half of the lateness
    ({"major": 1}, "page faults"),
    ({"minor": 2000}, "page faults"),
    ({"minor": 20}, "woken late by the timer"),
]


@pytest.mark.parametrize(("growth", "said"), CAUSES)
def test_cause_follows_the_evidence(
    growth: dict[str, float], said: str, facility: Facility, watch: TimingWatch, witness: FakeWitness
) -> None:
    watch.look()
    witness.grow(**growth)  # type: ignore[arg-type]
    facility.cycle(6e-3)
    watch.look()
    assert watch.state()["misses"][0]["cause"] == said


def test_evidence_of_the_look_before_still_counts(facility: Facility, watch: TimingWatch, witness: FakeWitness) -> None:
    """The process ran again before a look, its record came after it."""
    watch.look()
    witness.grow(waited_s=6e-3)
    watch.look()
    facility.cycle(6e-3)
    watch.look()
    assert watch.state()["misses"][0]["cause"] == "waited for a core"


def test_evidence_of_long_ago_does_not(facility: Facility, watch: TimingWatch, witness: FakeWitness) -> None:
    watch.look()
    witness.grow(waited_s=6e-3)
    for _ in range(3):
        watch.look()
    facility.cycle(6e-3)
    watch.look()
    assert watch.state()["misses"][0]["cause"] == "woken late by the timer"


def test_interrupted_work_says_so(facility: Facility, watch: TimingWatch, witness: FakeWitness) -> None:
    watch.look()
    witness.grow(waited_s=5e-3)
    facility.cycle(6e-3, 5.5e-3)
    watch.look()
    assert watch.state()["misses"][0]["cause"] == "own work 5.5 ms, waited for a core"


@pytest.mark.parametrize("witnessed", [True, False])
def test_nothing_is_claimed_without_evidence(
    witnessed: bool, facility: Facility, watch: TimingWatch, witness: FakeWitness
) -> None:
    if not witnessed:  # a system that tells nothing; otherwise: late before the first look
        witness.now = None
        watch.look()
    facility.cycle(6e-3)
    watch.look()
    assert watch.state()["misses"][0]["cause"] == "not known: nothing was counted then"


def test_misses_are_bounded_and_newest_first(facility: Facility, watch: TimingWatch) -> None:
    for _ in range(MISSES_KEPT + 5):
        facility.cycle(4e-3)
        watch.look()
    misses = watch.state()["misses"]
    assert len(misses) == MISSES_KEPT and [m["tick"] for m in misses[:2]] == [MISSES_KEPT + 5, MISSES_KEPT + 4]
