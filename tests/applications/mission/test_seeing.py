"""When a mission that navigates by images begins to see the hall, and from which image on they are measurements."""

from __future__ import annotations

import math
from types import SimpleNamespace

from proxops.applications.mission.seeing import Seeing


class Unit:
    handed_over_s, measures_from_s, following = math.inf, -math.inf, False

    def follows(self, t: float) -> bool:
        return self.following


def seeing(handed_over: bool = False) -> tuple[Seeing, Unit]:
    one, unit = Seeing(), Unit()
    one.eyes, one.vision = SimpleNamespace(handed_over=handed_over), SimpleNamespace(unit=unit)  # type: ignore[assignment]
    return one, unit


def test_the_hall_is_seen_once_it_shows_the_client_and_the_client_is_followed() -> None:
    one, unit = seeing()
    one.hand_over(1.0, shown=True)
    assert one.eyes is not None and not one.eyes.handed_over
    assert (
        unit.measures_from_s == math.inf
    )  # orbit's images tell where the client is, and the filter waits for the hall's
    unit.following = True
    one.hand_over(2.0, shown=True)
    assert one.eyes.handed_over and (unit.handed_over_s, unit.measures_from_s) == (2.0, 2.0)
    one.hand_over(3.0, shown=False)
    assert one.eyes.handed_over and unit.handed_over_s == 2.0  # for good


def test_as_long_as_the_hall_does_not_show_the_client_orbits_images_are_measurements() -> None:
    one, unit = seeing()
    unit.following = True
    one.hand_over(1.0, shown=True)
    two, other = seeing()
    other.following = True
    two.hand_over(1.0, shown=False)
    assert two.eyes is not None and not two.eyes.handed_over and other.measures_from_s == -math.inf
    two.hand_over(5.0, shown=True)
    assert two.eyes.handed_over and other.measures_from_s == 5.0


def test_who_sees_the_orbit_all_the_time_is_handed_nothing() -> None:
    one, unit = seeing(handed_over=True)
    one.hand_over(1.0, shown=True)
    assert unit.handed_over_s == math.inf and unit.measures_from_s == -math.inf
