"""Why a cycle came late: what the operating system counted about the facility's process while it happened.

What each word rests on, and how sharp it is (samples are taken at every look of the console, 40 ms apart; a cycle that is read
now may have been late before the last sample, so the growth over two looks, some 80 ms, is the evidence):

- own work: ``timing.work`` of the tick before, exact, but by the wall's clock: where something else below has grown too, the
  work was interrupted and it is named with it.
- stolen by the virtual machine's host: steal time of ``/proc/stat``, all cores together, in steps of 10 ms: a theft of a few
  milliseconds may show late or not at all.
- waited for a core: run delay of ``/proc/<pid>/schedstat``, ns, of the main thread, where the tick runs.
- page faults: ``/proc/<pid>/stat``, counted without their time, of all threads. A minor one costs about 3 us (measured on a
  virtual machine), one that reads the disk may cost milliseconds.
- woken late by the timer: none of these; the kernel's timer, an interrupt or a sleeping core.
"""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path
from typing import Final

LONG_WORK_S: Final = 3.5e-3
MINOR_FAULT_S: Final = 3e-6
HALF: Final = 0.5  # share of the lateness that a cause must explain


@dataclass(frozen=True)
class Evidence:
    """Counters since the machine or the process started; or their growth."""

    stolen_s: float
    waited_s: float
    minor_faults: int
    major_faults: int

    def since(self, before: Evidence) -> Evidence:
        """By how much each counter has grown since ``before``."""
        return Evidence(
            self.stolen_s - before.stolen_s,
            self.waited_s - before.waited_s,
            self.minor_faults - before.minor_faults,
            self.major_faults - before.major_faults,
        )


def cause(lateness_s: float, work_s: float, growth: Evidence | None) -> str:
    """In words. ``work_s`` is of the tick before the late cycle; without ``growth`` only that can be judged."""
    outside = _outside(lateness_s, growth)
    if work_s >= LONG_WORK_S:
        return f"own work {work_s * 1e3:.1f} ms" + (f", {outside}" if outside else "")
    if growth is None:
        return "not known: nothing was counted then"
    return outside or "woken late by the timer"


def _outside(lateness_s: float, growth: Evidence | None) -> str:
    """What came from outside our own work, all that fits: the evidence does not weigh them; empty for nothing."""
    if growth is None:
        return ""
    said = {
        "stolen by the virtual machine's host": growth.stolen_s > 0.0,
        "waited for a core": growth.waited_s > HALF * lateness_s,
        "page faults": growth.major_faults > 0 or growth.minor_faults * MINOR_FAULT_S > HALF * lateness_s,
    }
    return " and ".join(word for word, true in said.items() if true)


class ProcessWitness:
    """Reads the counters of process ``pid`` from ``proc``; its files are opened once."""

    def __init__(self, pid: int, proc: Path = Path("/proc")) -> None:
        self._files: list[int] = []
        self._tick_s = 1.0 / os.sysconf("SC_CLK_TCK")
        try:
            for name in ("stat", f"{pid}/schedstat", f"{pid}/stat"):
                self._files.append(os.open(proc / name, os.O_RDONLY | os.O_CLOEXEC))
        except OSError:  # not Linux, or the process has gone: nothing will be told
            self.close()

    def sample(self) -> Evidence | None:
        """The counters now; None where the system does not tell."""
        if not self._files:
            return None
        try:
            machine, schedule, process = (os.pread(file, 1024, 0) for file in self._files)
            faults = process[process.rindex(b")") + 2 :].split()  # the program's name may hold blanks
            cores = machine.split(b"\n", 1)[0].split()
            stolen_s = int(cores[8]) * self._tick_s
            return Evidence(stolen_s, int(schedule.split()[1]) * 1e-9, int(faults[7]), int(faults[9]))
        except (OSError, ValueError, IndexError):  # the process has ended, or a kernel that counts otherwise
            self.close()
            return None

    def close(self) -> None:
        for file in self._files:
            os.close(file)
        self._files = []
