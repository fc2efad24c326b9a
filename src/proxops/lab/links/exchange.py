"""What passes between a facility and its responder: one set-point message a cycle, and the state that answers it.

Both stand in rings of shared memory. Whoever looks finds the newest, nothing can fill up, displays and tests may look on, and the
tick makes no system call that wakes anybody: on a virtual machine that alone costs it 0.2 to 0.4 ms. The socket between the two
carries nothing; its end tells each of the other's death. All of it is little-endian.
"""

from __future__ import annotations

import struct
from enum import IntEnum, IntFlag
from typing import Final, NamedTuple

import numpy as np
from numpy.typing import NDArray

from proxops.core.messages import PERIOD_NS

MAGIC: Final = b"PXSP"
VERSION: Final = 1
_HEAD: Final = struct.Struct("<4sHHqqqqq")
SETPOINT_SLOTS: Final = 64
STATE_SLOTS: Final = 2048  # eight seconds, for those who look on

AT_REST_NS: Final = 1_000_000_000
"""How long either end may be silent while the set-point stands: without the next one nothing moves."""


def patience_ns(cycles: int, period_ns: int = PERIOD_NS) -> int:
    """How long robots in motion may go without a set-point. One that is due comes up to 1 ms into its cycle, when the tick has
    done its work: a facility that missed one cycle less must not be caught at it."""
    return cycles * period_ns + 1_000_000


def doubt_ns(period_ns: int) -> int:
    """Of silence in motion: then it is worth asking the system whether the facility lives."""
    return patience_ns(3, period_ns)


class Flag(IntFlag):
    """What a set-point message asks for besides its set-point."""

    DRIVES = 1  # the drives are wanted on
    FAREWELL = 2  # the last one: close the brakes and end


class Watch(IntEnum):
    """What the watchdog does."""

    WATCHING = 0  # set-points are passed on
    BRAKING = 1  # it has taken over: nothing else is obeyed
    STANDING = 2  # the robots stand with brakes closed, until the drives are wanted on anew


class WatchdogCause(IntEnum):
    """Why the watchdog took over."""

    NONE = 0
    GONE = 1
    STOPPED = 2
    SILENT = 3
    LATE = 4
    HELD_UP = 5
    FAREWELL = 6


CAUSE_TEXT: Final = {
    WatchdogCause.NONE: "nothing",
    WatchdogCause.GONE: "facility gone",
    WatchdogCause.STOPPED: "facility frozen: its process is stopped",
    WatchdogCause.SILENT: "facility frozen: alive but silent",
    WatchdogCause.LATE: "facility late: set-points came again after the bound",
    WatchdogCause.HELD_UP: "the responder itself was held up",
    WatchdogCause.FAREWELL: "facility has said goodbye",
}


class Setpoint(NamedTuple):
    """One message. ``request`` counts the wishes about drives, so that one is carried out once; ``tick`` is the
    facility's, ``utc_ns`` that of sending by its clock: to stamp events with."""

    flags: Flag
    sequence: int
    sent_ns: int  # by core.clock.monotonic_ns
    tick: int
    utc_ns: int
    request: int
    axes: NDArray[np.float64]  # m, rad


def setpoint_dtype(axes: int) -> np.dtype[np.void]:
    """One message for robots of so many axes."""
    return np.dtype([("message", "u1", (_HEAD.size + 8 * axes,))])


class SetpointWriter:
    """Fills one buffer again and again: nothing is allocated in the tick."""

    def __init__(self, axes: int) -> None:
        self.buffer = bytearray(_HEAD.size + 8 * axes)
        self._view = memoryview(self.buffer)
        self._axes = np.frombuffer(self.buffer, "<f8", axes, offset=_HEAD.size)

    def fill(self, m: Setpoint) -> memoryview:
        """The message as it goes into the ring, until the next one."""
        _HEAD.pack_into(self.buffer, 0, MAGIC, VERSION, m.flags, m.sequence, m.sent_ns, m.tick, m.utc_ns, m.request)
        self._axes[:] = m.axes
        return self._view


def read_setpoint(data: bytes, axes: int) -> Setpoint | None:
    """The message to robots of so many axes, or None when it is none of ours. Whether its numbers are good is for watchdog and
    controllers to say."""
    if len(data) != _HEAD.size + 8 * axes:
        return None
    magic, version, flags, sequence, sent_ns, tick, utc_ns, request = _HEAD.unpack_from(data)
    if magic != MAGIC or version != VERSION:
        return None
    q = np.frombuffer(data, "<f8", axes, offset=_HEAD.size)
    return Setpoint(Flag(flags & 3), sequence, sent_ns, tick, utc_ns, request, q)


def state_dtype(axes: int, controllers: int) -> np.dtype[np.void]:
    """One cycle of the controllers as the responder tells it."""
    n = (axes,)
    return np.dtype([
        ("sequence", "<i8"), ("request", "<i8"),  # newest heard of, obeyed or not
        ("time_ns", "<i8"), ("sent_ns", "<i8"),  # of this record; of the last set-point that was fresh
        ("cycle", "<i8"),  # steps of the controllers
        ("drive", "<i8", (controllers,)),  # lab.links.virtual.Drive of each
        ("watch", "<i8"), ("cause", "<i8"), ("silent_s", "<f8"), ("patience_s", "<f8"),
        ("fault", "<i8"), ("fault_axis", "<i8"), ("fault_value", "<f8"), ("fault_bound", "<f8"),
        ("refused", "<i8"), ("gaps", "<i8"),  # set-points that were not obeyed; numbers that never came
        ("held_up", "<i8"),  # times that the machine kept the responder itself from running
        ("setpoint", "<f8", n),  # as the controllers got it: the facility's, or of the watchdog's braking
        ("actual", "<f8", n), ("rate", "<f8", n), ("standing", "<f8", n), ("positioning_error", "<f8", n),
    ])  # fmt: skip
