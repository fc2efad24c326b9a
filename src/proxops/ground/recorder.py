"""The recorder: a process of its own, so that a slow disk never delays a tick and a crash never loses a run.

``Recorder`` is the facility's handle on it. ``python -m proxops.ground.recorder`` is the process: it reads
the rings, writes the log, ends when the pool ring is closed or its parent is gone. It ignores SIGINT, SIGTERM
and SIGHUP: the parent decides when a recording is over.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import mimetypes
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from mcap.records import Attachment, Metadata

from proxops.core.errors import EXIT_BAD_INPUT, BadInput
from proxops.core.messages import EVENT_DTYPE
from proxops.core.ring import Ring
from proxops.ground.blocks import CHANNELS, SCHEMAS
from proxops.ground.mcap_file import McapFile, Preamble
from proxops.ground.overview_writer import RecordersOverview
from proxops.ground.recording import Recording, attach, orphaned
from proxops.ground.stage import STAGE_CHANNELS, STAGE_SCHEMAS, Stage

METADATA_NAME: Final = "proxops"
HUNG_S: Final = 10.0  # without a heartbeat at the end of a run: forcing a long file onto a slow disk takes less
SLICE_S: Final = 0.5  # between looks at the heartbeat
EXIT_UNFINISHED: Final = 4
"""``finish`` ran out of patience; the recorder goes on and completes the file on its own."""


class Recorder:
    """The facility's side: starts the process, watches it, ends it."""

    def __init__(self, pool: Ring, events: Ring, out: Path, process: subprocess.Popen[bytes]) -> None:
        self.pool, self.events, self.out, self._process = pool, events, out, process

    @classmethod
    def start(
        cls,
        pool_ring: Ring,
        event_ring: Ring,
        out: Path,
        metadata: Mapping[str, str],
        attachments: Sequence[Path] = (),
        *,
        replace: bool = False,
        retry_s: float = 1.0,
        durable: bool = True,
        watchdog: Ring | None = None,
        stage: Stage | None = None,
    ) -> Recorder:
        """Start recording into ``out``, which must not exist unless ``replace``. Next: ``wait_ready``. ``durable``: forced onto
        the disk every second, so that not even a power cut loses more; a lockstep run can be had again, bit for bit. ``stage``:
        the hall for viewers of the log."""
        command = [sys.executable, "-P", "-m", "proxops.ground.recorder"]
        command += ["--pool", str(pool_ring.path), "--events", str(event_ring.path), "--out", str(out)]
        command += ["--parent", str(os.getpid()), "--retry-s", str(retry_s)]
        command += ["--replace"] if replace else []
        command += [] if durable else ["--lazy"]
        command += ["--watchdog-events", str(watchdog.path)] if watchdog else []
        for path in attachments:
            command += ["--attach", str(path)]
        pipe = subprocess.PIPE
        process = subprocess.Popen(command, stdin=pipe, stderr=pipe, env=_environment(), start_new_session=True)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError), process.stdin:
            about = {"metadata": dict(metadata), "stage": stage.plain() if stage else None}
            process.stdin.write(json.dumps(about).encode())
        return cls(pool_ring, event_ring, out, process)

    @property
    def pid(self) -> int:
        """Process number, for displays and tests."""
        return self._process.pid

    def wait_ready(self, timeout: float = 10.0) -> None:
        """Wait until the recorder looks at the rings; BadInput when it cannot (with its own words)."""
        deadline = time.monotonic() + timeout
        while not self.pool.heartbeat:
            if not self.alive():
                said = self.last_words() or "the recorder ended at once"
                raise BadInput(said.splitlines()[-1], where=str(self.out))
            if time.monotonic() > deadline:
                raise BadInput("the recorder did not start in time", where=str(self.out), value=f"{timeout} s")
            time.sleep(0.002)

    def alive(self) -> bool:
        """True while the process runs. Cheap and never waits."""
        return self._process.poll() is None

    def finish(self, timeout: float = 10.0) -> int:
        """Close both rings and wait: 0 whole file, 3 without its end (full disk), 4 busy or hung, < 0 killed. One that hangs
        is not waited for to the end; it finishes the file should it ever wake up."""
        self.events.close()
        self.pool.close()
        deadline, beat, moved = time.monotonic() + timeout, self.pool.heartbeat, time.monotonic()
        while (now := time.monotonic()) < deadline and now - moved < HUNG_S:
            try:
                return self._process.wait(min(SLICE_S, deadline - now))
            except subprocess.TimeoutExpired:
                if self.pool.heartbeat != beat:
                    beat, moved = self.pool.heartbeat, now
        return EXIT_UNFINISHED

    def last_words(self) -> str:
        """What the process said before it ended; empty while it runs and when all went well."""
        if self._process.stderr is None or self.alive():
            return ""
        with self._process.stderr as stream:
            self._process.stderr = None
            return stream.read().decode("utf-8", "replace").strip()


def _environment() -> dict[str, str]:
    """Ours, and where this very package lies, installed or not."""
    paths = [str(Path(__file__).parents[2]), os.environ.get("PYTHONPATH", "")]
    return os.environ | {"PYTHONPATH": os.pathsep.join(p for p in paths if p)}


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="proxops.ground.recorder",
        description="Record two rings as MCAP. Standard input: JSON with metadata (a map of strings) and a stage (or null).",
    )
    parser.add_argument("--pool", type=Path, required=True, help="ring with pool records")
    parser.add_argument("--events", type=Path, required=True, help="ring with events")
    parser.add_argument("--watchdog-events", type=Path, help="ring with the events of the watchdog over the facility")
    parser.add_argument("--out", type=Path, required=True, help="log to write (.mcap)")
    parser.add_argument("--replace", action="store_true", help="overwrite an existing log")
    parser.add_argument("--attach", type=Path, action="append", default=[], help="file to keep in the log")
    parser.add_argument("--parent", type=int, default=os.getppid(), help="process whose end ends this one")
    parser.add_argument("--lazy", action="store_true", help="leave it to the system when data reach the disk")
    parser.add_argument("--retry-s", type=float, default=1.0, help="pause between attempts on a full disk")
    return parser.parse_args()


def _step_back() -> None:
    """Behind the tick in every respect: ordinary scheduling, lower priority, deaf to the terminal."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with contextlib.suppress(OSError):
        os.nice(5)


def _preamble(metadata: dict[str, str], attachments: list[Path], staged: bool) -> Preamble:
    """Metadata and attachments as records. Times are zero: the bytes must not depend on the wall clock."""
    pairs = {str(key): str(value) for key, value in metadata.items()}
    records = tuple(
        Attachment(create_time=0, log_time=0, name=path.name, media_type=_media_type(path), data=path.read_bytes())
        for path in attachments
    )
    schemas, channels = (STAGE_SCHEMAS, STAGE_CHANNELS) if staged else (SCHEMAS, CHANNELS)
    return Preamble(schemas, channels, (Metadata(METADATA_NAME, pairs),), records)


def _media_type(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or "text/plain"


def main() -> int:
    """The recorder process; returns its exit code."""
    _step_back()
    options = _arguments()
    try:
        about = json.load(sys.stdin)
        stage = Stage.of(about["stage"]) if about["stage"] else None
        preamble = _preamble(about["metadata"], options.attach, stage is not None)
        pool, events = attach(options.pool, options.events)
        watchdog = Ring.attach(options.watchdog_events, EVENT_DTYPE) if options.watchdog_events else None
        out = McapFile(options.out, replace=options.replace)
    except FileExistsError:
        print("the log exists already: choose another name, or replace it", file=sys.stderr)
        return EXIT_BAD_INPUT
    except (OSError, ValueError, AttributeError) as reason:
        print(f"recorder: {reason}", file=sys.stderr)
        return EXIT_BAD_INPUT
    gone, overview = orphaned(options.parent), RecordersOverview(options.out)
    recording = Recording(
        pool, events, out, overview, preamble, options.retry_s, durable=not options.lazy, watchdog=watchdog, stage=stage
    )
    code = recording.run(gone, options.parent)
    overview.finish()
    out.close()
    if gone():
        for path in filter(None, (options.pool, options.events, options.watchdog_events)):
            path.unlink(missing_ok=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
