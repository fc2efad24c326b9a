"""Sealed memory: nobody changes it any more; copies of files are bounded and wait for nothing."""

from __future__ import annotations

import fcntl
import mmap
import os
import socket
from pathlib import Path

import pytest
from tests.shared.open_files import open_files

from proxops.core.errors import BadInput
from proxops.core.sealed_memory import is_sealed, sealed_copy, sealed_memory


def test_nobody_can_change_it_any_more() -> None:
    fd = sealed_memory("test", [b"abc", memoryview(b"def")])
    try:
        assert is_sealed(fd) and os.pread(fd, 10, 0) == b"abcdef"
        for change in (
            lambda: os.ftruncate(fd, 0),
            lambda: os.ftruncate(fd, 100),
            lambda: os.pwrite(fd, b"x", 0),
            lambda: mmap.mmap(fd, 6),  # to write
            lambda: fcntl.fcntl(fd, fcntl.F_ADD_SEALS, 0),
        ):
            with pytest.raises(PermissionError):
                change()
        assert os.pread(fd, 10, 0) == b"abcdef"
    finally:
        os.close(fd)


@pytest.mark.parametrize("missing", [fcntl.F_SEAL_SHRINK, fcntl.F_SEAL_GROW, fcntl.F_SEAL_WRITE, fcntl.F_SEAL_SEAL])
def test_one_seal_less_is_not_sealed(missing: int) -> None:
    fd = os.memfd_create("test", os.MFD_ALLOW_SEALING)
    try:
        seals = fcntl.F_SEAL_SHRINK | fcntl.F_SEAL_GROW | fcntl.F_SEAL_WRITE | fcntl.F_SEAL_SEAL
        fcntl.fcntl(fd, fcntl.F_ADD_SEALS, seals & ~missing)
        assert not is_sealed(fd)
    finally:
        os.close(fd)


def test_other_descriptors_are_not_sealed(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "file").write_text("x")
    paths = (tmp_path / "file", tmp_path / "pipe", tmp_path, Path("/dev/zero"))
    fds = [os.open(path, os.O_RDONLY | os.O_NONBLOCK) for path in paths]
    with socket.socket() as other:
        assert not any(map(is_sealed, [*fds, other.fileno(), 10**6]))
    for fd in fds:
        os.close(fd)


def test_a_copy_is_the_file_and_stays_what_it_was(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"x" * 3_000_000)
    fd = sealed_copy(path, "trajectory", 3_000_000)
    path.write_bytes(b"")
    assert os.pread(fd, 4_000_000, 0) == b"x" * 3_000_000
    os.close(fd)


def test_what_is_not_copied(tmp_path: Path) -> None:
    """Neither waits for a pipe nor reads for ever."""
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "large").write_bytes(b"x" * 101)
    for name, told in (
        ("/dev/zero", "a plain file"),
        ("pipe", "a plain file"),
        (".", "a plain file"),
        ("none", "no such file"),
        ("large", "too large; got 101 bytes; allowed: 100 bytes"),
        ("/proc/self/maps", "too large"),  # says that it has 0 bytes
    ):
        open_before = open_files()
        with pytest.raises(BadInput, match=told):
            sealed_copy(tmp_path / name, "trajectory", 100)
        assert open_files() == open_before
