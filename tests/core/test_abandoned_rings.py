"""Rings of killed processes are removed, those that anybody maps are not; links, other files and other users' are left alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

from proxops.core.abandoned_rings import remove_abandoned
from proxops.core.ring import PREFIX, Ring, shared_folder

DTYPE = np.dtype([("n", "<i8")])
PROGRAM = """
import sys
from pathlib import Path
import numpy as np
from proxops.core.ring import Ring
dtype = np.dtype([("n", "<i8")])
ring = Ring.attach(Path(sys.argv[1]), dtype) if len(sys.argv) > 1 else Ring.create("orphan", dtype, 4)
if len(sys.argv) == 1:
    ring.push(np.array([(7,)], dtype).view(np.uint8).data)
print(ring.path, flush=True)
sys.stdin.read()
"""


@contextmanager
def holder(*arguments: str) -> Iterator[tuple[subprocess.Popen[str], Path]]:
    """A process that creates a ring, or maps one by its path, and waits."""
    with subprocess.Popen(
        [sys.executable, "-c", PROGRAM, *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        try:
            yield process, Path(process.stdout.readline().strip())
        finally:
            process.kill()


def killed(process: subprocess.Popen[str]) -> None:
    process.send_signal(signal.SIGKILL)
    process.wait()


def test_a_ring_goes_when_its_owner_was_killed() -> None:
    with holder() as (process, path):
        assert path not in remove_abandoned() and path.exists()
        killed(process)
        assert path.exists()  # what used to stay for ever
        assert path in remove_abandoned()
        assert not path.exists()


def test_a_ring_stays_while_a_recorder_drains_it() -> None:
    with holder() as (owner, path), holder(str(path)) as (recorder, _):
        killed(owner)
        assert path not in remove_abandoned()
        late = Ring.attach(path, DTYPE)  # nor would one that comes only now lose anything
        assert late.read(0)[0]["n"].tolist() == [7]
        killed(recorder)
        assert path not in remove_abandoned()
        del late
        assert path in remove_abandoned()


def test_a_stopped_owner_keeps_its_ring() -> None:
    with holder() as (process, path):
        process.send_signal(signal.SIGSTOP)
        assert path not in remove_abandoned() and path.exists()
        killed(process)
    remove_abandoned()


@pytest.fixture
def orphan(tmp_path: Path) -> Path:
    """An abandoned ring in a folder of its own."""
    ring = Ring.create("orphan", DTYPE, 4)
    path = tmp_path / ring.path.name
    path.write_bytes(ring.path.read_bytes())
    ring.close()
    return path


def test_only_plain_files_that_are_rings(tmp_path: Path, orphan: Path) -> None:
    outside = tmp_path / "outside"
    orphan.rename(outside)
    (tmp_path / f"{PREFIX}link").symlink_to(outside)
    (tmp_path / f"{PREFIX}text").write_text(
        "not a ring, and longer than the sixty-four bytes of a ring's header would be"
    )
    (tmp_path / f"{PREFIX}short").write_bytes(b"")
    (tmp_path / f"{PREFIX}folder").mkdir()
    os.mkfifo(tmp_path / f"{PREFIX}pipe")
    assert remove_abandoned(tmp_path) == []
    assert outside.exists() and len(list(tmp_path.iterdir())) == 6


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_rings_of_other_users_are_left_alone(tmp_path: Path, orphan: Path) -> None:
    os.chown(orphan, 12345, -1)
    assert remove_abandoned(tmp_path) == []
    os.chown(orphan, 0, -1)
    assert remove_abandoned(tmp_path) == [orphan]


def test_the_shared_folder_is_the_one_that_is_looked_through() -> None:
    ring = Ring.create("mine", DTYPE, 4)
    assert ring.path.parent == shared_folder()
    remove_abandoned()
    assert ring.path.exists()
    ring.close()
