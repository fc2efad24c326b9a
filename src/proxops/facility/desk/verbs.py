"""What the operator's desk can be asked for over the control channel."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Final

from proxops.facility.control import AGE, DESCRIPTOR, Verb, flag_of, integer_of, number_of, text_of
from proxops.facility.desk.desk import Desk
from proxops.facility.desk.status import status
from proxops.facility.motions.jog import HOLD_MS

WITH_FILE: Final = frozenset({"load"})  # verbs that take an open file


def desk_verbs(desk: Desk, shut_down: Callable[[], None]) -> dict[str, Verb]:
    """Name → what is done with the request's arguments."""
    return {
        "status": lambda a: status(desk),
        "drives": lambda a: desk.drives(flag_of(a, "on")),
        "select": lambda a: desk.select(text_of(a, "source")),
        "accept": lambda a: desk.accept(ahead=flag_of(a, "ahead") if "ahead" in a else False),
        "hardware": lambda a: desk.hardware(text_of(a, "kind")),
        "move_to_start": lambda a: desk.move_to_start(text_of(a, "order")),
        "confirm": lambda a: desk.confirm(),
        "reset": lambda a: desk.reset(),
        "interlock": lambda a: desk.interlock(text_of(a, "name"), flag_of(a, "healthy")),
        "jog": lambda a: desk.jog(
            text_of(a, "system"),
            text_of(a, "robot"),
            text_of(a, "component"),
            integer_of(a, "direction"),
            number_of(a, "speed"),
            hold_ms=number_of(a, "hold_ms") if "hold_ms" in a else HOLD_MS,
            step=number_of(a, "step") if "step" in a else None,
            press=integer_of(a, "press") if "press" in a else None,
            age_ms=number_of(a, AGE),
        ),
        "release": lambda a: desk.release(),
        "sine": lambda a: desk.sine(
            text_of(a, "axis"),
            number_of(a, "amplitude"),
            number_of(a, "frequency_hz"),
            integer_of(a, "cycles"),
        ),
        "load": lambda a: _load(desk, a),
        "shut_down": lambda a: shut_down(),
    }


def _load(desk: Desk, arguments: dict[str, Any]) -> dict[str, int]:
    """Have a file checked that came with the request as a descriptor: ours once this returns, the caller's if it raises."""
    fd, source = integer_of(arguments, DESCRIPTOR), text_of(arguments, "source")
    job = desk.begin_load(fd, source)
    os.close(fd)  # sealed memory: no file system is asked
    return {"job": job}
