"""Shows events on the terminal from a process of its own: a terminal that hangs never touches the tick."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from proxops.core.messages import EVENT_DTYPE
from proxops.core.ring import Ring
from proxops.core.vocabulary import Severity

COLOURS = {Severity.WARNING: "\x1b[33m", Severity.ERROR: "\x1b[31m", Severity.FATAL: "\x1b[31;1m"}


def line(utc_ns: int, severity: int, name: str, text: str, colour: bool) -> str:
    """One event as one line."""
    moment = datetime.fromtimestamp(utc_ns // 1_000_000_000, UTC).strftime("%H:%M:%S")
    level = Severity(severity).name
    row = f"{moment}.{utc_ns // 1_000_000 % 1000:03d}  {level:<7} {name:<22} {text}"
    paint = COLOURS.get(Severity(severity), "")
    return f"{paint}{row}\x1b[0m" if colour and paint else row


def follow(ring: Ring, parent: int) -> None:
    """Print events until the ring is closed or the facility gone."""
    cursor, colour = 0, sys.stderr.isatty()
    while True:
        ended = ring.closed or os.getppid() != parent
        records, cursor, _ = ring.read(cursor)
        for record in records:
            print(line(int(record["utc_ns"]), int(record["severity"]), record["name"].decode(), record["text"].decode(), colour), file=sys.stderr, flush=True)
        if ended and not records.size:
            return
        if not records.size:
            time.sleep(0.05)


def main() -> None:
    """``python -m proxops.ground.monitor EVENT_RING``."""
    parser = argparse.ArgumentParser(prog="proxops.ground.monitor")
    parser.add_argument("ring", type=Path)
    parser.add_argument("--parent", type=int, default=os.getppid())
    options = parser.parse_args()
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    follow(Ring.attach(options.ring, EVENT_DTYPE), options.parent)


if __name__ == "__main__":
    main()
