"""The input filter: the paper's machine, its promise under drift and jitter, losses, and clients that misbehave."""

import itertools
import math
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
import pytest

from proxops.bridge.input_filter import TIMEOUT_NS, InputFilter
from proxops.bridge.packet_history import fit_weights
from proxops.bridge.sample import Sample
from proxops.core.vocabulary import InputState
from proxops.maths.pose import pose, pose_from_packed
from proxops.maths.rotation import Array, angle_between, matrix_from_rotation_vector, quat_from_matrix
from proxops.runs.network import Network, NetworkSpec

CYCLE_S, CYCLE_NS = 0.004, 4_000_000
TIMEOUT = TIMEOUT_NS // CYCLE_NS
EPOCH_NS = 1_767_225_600_000_000_000
Motion = Callable[[float], tuple[Array, Array]]  # time → position (m), rotation vector (rad)


class Stepped(InputFilter):
    """A filter whose clock goes on by a cycle at each step."""

    now_ns = 0

    def next(self, arrived: Sequence[Sample]) -> Sample | None:
        self.now_ns += CYCLE_NS
        return self.step(arrived, self.now_ns)


def still(t: float) -> tuple[Array, Array]:
    return np.array([10.0, 0.0, 0.0]), np.zeros(3)


def packed(position: Array, R: Array) -> Array:
    return np.concatenate([position, quat_from_matrix(R)])


def orbit(t: float) -> Array:
    """T_client_target on a circular orbit, axes along the way."""
    n = math.sqrt(3.986004418e14 / 7.0e6**3)
    position = 7.0e6 * np.array([math.cos(n * t), math.sin(n * t), 0.0])
    return packed(position, matrix_from_rotation_vector(np.array([0.0, 0.0, n * t])))


def sample(k: int, motion: Motion = still, period_s: float = CYCLE_S, sent_ns: int | None = None) -> Sample:
    t = k * period_s
    position, turn = motion(t)
    sent = EPOCH_NS + round(t * 1e9) if sent_ns is None else sent_ns
    return Sample(k, sent, packed(position, matrix_from_rotation_vector(turn)), orbit(t))


@cache
def resting(k: int) -> Sample:
    """``sample(k)``, for tests that ask for the same ones again and again."""
    return sample(k)


def errors(out: Sample | None, truth: Sample) -> tuple[float, float, float, float]:
    """Metres and radians: of the relative pose, of the target in the client's frame."""
    assert out is not None
    result: list[float] = []
    for a, b in ((out.relative, truth.relative), (out.T_client_target, truth.T_client_target)):
        assert abs(np.linalg.norm(a[3:]) - 1.0) < 1e-12
        A, B = pose_from_packed(a), pose_from_packed(b)
        result += [float(np.linalg.norm(a[:3] - b[:3])), angle_between(A[:3, :3].copy(), B[:3, :3].copy())]
    return result[0], result[1], result[2], result[3]


def fed(count: int, motion: Motion = still, period_s: float = CYCLE_S) -> Stepped:
    """A filter that has had ``count`` packets, one a cycle."""
    filter = Stepped()
    for k in range(count):
        filter.next([sample(k, motion, period_s)])
    return filter


def numbers(filter: Stepped, cycles: Sequence[Sequence[int]]) -> list[int | None]:
    """What goes out, by number, when packets with these numbers come in these cycles."""
    outs = [filter.next([sample(k) for k in cycle]) for cycle in cycles]
    return [None if out is None else out.sequence for out in outs]


def printed(cycles: Sequence[Sequence[int]]) -> list[int | None]:
    """The paper's sentences, one after the other, on bare numbers; None where it says extrapolation."""
    outs: list[int | None] = []
    buffer: int | None = None
    for came in cycles:
        if buffer is None:
            if len(came) >= 2:  # "stores this packet as soon as two packets are received within one time step"
                outs.append(came[-2])
                buffer = came[-1]
            else:  # "feeds the received packets to the output directly"
                outs.append(came[0] if came else None)
        elif not came:  # "the buffered packet is used to fill that gap"
            outs.append(buffer)
            buffer = None
        elif len(came) == 1:  # "the buffered packet is fed to the output, the newly received pushed into the buffer"
            outs.append(buffer)
            buffer = came[0]
        else:  # "only the most recent packet is considered, older packets are discarded": no room for three
            outs.append(came[-2])
            buffer = came[-1]
    return outs


def delivered(drift: float, spec: NetworkSpec, count: int, phase: float = 0.3, seed: int = 0) -> list[list[int]]:
    """Numbers that come in each cycle from a client whose clock is faster by ``drift``."""
    network = Network(spec, np.random.default_rng(seed))
    sends = [(k + phase) * CYCLE_S / (1.0 + drift) for k in range(count)]
    cycles: list[list[int]] = []
    k = 0
    for cycle in range(1, math.floor(sends[-1] / CYCLE_S)):
        while k < count and sends[k] <= cycle * CYCLE_S:
            network.send(k.to_bytes(4, "little"), sends[k])
            k += 1
        cycles.append([int.from_bytes(data, "little") for data in network.due(cycle * CYCLE_S)])
    return cycles[2:]


# --- the machine ---


@pytest.mark.parametrize(
    ("cycles", "out", "state"),
    [
        ([[]], [None], "EMPTY"),
        ([[0]], [0], "DIRECT"),
        ([[0, 1]], [0], "BUFFERED"),
        ([[0], [1]], [0, 1], "DIRECT"),
        ([[0], [1, 2]], [0, 1], "BUFFERED"),
        ([[0], [1], []], [0, 1, 2], "EXTRAPOLATING"),
        ([[0, 1], []], [0, 1], "DIRECT"),
        ([[0, 1], [2]], [0, 1], "BUFFERED"),
        ([[0, 1], [2, 3]], [0, 2], "BUFFERED"),
        ([[0, 1], [2, 3, 4, 5]], [0, 4], "BUFFERED"),
        ([[0], [1, 2, 3, 4]], [0, 3], "BUFFERED"),
        ([[0], [1], [], [2]], [0, 1, 2, 2], "DIRECT"),
        ([[0], [1], [], [2, 3]], [0, 1, 2, 2], "BUFFERED"),
        ([[0], [1], *[[]] * 6], [0, 1, 2, 3, 4, 5, 6, None], "DRY"),
        ([[0], [1], *[[]] * 7, [2]], [0, 1, 2, 3, 4, 5, 6, None, None, 2], "DIRECT"),
        ([[0], [1], *[[]] * 7, [7, 8]], [0, 1, 2, 3, 4, 5, 6, None, None, 7], "BUFFERED"),
    ],
)
def test_every_row_of_the_table(cycles: list[list[int]], out: list[int | None], state: str) -> None:
    filter = Stepped()
    assert numbers(filter, cycles) == out
    assert filter.state.name == state


def test_it_is_the_printed_machine_on_every_pattern_of_jitter() -> None:
    """Each packet is seen in one of two neighbouring cycles: all 2^10 patterns, against the paper's sentences. After the
    one gap of settling, a packet goes out every cycle and none is dropped: the proof for jitter without drift."""
    filter = Stepped()
    for late in itertools.product((0, 1), repeat=10):
        cycles: list[list[int]] = [[] for _ in range(11)]
        for k, delay in enumerate(late):
            cycles[k + delay].append(k)
        filter.forget()
        outs = [None if (out := filter.next([sample(k) for k in c])) is None or filter.extrapolated else out.sequence
                for c in cycles]  # fmt: skip
        assert outs == printed(cycles)
        first = outs.index(0)
        assert outs[first:10].count(None) <= 1
        assert filter.doubled == 0


# After it has settled (one gap at most), and per client: cycles without a packet, packets that found no room.
@pytest.mark.parametrize("jitter_ms", [0.0, 1.0, 2.5, 4.0])
@pytest.mark.parametrize("drift", [-0.01, -0.003, -0.0003, 0.0, 0.0003, 0.003, 0.01])
def test_no_cycle_runs_dry_and_none_takes_two_except_where_drift_demands_it(drift: float, jitter_ms: float) -> None:
    for phase in (0.02, 0.45, 0.9):
        cycles = delivered(drift, NetworkSpec(jitter_ms=jitter_ms), 3000, phase)
        filter = Stepped()
        outs = [(filter.next([resting(k) for k in c]), filter.extrapolated) for c in cycles]
        reals = [out.sequence for out, guess in outs if out and not guess]
        dry = len(outs) - len(reals)
        slips = abs(drift) * len(cycles)
        assert dry <= 1 + (slips + 1 if drift < 0 else 0)
        assert filter.doubled <= (slips + 1 if drift > 0 else 0)
        assert np.diff(reals).min() >= 1
        assert np.sum(np.diff(reals) > 1) == filter.doubled  # nothing is skipped but what was dropped and counted
        if drift:  # and slips there must be: the buffer cannot swallow drift for ever
            assert dry + filter.doubled >= slips - 2


def test_without_the_buffer_jitter_would_make_chaos() -> None:
    """The figure that the paper's filter is there for (its figure 6): the same packets, one element less."""
    cycles = delivered(0.0003, NetworkSpec(jitter_ms=2.0), 3000, 0.45)
    bare = sum(not c for c in cycles) + sum(len(c) - 1 for c in cycles if len(c) > 1)
    filter = Stepped()
    for c in cycles:
        filter.next([sample(k) for k in c])
    assert bare > 300
    assert filter.extrapolated_count + filter.doubled <= 3


# --- losses ---


def test_one_loss_is_one_guess_though_the_buffer_could_hide_it() -> None:
    """3 is lost. As printed, 4 goes out a cycle early, and 5, which is late but not lost, leaves a gap."""
    cycles = [[0], [1, 2], [], [4], [], [5, 6], [7]]
    assert printed(cycles) == [0, 1, 2, 4, None, 5, 6]
    filter = Stepped()
    assert numbers(filter, cycles) == [0, 1, 2, 3, 4, 5, 6]
    assert (filter.lost, filter.extrapolated_count, filter.taken) == (1, 1, 6)


@pytest.mark.parametrize("burst", [1.0, 2.0])
def test_with_losses_and_jitter_each_cycle_is_one_step(burst: float) -> None:
    """Once settled, numbers rise by one each cycle, guesses where packets are lost: 3 % of them, jitter of a cycle."""
    cycles = delivered(0.0, NetworkSpec(jitter_ms=3.9, loss=0.03, burst=burst), 4000, 0.5, seed=2)
    outs = numbers(filter := Stepped(), cycles)
    start = outs.index(None) if None in outs[:20] else 0
    steps = np.diff(np.array(outs[start + 20 :], float))
    assert np.all(steps == 1.0)
    missing = set(range(cycles[0][0], cycles[-1][0])) - set(itertools.chain(*cycles))
    assert len(missing) > 80
    assert abs(filter.lost - len(missing)) <= 1
    assert abs(filter.extrapolated_count - len(missing)) <= 2
    assert filter.doubled == filter.stale == 0


def ramp(t: float) -> tuple[Array, Array]:
    return np.array([20.0 - 0.3 * t, 0.05 * t, 1.0 - 0.02 * t]), np.array([0.02, -0.05, 0.03]) * t


def cubic(t: float) -> tuple[Array, Array]:
    s = t - 0.03
    return np.array([5.0 + s - 3.0 * s**2 + 8.0 * s**3, 2.0 * s**3, -s]), np.array([0.0, 0.0, s + s**2 - 4 * s**3])


def sine(t: float) -> tuple[Array, Array]:
    """0.3 m and 10 deg at 0.25 Hz: 0.47 m/s, 16 deg/s."""
    w = 2.0 * math.pi * 0.25
    return np.array([8.0, 0.3 * math.sin(w * t), 0.3 * math.cos(w * t)]), np.array([0.17 * math.sin(w * t), 0.0, 0.0])


def tumble(t: float) -> tuple[Array, Array]:
    return np.array([6.0, 0.0, 0.0]), np.array([0.3, 0.2, 0.1]) * t  # 21 deg/s


# Metres and radians that the fifth guess in a row may be wrong.
@pytest.mark.parametrize(
    ("motion", "metres", "radians"),
    [(ramp, 1e-11, 1e-11), (cubic, 1e-11, 1e-11), (sine, 1e-6, 1e-6), (tumble, 1e-11, 1e-11)],
)
@pytest.mark.parametrize("losses", [1, 2, 3, 4, 5])
@pytest.mark.parametrize("count", [4, 7, 30])
def test_losses_are_bridged(motion: Motion, metres: float, radians: float, losses: int, count: int) -> None:
    """Also the orbit: 30 m a cycle at 7,000 km, where a double resolves 1e-9 m; 196 is what a cubic through four makes of
    rounding at the fifth step."""
    filter = fed(count, motion)
    for k in range(count, count + losses):
        out = filter.next([])
        truth = sample(k, motion)
        assert filter.extrapolated and filter.state is InputState.EXTRAPOLATING
        assert out is not None and (out.sequence, out.sent_ns) == (k, truth.sent_ns)
        p, a, p_orbit, a_orbit = errors(out, truth)
        assert p < metres and a < radians
        assert p_orbit < 4 * 196 * 1e-9 and a_orbit < 1e-11
    filter.next([sample(count + losses, motion)])
    assert filter.state is InputState.DIRECT and not filter.extrapolated
    assert filter.lost == filter.extrapolated_count == losses


def test_a_hole_is_filled_from_both_sides() -> None:
    filter = fed(20, sine)
    filter.next([sample(20, sine), sample(21, sine)])
    filter.next([])
    out = filter.next([sample(23, sine)])
    assert filter.extrapolated and filter.state is InputState.BUFFERED
    assert out is not None and out.sequence == 22
    p, a, _, _ = errors(out, sample(22, sine))
    assert p < 1e-8 and a < 1e-8
    after = filter.next([sample(22, sine)])  # it comes after all, but its place is taken
    assert after is not None and after.sequence == 23 and not filter.extrapolated
    assert filter.stale == 1 and filter.lost == 0


def test_a_hole_before_a_jump_is_none_to_fill() -> None:
    filter = fed(20, ramp)
    filter.next([sample(20, ramp), sample(21, ramp)])
    filter.next([])
    out = filter.next([sample(23, sine)])
    assert out is not None and out.sequence == 23 and not filter.extrapolated


def test_a_hole_between_the_packets_of_a_slow_client_delays_nothing() -> None:
    """At 8 ms; 10 is lost, 9 was late and 11 is early: nothing is overdue yet."""
    filter = Stepped()
    came: list[list[int]] = list(itertools.chain.from_iterable([[k], []] for k in range(9)))
    outs = [filter.next([sample(k, ramp, 0.008) for k in c]) for c in [*came, [], [9], [], [], [11]]]
    assert [out.sequence for out in outs if out] == [*range(10), 11]
    assert outs[-1] is not None and filter.extrapolated_count == 0


def test_fewer_packets_give_a_lower_degree() -> None:
    one = fed(2, still)
    one.next([sample(50, ramp)])  # a jump: from here on a single packet is known
    out = one.next([])
    assert out is not None and np.allclose(out.relative, sample(50, ramp).relative, atol=1e-15)
    two = fed(2, ramp)
    assert errors(two.next([]), sample(2, ramp))[0] < 1e-12
    parabola: Motion = lambda t: (np.array([t**2, 0.0, 0.0]), np.zeros(3))  # noqa: E731
    assert errors(fed(3, parabola).next([]), sample(3, parabola))[0] < 1e-12
    assert errors(fed(2, parabola).next([]), sample(2, parabola))[0] == pytest.approx(2 * CYCLE_S**2, rel=1e-6)


@pytest.mark.parametrize("count", range(1, 13))
def test_weights_are_those_of_least_squares(count: int) -> None:
    """Against numpy's polynomial fit, uneven times included."""
    rng = np.random.default_rng(count)
    u = -np.arange(count, dtype=float) + rng.uniform(-0.3, 0.3, count)
    y = rng.normal(size=count)
    weight = np.empty(count)
    for at in (-1.0, 0.0, 1.0, 5.0):
        fit_weights(u, at, weight)
        reference = np.polynomial.Polynomial.fit(u, y, min(3, count - 1))
        assert weight @ y == pytest.approx(reference(at), rel=1e-9, abs=1e-9)
        assert weight.sum() == pytest.approx(1.0, abs=1e-11)


def test_noise_is_not_amplified_much() -> None:
    """0.2 mm (1 sigma) in the packets of a client: times 1.6 in the first guess, 9.1 in the fifth; the cubic
    through four packets makes it 8.3 and 196."""
    for count, first, fifth in ((12, 1.64, 9.14), (4, 8.31, 195.86)):
        for at, gain in ((1.0, first), (5.0, fifth)):
            weight = np.empty(count)
            fit_weights(-np.arange(float(count)), at, weight)
            assert np.linalg.norm(weight) == pytest.approx(gain, abs=0.01)


@pytest.mark.parametrize("jump", [np.array([0.06, 0.0, 0.0]), np.array([0.0, 1.0, 0.0])])
def test_the_cubic_is_never_fitted_across_a_jump(jump: Array) -> None:
    moved: Motion = lambda t: (ramp(t)[0] + jump, ramp(t)[1])  # noqa: E731
    for after in (1, 2, 3, 5):
        filter = fed(20, ramp)
        for k in range(20, 20 + after):
            filter.next([sample(k, moved)])
        p, a, _, _ = errors(filter.next([]), sample(20 + after, moved))
        # a single packet is held: one step of 0.3 m/s and 0.06 rad/s off, no more
        assert p < (1.3e-3 if after == 1 else 1e-11) and a < (2.5e-4 if after == 1 else 1e-11)


def test_a_jump_in_attitude_is_one_too_and_a_fast_motion_is_none() -> None:
    turned: Motion = lambda t: (ramp(t)[0], ramp(t)[1] + np.array([0.04, 0.0, 0.0]))  # noqa: E731
    filter = fed(20, ramp)
    filter.next([sample(20, turned)])
    assert errors(filter.next([]), sample(20, turned))[1] < 1e-12  # a single packet is known, and held
    fast: Motion = lambda t: (np.array([1.5 * t, 0.0, 0.0]), np.zeros(3))  # noqa: E731
    assert errors(fed(20, fast).next([]), sample(20, fast))[0] < 1e-11


# --- clients and networks that misbehave ---


def test_doubles_and_old_packets_never_go_out_again() -> None:
    filter = Stepped()
    assert numbers(filter, [[0, 0], [0, 1, 1], [1, 2], [0, 1, 2, 3]]) == [0, 1, 2, 3]
    assert (filter.taken, filter.stale, filter.doubled, filter.lost) == (4, 7, 0, 0)
    assert filter.state is InputState.DIRECT


def test_packets_of_one_cycle_are_sorted() -> None:
    assert numbers(Stepped(), [[1, 0], [2], [4, 3], []]) == [0, 1, 3, 4]


def test_a_packet_that_was_overtaken_still_goes_out_while_the_other_waits() -> None:
    filter = Stepped()
    assert numbers(filter, [[0], [1, 2], [4], [3], [5]]) == [0, 1, 2, 3, 4]
    assert (filter.lost, filter.stale, filter.doubled, filter.extrapolated_count) == (0, 0, 0, 0)


def test_a_packet_that_was_overtaken_is_refused_when_the_other_has_gone_out() -> None:
    filter = Stepped()
    assert numbers(filter, [[0], [1], [4], [2], [5]]) == [0, 1, 4, 5, 5]
    assert (filter.stale, filter.lost, filter.extrapolated_count) == (1, 1, 1)


def test_a_burst_after_silence_gives_its_newest() -> None:
    filter = fed(20)
    for _ in range(15):
        filter.next([])
    assert filter.state is InputState.DRY and filter.silent_ns == 15 * CYCLE_NS
    assert numbers(filter, [list(range(20, 35)), [35]]) == [33, 34]
    assert filter.silent_ns == 0
    assert (filter.doubled, filter.lost, filter.stale) == (13, 0, 0)
    assert filter.period_s == pytest.approx(CYCLE_S, rel=1e-9)


@pytest.mark.parametrize("clock", ["good", "stands"])
def test_a_standstill_of_the_network_does_not_change_the_period(clock: str) -> None:
    """Nothing for 30 cycles, then all of it in two cycles. Without a clock the estimate may be off by the slack (8 ms)
    and a cycle over eleven packets."""
    sent = (lambda k: None) if clock == "good" else (lambda k: 0)
    filter = Stepped()
    for k in range(30):
        filter.next([sample(k, sent_ns=sent(k))])
    for _ in range(30):
        filter.next([])
    for bunch in (range(30, 50), range(50, 62), *([k] for k in range(62, 90))):
        filter.next([sample(k, sent_ns=sent(k)) for k in bunch])
        assert abs(filter.period_s - CYCLE_S) < (1e-9 if clock == "good" else 12e-3 / 11)


def test_a_client_that_changes_its_period_is_followed() -> None:
    filter = fed(30)
    for cycle in range(150):
        filter.next([sample(30 + cycle // 5, sent_ns=EPOCH_NS + 4_000_000 * (30 + cycle))] if cycle % 5 == 0 else [])
    assert filter.period_s == pytest.approx(0.02, rel=1e-6)
    guesses = filter.extrapolated_count
    for cycle in range(150, 300):
        filter.next([sample(30 + cycle // 5, sent_ns=0)] if cycle % 5 == 0 else [])
    assert filter.period_s == pytest.approx(0.02, rel=1e-6)
    assert filter.extrapolated_count == guesses < 30


def test_a_client_that_restarts_after_silence_is_taken_at_once() -> None:
    filter = fed(500)
    for _ in range(TIMEOUT + 1):
        filter.next([])
    assert filter.state is InputState.DRY
    assert numbers(filter, [[0], [1]]) == [0, 1]
    assert (filter.stale, filter.lost) == (0, 0)


def test_a_client_that_restarts_without_silence_is_taken_once_its_predecessor_is_forgotten() -> None:
    filter = fed(500)
    outs = [filter.next([sample(k)]) for k in range(TIMEOUT + 20)]
    real = [out.sequence for k, out in enumerate(outs) if out and k >= 5]
    assert real == list(range(TIMEOUT + 1, TIMEOUT + 20))
    assert filter.stale == TIMEOUT + 1


def test_a_leap_ahead_is_a_new_numbering_not_a_loss() -> None:
    filter = fed(20)
    assert numbers(filter, [[10**9], [10**9 + 1], []]) == [10**9, 10**9 + 1, 10**9 + 2]
    assert filter.lost == 0


def chaos(seed: int) -> tuple[Stepped, list[tuple[Sample, bool]], int]:
    spec = NetworkSpec(0.2, 9.0, 0.1, 4.0, 0.1, 0.1, 11.0)
    cycles = delivered(0.005, spec, 3000, 0.4, seed)
    filter, outs = Stepped(), []
    for c in cycles:
        out = filter.next([sample(k) for k in c])
        assert out is not None or not filter.extrapolated
        if out is not None:
            outs.append((out, filter.extrapolated))
    return filter, outs, sum(map(len, cycles))


@pytest.mark.parametrize("seed", range(4))
def test_in_any_chaos_nothing_goes_backwards_and_the_books_balance(seed: int) -> None:
    filter, outs, came = chaos(seed)
    reals = [out.sequence for out, guess in outs if not guess]
    assert np.diff(reals).min() >= 1
    waiting = 1 if filter.state is InputState.BUFFERED else 0
    assert filter.taken + filter.stale + filter.doubled + waiting == came
    assert filter.taken == len(reals) and filter.extrapolated_count == len(outs) - len(reals)
    runs = [len(list(group)) for guess, group in itertools.groupby(outs, lambda o: o[1]) if guess]
    assert max(runs) <= 5
    assert min(filter.taken, filter.stale, filter.doubled, filter.lost, filter.extrapolated_count) > 50


# --- clocks ---

BROKEN_CLOCKS: dict[str, Callable[[int], int]] = {
    "stands": lambda k: 0,
    "backwards": lambda k: EPOCH_NS - 4_000_000 * k,
    "microseconds": lambda k: EPOCH_NS // 1000 + 4_000 * k,
    "picoseconds": lambda k: 4_000_000_000 * k,
    "steps": lambda k: EPOCH_NS + 4_000_000 * k + (3_600_000_000_000 if k >= 17 else 0),
    "steps back": lambda k: EPOCH_NS + 4_000_000 * k - (5_000_000 if k >= 17 else 0),
    "half speed": lambda k: EPOCH_NS + 2_000_000 * k,
    "random": lambda k: hash((k, 7)) % 2**62,
}


@pytest.mark.parametrize("clock", BROKEN_CLOCKS)
def test_a_send_clock_that_is_nonsense_does_not_matter(clock: str) -> None:
    """Numbers serve as time then: the cubic is as good as with a clock, and the period is known from the cycles."""
    filter = Stepped()
    for k in range(20):
        out = filter.next([sample(k, sine, sent_ns=BROKEN_CLOCKS[clock](k))])
        assert out is not None and out.sequence == k
    assert filter.period_s == pytest.approx(CYCLE_S, rel=1e-9)
    for k in range(20, 25):
        p, a, p_orbit, _ = errors(filter.next([]), sample(k, sine))
        assert p < 1e-6 and a < 1e-6 and p_orbit < 1e-6
    assert filter.next([]) is None


def test_uneven_send_times_are_followed() -> None:
    """The client's loop hesitates: send times jitter by 1 ms and the motion with them."""
    rng = np.random.default_rng(5)
    times = np.arange(40) * CYCLE_S + rng.uniform(0.0, 1e-3, 40)
    filter = Stepped()
    for k in range(40):
        position, turn = sine(times[k])
        R = matrix_from_rotation_vector(turn)
        filter.next([Sample(k, EPOCH_NS + round(times[k] * 1e9), packed(position, R), orbit(times[k]))])
    assert filter.period_s == pytest.approx(CYCLE_S, rel=0.03)
    out = filter.next([])
    assert out is not None
    position, _ = sine((out.sent_ns - EPOCH_NS) * 1e-9)
    assert np.abs(out.relative[:3] - position).max() < 1e-7


@pytest.mark.parametrize("period_ms", [2.0, 4.0, 8.0, 10.0, 20.0, 50.0])
@pytest.mark.parametrize("clock", ["good", "stands"])
def test_the_period_is_found_despite_jitter_and_losses(period_ms: float, clock: str) -> None:
    network = Network(NetworkSpec(jitter_ms=4.0, loss=0.05), np.random.default_rng(4))
    filter = Stepped()
    k = 0
    estimates = []
    for cycle in range(1, 800):
        while k * period_ms * 1e-3 <= cycle * CYCLE_S:
            network.send(k.to_bytes(4, "little"), k * period_ms * 1e-3)
            k += 1
        came = [int.from_bytes(data, "little") for data in network.due(cycle * CYCLE_S)]
        filter.next([sample(n, still, period_ms * 1e-3, None if clock == "good" else 0) for n in came])
        if cycle > 400:
            estimates.append(filter.period_s * 1e3)
    # Without a clock: two cycles of jitter and rounding over eleven packets.
    assert np.abs(np.array(estimates) - period_ms).max() < (1e-6 if clock == "good" else 8.0 / 11.0 + 1e-9)


@pytest.mark.parametrize("jitter_ms", [0.0, 4.0])
def test_a_client_at_20_ms_loses_nothing_in_between(jitter_ms: float) -> None:
    network = Network(NetworkSpec(jitter_ms=jitter_ms), np.random.default_rng(4))
    filter, outs = Stepped(), []
    for cycle in range(2000):
        if cycle % 5 == 0:
            network.send((cycle // 5).to_bytes(4, "little"), cycle * CYCLE_S)
        came = [int.from_bytes(data, "little") for data in network.due(cycle * CYCLE_S)]
        outs.append(filter.next([sample(n, still, 0.02) for n in came]))
    got = [out.sequence for out in outs if out]
    assert got == list(range(len(got))) and len(got) >= 398
    assert filter.extrapolated_count == filter.doubled == filter.lost == 0


def test_a_packet_lost_at_20_ms_is_guessed_once_it_is_overdue() -> None:
    filter, outs = Stepped(), []
    for cycle in range(200):
        k, new = divmod(cycle, 5)
        came = [sample(k, sine, 0.02)] if new == 0 and k not in (20, 21) else []
        outs.append((filter.next(came), filter.extrapolated))
    guesses = [(cycle, out) for cycle, (out, guess) in enumerate(outs) if guess]
    assert [(cycle, out.sequence) for cycle, out in guesses if out] == [(101, 20), (106, 21)]
    for _, out in guesses:
        assert out is not None
        p, a, _, _ = errors(out, sample(out.sequence, sine, 0.02))
        assert p < 5e-4 and a < 5e-4  # twelve packets are 0.24 s here
    assert filter.lost == 2 and filter.taken == 38


def test_a_client_at_500_hz_is_bridged_by_whole_cycles() -> None:
    filter = Stepped()
    for cycle in range(20):
        filter.next([sample(2 * cycle + i, sine, 0.002) for i in (0, 1)])
    assert filter.state is InputState.BUFFERED and filter.doubled == 19
    assert filter.next([]).sequence == 39  # type: ignore[union-attr]
    out = filter.next([])
    assert out is not None and out.sequence == 41 and errors(out, sample(41, sine, 0.002))[0] < 1e-7


def test_before_the_second_packet_nothing_is_due() -> None:
    filter = Stepped()
    assert numbers(filter, [[0], *[[]] * TIMEOUT]) == [0, *[None] * TIMEOUT]
    assert filter.state is InputState.DIRECT
    assert filter.next([]) is None and filter.state is InputState.DRY


# --- small print ---


def test_guesses_keep_velocity_and_sun_of_the_newest_packet() -> None:
    filter = Stepped()
    v, sun = np.arange(6.0), np.array([0.0, 0.0, 1.0])
    for k in range(5):
        s = sample(k, ramp)
        filter.next([Sample(k, s.sent_ns, s.relative, s.T_client_target, v, sun)])
    out = filter.next([])
    assert out is not None and out.velocity is not None and out.sun is not None
    assert out.velocity.tolist() == v.tolist() and out.sun.tolist() == sun.tolist()


def test_read_only_and_strided_arrays_are_taken() -> None:
    """A packet may be a view of a datagram."""
    filter = Stepped()
    for k in range(6):
        s = sample(k, ramp)
        wire = np.frombuffer(s.relative.tobytes())
        strided = np.stack([s.T_client_target, s.T_client_target], 1)[:, 0]
        filter.next([Sample(k, s.sent_ns, wire, strided)])
    assert errors(filter.next([]), sample(6, ramp))[0] < 1e-11


def test_the_sign_of_a_quaternion_does_not_matter() -> None:
    filter = Stepped()
    for k in range(9):
        s = sample(k, tumble)
        flipped = s.relative * np.where(np.arange(7) < 3, 1.0, (-1.0) ** k)
        filter.next([Sample(k, s.sent_ns, flipped, s.T_client_target)])
    assert errors(filter.next([]), sample(9, tumble))[1] < 1e-11


def test_forget_begins_anew() -> None:
    filter, _, _ = chaos(0)
    filter.forget()
    assert filter.state is InputState.EMPTY and not filter.extrapolated
    assert filter.taken == filter.lost == filter.stale == filter.doubled == filter.extrapolated_count == 0
    assert filter.silent_ns == 0 and filter.period_s == 0.0
    assert numbers(filter, [[], [7], [8], []]) == [None, 7, 8, 9]


def test_a_tumbling_target_is_turned_on_the_group() -> None:
    """The same rotation about a fixed axis seen from a turned frame: the guess is the true pose there too."""
    R0 = matrix_from_rotation_vector(np.array([2.0, -1.0, 0.5]))
    filter = Stepped()
    for k in range(12):
        R = R0 @ matrix_from_rotation_vector(tumble(k * CYCLE_S)[1])
        filter.next([Sample(k, EPOCH_NS + 4_000_000 * k, packed(np.zeros(3), R), orbit(k * CYCLE_S))])
    out = filter.next([])
    truth = pose(R0 @ matrix_from_rotation_vector(tumble(12 * CYCLE_S)[1]), np.zeros(3))
    assert out is not None
    assert np.abs(pose_from_packed(out.relative) - truth).max() < 1e-12
