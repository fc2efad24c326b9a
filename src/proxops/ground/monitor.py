"""Shows events on the terminal from a process of its own: a terminal that hangs never touches the tick."""

from __future__ import annotations

import argparse
import base64
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from proxops.core.messages import EVENT_DTYPE, POOL_DTYPE
from proxops.core.ring import Ring
from proxops.core.vocabulary import Mode, Severity
from proxops.ground.wire import layout

BAR = 30  # characters
COLOURS = {Severity.WARNING: "\x1b[33m", Severity.ERROR: "\x1b[31m", Severity.FATAL: "\x1b[31;1m"}


def line(utc_ns: int, severity: int, name: str, text: str, colour: bool) -> str:
    """One event as one line."""
    moment = datetime.fromtimestamp(utc_ns // 1_000_000_000, UTC).strftime("%H:%M:%S")
    level = Severity(severity).name
    row = f"{moment}.{utc_ns // 1_000_000 % 1000:03d}  {level:<7} {name:<22} {text}"
    paint = COLOURS.get(Severity(severity), "")
    return f"{paint}{row}\x1b[0m" if colour and paint else row


def cycle_line(pool: Ring, lines: int) -> str:
    """Where the facility is now: time, mode, command number; a bar when the number of lines is known."""
    record = pool.latest()
    if record is None:
        return ""
    number = int(record["command"]["sequence"]) if "command" in (record.dtype.names or ()) else -1
    command = f", command {number}" if number >= 0 else ""
    if lines and number >= 0:
        share = min(number / lines, 1.0)
        command = f", line {number} of {lines}  [{'#' * round(BAR * share):<{BAR}}] {share:4.0%}"
    return f"{float(record['clock']['t_sim']):8.1f} s  {Mode(int(record['state']['mode'])).name}{command}"


def follow(events: Ring, pool: Ring | None, parent: int, lines: int = 0) -> None:
    """Print events (and on a terminal the present cycle) until the ring is closed or the facility gone."""
    cursor, terminal = 0, sys.stderr.isatty()
    clear = "\r\x1b[K" if terminal else ""
    while True:
        ended = events.closed or os.getppid() != parent
        records, cursor, _ = events.read(cursor)
        for record in records:
            text = line(
                int(record["utc_ns"]),
                int(record["severity"]),
                record["name"].decode(),
                record["text"].decode(),
                terminal,
            )
            print(clear + text, file=sys.stderr, flush=True)
        if ended and not records.size:
            return
        if not records.size:
            if pool is not None and terminal:
                print(clear + cycle_line(pool, lines), end="", file=sys.stderr, flush=True)
            time.sleep(0.1)


def main() -> None:
    """``python -m proxops.ground.monitor EVENT_RING``."""
    parser = argparse.ArgumentParser(prog="proxops.ground.monitor")
    parser.add_argument("events", type=Path, help="ring with events")
    parser.add_argument("--pool", type=Path, help="ring with pool records, to show the present cycle")
    parser.add_argument("--table", help="its variables, as the log describes them; the hall's unless given")
    parser.add_argument("--lines", type=int, default=0, help="lines of the trajectory that is played")
    parser.add_argument("--parent", type=int, default=os.getppid())
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    dtype = layout(base64.b64decode(options.table)).dtype if options.table else POOL_DTYPE
    try:
        pool = Ring.attach(options.pool, dtype) if options.pool else None
        events = Ring.attach(options.events, EVENT_DTYPE)
    except FileNotFoundError:  # the run was over before this process had begun
        return
    follow(events, pool, options.parent, options.lines)


if __name__ == "__main__":
    main()
