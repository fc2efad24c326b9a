"""A trajectory in sealed memory: the same lines, checked before they are mapped, brought in and given back in portions."""

from __future__ import annotations

import os
from collections.abc import Iterator

import numpy as np
import pytest

from proxops.core.errors import BadInput
from proxops.core.sealed_memory import sealed_memory
from proxops.lab.sealed_trajectory import HEAD, LINE_BYTES, PORTION_BYTES, SealedTrajectory, digest_of, seal
from proxops.lab.trajectory import Trajectory


def lines(count: int) -> Trajectory:
    rng = np.random.default_rng(7)
    return Trajectory(rng.integers(1, 5, count).astype(np.int16), rng.normal(size=(count, 22)), "test")


@pytest.fixture
def sealed() -> Iterator[tuple[int, bytes]]:
    fd, digest = seal(lines(100))
    yield fd, digest
    os.close(fd)


def test_the_lines_come_back_and_cannot_be_written(sealed: tuple[int, bytes]) -> None:
    made, back = lines(100), SealedTrajectory(sealed[0], 100, sealed[1], "test").trajectory()
    np.testing.assert_array_equal(back.systems, made.systems)
    np.testing.assert_array_equal(back.values, made.values)
    assert (back.systems.dtype, back.values.dtype, back.source) == (np.int16, np.float64, "test")
    assert digest_of(back) == sealed[1] == digest_of(made)
    with pytest.raises(ValueError, match="read-only"):
        back.values[0, 0] = 1.0


def test_neither_cut_nor_changed_while_it_is_used(sealed: tuple[int, bytes]) -> None:
    """With a mapped file, cutting it would end the process with SIGBUS at the next line."""
    back = SealedTrajectory(sealed[0], 100, sealed[1], "test").trajectory()
    with pytest.raises(PermissionError):
        os.ftruncate(sealed[0], 0)
    with pytest.raises(PermissionError):
        os.pwrite(sealed[0], bytes(1000), HEAD.size)
    np.testing.assert_array_equal(back.values, lines(100).values)


def content(count: int = 100, digest: bytes = bytes(32), magic: bytes = b"PROXTRAJ", version: int = 1) -> bytes:
    return HEAD.pack(magic, version, 22, count, digest) + bytes(100 * LINE_BYTES)


@pytest.mark.parametrize(
    ("data", "told"),
    [
        (content() + b"x", "not a sealed trajectory"),
        (content()[:-1], "not a sealed trajectory"),
        (b"", "not a sealed trajectory"),
        (content(magic=b"PROXTRAK"), "head"),
        (content(version=2), "head"),
        (content(count=99), "head"),
        (content(digest=b"x" * 32), "head"),
    ],
)
def test_what_is_not_what_it_should_be_is_not_mapped(data: bytes, told: str) -> None:
    fd = sealed_memory("lie", [data])
    with pytest.raises(BadInput, match=told):
        SealedTrajectory(fd, 100, bytes(32), "test")
    os.close(fd)


@pytest.mark.parametrize("count", [0, 2**63, 1_500_001])
def test_absurd_numbers_of_lines(sealed: tuple[int, bytes], count: int) -> None:
    with pytest.raises(BadInput, match="not a sealed trajectory"):
        SealedTrajectory(sealed[0], count, sealed[1], "test")


def test_memory_without_seals_is_not_mapped() -> None:
    fd = os.memfd_create("open")
    os.write(fd, content())
    with pytest.raises(BadInput, match="not sealed"):
        SealedTrajectory(fd, 100, bytes(32), "test")
    os.close(fd)


def test_it_comes_and_goes_in_portions() -> None:
    count = 5 * PORTION_BYTES // LINE_BYTES
    fd, digest = seal(lines(count))
    sealed = SealedTrajectory(fd, count, digest, "test")
    os.close(fd)
    assert [sealed.touch() for _ in range(5)] == [False, False, False, False, True]
    looked_at = sealed.trajectory()
    assert not any(sealed.let_go() for _ in range(10))  # somebody still looks at it
    assert digest_of(looked_at) == digest  # and sees what was there
    del looked_at
    assert sealed.let_go()
