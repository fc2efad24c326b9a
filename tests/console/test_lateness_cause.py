"""The witness reads what the kernel writes, and falls silent when there is nothing to read."""

import mmap
import os
from pathlib import Path

import pytest

from proxops.console.lateness_cause import Evidence, ProcessWitness

FIELDS = " ".join(str(n) for n in range(3, 53))  # as in proc(5): the state is field 3


@pytest.fixture
def proc(tmp_path: Path) -> Path:
    (tmp_path / "7").mkdir()
    (tmp_path / "stat").write_text("cpu  1 2 3 4 5 6 7 250 9 10\ncpu0 1 2 3 4 5 6 7 99 9 10\n")
    (tmp_path / "7" / "schedstat").write_text("111 2500000 33\n")
    (tmp_path / "7" / "stat").write_text(f"7 (a ) name) {FIELDS}\n")
    return tmp_path


def test_reads_steal_run_delay_and_faults(proc: Path) -> None:
    witness = ProcessWitness(7, proc)
    # minflt is field 10, majflt field 12; steal in clock ticks.
    assert witness.sample() == Evidence(250 / os.sysconf("SC_CLK_TCK"), 2.5e-3, 10, 12)
    witness.close()


def test_reads_anew_each_time(proc: Path) -> None:
    witness = ProcessWitness(7, proc)
    before = witness.sample()
    (proc / "7" / "schedstat").write_text("111 4500000 33\n")
    after = witness.sample()
    witness.close()
    assert before and after and after.since(before).waited_s == pytest.approx(2e-3)


def test_silent_about_who_is_not_there(proc: Path) -> None:
    assert ProcessWitness(8, proc).sample() is None


def test_silent_when_the_kernel_counts_otherwise(proc: Path) -> None:
    (proc / "stat").write_text("cpu 1 2\n")
    witness = ProcessWitness(7, proc)
    assert witness.sample() is None and witness.sample() is None


@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="needs Linux's /proc")
def test_knows_this_process() -> None:
    witness = ProcessWitness(os.getpid())
    first = witness.sample()
    with mmap.mmap(-1, 16 << 20) as pages:  # fresh from the kernel: what an allocator kept would not fault
        pages.write(bytes(len(pages)))
        second = witness.sample()
    witness.close()
    assert first and second
    growth = second.since(first)
    assert growth.minor_faults > 0 and growth.waited_s >= 0.0
