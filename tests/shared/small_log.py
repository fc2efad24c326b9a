"""Logs written by the recorder's own pieces, without a process and without an overview."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from mcap.records import Metadata
from numpy.typing import NDArray

from proxops.core.clock import LOCKSTEP_EPOCH, parse_utc_ns
from proxops.core.messages import EVENT_DTYPE, PERIOD_NS, POOL, POOL_DTYPE
from proxops.ground.blocks import CHANNELS, SCHEMAS, Interleaver
from proxops.ground.column_packer import ColumnPacker
from proxops.ground.mcap_file import McapFile, Preamble

START_NS = parse_utc_ns(LOCKSTEP_EPOCH)
NO_EVENTS = np.empty(0, EVENT_DTYPE)
SMALL_BLOCK = 62  # records: a log of many chunks need not be long


def small_pool(count: int, seed: int = 1) -> NDArray[np.void]:
    """Random numbers in every variable, and a true clock."""
    rng = np.random.default_rng(seed)
    pool = np.zeros(count, POOL_DTYPE)
    for group in POOL:
        for v in group.variables:
            pool[group.name][v.name] = rng.standard_normal(count) if v.type == "f8" else rng.integers(0, 100, count)
    clock, ticks = pool["clock"], np.arange(count)
    clock["tick"], clock["t_sim"], clock["utc_ns"] = ticks, ticks * 0.004, START_NS + ticks * PERIOD_NS
    return pool


def begun_log(path: Path, metadata: Mapping[str, str] | None = None) -> McapFile:
    """A log that can be added to."""
    file = McapFile(path)
    file.begin(Preamble(SCHEMAS, CHANNELS, (Metadata("proxops", dict(metadata or {})),)))
    return file


def write_log(
    path: Path,
    pool: NDArray[np.void],
    events: NDArray[np.void] = NO_EVENTS,
    metadata: Mapping[str, str] | None = None,
    *,
    end: bool = True,
) -> Path:
    """A log; without its ``end`` it is one that was cut off."""
    path.parent.mkdir(parents=True, exist_ok=True)
    file, interleaver = begun_log(path, metadata), Interleaver(most=SMALL_BLOCK)
    interleaver.add(pool, events)
    for block in interleaver.blocks(last=True):
        file.add(block.encode(ColumnPacker.of(block.pool.dtype).columns_of(block.pool)))
    if end:
        file.finish()
    file.close()
    return path
