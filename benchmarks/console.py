"""Does the tick notice the console? Late cycles of one run, in turns with five browsers looking on (one stalled) and without.

Also how long the page takes to open, and how long after the last heartbeat a jog's set-point stands.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.live import LATE_S, interval
from proxops.ground.log import Log

sys.path += [str(Path(__file__).parents[1] / "tests" / part) for part in ("console", "shared")]
from page_socket import PageSocket
from served_console import FLAGS, Served, Tab, serve

TURNS = 5  # of each kind
TURN_S = 24.0
BROWSERS = 5
PAGES = ("command", "rvd", "fmc", "timing", "security")
OPENINGS = 7
JOGS = 10


def run() -> dict[str, float | str]:
    """Shares of cycles that woke more than 1 ms late, and their ratio; opening and jog times."""
    from playwright.sync_api import sync_playwright

    with tempfile.TemporaryDirectory() as name, sync_playwright() as playwright:
        served = serve(Path(name) / "serve")
        launch = lambda: playwright.chromium.launch(executable_path="/usr/bin/chromium", args=list(FLAGS))  # noqa: E731
        try:
            opening_s = _openings(launch, served)
            jogs = _jogs(served)
            spans = _turns(launch, served)
        finally:
            served.end()
        pool = Log.open(served.folder / "run.mcap").pool
    return {**_late(pool, spans), "page_opens_s": opening_s, **_stops(pool, jogs), "browsers": float(BROWSERS)}


# ---------------------------------------------------------------------- late cycles
def _turns(launch: Any, served: Served) -> dict[bool, list[tuple[int, int]]]:
    """Times (UTC, ns) with browsers and without, one after the other. Starting and ending browsers is in neither."""
    spans: dict[bool, list[tuple[int, int]]] = {True: [], False: []}
    for _ in range(TURNS):
        spans[False].append(_span())
        browsers = [launch() for _ in range(BROWSERS)]
        for browser, page in zip(browsers, PAGES, strict=True):
            tab = Tab(browser.new_page(viewport={"width": 1366, "height": 768}))
            tab.page.goto(f"{served.address}#/{page}")
            tab.wait("window.proxops?.desk.record", 30.0)
        time.sleep(2.0)
        stalled = _a_renderer()
        os.kill(stalled, signal.SIGSTOP)
        spans[True].append(_span())
        os.kill(stalled, signal.SIGCONT)
        for browser in browsers:
            browser.close()
        time.sleep(2.0)
    return spans


def _span() -> tuple[int, int]:
    began = time.time_ns()
    time.sleep(TURN_S)
    return began, time.time_ns()


def _a_renderer() -> int:
    """A process that shows a page in one of our browsers: the one that was started first."""
    found = subprocess.run(["pgrep", "-f", "--", "--type=renderer"], capture_output=True, text=True, check=True)
    return next(pid for pid in map(int, found.stdout.split()) if _is_ours(pid))


def _is_ours(pid: int) -> bool:
    while pid > 1 and pid != os.getpid():
        pid = int(Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[1])
    return pid == os.getpid()


def _late(pool: Any, spans: dict[bool, list[tuple[int, int]]]) -> dict[str, float | str]:
    utc, lateness = pool["clock"]["utc_ns"], pool["timing"]["lateness"]
    counts, cycles = {}, {}
    for watched, times in spans.items():
        chosen = np.zeros(len(utc), bool)
        for began, ended in times:
            chosen |= (utc > began) & (utc < ended)
        counts[watched], cycles[watched] = int((lateness[chosen] > LATE_S).sum()), int(chosen.sum())
    shares = {watched: counts[watched] / cycles[watched] for watched in spans}
    low, high = interval(counts[True], counts[False], cycles[True] / cycles[False])
    return {
        "late_cycles_watched": float(counts[True]),
        "late_cycles_alone": float(counts[False]),
        "share_watched": shares[True],
        "share_alone": shares[False],
        "ratio": shares[True] / shares[False] if counts[False] else float("inf"),
        "ratio_95_percent_low": low,
        "ratio_95_percent_high": high,
        "cycles_watched": float(cycles[True]),
        "required_ratio": 1.2,
    }


# ---------------------------------------------------------------------- opening, jog
def _openings(launch: Any, served: Served) -> float:
    """Median time from the address to the first cycle on the page, each in a new browser."""
    taken = []
    for _ in range(OPENINGS):
        browser = launch()
        tab = Tab(browser.new_page(viewport={"width": 1366, "height": 768}))
        began = time.monotonic()
        tab.page.goto(served.address, wait_until="commit")
        tab.wait("window.proxops?.desk.record && document.querySelector('#mode').textContent === 'READY'", 30.0)
        taken.append(time.monotonic() - began)
        browser.close()
    return float(np.median(taken))


def _jogs(served: Served) -> list[tuple[float, int]]:
    """Jogs whose page says nothing more: (speed, time of the last heartbeat in UTC ns)."""
    last = []
    for speed in (0.1, 1.0):
        for k in range(JOGS):
            page = PageSocket(served.port)
            page.ask("take_control")
            page.ask("select", source="manual")
            press, direction = time.time_ns() // 1_000_000, 1 if k % 2 else -1
            orders = {"system": "IJT", "robot": "robot1", "component": "a1", "direction": direction, "speed": speed}
            for _ in range(30):
                page.ask("jog", ttl_ms=80.0, hold_ms=60, press=press, **orders)
                time.sleep(0.015)
            last.append((speed, time.time_ns()))
            time.sleep(0.6)  # the connection stays, as a network that has gone silent does
            page.ask("select", source="none")
            page.close()
    return last


def _stops(pool: Any, jogs: list[tuple[float, int]]) -> dict[str, float]:
    """From the last heartbeat to the last cycle in which the set-point moved; worst of all jogs."""
    utc, rate = pool["clock"]["utc_ns"], pool["setpoint_rate"]["robot1_a1"]
    found: dict[float, list[float]] = {}
    for speed, at in jogs:
        after = (utc > at) & (utc < at + 600_000_000)
        moving = utc[after][np.abs(rate[after]) > 1e-9]
        found.setdefault(speed, []).append((int(moving[-1]) - at) * 1e-6 if len(moving) else 0.0)
    return {f"jog_stands_after_ms_at_{speed:.0%}": max(times) for speed, times in found.items()}
