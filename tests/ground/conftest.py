"""Made-up runs: seeded records, rings, and a recorder process that is always cleaned up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest
from numpy.typing import NDArray

from proxops.core.clock import gps_from_utc_ns, parse_utc_ns
from proxops.core.messages import EVENT_DTYPE, PERIOD_NS, POOL, POOL_DTYPE
from proxops.core.ring import Ring
from proxops.core.vocabulary import System
from proxops.facility.installation import Installation
from proxops.facility.play import play
from proxops.ground.log import Log
from proxops.ground.pool_columns import PoolColumns
from proxops.ground.recorder import Recorder
from proxops.ground.wire import pool_layout
from proxops.lab.any_cell import load_cell
from proxops.lab.cell import Cell
from proxops.lab.trajectory import Trajectory

START_NS = parse_utc_ns("2026-01-01T00:00:00Z")


def made_up_pool(count: int, seed: int = 1) -> NDArray[np.void]:
    """Records with random values everywhere and a true clock; the caller's own."""
    return _drawn(count, seed).copy()


@cache
def _drawn(count: int, seed: int) -> NDArray[np.void]:
    rng = np.random.default_rng(seed)
    pool = np.zeros(count, POOL_DTYPE)
    for group in POOL:
        for v in group.variables:
            draw = rng.standard_normal(count) if v.type == "f8" else rng.integers(0, 100, count)
            pool[group.name][v.name] = draw
    clock = pool["clock"]
    clock["tick"] = np.arange(count)
    clock["t_sim"] = np.arange(count) * 0.004
    clock["utc_ns"] = START_NS + np.arange(count) * PERIOD_NS
    clock["gps_ns"] = gps_from_utc_ns(START_NS) + np.arange(count) * PERIOD_NS
    return pool


def made_up_event(tick: int, text: str = "Umschaltung nach läuft") -> np.void:
    event = np.zeros(1, EVENT_DTYPE)
    event["tick"], event["utc_ns"], event["severity"] = tick, START_NS + tick * PERIOD_NS, 1 + tick % 5
    event["name"], event["text"] = b"mode", text.encode()
    return event[0]


def until(condition: Callable[[], bool], what: str) -> None:
    """Wait for another process; a generous limit only keeps a broken test from hanging."""
    for _ in range(10_000):
        if condition():
            return
        time.sleep(0.002)
    pytest.fail(f"never happened: {what}")


class Run:
    """Two rings and a recorder, as the facility has them."""

    def __init__(self, out: Path, slots: int = 4096, **options: object) -> None:
        self.out = out
        self.pool = Ring.create("test-pool", POOL_DTYPE, slots)
        self.events = Ring.create("test-events", EVENT_DTYPE, 256)
        metadata = {"cell": "epos", "seed": "7"}
        self.recorder = Recorder.start(self.pool, self.events, out, metadata, **options)  # type: ignore[arg-type]

    def push(self, pool: NDArray[np.void], event_every: int = 0, pause: Callable[[int], float] | None = None) -> None:
        """Events of a tick first, then its pool record; ``pause`` gives seconds to sleep after record i."""
        for i, record in enumerate(pool):
            tick = int(record["clock"]["tick"])
            if event_every and tick % event_every == 0:
                self.events.push(made_up_event(tick))
            self.pool.push(record)
            if pause is not None and pause(i):
                time.sleep(pause(i))

    def taken(self) -> bool:
        """True when the recorder has everything pushed so far."""
        return self.pool.tail == self.pool.head


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Run]]:
    """The recorder is a fork, which writes the same (``test_a_fork_writes_the_same_log``) and is there at once, unless a test is
    about a process of its own."""
    runs: list[Run] = []

    def make(name: str = "run.mcap", *, forked: bool = True, **options: object) -> Run:
        runs.append(Run(tmp_path / name, forked=forked, **options))  # type: ignore[arg-type]
        runs[-1].recorder.wait_ready()
        return runs[-1]

    yield make
    for run in runs:
        run.recorder.finish()
        run.recorder.last_words()


@pytest.fixture(scope="session")
def made_up() -> Callable[..., NDArray[np.void]]:
    return made_up_pool


@pytest.fixture(scope="session")
def event() -> Callable[..., np.void]:
    return made_up_event


@pytest.fixture(scope="session")
def new_run() -> type[Run]:
    return Run


@pytest.fixture
def wait() -> Callable[[Callable[[], bool], str], None]:
    return until


@pytest.fixture
def log_of(tmp_path: Path) -> Callable[[NDArray[np.void]], Log]:
    """A log in memory, for everything that only reads."""

    def make(pool: NDArray[np.void]) -> Log:
        events = np.empty(0, EVENT_DTYPE)
        return Log(
            tmp_path / "memory.mcap",
            PoolColumns.of(pool, pool_layout()),
            events,
            pool_layout().columns,
            {},
            {},
            {"/pool": pool.size},
            True,
            (),
        )

    return make


SWING_M_RAD = np.array([0.15, *np.radians([4, 3, -3, 6, 5, 8, -4, 3, -3, 6, 5, 9])])


def swing(cell: Cell, seconds: float = 3.0) -> Trajectory:
    """From home and back, at rest at both ends: every axis on a raised cosine, in axis coordinates."""
    t = np.arange(round(seconds / 0.004) + 1) * 0.004
    q = cell.home + 0.5 * (1.0 - np.cos(2.0 * np.pi * t / seconds))[:, None] * SWING_M_RAD
    values = np.zeros((t.size, 22))
    values[:, 0:6], values[:, 7:13] = np.degrees(q[:, 1:7]), np.degrees(q[:, 7:13])
    values[:, 21] = q[:, 0] * 1e3
    return Trajectory(np.full(t.size, System.IJT, np.int16), values, "swing.txt")


@pytest.fixture(scope="session")
def cell() -> Cell:
    return load_cell()


@pytest.fixture(scope="session")
def swing_once(cell: Cell) -> Callable[[Path], Log]:
    """Records the same short run, which comes to its end, into any file."""

    def record(out: Path) -> Log:
        assert play(cell, swing(cell), out, seed=3).stop is None
        return Log.open(out)

    return record


@pytest.fixture(scope="session")
def swung(swing_once: Callable[[Path], Log], tmp_path_factory: pytest.TempPathFactory) -> Log:
    """The log of a short run that came to its end."""
    return swing_once(tmp_path_factory.mktemp("swung") / "run.mcap")


@pytest.fixture(scope="session")
def stopped(cell: Cell, tmp_path_factory: pytest.TempPathFactory) -> Log:
    """The log of a run in which a door was opened after half a second."""
    out = tmp_path_factory.mktemp("stopped") / "run.mcap"

    def open_door(hall: Installation) -> None:
        if hall.facility.commands is not None and hall.facility.commands.sequence == 125:
            hall.desk.interlock("door_main", healthy=False)

    assert play(cell, swing(cell), out, each_cycle=open_door).stop is not None
    return Log.open(out)
