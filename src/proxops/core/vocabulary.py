"""The words that files, datagrams, log and displays share: coordinate systems, sources, modes. Numbers never change."""

from __future__ import annotations

from collections.abc import Callable
from enum import IntEnum
from typing import Final


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
    APPLICATION = 6  # an experiment of ours, with a motion of its own


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
    NEW_CLIENT = 11  # another client than before: the operator has not accepted it yet
    NOT_RECORDED = 12  # the recorder is lost, hung, late or cannot write: no new motion begins


class InputState(IntEnum):
    """State of the bridge's input filter."""

    EMPTY = 0  # nothing has come yet
    DIRECT = 1  # packets go straight through
    BUFFERED = 2  # one packet waits: each goes out one cycle after it came
    EXTRAPOLATING = 3  # packets are missing: cubic extrapolation
    DRY = 4  # more are missing than extrapolation may bridge


class MissionPhase(IntEnum):
    """What the flight software is doing."""

    NONE = 0  # no mission, or flight software that does not say
    ACQUISITION = 1  # the filter waits for its first measurements
    HOLD = 2
    APPROACH = 3  # straight, along LVLH
    FLY_AROUND = 4
    FINAL = 5  # along the docking axis
    MATED = 6  # it believes to be there
    RETREAT = 7  # burn of an abort
    DRIFT = 8  # after it: passively safe, thrusters off
    REACQUISITION = 9  # without measurements: it stands, looks to where the client is believed, and waits for them


class AbortCause(IntEnum):
    """Why an approach was given up."""

    NONE = 0
    CORRIDOR = 1  # outside of the corridor
    SENSOR_LOST = 2  # no accepted measurement for too long
    UNCERTAIN = 3  # the covariance has grown beyond trust
    FIELD_OF_VIEW = 4  # the target is about to leave the sensor's view
    ACTUATORS = 5  # too few thrusters are left
    PROPELLANT = 6  # what is left is needed for a retreat


class SensorSource(IntEnum):
    """What the relative sensor looked at."""

    NONE = 0  # nothing: no measurement yet
    SOFTWARE = 1  # the computed relative pose: the hall does not (yet) show it
    HALL = 2  # what the hall really shows


class MissionEnd(IntEnum):
    """How a mission ended."""

    UNDER_WAY = 0
    MATED = 1  # the docking interfaces met
    TIME = 2  # its time was over
    FLIGHT_SOFTWARE = 3  # the flight software failed: it raised, was too slow or gave no usable commands
    FACILITY = 4  # the facility stopped or was interrupted
    COLLISION = 5  # the craft touched outside of the docking interfaces
    IMAGES = 6  # images could not be drawn, or looked through, any more


class Severity(IntEnum):
    """Levels of foxglove.Log, so that viewers colour our events."""

    DEBUG = 1
    INFO = 2
    WARNING = 3
    ERROR = 4
    FATAL = 5


Tell = Callable[[Severity, str, str], None]
"""Tells people something: how bad it is, a name, a text."""


class VisionState(IntEnum):
    """What the image processing of one sensor is doing."""

    SEARCH = 0  # no idea where the client is: each image is searched as a whole
    TRACK = 1  # each image is compared with what is expected
    LOST = 2  # tracked until a moment ago: the filter still believes where it is


class Doubt(IntEnum):
    """Why a pose found in an image is not trusted."""

    NONE = 0  # it is
    DARK = 1  # nothing is lit
    OVER_EXPOSED = 2  # too much of the client is
    OUT_OF_VIEW = 3  # too much of the client is
    TOO_FEW = 4  # edges or points were found
    SUPPORT = 5  # too many of what was found do not fit
    UNCERTAIN = 6  # the pose is not determined well enough
    AMBIGUOUS = 7  # another pose fits nearly as well
    FAR_OFF = 8  # further from what was expected than that allows
    NOT_FOUND = 9  # searched in vain
    FROZEN = 10  # the same image as before
    STALE = 11  # too old, or not newer than one before
    BROKEN = 12  # no image, or no pose: wrong size, no numbers


DOUBTS: Final = {
    Doubt.NONE: "trusted",
    Doubt.DARK: "nothing is lit",
    Doubt.OVER_EXPOSED: "too much of the client is over-exposed",
    Doubt.OUT_OF_VIEW: "too much of the client is out of view",
    Doubt.TOO_FEW: "too few edges or points were found",
    Doubt.SUPPORT: "too many of what was found do not fit",
    Doubt.UNCERTAIN: "the pose is not determined well enough",
    Doubt.AMBIGUOUS: "another pose fits nearly as well",
    Doubt.FAR_OFF: "further from what was expected than that allows",
    Doubt.NOT_FOUND: "searched in vain",
    Doubt.FROZEN: "the same image as before",
    Doubt.STALE: "too old, or not newer than one before",
    Doubt.BROKEN: "no image, or no pose",
}
"""In words for people."""
