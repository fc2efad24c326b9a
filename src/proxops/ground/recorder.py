"""The recorder: a process of its own, so that a slow disk never delays a tick and a crash never loses a run.

``Recorder`` is the facility's handle on it. ``python -m proxops.ground.recorder`` is the process, or a fork of a run in
lockstep: it reads the rings, writes the log, ends when the pool ring is closed or its parent is gone. It ignores SIGINT, SIGTERM
and SIGHUP: the parent decides when a recording is over.
"""

from __future__ import annotations

import argparse
import base64
import contextlib
import ctypes
import json
import mimetypes
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO, Final

from mcap.records import Attachment, Metadata

from proxops.core.child import child_command, child_environment
from proxops.core.errors import EXIT_BAD_INPUT, BadInput, ProxopsError
from proxops.core.messages import EVENT_DTYPE, POOL, Group
from proxops.core.ring import Ring
from proxops.ground.blocks import CHANNELS, VIEWED_HZ, schemas_of
from proxops.ground.forked_process import ForkedProcess
from proxops.ground.mcap_file import McapFile, Preamble
from proxops.ground.overview_writer import RecordersOverview
from proxops.ground.recorder_kernels import load_kernels
from proxops.ground.recording import Recording, attach, orphaned
from proxops.ground.schema import pool_schema
from proxops.ground.stage import STAGE_CHANNELS, STAGE_SCHEMAS, Stage
from proxops.ground.viewer_message import PIECE, ViewerChannel, ViewerMessages, viewer_channels, viewer_schemas
from proxops.ground.wire import layout

METADATA_NAME: Final = "proxops"
HUNG_S: Final = 10.0  # without a heartbeat at the end of a run: forcing a long file onto a slow disk takes less
START_S: Final = 120.0  # until a recorder is there; it may have to compile first
KEEP_UP_S: Final = 30.0  # without a heartbeat while a lockstep run waits for the recorder
SLICE_S: Final = 0.5  # between looks at the heartbeat
KEPT_BYTES: Final = 32 * 1024 * 1024  # the most that the C library takes
M_TRIM_THRESHOLD, M_MMAP_THRESHOLD = -1, -3  # of malloc.h
EXIT_LOST: Final = 5  # the log has its end, but records were overwritten before the recorder could read them
EXIT_UNFINISHED: Final = 4
"""``finish`` ran out of patience; the recorder goes on and completes the file on its own."""


class Recorder:
    """The facility's side: starts the process, watches it, ends it."""

    def __init__(
        self, pool: Ring, events: Ring, out: Path, process: subprocess.Popen[bytes] | ForkedProcess, viewer: Ring | None = None
    ) -> None:  # fmt: skip
        self.pool, self.events, self.out, self._process, self.viewer = pool, events, out, process, viewer

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
        forked: bool = False,
        watchdog: Ring | None = None,
        stage: Stage | None = None,
        groups: tuple[Group, ...] = POOL,
        last_words: bool = False,
        viewer: Ring | None = None,
        viewer_channels: Sequence[ViewerChannel] = (),
        viewed_hz: float = VIEWED_HZ,
    ) -> Recorder:
        """Start recording into ``out``, which must not exist unless ``replace``. Next: ``wait_ready``. ``durable``: forced onto
        the disk every second, so that not even a power cut loses more; a lockstep run can be had again, bit for bit.
        ``forked``: for a parent that keeps no real time. ``stage``: the hall for viewers of the log. ``groups``: the table of the
        pool ring's variables. ``last_words``: ``finish`` will bring some. ``viewer``: ring of ready messages for viewers, of
        these channels. ``viewed_hz``: how often they see a cycle."""
        words = ["--pool", str(pool_ring.path), "--events", str(event_ring.path), "--out", str(out)]
        words += ["--parent", str(os.getpid()), "--retry-s", str(retry_s)]
        words += ["--viewed-hz", str(viewed_hz)]
        words += ["--replace"] if replace else []
        words += [] if durable else ["--lazy"]
        words += ["--last-words"] if last_words else []
        words += ["--watchdog-events", str(watchdog.path)] if watchdog else []
        words += ["--viewer", str(viewer.path)] if viewer else []
        for path in attachments:
            words += ["--attach", str(path)]
        table = base64.b64encode(pool_schema(groups)).decode()
        about = {
            "metadata": dict(metadata), "stage": stage.plain() if stage else None, "table": table,
            "viewer_channels": [channel.plain for channel in viewer_channels],
        }  # fmt: skip
        # A fork has only the thread that made it, and what others have locked stays so.
        process = _forked(words) if forked and threading.active_count() == 1 else _spawned(words)
        assert process.stdin is not None
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(about).encode() + b"\n")
            process.stdin.flush()
        return cls(pool_ring, event_ring, out, process, viewer)

    @property
    def pid(self) -> int:
        """Process number, for displays and tests."""
        return self._process.pid

    def wait_ready(self, timeout: float = START_S) -> None:
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

    def let_it_keep_up(self) -> None:
        """Only in lockstep: there is no hurry, and nothing may be lost. A live loop never waits."""
        if not self._behind():
            return
        beat, since = self.pool.heartbeat, time.monotonic()
        while self._behind():
            if self.pool.heartbeat != beat:
                beat, since = self.pool.heartbeat, time.monotonic()
            elif time.monotonic() - since > KEEP_UP_S:
                raise ProxopsError(
                    f"the recorder (process {self.pid}) has not moved for {KEEP_UP_S:g} s: the run is given up, its log ends"
                )
            time.sleep(0.001)

    def _behind(self) -> bool:
        """Half of a ring waits for a recorder that could take it."""
        rings = (self.pool, self.viewer) if self.viewer else (self.pool,)
        waits = any(ring.head - ring.tail > ring.slots // 2 for ring in rings)
        return waits and not self.pool.trouble and self.alive()

    def finish(
        self,
        timeout: float = 10.0,
        metadata: Mapping[str, str] | None = None,
        attachments: Mapping[str, bytes] | None = None,
    ) -> int:
        """Close both rings and wait: 0 whole file, 3 without its end (full disk), 4 busy or hung, < 0 killed. One that hangs
        is not waited for to the end; it finishes the file should it ever wake up. What is known only now joins the log."""
        self.events.close()
        if self.viewer:
            self.viewer.close()
        self.pool.close()
        if self._process.stdin is not None and not self._process.stdin.closed:
            kept = {name: base64.b64encode(data).decode() for name, data in (attachments or {}).items()}
            words = json.dumps({"metadata": dict(metadata or {}), "attachments": kept}).encode()
            # It wakes up by this. A pipe takes 64 kB; a recorder that hangs must not take its parent along.
            threading.Thread(target=_say, args=(self._process.stdin, words), daemon=True).start()
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


def _say(pipe: IO[bytes], words: bytes) -> None:
    with contextlib.suppress(BrokenPipeError), pipe:
        pipe.write(words)


def _spawned(words: list[str]) -> subprocess.Popen[bytes]:
    command, pipe = child_command("proxops.ground.recorder", *words), subprocess.PIPE
    return subprocess.Popen(command, stdin=pipe, stderr=pipe, env=child_environment(), start_new_session=True)


def _forked(words: list[str]) -> ForkedProcess:
    load_kernels()
    return ForkedProcess(lambda: main(words))


def _keep_memory() -> None:
    """Between blocks: to give back that of one and to be given it again for the next, page by page, takes a tenth of the
    recorder's time. Where the C library is not GNU's, it does as it likes."""
    with contextlib.suppress(OSError, AttributeError):
        library = ctypes.CDLL(None)
        for parameter in (M_TRIM_THRESHOLD, M_MMAP_THRESHOLD):
            library.mallopt(parameter, KEPT_BYTES)


def _arguments(words: list[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="proxops.ground.recorder",
        description="Record two rings as MCAP. Standard input: JSON with metadata (a map of strings) and a stage (or null).",
    )
    parser.add_argument("--pool", type=Path, required=True, help="ring with pool records")
    parser.add_argument("--events", type=Path, required=True, help="ring with events")
    parser.add_argument("--watchdog-events", type=Path, help="ring with the events of the watchdog over the facility")
    parser.add_argument("--viewer", type=Path, help="ring with ready messages for viewers")
    parser.add_argument("--out", type=Path, required=True, help="log to write (.mcap)")
    parser.add_argument("--replace", action="store_true", help="overwrite an existing log")
    parser.add_argument("--attach", type=Path, action="append", default=[], help="file to keep in the log")
    parser.add_argument("--parent", type=int, default=os.getppid(), help="process whose end ends this one")
    parser.add_argument("--lazy", action="store_true", help="leave it to the system when data reach the disk")
    parser.add_argument(
        "--last-words", action="store_true", help="standard input ends with JSON of what joins the log last"
    )
    parser.add_argument(
        "--viewed-hz", type=float, default=VIEWED_HZ, help="standard messages a second, beside the columns"
    )
    parser.add_argument("--retry-s", type=float, default=1.0, help="pause between attempts on a full disk")
    return parser.parse_args(words)


def _step_back() -> None:
    """Behind the tick in every respect: ordinary scheduling, lower priority, deaf to the terminal."""
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, signal.SIG_IGN)
    with contextlib.suppress(OSError):
        os.sched_setscheduler(0, os.SCHED_OTHER, os.sched_param(0))
    with contextlib.suppress(OSError):
        os.nice(5)


def _last_words() -> tuple[Metadata | Attachment, ...]:
    """What the parent has brought in the end; nothing if it is gone, or had nothing to say."""
    text = sys.stdin.read()
    if not text:
        return ()
    try:
        said = json.loads(text)
    except ValueError:  # the parent was killed while it spoke
        return ()
    kept = (
        Attachment(
            create_time=0, log_time=0, name=name, media_type=_media_type(Path(name)), data=base64.b64decode(data)
        )
        for name, data in said["attachments"].items()
    )
    return (Metadata(METADATA_NAME, said["metadata"]), *kept)


def _preamble(
    metadata: dict[str, str], attachments: list[Path], staged: bool, table: bytes, viewer: list[ViewerChannel]
) -> Preamble:
    """Metadata and attachments as records. Times are zero: the bytes must not depend on the wall clock."""
    pairs = {str(key): str(value) for key, value in metadata.items()}
    records = tuple(
        Attachment(create_time=0, log_time=0, name=path.name, media_type=_media_type(path), data=path.read_bytes())
        for path in attachments
    )
    schemas = (*schemas_of(table), *(STAGE_SCHEMAS if staged else ()), *viewer_schemas(viewer))
    channels = (*(STAGE_CHANNELS if staged else CHANNELS), *viewer_channels(viewer))
    return Preamble(schemas, channels, (Metadata(METADATA_NAME, pairs),), records)


def _media_type(path: Path) -> str:
    return mimetypes.guess_type(path.name)[0] or "text/plain"


def main(words: list[str] | None = None) -> int:
    """The recorder process; returns its exit code."""
    _step_back()
    _keep_memory()
    options = _arguments(words)
    try:
        about = json.loads(sys.stdin.readline())
        stage, schema = Stage.of(about["stage"]) if about["stage"] else None, base64.b64decode(about["table"])
        channels, table = [ViewerChannel(*plain) for plain in about["viewer_channels"]], layout(schema)
        preamble = _preamble(about["metadata"], options.attach, stage is not None, schema, channels)
        pool, events = attach(options.pool, options.events, table)
        watchdog = Ring.attach(options.watchdog_events, EVENT_DTYPE) if options.watchdog_events else None
        packed = {channel.number for channel in channels if channel.packed}
        viewer = ViewerMessages(Ring.attach(options.viewer, PIECE), packed) if options.viewer else None
        out = McapFile(options.out, replace=options.replace)
    except FileExistsError:
        print("the log exists already: choose another name, or replace it", file=sys.stderr)
        return EXIT_BAD_INPUT
    except (OSError, ValueError, AttributeError) as reason:
        print(f"recorder: {reason}", file=sys.stderr)
        return EXIT_BAD_INPUT
    gone, overview = orphaned(options.parent), RecordersOverview(options.out, table)
    recording = Recording(
        pool, events, out, overview, preamble, options.retry_s, durable=not options.lazy, watchdog=watchdog, stage=stage,
        table=table, last_words=_last_words if options.last_words else tuple, viewer=viewer,
        viewed_ns=round(1e9 / options.viewed_hz),
    )  # fmt: skip
    load_kernels()  # and compile them, if nobody has: one that did so in flight would look hung
    code = recording.run(gone, options.parent, bell=sys.stdin.fileno())
    overview.finish()
    out.close()
    if gone():
        for path in filter(None, (options.pool, options.events, options.watchdog_events, options.viewer)):
            path.unlink(missing_ok=True)
    return code


if __name__ == "__main__":
    sys.exit(main())
