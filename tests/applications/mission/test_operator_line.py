"""An operator's word on its way from the control channel to a mission's application: judged, carried, never waited for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from typing import Any

import pytest

from proxops.applications.mission.operator_line import OperatorWords, designate_verb
from proxops.core.designation import Designation
from proxops.core.errors import BadInput, Refused
from proxops.core.imaging_table import CameraSensor, LidarSensor

EYE = CameraSensor(kind="camera", name="eye")
SCAN = LidarSensor(kind="lidar", name="scan")
ASKED: dict[str, Any] = {
    "sensor": "eye", "number": 4, "right_px": 10, "down_px": 20.5, "radius_px": 30.0, "by": "Anna", "age_ms": 3.0
}  # fmt: skip
Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    heard, says = os.pipe()
    yield heard, says
    for fd in (heard, says):
        try:
            os.close(fd)
        except OSError:
            continue  # closed by the test


def test_a_word_comes_through(pipe: Pipe) -> None:
    words, designate = OperatorWords(pipe[0]), designate_verb(pipe[1], {"eye": EYE})
    assert words.come() == []
    designate(ASKED)
    designate({**ASKED, "number": 5, "by": "Ben\x07" + 500 * "n"})
    first, second = words.come()
    assert first == Designation("eye", 10.0, 20.5, 30.0, 4, "Anna")
    assert second.number == 5 and second.by.startswith("Benn") and len(second.by) <= 64
    assert words.come() == []


@pytest.mark.parametrize(
    "change",
    [
        {"right_px": float("nan")}, {"right_px": None}, {"right_px": "10"}, {"down_px": 1e300}, {"radius_px": -3.0},
        {"sensor": "nose"}, {"sensor": 7}, {"sensor": "scan"}, {"number": -1}, {"number": 1.5}, {"number": True},
        {"right_px": 640.0}, {"by": ["Anna"]},
    ],
)  # fmt: skip
def test_what_cannot_be_meant_is_refused_at_once(pipe: Pipe, change: dict[str, Any]) -> None:
    words, designate = OperatorWords(pipe[0]), designate_verb(pipe[1], {"eye": EYE, "scan": SCAN})
    with pytest.raises(BadInput):
        designate({**ASKED, **change})
    assert words.come() == []


def test_nobody_waits_for_an_application_that_is_gone_or_hangs(pipe: Pipe) -> None:
    designate = designate_verb(pipe[1], {"eye": EYE})
    with pytest.raises(Refused):
        for _ in range(10_000):
            designate(ASKED)
    os.close(pipe[0])
    with pytest.raises(Refused):
        designate(ASKED)
