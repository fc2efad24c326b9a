"""What an operator says of pictures while a mission is flown live: asked for at the facility's control channel, carried to the
application's process through a pipe, a line each. Neither end ever waits."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict
from typing import Any, Final

from proxops.core.channel import ASKER_LENGTH
from proxops.core.designation import Designation, check_designation
from proxops.core.errors import Refused
from proxops.core.imaging_table import ImagingSensor
from proxops.facility.control import Verb, integer_of, number_of, text_of

PIPE_BYTES: Final = 65_536
LINE_BYTES: Final = 1000  # less than what a pipe takes as a whole
NOBODY: Final = "an operator at the control channel"


def designate_verb(fd: int, sensors: Mapping[str, ImagingSensor]) -> Verb:
    """``fd``: the pipe's end for writing; ``sensors``: those that are looked through, by name. Whether the image is still known
    is judged at the other end, and told as an event."""
    os.set_blocking(fd, False)

    def designate(arguments: dict[str, Any]) -> None:
        by = text_of(arguments, "by") if "by" in arguments else NOBODY
        word = Designation(
            text_of(arguments, "sensor"), number_of(arguments, "right_px"), number_of(arguments, "down_px"),
            number_of(arguments, "radius_px"), integer_of(arguments, "number"),
            "".join(c for c in by if c.isprintable())[:ASKER_LENGTH],
        )  # fmt: skip
        check_designation(word, sensors)
        try:
            os.write(fd, json.dumps(asdict(word)).encode()[:LINE_BYTES] + b"\n")
        except OSError:  # full, or nobody reads it any more
            raise Refused("designate: nobody looks for the target in images now") from None

    return designate


class OperatorWords:
    """The application's end; ``come`` now and then."""

    def __init__(self, fd: int) -> None:
        self._fd, self._waiting = fd, b""
        os.set_blocking(fd, False)

    def come(self) -> list[Designation]:
        with suppress(BlockingIOError):
            self._waiting += os.read(self._fd, PIPE_BYTES)
        *lines, self._waiting = self._waiting.split(b"\n")
        return [Designation(**json.loads(line)) for line in lines]
