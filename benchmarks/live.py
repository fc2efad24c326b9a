"""Lateness of the live facility with everything on, against an empty loop on the same machine at the same time.

Everything on: a synchronous run (250 Hz tick with inverse kinematics and motion, a client that is answered every cycle),
recorder, event monitor, status polled.
The empty loop asks for the same real-time rights and keeps the same deadlines with nothing to do.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from proxops.client import ControlClient, SyncClient
from proxops.core.vocabulary import Mode, System
from proxops.ground.log import Log

SECONDS = 150.0  # late cycles are rare: fewer would say nothing about the ratio
LATE_S = 1e-3
PORT, NAME = 47290, "benchmark"

EMPTY_LOOP = """
import json, sys
from proxops.core.clock import LiveClock
from proxops.facility.realtime import enter_real_time
clock, cycles = LiveClock(), int(sys.argv[1])
granted = str(enter_real_time())
late = [0.0] * cycles
clock.start()
for k in range(cycles):
    late[k] = clock.advance()
json.dump({"late": late, "missed": clock.missed, "real_time": granted}, open(sys.argv[2], "w"))
"""


def _speak(seconds: float, operator: ControlClient) -> None:
    """A satellite simulator in this process: through the whole procedure, then a slow approach, answered every cycle."""
    client, deadline = SyncClient(("127.0.0.1", PORT), 0.05), time.monotonic()
    values = [4.30, -0.10, 0.44, 0, 5, 85, 0, 2.10, 1.45, 0.44, 0, 8, -85, 0, *[0.0] * 7, 1.50]
    asked, cycles, ending = set(), 0, deadline + seconds
    while deadline < ending:
        answer = client.exchange(System.GLC, values)
        mode = Mode(answer.mode) if answer else None
        if mode is Mode.ARMED and mode not in asked:
            operator.ask("move_to_start", order="rail,robot1,robot2")
        elif mode is Mode.AT_START and mode not in asked:
            operator.ask("confirm")
        elif mode is Mode.RUNNING:
            cycles += 1
            values[0] -= 0.02 * 0.004 * min(1.0, cycles / 100)
            if cycles % 250 == 0:
                operator.ask("status")
        asked.add(mode)
        deadline += 0.004
        time.sleep(max(0.0, deadline - time.monotonic()))
    client.exchange(System.GLC, values, alive=False)
    client.close()


def run() -> dict[str, float | str]:
    """Shares of cycles that woke more than 1 ms late, and their ratio."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        serve = subprocess.Popen(
            [sys.executable, "-m", "proxops.cli", "serve", "--out", str(folder / "serve"), "--no-report", "--no-console",
             "--port", str(PORT), "--control", NAME],
            stdout=subprocess.DEVNULL, stderr=(folder / "serve.txt").open("w"),
        )  # fmt: skip
        control = ControlClient(NAME, 1.0)
        _wait(control)
        control.ask("select", source="sync")
        empty = subprocess.Popen(
            [sys.executable, "-c", EMPTY_LOOP, str(round(SECONDS * 250)), str(folder / "empty.json")]
        )
        began = time.time_ns()
        _speak(SECONDS, control)
        ended = time.time_ns()
        empty.wait()
        control.ask("shut_down")
        serve.wait()
        pool = Log.open(folder / "serve" / "run.mcap").pool
        nothing = json.loads((folder / "empty.json").read_text())
        granted = json.loads((folder / "serve" / "summary.json").read_text())["real_time"]
    utc = pool["clock"]["utc_ns"]
    late = pool["timing"]["lateness"][(utc > began) & (utc < ended)]
    idle = np.array(nothing["late"])
    count, idle_count = int((late > LATE_S).sum()), int((idle > LATE_S).sum())
    share, idle_share = count / len(late), idle_count / len(idle)
    low, high = interval(count, idle_count, len(late) / len(idle))
    return {
        "facility_late_cycles": float(count),
        "empty_loop_late_cycles": float(idle_count),
        "facility_share_later_than_1ms": share,
        "empty_loop_share_later_than_1ms": idle_share,
        "ratio": share / idle_share if idle_share else (1.0 if share == 0 else float("inf")),
        "ratio_95_percent_low": low,
        "ratio_95_percent_high": high,
        "facility_lateness_p99_ms": float(np.quantile(late, 0.99)) * 1e3,
        "empty_loop_lateness_p99_ms": float(np.quantile(idle, 0.99)) * 1e3,
        "facility_work_median_us": float(np.median(pool["timing"]["work"])) * 1e6,
        "cycles": float(len(late)),
        "real_time": granted,
        "required_ratio": 1.5,
    }


def interval(count: int, idle_count: int, exposure: float) -> tuple[float, float]:
    """95 % interval of a ratio of two rare rates: given their sum, one count is binomial (Clopper and Pearson)."""
    from scipy.stats import beta

    low = float(beta.ppf(0.025, count, idle_count + 1)) if count else 0.0
    high = float(beta.ppf(0.975, count + 1, idle_count)) if idle_count else 1.0
    odds = lambda share: share / (1.0 - share) / exposure if share < 1.0 else float("inf")  # noqa: E731
    return odds(low), odds(high)


def _wait(control: ControlClient) -> None:
    for _ in range(60):
        try:
            if control.ask("status")["mode"] == "READY":
                return
        except Exception as error:
            last = error
        time.sleep(0.3)
    raise RuntimeError(f"the facility did not come up: {last}")
