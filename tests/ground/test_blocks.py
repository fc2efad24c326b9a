"""The order of pool records and events in a log, and blocks that do not depend on how they came in."""

from __future__ import annotations

from collections.abc import Callable
from itertools import pairwise

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from proxops.core.messages import EVENT_DTYPE, POOL_DTYPE
from proxops.ground.blocks import BLOCK_RECORDS, Block, Interleaver
from proxops.ground.column_packer import ColumnPacker

MadeUp = Callable[..., NDArray[np.void]]
Event = Callable[..., np.void]


def order(blocks: list[Block]) -> list[tuple[str, int]]:
    """Kind and tick of everything, as it will stand in the file."""
    out: list[tuple[str, int]] = []
    for block in blocks:
        for i in range(block.pool.size + 1):
            out += [("event", int(e["tick"])) for e in block.events[block.places == i]]
            out += [("pool", int(r["clock"]["tick"])) for r in block.pool[i : i + 1]]
    return out


def test_events_stand_before_their_tick(made_up: MadeUp, event: Event) -> None:
    both = Interleaver()
    both.add(made_up(4), np.array([event(0), event(2), event(2), event(9)], EVENT_DTYPE))
    assert order(list(both.blocks())) == []
    assert order(list(both.blocks(last=True))) == [
        ("event", 0),
        ("pool", 0),
        ("pool", 1),
        ("event", 2),
        ("event", 2),
        ("pool", 2),
        ("pool", 3),
        ("event", 9),
    ]


def test_late_events_are_not_lost(made_up: MadeUp, event: Event) -> None:
    both = Interleaver()
    both.add(made_up(BLOCK_RECORDS + 1), np.empty(0, EVENT_DTYPE))
    first = list(both.blocks())
    both.add(made_up(0), np.array([event(3)], EVENT_DTYPE))
    rest = list(both.blocks(last=True))
    assert [b.pool.size for b in first + rest] == [BLOCK_RECORDS, 1]
    assert order(rest) == [("event", 3), ("pool", BLOCK_RECORDS)]


def test_ticks_that_go_back_do_not_upset_it(made_up: MadeUp, event: Event) -> None:
    pool = made_up(6)
    pool["clock"]["tick"] = 5, 6, 0, 1, 2, 7
    both = Interleaver()
    both.add(pool, np.array([event(6), event(1), event(7)], EVENT_DTYPE))
    told = order(list(both.blocks(last=True)))
    assert [t for kind, t in told if kind == "pool"] == [5, 6, 0, 1, 2, 7]
    assert [t for kind, t in told if kind == "event"] == [6, 1, 7]


def test_negative_times_and_ticks_are_written(made_up: MadeUp, event: Event) -> None:
    """A clock that was never set must not stop the recorder."""
    pool, early = made_up(1), np.array([event(0)], EVENT_DTYPE)
    pool["clock"]["utc_ns"], pool["clock"]["tick"] = -5, -1
    early["utc_ns"], early["tick"], early["text"] = -5, -1, b"caf\xc3"  # cut in the middle of a character
    both, packer = Interleaver(), ColumnPacker.of(POOL_DTYPE)
    both.add(pool, early)
    chunks = [block.encode(packer.columns_of(block.pool)) for block in both.blocks(last=True)]
    assert chunks[0].times == (0, 0)


@settings(max_examples=25, deadline=None)
@given(cuts=st.lists(st.integers(0, 200), max_size=6))
def test_blocks_do_not_depend_on_how_records_came(cuts: list[int]) -> None:
    pool = _pool()
    events = np.zeros(20, EVENT_DTYPE)
    events["tick"] = np.arange(20) * 10
    whole = Interleaver()
    whole.add(pool, events)
    expected = [encoded(b) for b in whole.blocks(last=True)]
    parts, got = Interleaver(), []
    edges = sorted({0, *cuts, 200})
    for low, high in pairwise(edges):
        # all events up to the newest tick are there, and some beyond, as the facility guarantees
        known = (events["tick"] >= (low + 1 if low else 0)) & (events["tick"] < high + (1 if high < 200 else 100))
        parts.add(pool[low:high], events[known])
        got += [encoded(b) for b in parts.blocks()]
    got += [encoded(b) for b in parts.blocks(last=True)]
    assert got == expected


def encoded(block: Block) -> bytes:
    return block.encode(ColumnPacker.of(POOL_DTYPE).columns_of(block.pool)).data


def _pool() -> NDArray[np.void]:
    pool = np.zeros(200, POOL_DTYPE)
    pool["clock"]["tick"] = np.arange(200)
    return pool
