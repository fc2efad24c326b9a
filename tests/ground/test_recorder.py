"""The recorder as a process: what goes into the rings comes out of the file, however the process ends."""

from __future__ import annotations

import errno
import os
import resource
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from mcap.reader import make_reader
from mcap_protobuf.decoder import DecoderFactory
from numpy.typing import NDArray

from proxops.core.ending import ENDED, Ending, EndReason
from proxops.core.errors import BadInput
from proxops.core.messages import EVENT_DTYPE, POOL, POOL_DTYPE
from proxops.core.ring import Ring
from proxops.ground import recorder
from proxops.ground.log import Log
from proxops.ground.mcap_file import McapFile
from proxops.ground.overview_writer import RecordersOverview
from proxops.ground.recording import Recording
from proxops.ground.recover import recover
from proxops.ground.schema import pool_schema
from proxops.ground.watchdog_events import SILENCE_S, WatchdogEvents
from proxops.ground.wire import pool_layout

Start = Callable[..., object]
MadeUp = Callable[..., NDArray[np.void]]
VIEWED = ["/pool", "/events"]  # what any tool can decode
Wait = Callable[[Callable[[], bool], str], None]


def limit_file_size(pid: int, size: int) -> None:
    """A full disk for one process: writes beyond ``size`` fail with EFBIG until the limit is lifted."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


def test_official_reader_sees_everything(start: Start, made_up: MadeUp, tmp_path: Path) -> None:
    tool = tmp_path / "probe.val"
    tool.write_text("1 0 0\n")
    run = start(attachments=[tool], forked=False)
    pool = made_up(300)
    run.push(pool, event_every=50)
    assert run.recorder.alive()
    assert run.recorder.finish() == 0
    with open(run.out, "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
        seen = [(c.topic, m, body) for _, c, m, body in reader.iter_decoded_messages(VIEWED, log_time_order=False)]
        blocks = [m for _, _, m in reader.iter_messages(["/cycles"])]
        in_time_order = [m.log_time for _, _, m in reader.iter_messages()]
        summary = reader.get_summary()
        metadata = list(reader.iter_metadata())
        attachments = list(reader.iter_attachments())
    records = [(m, body) for topic, m, body in seen if topic == "/pool"]
    assert [m.sequence for m, _ in records] == list(range(0, 300, 50)), "five times a second, for viewers"
    assert all(m.log_time == m.publish_time == body.clock.utc_ns for m, body in records)
    assert [b.actual.robot2_a6 for _, b in records] == pool["actual"]["robot2_a6"][::50].tolist()
    events = [(place, m, body) for place, (topic, m, body) in enumerate(seen) if topic == "/events"]
    assert [m.sequence for _, m, _ in events] == [0, 50, 100, 150, 200, 250]
    assert all(seen[place + 1][1].sequence == m.sequence for place, m, _ in events), "events stand before their tick"
    assert [(m.sequence, m.log_time) for m in blocks] == [(t, int(pool["clock"]["utc_ns"][t])) for t in (249, 299)]
    assert {b.message for _, _, b in events} == {"Umschaltung nach läuft"}
    assert in_time_order == sorted(in_time_order)
    assert summary is not None and summary.statistics.message_count == 6 + 6 + 2
    assert metadata[0].name == "proxops" and metadata[0].metadata == {"cell": "epos", "seed": "7"}
    assert [(a.name, a.data) for a in attachments] == [("probe.val", b"1 0 0\n")]


def test_our_reader_gives_the_records_back(start: Start, made_up: MadeUp) -> None:
    run = start()
    run.push(made_up(200), event_every=70)
    run.recorder.finish()
    log = Log.open(run.out)
    assert log.pool.dtype == POOL_DTYPE
    assert log.pool.tobytes() == made_up(200).tobytes()
    assert log.events["tick"].tolist() == [0, 70, 140]
    assert log.events["text"][0].decode() == "Umschaltung nach läuft"
    assert log.complete and not log.notes
    assert log.metadata == {"cell": "epos", "seed": "7"}
    assert log.topics == {"/pool": 4, "/events": 3, "/cycles": 1}
    assert run.pool.tail == 200 and run.pool.lost == 0


def test_bytes_do_not_depend_on_timing(start: Start, made_up: MadeUp, wait: Wait) -> None:
    pool = made_up(400)
    pauses = (None, lambda i: 0.002 * (i % 7 == 0), lambda i: 0.03 * (i % 90 == 0))
    files = []
    for number, pause in enumerate(pauses):
        run = start(f"run{number}.mcap", forked=number > 0)
        run.push(pool, event_every=31, pause=pause)
        assert run.recorder.finish() == 0
        files.append(run.out.read_bytes())
    assert files[0] == files[1] == files[2]


def test_a_fork_writes_the_same_log(start: Start, made_up: MadeUp) -> None:
    pool, files = made_up(700), []
    for name, forked in (("spawned.mcap", False), ("forked.mcap", True)):
        run = start(name, forked=forked)
        run.push(pool, event_every=31)
        assert run.recorder.finish() == 0 and not run.recorder.alive() and not run.recorder.last_words()
        files.append(run.out.read_bytes())
    assert files[0] == files[1]


def test_a_fork_that_is_killed_costs_the_last_block_only(start: Start, made_up: MadeUp, wait: Wait) -> None:
    run = start(forked=True)
    run.push(made_up(500))
    wait(run.taken, "all records taken")
    os.kill(run.recorder.pid, signal.SIGKILL)
    assert run.recorder.finish() == -signal.SIGKILL and not run.recorder.alive()
    assert Log.open(run.out).pool.tobytes() == made_up(500)[:250].tobytes()


def test_a_fork_keeps_nothing_of_its_parent_open(start: Start) -> None:
    """A port or a lock of the parent must be free when that is gone, whatever its recorder still has to write."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as port:
        port.bind(("127.0.0.1", 0))
        run = start(forked=True)
        opened = [os.readlink(link) for link in Path(f"/proc/{run.recorder.pid}/fd").iterdir()]
    assert not any(name.startswith("socket:") for name in opened)
    assert os.getsid(run.recorder.pid) == run.recorder.pid
    assert run.recorder.finish() == 0


def test_a_fork_that_cannot_begin_says_why(start: Start, tmp_path: Path) -> None:
    (tmp_path / "run.mcap").write_text("precious")
    with pytest.raises(BadInput, match="exists already"):
        start(forked=True)


def test_run_without_records_is_a_whole_log(start: Start, event: Callable[..., np.void]) -> None:
    run = start()
    run.events.push(event(0))
    assert run.recorder.finish() == 0
    log = Log.open(run.out)
    assert log.complete and log.pool.size == 0 and log.events.size == 1


def test_kill_costs_the_last_block_only(start: Start, made_up: MadeUp, wait: Wait, tmp_path: Path) -> None:
    run = start(forked=False)
    run.push(made_up(500), event_every=100)
    wait(run.taken, "all records taken")
    os.kill(run.recorder.pid, signal.SIGKILL)
    assert run.recorder.finish() == -signal.SIGKILL
    assert not run.recorder.alive()
    with open(run.out, "ab") as file:
        file.write(b"\x06" + (90_000).to_bytes(8, "little") + b"half a chunk")
    log = Log.open(run.out)
    assert not log.complete and "no end" in log.notes[0]
    assert log.ended is None and log.ended_words.startswith("no end: the recorder itself was killed")
    assert log.pool.size >= 500 - 251
    assert log.pool.tobytes() == made_up(500)[: log.pool.size].tobytes()

    saved = recover(run.out, tmp_path / "whole.mcap")
    assert saved.messages == {"/pool": log.count // 50, "/events": log.events.size, "/cycles": log.count // 250}
    whole = Log.open(tmp_path / "whole.mcap")
    assert whole.complete and whole.pool.tobytes() == log.pool.tobytes()
    assert whole.events.tobytes() == log.events.tobytes() and whole.metadata == log.metadata
    with open(tmp_path / "whole.mcap", "rb") as file:
        reader = make_reader(file, decoder_factories=[DecoderFactory()], validate_crcs=True)
        assert sum(1 for _ in reader.iter_decoded_messages(VIEWED)) == log.count // 50 + log.events.size
    with pytest.raises(BadInput, match="exists already"):
        recover(run.out, tmp_path / "whole.mcap")


PARENT = """
import os, signal, sys
from pathlib import Path
sys.path.insert(0, sys.argv[2])
from conftest import Run, made_up_pool, until
run = Run(Path(sys.argv[1]), forked=len(sys.argv) > 3)
run.recorder.wait_ready()
os.kill(run.recorder.pid, signal.SIGSTOP)
run.push(made_up_pool(200), event_every=40)
print(os.getpid(), run.pool.path, run.events.path, flush=True)
os.kill(run.recorder.pid, signal.SIGCONT)
os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.parametrize("forked", [False, True])
def test_death_of_the_parent_finishes_the_file(tmp_path: Path, made_up: MadeUp, wait: Wait, forked: bool) -> None:
    out = tmp_path / "orphan.mcap"
    folder = str(Path(__file__).parent)
    words = [sys.executable, "-c", PARENT, str(out), folder, *(["forked"] if forked else [])]
    parent = subprocess.run(words, stdout=subprocess.PIPE, text=True)
    assert parent.returncode == -signal.SIGKILL
    parent_pid, *paths = parent.stdout.split()
    rings = [Path(p) for p in paths]
    wait(lambda: not any(ring.exists() for ring in rings), "rings removed by the recorder")
    log = Log.open(out)
    assert log.complete
    assert log.pool.tobytes() == made_up(200).tobytes()
    assert log.events.size == 6
    assert log.ended is not None and log.ended.reason is EndReason.FACILITY_KILLED
    assert f"process {parent_pid} was killed or crashed" in log.ended.detail


TOLD = PARENT.replace(
    "os.kill(run.recorder.pid, signal.SIGCONT)",
    """
event = made_up_event(199, "operator: SIGTERM")
event["name"] = b"ended"
run.events.push(event)
os.kill(run.recorder.pid, signal.SIGCONT)
""",
).replace("import Run, made_up_pool", "import Run, made_up_event, made_up_pool")


def test_a_parent_that_had_told_its_end_is_believed(tmp_path: Path, wait: Wait) -> None:
    out = tmp_path / "told.mcap"
    words = [sys.executable, "-c", TOLD, str(out), str(Path(__file__).parent)]
    rings = subprocess.run(words, stdout=subprocess.PIPE, text=True).stdout.split()[1:]
    wait(lambda: not any(Path(ring).exists() for ring in rings), "rings removed by the recorder")
    log = Log.open(out)
    assert log.ended == Ending(EndReason.OPERATOR, "SIGTERM")
    assert np.count_nonzero(log.events["name"] == ENDED.encode()) == 1


def test_a_recorder_that_hangs_at_the_end_is_not_waited_for(
    start: Start, made_up: MadeUp, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recorder, "HUNG_S", 0.2)
    monkeypatch.setattr(recorder, "SLICE_S", 0.05)
    run = start(forked=False)
    os.kill(run.recorder.pid, signal.SIGSTOP)
    run.push(made_up(100))
    assert run.recorder.finish(60.0) == recorder.EXIT_UNFINISHED
    os.kill(run.recorder.pid, signal.SIGCONT)
    monkeypatch.undo()
    assert run.recorder.finish() == 0
    assert Log.open(run.out).pool.size == 100  # it finishes the file when it wakes up


def test_signals_of_the_terminal_do_not_end_a_recording(start: Start, made_up: MadeUp, wait: Wait) -> None:
    run = start(forked=False)
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        os.kill(run.recorder.pid, number)
    run.push(made_up(10))
    wait(run.taken, "all records taken")
    assert run.recorder.finish() == 0
    assert Log.open(run.out).pool.size == 10


def test_recorder_steps_back_behind_the_tick(start: Start) -> None:
    run = start(forked=False)
    assert os.sched_getscheduler(run.recorder.pid) == os.SCHED_OTHER
    assert os.getpriority(os.PRIO_PROCESS, run.recorder.pid) > os.getpriority(os.PRIO_PROCESS, 0)


def test_full_disk_is_flagged_and_overcome(start: Start, made_up: MadeUp, wait: Wait) -> None:
    run = start(retry_s=0.02, forked=False)
    pool = made_up(700)
    run.push(pool[:260])
    wait(run.taken, "first records taken")
    limit_file_size(run.recorder.pid, run.out.stat().st_size + 100_000)
    run.push(pool[260:600])
    wait(lambda: run.pool.trouble == errno.EFBIG, "trouble flagged")
    cut = Log.open(run.out)
    assert not cut.complete and cut.pool.size % 250 == 0 and 250 <= cut.pool.size < 600
    assert len(cut.notes) == 1 and "left out" not in cut.notes[0], "cut back to a record boundary"
    assert run.pool.tail < 600, "what is only in memory is not called safe"
    before = run.pool.heartbeat
    wait(lambda: run.pool.heartbeat > before, "recorder still looks")
    limit_file_size(run.recorder.pid, resource.RLIM_INFINITY)
    wait(lambda: run.pool.trouble == 0, "trouble cleared")
    run.push(pool[600:])
    assert run.recorder.finish() == 0
    log = Log.open(run.out)
    assert log.complete and run.pool.lost == 0
    assert log.pool.tobytes() == pool.tobytes()


def test_a_full_disk_in_lockstep_loses_nothing_that_was_borrowed(start: Start, made_up: MadeUp, wait: Wait) -> None:
    """Records are packed where they lie in the ring until the disk refuses; from then on the run goes round it."""
    run = start(retry_s=0.02, durable=False, slots=2000)
    pool = made_up(2500)
    run.push(pool[:260])
    wait(lambda: run.pool.tail == 250, "a block written; the rest of what was read is not called safe")
    limit_file_size(run.recorder.pid, run.out.stat().st_size + 1000)
    run.push(pool[260:600])
    wait(lambda: run.pool.trouble == errno.EFBIG, "trouble flagged")
    run.push(pool[600:])
    limit_file_size(run.recorder.pid, resource.RLIM_INFINITY)
    wait(lambda: run.pool.trouble == 0, "trouble cleared")
    assert run.recorder.finish() == 0
    assert run.pool.lost == 0 and Log.open(run.out).pool.tobytes() == pool.tobytes()


def test_a_run_in_lockstep_that_does_not_wait_is_found_out(start: Start, made_up: MadeUp) -> None:
    run = start(durable=False, slots=2000)
    os.kill(run.recorder.pid, signal.SIGSTOP)
    run.push(made_up(2500))
    os.kill(run.recorder.pid, signal.SIGCONT)
    assert run.recorder.finish() == 0  # the file has its end; who closes the run tells of the losses by its code
    log = Log.open(run.out)
    assert run.pool.lost > 0 and log.pool.size + run.pool.lost == 2500
    assert any(b"overtaken" in event["text"] for event in log.events)
    assert np.array_equal(log.values("clock.tick"), np.arange(run.pool.lost, 2500))


def test_what_was_overtaken_before_it_was_lent_is_lost_and_no_error(tmp_path: Path, made_up: MadeUp) -> None:
    """The run goes round the ring after a look at it that found nothing: there is nothing to write that could be wrong."""
    pool, events = Ring.create("test-pool", POOL_DTYPE, 2000), Ring.create("test-events", EVENT_DTYPE, 256)
    file, overview = McapFile(tmp_path / "run.mcap"), RecordersOverview(tmp_path / "run.mcap", pool_layout())
    preamble = recorder._preamble({}, [], False, pool_schema(POOL), [])
    recording = Recording(pool, events, file, overview, preamble, 1.0, durable=False)
    assert not recording._look(hurry=True)
    pool.push_all(made_up(2500)[:2000].view(np.uint8).reshape(2000, -1))
    pool.push_all(made_up(2500)[2000:].view(np.uint8).reshape(500, -1))
    recording._write()
    for ring in (events, pool):
        ring.close()
    assert recording.run(lambda: False) == 0 and pool.lost > 0
    overview.finish()
    file.close()
    assert np.array_equal(Log.open(tmp_path / "run.mcap").values("clock.tick"), np.arange(pool.lost, 2500))


def test_disk_that_stays_full_leaves_a_readable_log(start: Start, made_up: MadeUp, wait: Wait) -> None:
    run = start(retry_s=0.02)
    limit_file_size(run.recorder.pid, 800_000)
    run.push(made_up(400))
    assert run.recorder.finish() == 3
    log = Log.open(run.out)
    assert not log.complete
    assert 0 < log.pool.size < 400
    assert log.pool.size + run.pool.lost == 400
    assert run.pool.trouble == errno.EFBIG
    assert log.ended is not None and log.ended.reason is EndReason.DISK_FULL
    assert f"{run.pool.lost} cycles are not in the log" in log.ended.detail


def test_disk_full_from_the_beginning(start: Start, made_up: MadeUp, wait: Wait) -> None:
    run = start(retry_s=0.02)
    wait(lambda: run.out.stat().st_size > 0, "file begun")
    limit_file_size(run.recorder.pid, 0)
    run.push(made_up(100))
    assert run.recorder.finish() == 3
    log = Log.open(run.out)
    assert log.pool.size == 0 and run.pool.lost == 100


def test_memory_is_bounded_and_losses_are_counted(start: Start, made_up: MadeUp, wait: Wait) -> None:
    run = start(slots=512, retry_s=0.02)
    limit_file_size(run.recorder.pid, 100_000)
    pool = made_up(6500)  # more than 20 s of memory and 2 s of ring
    for first in range(0, 6500, 250):
        run.push(pool[first : first + 250])
        beats = run.pool.heartbeat
        wait(lambda beats=beats: run.pool.heartbeat > beats + 1, "recorder looked")
    wait(lambda: run.pool.lost > 0, "losses counted while the disk is full")
    limit_file_size(run.recorder.pid, resource.RLIM_INFINITY)
    assert run.recorder.finish() == 0
    log = Log.open(run.out)
    assert log.complete
    assert log.pool.size + run.pool.lost == 6500
    assert log.pool.tobytes() == pool[log.pool["clock"]["tick"]].tobytes()
    assert b"overtaken" in log.events["text"][0] and log.events["name"][0] == b"recorder"


def test_overtaken_recorder_says_so(start: Start, made_up: MadeUp, wait: Wait) -> None:
    run = start(slots=64)
    pool = made_up(350)
    run.push(pool[:50])
    wait(run.taken, "first records taken")
    os.kill(run.recorder.pid, signal.SIGSTOP)
    run.push(pool[50:])
    os.kill(run.recorder.pid, signal.SIGCONT)
    assert run.recorder.finish() == 0
    log = Log.open(run.out)
    assert run.pool.lost == 350 - log.pool.size > 0
    first = int(log.pool["clock"]["tick"][50])
    assert log.events["tick"].tolist() == [first]
    assert f"{run.pool.lost} pool records" in log.events["text"][0].decode()


def test_existing_log_is_not_overwritten(start: Start, tmp_path: Path) -> None:
    (tmp_path / "run.mcap").write_text("precious")
    with pytest.raises(BadInput, match="exists already"):
        start(forked=False)
    assert (tmp_path / "run.mcap").read_text() == "precious"


def test_folder_that_is_not_there(start: Start) -> None:
    with pytest.raises(BadInput, match="No such file"):
        start("nowhere/run.mcap")


def test_child_imports_nothing_that_it_does_not_need() -> None:
    code = "import sys, proxops.ground.recorder\nprint([m for m in ('matplotlib', 'mujoco', 'pinocchio') if m in sys.modules])"
    out = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert out.stdout.strip() == "[]"


def test_the_watchdogs_events_are_in_the_log_in_their_order(
    start: Start, made_up: MadeUp, event: Callable[..., np.void]
) -> None:
    """They come from another process; one that was told last of all too."""
    ring = Ring.create("test-watchdog", EVENT_DTYPE, 16)
    run = start(watchdog=ring)
    told = np.array([event(tick) for tick in (120, 260)], EVENT_DTYPE)
    told["name"], told["utc_ns"] = b"watchdog", [made_up(300)["clock"]["utc_ns"][tick] for tick in (120, 260)]
    ring.push(told[:1].tobytes())
    run.push(made_up(300), event_every=100)
    ring.push(told[1:].tobytes())
    ring.close()
    assert run.recorder.finish() == 0
    log = Log.open(run.out)
    assert log.complete
    assert sorted(log.events["tick"].tolist()) == [0, 100, 120, 200, 260]
    assert (log.events["name"] == b"watchdog").sum() == 2


def test_the_recorder_waits_for_a_watchdog_that_lives_and_no_longer(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [100.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    ring = Ring.create("test-watchdog", EVENT_DTYPE, 16)
    events = WatchdogEvents(ring)
    for _ in range(10):  # the robots brake: it shows life
        ring.heartbeat += 1
        assert not events.over()
        now[0] += 1.0
    now[0] += SILENCE_S
    assert events.over()
    ring.heartbeat += 1
    assert not events.over()
    ring.close()
    assert events.over()
