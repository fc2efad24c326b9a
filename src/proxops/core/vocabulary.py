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


class Severity(IntEnum):
    """Levels of foxglove.Log, so that viewers colour our events."""

    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    FATAL = 5
