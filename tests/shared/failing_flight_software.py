"""Flight software of a user who makes every mistake there is, from the third cycle on. Loaded as a file, never imported."""

import ctypes
import gc
import itertools
import os
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from proxops.core.flight import Commands, onboard_data
from proxops.core.flight_packet import pack_failure_packet


class Well:
    def __init__(self, mission):
        self.data, self.cycles = onboard_data(mission), 0

    def step(self, m):
        self.cycles += 1
        if self.cycles > 2:
            self.wrong()
        return Commands(
            np.zeros(len(self.data.thruster_places)), np.full(len(self.data.wheel_axes), 0.01 * self.cycles)
        )

    def wrong(self):
        pass


def line():
    """Our end of the socket, which nobody has given to the software."""
    return next(found for found in gc.get_objects() if isinstance(found, socket.socket))


class LoopsInC(Well):
    def wrong(self):
        sum(itertools.repeat(0))


class Backtracks(Well):
    def wrong(self):
        re.match(r"(a+)+$", "a" * 60 + "b")


class Sleeps(Well):
    def wrong(self):
        time.sleep(1000.0)


class Freezes(Well):
    def wrong(self):
        os.kill(os.getpid(), signal.SIGSTOP)


class WillNotGo(Well):
    def wrong(self):
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        while True:
            try:
                while True:
                    pass
            except BaseException:
                continue


class IsKilled(Well):
    def wrong(self):
        os.kill(os.getpid(), signal.SIGKILL)


class Crashes(Well):
    def wrong(self):
        ctypes.string_at(0)


class Leaves(Well):
    def wrong(self):
        os._exit(3)


class LeavesWell(Well):
    def wrong(self):
        os._exit(0)


class TalksRubbish(Well):
    def wrong(self):
        line().send(b"rubbish")


class TalksOutOfTurn(Well):
    def wrong(self):
        line().send(pack_failure_packet(99, "nobody asked"))


class HangsUp(Well):
    def wrong(self):
        os.closerange(3, 100)


class HangsUpAndStays(Well):
    def wrong(self):
        os.closerange(3, 100)
        sum(itertools.repeat(0))


class EatsMemory(Well):
    def wrong(self):
        self.all = np.empty(20 << 30, np.uint8)


class DividesByZero(Well):
    def wrong(self):
        return 1 / 0


class Interrupts(Well):
    def wrong(self):
        raise KeyboardInterrupt


class Prints(Well):
    def wrong(self):
        for _ in range(4096):
            print("x" * 1023)


class ReadsInput(Well):
    def wrong(self):
        assert sys.stdin.read() == ""


class Forks(Well):
    """Its copies return, too."""

    def wrong(self):
        os.fork()


class HasWorkers(Well):
    """One by fork, one by exec; both would stay for ever. Their numbers go where the test looks for them."""

    def wrong(self):
        if self.cycles > 3:
            return
        copy = os.fork()
        if not copy:
            time.sleep(1000.0)
            os._exit(0)
        worker = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(1000)"])
        Path(os.environ["WORKERS"]).write_text(f"{copy} {worker.pid}")


class ClosesWell(Well):
    def close(self):
        Path(os.environ["WORKERS"]).write_text("closed")


class ClosesBadly(Well):
    def close(self):
        raise ValueError("still here")


class NeverCloses(Well):
    def close(self):
        sum(itertools.repeat(0))


class IsNeverMade(Well):
    def __init__(self, mission):
        sum(itertools.repeat(0))


class LeavesAtOnce(Well):
    def __init__(self, mission):
        os._exit(3)


class RubbishAtOnce(Well):
    def __init__(self, mission):
        line().send(b'{"what": 3}')
