"""One holder of control, taken and released in everybody's sight."""

import numpy as np
import pytest

from proxops.console import viewer as viewer_module
from proxops.console.attendance import MOST, Attendance
from proxops.console.live_feed import Frame
from proxops.core.errors import Refused


def test_one_holder_at_a_time() -> None:
    hall = Attendance()
    anna, ben = hall.enter("Anna"), hall.enter("Ben")
    with pytest.raises(Refused, match="take control first"):
        hall.demand(anna)
    assert hall.take(anna, over=False) is False
    hall.demand(anna)
    with pytest.raises(Refused, match="Anna holds control"):
        hall.demand(ben)
    with pytest.raises(Refused, match="take over"):
        hall.take(ben, over=False)
    assert hall.holder is anna


def test_taking_over_is_told_to_all() -> None:
    hall = Attendance()
    anna, ben = hall.enter("Anna"), hall.enter("Ben")
    hall.take(anna, over=False)
    assert hall.take(ben, over=True) is True  # Anna loses it: her motion must be let go
    state = hall.state()
    assert state["holder"] == {"id": ben.id, "name": "Ben"}
    assert state["said"] == "Ben has taken control over from Anna"
    with pytest.raises(Refused, match="Ben holds control"):
        hall.release(anna)


def test_control_is_free_when_its_holder_goes() -> None:
    hall = Attendance()
    anna, ben = hall.enter("Anna"), hall.enter("Ben")
    hall.take(anna, over=False)
    assert hall.leave(ben) is False
    assert hall.leave(anna) is True
    assert hall.holder is None and "released control" in hall.said


def test_names_are_told_apart_and_clean() -> None:
    hall = Attendance()
    names = [hall.enter(name).name for name in ("Anna", "Anna", " \x00\n", "x" * 500)]
    assert names[:2] == ["Anna", "Anna (2)"]
    assert names[2] == "viewer 3" and len(names[3]) == 40


def test_the_hall_is_full_at_some_point() -> None:
    hall = Attendance()
    for _ in range(MOST):
        assert hall.make_room()
        hall.enter("same")
    assert not hall.make_room() and len({v.name for v in hall.viewers.values()}) == MOST


def test_a_full_hall_loses_who_has_been_deaf_for_longest_but_not_the_holder(monkeypatch: pytest.MonkeyPatch) -> None:
    now = [0.0]
    monkeypatch.setattr(viewer_module.time, "monotonic", lambda: now[0])
    hall = Attendance()
    seated = [hall.enter(f"v{k}") for k in range(MOST)]
    hall.take(seated[0], over=False)
    for k in (0, 7, 3):  # the holder has been deaf for longest
        now[0] += 1.0
        seated[k].offer(Frame(1, np.zeros(1, [("x", "f8")])[0], b"frame"))
        while seated[k].next() != b"frame":
            pass
    now[0] += viewer_module.DEAF_S - 0.1  # the last one is not called deaf yet
    assert hall.make_room()
    assert seated[7].dismissed.is_set() and seated[7].id not in hall.viewers
    assert hall.holder is seated[0] and len(hall.viewers) == MOST - 1
    hall.enter("newcomer")
    assert not hall.make_room()  # nobody else has been deaf for long
    assert hall.leave(seated[7]) is False and "newcomer" in hall.said  # it is not missed twice


def test_secrets_are_each_viewers_own() -> None:
    hall = Attendance()
    anna, ben = hall.enter("Anna"), hall.enter("Ben")
    assert hall.by_secret(anna.secret) is anna and hall.by_secret(ben.secret) is ben
    assert anna.secret not in str(hall.state()) and len(anna.secret) >= 20
    for wrong in ("", "1", anna.secret[:-1], "ä"):
        assert hall.by_secret(wrong) is None
