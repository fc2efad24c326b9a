"""How a recording ended: one word for programs, the rest for people, there and back."""

from __future__ import annotations

import pytest

from proxops.core.ending import SEVERITY, Ending, EndReason
from proxops.core.errors import BadInput, Refused


@pytest.mark.parametrize("reason", EndReason)
@pytest.mark.parametrize("detail", ["", "SIGINT", "DOOR: door open (door_main); got 1 m: over"])
def test_the_event_s_text_reads_back(reason: EndReason, detail: str) -> None:
    ended = Ending(reason, detail)
    assert Ending.parse(str(ended)) == ended
    assert ended.severity is SEVERITY[reason]


@pytest.mark.parametrize("text", ["", "over", "done, mostly", "Done: x", ": operator"])
def test_what_is_no_ending_is_none(text: str) -> None:
    assert Ending.parse(text) is None


@pytest.mark.parametrize(
    ("error", "ended"),
    [
        (TypeError("no numbers"), Ending(EndReason.INTERNAL_ERROR, "TypeError: no numbers")),
        (Refused("confirm: no"), Ending(EndReason.REFUSED, "confirm: no")),
        (BadInput("no such file"), Ending(EndReason.REFUSED, "no such file")),
        (KeyboardInterrupt(), Ending(EndReason.OPERATOR, "SIGINT")),
    ],
)
def test_errors_become_endings(error: BaseException, ended: Ending) -> None:
    assert Ending.of_error(error) == ended
