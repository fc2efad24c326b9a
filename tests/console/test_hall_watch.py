"""A cell at 1 kHz, as shipped, seen by the console 25 times a second: pages get the newest cycle, the timing counts every one."""

from __future__ import annotations

import asyncio
import os
from pathlib import Path

import numpy as np
import pytest

from proxops.console.attendance import Attendance
from proxops.console.facility_about import FacilityAbout
from proxops.console.hall_watch import FRAME_S, HallWatch
from proxops.console.live_feed import CYCLE, HEAD
from proxops.console.timing_watch import RECENT_NS
from proxops.console.viewer import Viewer
from proxops.core.clock import LockstepClock
from proxops.core.messages import PERIOD_NS, pool_dtype
from proxops.facility.build import build
from proxops.lab.any_cell import pool_of, read_any_cell

CELL = read_any_cell("kube")
POOL = pool_dtype(pool_of(CELL))
CYCLES = round(FRAME_S * 1e9) // CELL.period_ns  # between two looks
LOOKS = RECENT_NS // PERIOD_NS // CYCLES + 1  # for more cycles than a hall has in what counts as recent


def newest(viewer: Viewer) -> np.void:
    """The record that the page gets now; it takes it at once."""
    while (data := viewer.next()) is not None and data[0] != CYCLE:
        pass
    assert data is not None
    viewer.seen(HEAD.unpack_from(data)[1])
    return np.frombuffer(data, POOL, 1, HEAD.size)[0]


def test_a_cell_at_1_khz_is_seen_whole(monkeypatch: pytest.MonkeyPatch) -> None:
    assert CELL.period_ns == 1_000_000
    monkeypatch.setattr("proxops.console.hall_watch.FRAME_S", 0.0)
    hall = build(CELL, LockstepClock(period_ns=CELL.period_ns), seed=1, record=None)
    pool, events, nowhere = hall.rings[0].path, hall.rings[1].path, Path("nowhere")
    about = FacilityAbout(os.getpid(), None, None, nowhere, nowhere, pool, events, period_ns=CELL.period_ns)
    attendance = Attendance()
    watch, viewer = HallWatch(CELL, about, attendance), attendance.enter("Anna")
    seen: list[np.void] = []

    async def test() -> None:
        looking = asyncio.create_task(watch._watch_rings())
        for _ in range(LOOKS):
            for _ in range(CYCLES):
                hall.facility.tick()
            await asyncio.sleep(0)  # one look
            seen.append(newest(viewer))
        looking.cancel()

    asyncio.run(test())
    hall.close()
    assert (np.diff([record["clock"]["tick"] for record in seen]) == CYCLES).all()
    assert (np.diff([record["clock"]["utc_ns"] for record in seen]) == FRAME_S * 1e9).all()
    assert np.array(seen[-1]["actual"].tolist()) == pytest.approx(CELL.home, abs=1e-3)
    timing = watch._timing.state()
    assert timing["cycles"] == sum(timing["recent"]) == LOOKS * CYCLES and timing["missed"] == viewer.dropped == 0
