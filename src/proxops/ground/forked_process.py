"""Work in a process of its own that begins with all that is loaded and compiled here: it is there in a few milliseconds.

A new interpreter that loads what the recorder needs takes some tenths of a second of processor time, more than it takes to
record a minute of a run in lockstep. A process that keeps real time starts one nevertheless: after a fork it would have to copy
every page that it writes to, in the middle of a cycle. The child keeps nothing open of ours, runs none of our handlers, and
never returns here.
"""

from __future__ import annotations

import gc
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable
from typing import IO, Final

MOST_FILES: Final = 65_536  # that are closed in the child
LONGEST_NAP_S: Final = 0.05
EXIT_UNKNOWN: Final = 255
SIGNALS: Final = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP, signal.SIGCHLD)


class ForkedProcess:
    """``work`` in a child, with pipes for its standard input and its errors; its answer is the exit code. For its parent it is
    what ``subprocess.Popen`` is."""

    def __init__(self, work: Callable[[], int]) -> None:
        for stream in filter(None, (sys.stdout, sys.stderr)):  # a closed one is None
            stream.flush()  # what waits there is not to be written twice
        (reading, to_child), (from_child, writing) = os.pipe(), os.pipe()
        # A signal that came in the child before it has handlers of its own would be the parent's to handle, there.
        blocked = signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
        try:
            self.pid = os.fork()
            if not self.pid:
                _live(work, reading, writing, blocked)
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, blocked)
        os.close(reading)
        os.close(writing)
        self.stdin: IO[bytes] | None = os.fdopen(to_child, "wb")
        self.stderr: IO[bytes] | None = os.fdopen(from_child, "rb")
        self.returncode: int | None = None

    def poll(self) -> int | None:
        """Its exit code, less than zero if a signal ended it; None while it runs."""
        if self.returncode is None:
            try:
                found, status = os.waitpid(self.pid, os.WNOHANG)
            except (
                ChildProcessError
            ):  # somebody else has asked for it: how it ended is not known, so not that all went well
                self.returncode = EXIT_UNKNOWN
                return self.returncode
            if found:
                self.returncode = os.waitstatus_to_exitcode(status)
        return self.returncode

    def wait(self, timeout: float) -> int:
        """The same when it has ended; ``subprocess.TimeoutExpired`` if it does not."""
        deadline, nap_s = time.monotonic() + timeout, 0.0005
        while (code := self.poll()) is None:
            if (left := deadline - time.monotonic()) <= 0.0:
                raise subprocess.TimeoutExpired("a forked process", timeout)
            nap_s = min(2.0 * nap_s, left, LONGEST_NAP_S)
            time.sleep(nap_s)
        return code


def _live(work: Callable[[], int], reading: int, writing: int, unblocked: set[int]) -> None:
    """The child's whole life. Objects of the parent are never touched: their finalisers would close files by number."""
    code = 1
    try:
        gc.freeze()
        signal.set_wakeup_fd(-1)
        for number in SIGNALS:
            signal.signal(number, signal.SIG_IGN)  # which drops one that has come: it was the parent's
            signal.signal(number, signal.SIG_DFL)
        os.setsid()  # from here on no terminal asks it to end
        signal.pthread_sigmask(signal.SIG_SETMASK, unblocked)
        os.dup2(reading, 0)
        os.dup2(writing, 2)
        os.closerange(3, MOST_FILES)
        sys.stdin, sys.stderr = os.fdopen(0, closefd=False), os.fdopen(2, "w", closefd=False)
        code = work()
    except BaseException:
        traceback.print_exc(file=sys.stderr)
    finally:
        try:
            sys.stderr.flush()
        finally:  # whoever listened may be gone
            os._exit(code)
