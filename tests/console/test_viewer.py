"""What waits for a page is bounded and the oldest goes first; a page that hangs gets nothing more."""

import json

import numpy as np
import pytest

from proxops.console import viewer as module
from proxops.console.live_feed import Frame
from proxops.console.viewer import CREDIT, NEWS, Viewer


def frame(number: int) -> Frame:
    return Frame(number, np.zeros(1, [("x", "f8")])[0], b"frame %d" % number)


def message(data: bytes | None) -> dict[str, object]:
    assert data is not None and data[0] == module.MESSAGE
    decoded: dict[str, object] = json.loads(data[1:])
    return decoded


def test_frames_need_credit_and_the_newest_wins() -> None:
    viewer = Viewer(1, "a")
    for number in range(1, 21):
        viewer.offer(frame(number))
        sent = viewer.next()
        assert (sent is not None) == (number <= CREDIT)
    assert viewer.dropped == 20 - CREDIT - 1  # all that waited but the newest
    viewer.seen(1)
    assert viewer.next() == b"frame 20"
    assert viewer.next() is None


def test_what_was_never_sent_cannot_be_acknowledged() -> None:
    viewer = Viewer(1, "a")
    viewer.seen(10**6)
    for number in range(1, 10):
        viewer.offer(frame(number))
        viewer.next()
    assert viewer.next() is None


def test_of_a_state_only_the_newest_goes() -> None:
    viewer = Viewer(1, "a")
    for k in range(100):
        viewer.tell({"kind": "status", "k": k})
        viewer.tell({"kind": "control", "k": k})
    assert {(m["kind"], m["k"]) for m in (message(viewer.next()) for _ in range(2))} == {
        ("status", 99),
        ("control", 99),
    }
    assert viewer.next() is None


def test_events_are_bounded_and_the_loss_is_told() -> None:
    viewer = Viewer(1, "a")
    viewer.inform([{"k": k} for k in range(NEWS + 25)])
    told = message(viewer.next())
    items = told["items"]
    assert isinstance(items, list)
    assert (len(items), items[0], told["lost"]) == (NEWS, {"k": 25}, 25)


def test_a_page_that_hangs_gets_nothing_more(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(module.time, "monotonic", lambda: now[0])
    viewer = Viewer(1, "a")
    viewer.offer(frame(1))
    assert viewer.next() is not None
    now[0] = module.DEAF_S + 1
    viewer.tell({"kind": "status"})
    viewer.inform([{"k": 1}])
    assert viewer.deaf and viewer.next() is None
    viewer.seen(1)
    assert not viewer.deaf and message(viewer.next())["kind"] == "status"
