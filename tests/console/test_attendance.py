"""One holder of control, taken and released in everybody's sight."""

import pytest

from proxops.console.attendance import MOST, Attendance
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
        assert not hall.full
        hall.enter("same")
    assert hall.full and len({v.name for v in hall.viewers.values()}) == MOST
