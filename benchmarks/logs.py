"""An hour's log in the log viewer: opening, curves, a zoomed window and replay, against reading the whole log; and what log and
overview cost the recorder, beside logs of the old form (a protobuf message each cycle, LZ4) in the same run."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path

import lz4.frame
import numpy as np
from mcap.records import Metadata
from numpy.typing import NDArray

from proxops.core.clock import LOCKSTEP_EPOCH, parse_utc_ns
from proxops.core.messages import EVENT_DTYPE, PERIOD_NS, POOL, POOL_DTYPE
from proxops.ground.blocks import BLOCK_RECORDS, CHANNELS, SCHEMAS, Block, Interleaver
from proxops.ground.column_packer import ColumnPacker
from proxops.ground.mcap_file import McapFile, Preamble
from proxops.ground.overview_writer import RecordersOverview, overview_path

HOUR = 900_000  # records
NAMES = ["actual.rail", "setpoint.rail", "actual.robot1_a1", "actual.robot2_a6", "margin.speed", "state.mode"]
PIXELS = 1500
OLD_EVERY = 20  # blocks of which one is written in the old form, too
STILL = ("orbit", "mission", "estimate_error", "estimate_sigma", "thrusters", "audit", "wheels", "measurement", "goal")
NOISE = 1e-6  # of an axis, m or rad: encoders never give the same number twice, so a log is hard to pack

# In a process of its own: nothing is loaded yet, as when a worker of the console is asked for the first time.
COLD = """
import json, sys, time
began = time.perf_counter()
from proxops.console import log_desk
loaded = time.perf_counter()
folder, names, pixels = sys.argv[1], json.loads(sys.argv[2]), int(sys.argv[3])
def timed(call):
    start = time.perf_counter(); call(); return time.perf_counter() - start
found = {"import_s": loaded - began, "list_s": timed(lambda: log_desk.list_runs(folder))}
found["open_s"] = timed(lambda: log_desk.open_log(folder, "run.mcap"))
found["curves_hour_s"] = timed(lambda: log_desk.curves(folder, "run.mcap", names, 0.0, 3600.0, pixels))
found["curves_ten_minutes_s"] = timed(lambda: log_desk.curves(folder, "run.mcap", names, 1200.0, 1800.0, pixels))
found["curves_two_minutes_s"] = timed(lambda: log_desk.curves(folder, "run.mcap", names, 1800.0, 1920.0, pixels))
found["curves_five_seconds_s"] = timed(lambda: log_desk.curves(folder, "run.mcap", names, 2000.0, 2005.0, pixels))
found["replay_ten_seconds_s"] = timed(
    lambda: log_desk.samples(folder, "run.mcap", [1000 + 0.04 * k for k in range(250)], names)
)
print(json.dumps(found))
"""
WHOLE = """
import sys, time
from proxops.ground.log import Log
began = time.perf_counter(); Log.open(sys.argv[1]); print(time.perf_counter() - began)
"""


def run() -> dict[str, float]:
    """Files not in the system's memory at first (as far as it lets them go), then as they are; medians of three."""
    with tempfile.TemporaryDirectory() as name:
        log = Path(name) / "run.mcap"
        figures = _written(log)
        figures |= {
            "log_bytes_per_cycle": log.stat().st_size / HOUR,
            "overview_mb": overview_path(log).stat().st_size / 1e6,
        }
        _forget(log, overview_path(log))
        figures |= {
            f"from_disk_{key}": value for key, value in _asked(name).items() if key in ("open_s", "curves_hour_s")
        }
        answers = [_asked(name) for _ in range(3)]
        figures |= {key: sorted(answer[key] for answer in answers)[1] for key in answers[0]}
        whole = float(subprocess.run([sys.executable, "-c", WHOLE, str(log)], check=True, capture_output=True).stdout)
        seen = figures["import_s"] + figures["open_s"] + figures["curves_hour_s"]
        overview_path(log).unlink()
        figures |= {"whole_log_s": whole, "seen_s": seen, "whole_over_seen": whole / seen}
        figures["without_overview_open_s"] = _asked(name)["open_s"]
    return {**figures, "required_seen_s": 3.0}


def _asked(folder: str) -> dict[str, float]:
    command = [sys.executable, "-c", COLD, folder, json.dumps(NAMES), str(PIXELS)]
    answer: dict[str, float] = json.loads(subprocess.run(command, check=True, capture_output=True).stdout)
    return answer


def _written(log: Path) -> dict[str, float]:
    """Write the hour as the recorder does; milliseconds of processor time a block for the log and for its overview."""
    file, overview = McapFile(log), RecordersOverview(log)
    file.begin(Preamble(SCHEMAS, CHANNELS, (Metadata("proxops", {"clock": "lockstep"}),)))
    packer, old = ColumnPacker.of(POOL_DTYPE), list[tuple[float, int]]()
    times_s = []
    for number, block in enumerate(_blocks()):
        times_s.append(_add(file, overview, block, packer))
        if number % OLD_EVERY == 0:
            old.append(_old_form(block))
    times = np.array(times_s) * 1e3
    overview.finish()
    file.finish()
    file.sync()
    file.close()
    log_ms, overview_ms = times.T
    old_bytes = np.mean([size for _, size in old])
    each = 1e3 / BLOCK_RECORDS
    return {
        "recorder_log_us_per_cycle": float(np.median(log_ms)) * each,
        "recorder_log_us_per_cycle_old_form": float(np.median([s for s, _ in old])) * 1e3 * each,
        "log_bytes_per_cycle_old_form": float(old_bytes) / BLOCK_RECORDS,
        "old_form_bytes_over_columns": float(old_bytes) / BLOCK_RECORDS / (file.size / HOUR),
        "recorder_log_ms_per_block": float(np.mean(log_ms)),
        "recorder_overview_ms_per_block": float(np.mean(overview_ms)),
        "recorder_overview_ms_worst_of_99_percent": float(np.percentile(overview_ms, 99)),
        "recorder_overview_share_of_real_time": float(np.mean(overview_ms)) / (BLOCK_RECORDS * PERIOD_NS * 1e-6),
    }


def _old_form(block: Block) -> tuple[float, int]:
    """Seconds and bytes that the same records took as protobuf, in four chunks as then."""
    began, size = time.thread_time(), 0
    for rows in np.array_split(np.arange(block.pool.size), 4):
        part = Block(block.pool[rows[0] : rows[-1] + 1], block.events[:0], block.places[:0]).messages().data
        zlib.crc32(part)
        size += len(lz4.frame.compress(part, -2, block_size=lz4.frame.BLOCKSIZE_MAX1MB)) + 16 * rows.size
    return time.thread_time() - began, size


def _add(file: McapFile, overview: RecordersOverview, block: Block, packer: ColumnPacker) -> tuple[float, float]:
    began = time.thread_time()
    columns = packer.columns_of(block.pool)
    place = file.add(block.encode(columns))
    logged = time.thread_time()
    overview.add(place, block.pool, block.events, columns)
    return logged - began, time.thread_time() - logged


def _blocks() -> Iterator[Block]:
    """An hour in pieces of ten seconds: smooth motion with an encoder's noise, what a facility without a mission leaves still."""
    rng, interleaver = np.random.default_rng(1), Interleaver()
    for start in range(0, HOUR, 2500):
        interleaver.add(_pool(np.arange(start, start + 2500), rng), np.empty(0, EVENT_DTYPE))
        yield from interleaver.blocks(last=start + 2500 >= HOUR)


def _pool(ticks: NDArray[np.int64], rng: np.random.Generator) -> NDArray[np.void]:
    pool, t = np.zeros(ticks.size, POOL_DTYPE), ticks * 0.004
    for k, (group, v) in enumerate((g, v) for g in POOL for v in g.variables):
        if v.type == "f8" and group.name not in STILL:
            pool[group.name][v.name] = np.sin(t / (3.0 + k)) + NOISE * rng.standard_normal(ticks.size)
    clock = pool["clock"]
    clock["tick"], clock["t_sim"] = ticks, t
    clock["utc_ns"] = parse_utc_ns(LOCKSTEP_EPOCH) + ticks * PERIOD_NS
    return pool


def _forget(*paths: Path) -> None:
    """Ask the system to drop its copies of files in memory."""
    for path in paths:
        with path.open("rb") as file:
            os.fsync(file.fileno())
            os.posix_fadvise(file.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
