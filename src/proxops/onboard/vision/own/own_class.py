"""An estimator as a class of the user's: called with each sight, for a limited time, its answers judged."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
import traceback
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import Any, Final

from proxops.core.imaging_table import ImagingSensor
from proxops.core.user_class import UserPart, made_of, split_name
from proxops.core.vision import PoseFound
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.own.answer_check import NoAnswer, checked
from proxops.onboard.vision.sight import Sight
from proxops.onboard.vision.unit import broken
from proxops.optics.scene.mesh import Mesh

FORMS: Final = "path/to/file.py:ClassName, package.module:ClassName or tcp://HOST:PORT"
PART: Final = UserPart(
    "estimator", "estimate", "estimate(self, sight) -> PoseFound", "sensor, client", "the sensor's table and the client's mesh",
    FORMS, modules=True,
)  # fmt: skip
MOST_TOLD: Final = 20  # complaints, on standard error


class OutOfTime(BaseException):
    """Past the estimator's limit; no Exception, which it might catch."""


class OwnEstimator:
    """``PoseEstimator``: whatever the class does, there is an answer. A call that never comes back to Python (a loop in C) cannot
    be ended; behind a TCP line it could. What it prints goes to standard error: our own output may be read by a program."""

    def __init__(self, name: str, sensor: ImagingSensor, client: Mesh, limit_s: float) -> None:
        with redirect_stdout(sys.stderr):
            self._estimator: Any = made_of(*split_name(name, PART), PART, sensor, client)
        self._name, self._limit_s, self._told = name, limit_s, 0

    def estimate(self, sight: Sight) -> PoseFound:
        began, owner = time.monotonic(), os.getpid()
        try:
            with limited(self._limit_s), redirect_stdout(sys.stderr):
                found = checked(self._estimator.estimate(sight))
        except OutOfTime:
            return self._refused(sight, Doubt.STALE, f"no answer in {self._limit_s:g} s")
        except NoAnswer as reason:
            return self._refused(sight, Doubt.BROKEN, str(reason))
        except KeyboardInterrupt:
            raise
        except BaseException as error:  # some are no Exception: sys.exit, a task that was cancelled
            return self._refused(sight, Doubt.BROKEN, "".join(traceback.format_exception(error)).rstrip())
        finally:
            if os.getpid() != owner:  # the class has forked: a copy that comes back would answer a second time
                os._exit(0)
        late = time.monotonic() - began > self._limit_s
        return self._refused(sight, Doubt.STALE, f"an answer after {self._limit_s:g} s") if late else found

    def _refused(self, sight: Sight, doubt: Doubt, why: str) -> PoseFound:
        self._told += 1
        if self._told <= MOST_TOLD:
            print(f"{self._name}: image {sight.image.number} of {sight.image.sensor}: {why}", file=sys.stderr)
        return broken(sight.image, doubt)


@contextmanager
def limited(seconds: float) -> Iterator[None]:
    """OutOfTime when they are over; only a process's first thread can be interrupted, in others nothing happens."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def ring(number: int, frame: object) -> None:
        raise OutOfTime

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)
        signal.signal(signal.SIGALRM, before)
