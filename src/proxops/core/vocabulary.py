"""The words that files, datagrams, log and displays share: coordinate systems, sources, modes. Numbers never change."""

from __future__ import annotations

from enum import IntEnum


class System(IntEnum):
    """The paper's coordinate systems with the numbers of its Table 4 (bits 0-3 of the mode word)."""

    CLW = 1
    GLC = 2
    IJT = 3
    IDC = 4


class Source(IntEnum):
    """Who commands the hall."""

    NONE = 0
    ASYNC = 1
    SYNC = 2
    MANUAL = 3
    SINE = 4
    BRIDGE = 5


class Hardware(IntEnum):
    """Which robots answer: the virtual hall or real controllers."""

    SIMULATION = 0
    REAL = 1


class Mode(IntEnum):
    """What the facility is doing. Transitions: ``safety/modes.py``."""

    STANDBY = 0  # drives off, brakes closed
    READY = 1  # drives on, standing, no source selected
    MANUAL = 2  # jog
    SINE = 3  # test wave
    ARMED = 4  # sync or async selected, away from its start
    MOVING_TO_START = 5
    AT_START = 6  # waits for the operator's confirmation
    RUNNING = 7
    STOPPING = 8  # braking
    STOPPED = 9  # latched until reset
    RELEASING = 10  # drives coming on, brakes opening
    ENDING = 11  # a source has said all or was let go: braking, then READY
    BRIDGED = 12  # the bridge has the hall: it converges, follows, or stands and waits
    HALTING = 13  # the bridge brakes, not latched: BRIDGED follows at standstill


class Phase(IntEnum):
    """What the bridge is doing."""

    IDLE = 0  # not selected
    WAITING = 1  # no client
    STANDING = 2  # a client sends, the hall may not move: the cause says why
    SEARCHING = 3  # looks for a posture that can show the commanded pose
    JOINING = 4  # the axes move to that posture
    CONVERGING = 5  # the clutch closes
    FOLLOWING = 6  # converged: the hall shows what the client commands
    HALTING = 7  # braking


class Zone(IntEnum):
    """Collision state of a pose, as the paper colours it."""

    GREEN = 0
    YELLOW = 1
    RED = 2


class Standstill(IntEnum):
    """Why the bridge does not move the hall."""

    NONE = 0
    NOT_SELECTED = 1  # the operator has not selected the bridge, or the facility is stopped
    NO_CLIENT = 2  # nobody has sent yet
    SILENCE = 3  # the client has stopped sending
    OUT_OF_REACH = 4  # no posture of the robots shows the commanded pose
    COMMANDED_YELLOW = 5
    COMMANDED_RED = 6
    ACTUAL_RED = 7  # only manual control leads out
    WAY_BLOCKED = 8  # going on would end in red
    LIMIT = 9  # going on would break a rule of the guard: its number says which
    NO_POSTURE = 10  # the search for a posture is under way or found none


class InputState(IntEnum):
    """State of the bridge's input filter."""

    EMPTY = 0  # nothing has come yet
    DIRECT = 1  # packets go straight through
    BUFFERED = 2  # one packet waits: each goes out one cycle after it came
    EXTRAPOLATING = 3  # packets are missing: cubic extrapolation
    DRY = 4  # more are missing than extrapolation may bridge


class Severity(IntEnum):
    """Levels of foxglove.Log, so that viewers colour our events."""

    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    FATAL = 5
