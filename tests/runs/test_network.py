"""The emulated network: shares and runs against what was asked for, order, delay, and the same again from the same seed."""

import math

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.runs.network import Network, NetworkSpec

N = 40_000
PERIOD_S = 0.004


def journey(spec: NetworkSpec, count: int = N, seed: int = 1) -> list[tuple[int, float]]:
    """(number, delivery time) in order of delivery of ``count`` packets sent every 4 ms. The exact times are read off the
    queue; that ``due`` goes by them has its own test."""
    network = Network(spec, np.random.default_rng(seed))
    for k in range(count):
        network.send(k.to_bytes(4, "little"), k * PERIOD_S)
    queue = sorted(network._queue)
    out = network.due(math.inf)
    assert [entry[2] for entry in queue] == out
    return [(int.from_bytes(data, "little"), entry[0]) for data, entry in zip(out, queue, strict=True)]


def runs_of_losses(got: list[tuple[int, float]], count: int = N) -> list[int]:
    come = np.zeros(count, bool)
    come[[k for k, _ in got]] = True
    edges = np.flatnonzero(np.diff(np.concatenate(([True], come, [True])).astype(int)))
    return list(np.diff(edges)[::2])


def test_a_plain_line_delays_and_nothing_else() -> None:
    got = journey(NetworkSpec(delay_ms=0.5), 100)
    assert [k for k, _ in got] == list(range(100))
    assert [t - k * PERIOD_S for k, t in got] == pytest.approx([0.5e-3] * 100, abs=1e-12)


def test_packets_are_due_once_and_not_before_their_time() -> None:
    network = Network(NetworkSpec(delay_ms=2.0), np.random.default_rng(0))
    network.send(b"a", 1.0)
    network.send(b"b", 1.001)
    assert network.due(1.0019) == []
    assert network.due(1.0025) == [b"a"]
    assert network.due(1.0025) == []
    assert network.due(1.0031) == [b"b"]


def test_jitter_is_uniform_where_packets_do_not_wait_for_each_other() -> None:
    """Up to one period, the packet before has always come: delays are uniform from delay to delay + jitter."""
    delay = np.array([t - k * PERIOD_S for k, t in journey(NetworkSpec(delay_ms=0.2, jitter_ms=4.0))]) * 1e3
    assert 0.2 <= delay.min() < 0.201 and 4.199 < delay.max() <= 4.2 + 1e-9
    shares = np.histogram(delay, 10, (0.2, 4.2))[0] / N
    assert np.abs(shares - 0.1).max() < 4 * math.sqrt(0.09 / N)  # four sigma


@pytest.mark.parametrize("jitter_ms", [1.0, 4.0, 30.0])
def test_jitter_alone_keeps_the_order(jitter_ms: float) -> None:
    got = journey(NetworkSpec(jitter_ms=jitter_ms), 5_000)
    assert [k for k, _ in got] == list(range(5_000))
    times = [t for _, t in got]
    assert times == sorted(times)
    assert all(0.2e-3 - 1e-9 <= t - k * PERIOD_S <= (0.2 + jitter_ms) * 1e-3 + 1e-9 for k, t in got)


@pytest.mark.parametrize(("loss", "burst"), [(0.01, 1.0), (0.1, 1.0), (0.02, 3.0), (0.2, 5.0), (0.6, 2.0)])
def test_losses_have_the_share_and_the_runs_asked_for(loss: float, burst: float) -> None:
    """Within four sigma: runs are geometric with mean b, hence variance b (b - 1); the share follows from both."""
    got = journey(NetworkSpec(loss=loss, burst=burst))
    runs = runs_of_losses(got)
    count = loss * N / burst
    assert abs(np.mean(runs) - burst) <= 4 * math.sqrt(burst * (burst - 1) / count)
    correlation = 1 - loss / (1 - loss) / burst - 1 / burst  # of neighbours in the Gilbert model
    sigma = math.sqrt(loss * (1 - loss) / N * (1 + correlation) / (1 - correlation))
    assert abs(1 - len(got) / N - loss) < 4 * sigma


def test_runs_of_losses_are_geometric() -> None:
    runs = np.array(runs_of_losses(journey(NetworkSpec(loss=0.2, burst=2.0))))
    for length in (1, 2, 3, 4):
        assert np.mean(runs == length) == pytest.approx(0.5**length, abs=4 * math.sqrt(0.25 / len(runs)))


def test_everything_or_nothing() -> None:
    assert journey(NetworkSpec(loss=1.0), 1000) == []
    assert len(journey(NetworkSpec(loss=0.0, burst=7.0), 1000)) == 1000


def test_doubles_have_their_share_and_come_after_the_first() -> None:
    got = journey(NetworkSpec(duplicate=0.05, jitter_ms=3.0))
    numbers = [k for k, _ in got]
    assert set(numbers) == set(range(N))
    assert (len(got) - N) / N == pytest.approx(0.05, abs=4 * math.sqrt(0.05 * 0.95 / N))
    assert numbers == sorted(numbers)  # a double keeps its place in the queue too


def test_reordered_packets_are_overtaken_by_those_sent_while_they_were_held_back() -> None:
    got = journey(NetworkSpec(reorder=0.1, reorder_ms=6.0))
    newest, late = -1, []
    for k, _ in got:
        late.append(k) if k < newest else None
        newest = max(newest, k)
    # 6 ms later than its neighbour at 4 ms: overtaken by the next packet, unless that is held back too.
    assert len(late) / N == pytest.approx(0.1 * 0.9, abs=4 * math.sqrt(0.09 * 0.91 / N))
    assert sorted(k for k, _ in got) == list(range(N))


def test_the_same_seed_is_the_same_line_and_another_is_another() -> None:
    spec = NetworkSpec(0.2, 3.0, 0.05, 2.0, 0.02, 0.02)
    assert journey(spec, 2000, seed=3) == journey(spec, 2000, seed=3)
    assert journey(spec, 2000, seed=3) != journey(spec, 2000, seed=4)


def test_settings_do_not_disturb_each_other() -> None:
    """The packets lost are the same with and without jitter and doubles."""
    plain, full = NetworkSpec(loss=0.05), NetworkSpec(jitter_ms=2.0, loss=0.05, duplicate=0.1)
    assert {k for k, _ in journey(plain, 3000)} == {k for k, _ in journey(full, 3000)}


@pytest.mark.parametrize(
    ("change", "word"),
    [
        ({"loss": 1.2}, "loss"), ({"loss": -0.1}, "loss"), ({"jitter_ms": math.nan}, "jitter_ms"),
        ({"burst": 0.5}, "burst"), ({"delay_ms": math.inf}, "delay_ms"), ({"duplicate": 2.0}, "duplicate"),
        ({"loss": 0.6, "burst": 1.0}, "burst at least 1.5"),
    ],
)  # fmt: skip
def test_absurd_settings_are_refused_by_name(change: dict[str, float], word: str) -> None:
    with pytest.raises(BadInput, match=word):
        NetworkSpec(**change)
