"""The ring: wraps round, never blocks its writer, counts what its readers lost, opens from another process's path."""

import mmap
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proxops.core.messages import EVENT_DTYPE, POOL_DTYPE
from proxops.core.ring import WORDS, Ring

DTYPE = np.dtype([("n", "<i8"), ("twice", "<i8"), ("text", "S5")])


@pytest.fixture
def ring() -> Iterator[Ring]:
    ring = Ring.create("test", DTYPE, 8)
    yield ring
    ring.close()


def push(ring: Ring, numbers: range) -> None:
    for n in numbers:
        ring.push(np.array((n, 2 * n, b"x"), DTYPE)[()])


def numbers(records: np.ndarray) -> list[int]:  # type: ignore[type-arg]
    assert (records["twice"] == 2 * records["n"]).all()
    return [int(n) for n in records["n"]]


def test_new_ring_is_empty(ring: Ring) -> None:
    assert (ring.head, ring.tail, ring.lost, ring.trouble, ring.heartbeat) == (0, 0, 0, 0, 0)
    assert not ring.closed
    assert ring.latest() is None
    records, cursor, overtaken = ring.read(0)
    assert (len(records), cursor, overtaken) == (0, 0, 0)


def test_reads_in_order_and_carries_on(ring: Ring) -> None:
    push(ring, range(3))
    records, cursor, overtaken = ring.read(0)
    assert (numbers(records), cursor, overtaken) == ([0, 1, 2], 3, 0)
    push(ring, range(3, 5))
    records, cursor, overtaken = ring.read(cursor)
    assert (numbers(records), cursor, overtaken) == ([3, 4], 5, 0)
    assert len(ring.read(cursor)[0]) == 0


def test_wraps_round(ring: Ring) -> None:
    cursor, seen = 0, []
    for start in range(0, 100, 5):
        push(ring, range(start, start + 5))
        records, cursor, overtaken = ring.read(cursor)
        assert overtaken == 0
        seen += numbers(records)
    assert seen == list(range(100))


def test_limit(ring: Ring) -> None:
    push(ring, range(6))
    records, cursor, _ = ring.read(0, limit=4)
    assert (numbers(records), cursor) == ([0, 1, 2, 3], 4)
    records, cursor, _ = ring.read(cursor, limit=4)
    assert (numbers(records), cursor) == ([4, 5], 6)


def test_being_overtaken_is_noticed_and_counted(ring: Ring) -> None:
    """8 slots, 20 records, nothing read: at least the 12 that are gone are counted. The one that a writer might be
    overwriting at this very moment may be given up as well, but not more."""
    push(ring, range(20))
    records, cursor, overtaken = ring.read(0)
    assert cursor == 20
    assert overtaken in (12, 13)
    assert numbers(records) == list(range(overtaken, 20))


def test_overtaken_while_copying(ring: Ring, monkeypatch: pytest.MonkeyPatch) -> None:
    """The writer goes on between the reader's two looks at the head: what it reached meanwhile is not handed out."""
    push(ring, range(8))
    true_head = type(ring).head
    looks = iter([8])
    monkeypatch.setattr(Ring, "head", property(lambda self: next(looks, None) or true_head.fget(self)))  # type: ignore[attr-defined]
    push(ring, range(8, 11))  # by now slots 0, 1, 2 hold 8, 9, 10 and 3 might be being written
    records, cursor, overtaken = ring.read(0)
    assert cursor == 8
    assert numbers(records) == list(range(overtaken, 8))
    assert overtaken in (3, 4)


@given(st.lists(st.tuples(st.integers(0, 25), st.integers(1, 30)), max_size=20))
@settings(max_examples=200, deadline=None, derandomize=True)
def test_read_and_lost_always_add_up(steps: list[tuple[int, int]]) -> None:
    """Any mixture of writing and reading: records come in order, each once, and what is missing is counted."""
    ring = Ring.create("test", DTYPE, 8)
    try:
        written, cursor, seen, lost = 0, 0, 0, 0
        for count, limit in steps:
            push(ring, range(written, written + count))
            written += count
            records, after, overtaken = ring.read(cursor, limit)
            assert numbers(records) == list(range(after - len(records), after))
            assert after - cursor == len(records) + overtaken
            seen, lost, cursor = seen + len(records), lost + overtaken, after
        assert seen + lost == cursor <= written
    finally:
        ring.close()


def test_many_at_once_are_as_one_by_one(ring: Ring) -> None:
    """Round the end of the ring too, and however many: none, some, as many as there are slots."""
    written = 0
    for count in (3, 0, 8, 1, 7, 8):
        records = np.zeros(count, DTYPE)
        records["n"] = np.arange(written, written + count)
        records["twice"] = 2 * records["n"]
        ring.push_all(records.view(np.uint8).reshape(count, DTYPE.itemsize))
        written += count
        assert ring.head == written
        newest = max(0, written - 7)  # the slot behind it may be the next to be written
        assert numbers(ring.read(newest)[0]) == list(range(newest, written))


def test_records_that_are_being_overwritten_are_not_read(ring: Ring) -> None:
    """A reader that looks while many are copied in: what has been announced counts as gone, in place or not."""
    push(ring, range(8))
    reader = Ring.attach(ring.path, DTYPE)
    ring._begun[0] = 8 + 3
    records, after, overtaken = reader.read(0)
    assert (numbers(records), after, overtaken) == ([3, 4, 5, 6, 7], 8, 3)


def test_latest(ring: Ring) -> None:
    for n in range(20):
        push(ring, range(n, n + 1))
        newest = ring.latest()
        assert newest is not None
        assert int(newest["n"]) == n
    kept = ring.latest()
    push(ring, range(20, 40))
    assert kept is not None
    assert int(kept["n"]) == 19  # a copy


def test_what_is_read_is_a_copy(ring: Ring) -> None:
    push(ring, range(3))
    records, _, _ = ring.read(0)
    push(ring, range(3, 30))
    assert numbers(records) == [0, 1, 2]


def test_attached_from_its_path_it_is_the_same_ring(ring: Ring) -> None:
    push(ring, range(3))
    other = Ring.attach(ring.path, DTYPE)
    assert other.slots == 8
    push(ring, range(3, 5))
    assert numbers(other.read(0)[0]) == [0, 1, 2, 3, 4]
    other.tail, other.trouble, other.lost, other.heartbeat = 5, 28, 2, 99
    assert (ring.tail, ring.trouble, ring.lost, ring.heartbeat) == (5, 28, 2, 99)
    other.close()
    assert ring.closed
    assert ring.path.exists()  # only the owner removes it


def test_another_process_reads_it(ring: Ring) -> None:
    push(ring, range(30, 35))
    program = (
        "import sys, numpy as np; from pathlib import Path; from proxops.core.ring import Ring;"
        f"ring = Ring.attach(Path(sys.argv[1]), np.dtype({DTYPE.descr!r}));"
        "print(ring.read(0)[0]['n'].tolist()); ring.tail = 5"
    )
    done = subprocess.run([sys.executable, "-c", program, str(ring.path)], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[30, 31, 32, 33, 34]"
    assert ring.tail == 5


def test_the_owner_removes_the_file_and_readers_live_on() -> None:
    ring = Ring.create("test", DTYPE, 8)
    reader = Ring.attach(ring.path, DTYPE)
    push(ring, range(3))
    ring.close()
    assert not ring.path.exists()
    assert reader.closed
    assert numbers(reader.read(0)[0]) == [0, 1, 2]
    ring.close()  # twice is no harm


def test_another_layout_is_refused(ring: Ring, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="version"):
        Ring.attach(ring.path, np.dtype([("n", "<i8"), ("x", "S7")]))
    empty = tmp_path / "empty"
    empty.write_bytes(b"")
    with pytest.raises(ValueError, match="version"):
        Ring.attach(empty, DTYPE)
    empty.write_bytes(bytes(WORDS * 8))
    with pytest.raises(ValueError, match="version"):
        Ring.attach(empty, DTYPE)


@pytest.mark.parametrize("dtype", [POOL_DTYPE, EVENT_DTYPE])
def test_the_real_records_come_back_bit_for_bit(dtype: np.dtype[np.void]) -> None:
    ring = Ring.create("test", dtype, 16)
    try:
        noise = np.random.default_rng(41).integers(0, 256, 10 * dtype.itemsize, np.uint8)
        records = noise.view(dtype)
        for record in records:
            ring.push(record)
        assert ring.read(0)[0].tobytes() == records.tobytes()
        assert isinstance(ring._map, mmap.mmap)
    finally:
        ring.close()


def test_what_is_lent_lies_in_the_ring_and_may_be_overtaken(ring: Ring) -> None:
    push(ring, range(6))
    lent = ring.lend(2, 6)
    assert numbers(lent) == [2, 3, 4, 5] and np.shares_memory(lent, ring.records)
    push(ring, range(6, 10))
    assert not ring.overtaken(3) and ring.overtaken(2), "the next one would overwrite it"
    assert numbers(lent) == [2, 3, 4, 5]
    round_the_end = ring.lend(6, 10)
    assert numbers(round_the_end) == [6, 7, 8, 9] and not np.shares_memory(round_the_end, ring.records)
