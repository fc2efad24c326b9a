"""The facility's modes as a strip above panels."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from proxops.core.vocabulary import Mode
from proxops.ground.panels.boxes import Box
from proxops.ground.panels.panel import Panel
from proxops.ground.panels.sheet import Sheet
from proxops.ground.panels.strip import Piece, add_strip
from proxops.ground.recorded import ModeSpan

MODE_COLOURS: Final = {
    Mode.STANDBY: "#a7b0b8",
    Mode.READY: "#8fb3cf",
    Mode.MANUAL: "#9a7fd1",
    Mode.SINE: "#4fb3b8",
    Mode.ARMED: "#d8c458",
    Mode.MOVING_TO_START: "#e3a857",
    Mode.AT_START: "#c9b18a",
    Mode.RUNNING: "#5cb270",
    Mode.STOPPING: "#e5734d",
    Mode.STOPPED: "#d1342f",
    Mode.RELEASING: "#b9c3a0",
    Mode.ENDING: "#a9d0b0",
    Mode.BRIDGED: "#5cb270",
    Mode.HALTING: "#e5734d",
}
SHORT_NAMES: Final = {
    Mode.MOVING_TO_START: "to start",
    Mode.STOPPED: "stop",
    Mode.STOPPING: "stop",
    Mode.MANUAL: "jog",
}


def mode_strip(sheet: Sheet, box: Box, phases: Iterable[ModeSpan], span: tuple[float, float]) -> Panel:
    """A strip of the facility's modes."""
    pieces = (
        Piece(
            phase.begin,
            phase.end,
            MODE_COLOURS[phase.mode],
            (phase.mode.name.replace("_", " ").lower(), SHORT_NAMES.get(phase.mode, "")),
        )
        for phase in phases
    )
    return add_strip(sheet, box, pieces, span)
