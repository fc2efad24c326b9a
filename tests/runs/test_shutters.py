"""When sensors expose and when their images are there; what draws them is a list here."""

from __future__ import annotations

from collections import deque

import numpy as np
import pytest

from proxops.core.images import CameraImage, MeteredPart
from proxops.core.imaging_table import CameraSensor, ImagingSensor, LidarSensor, TofSensor
from proxops.ground.image_encoding import EncodedImage
from proxops.runs.image_orders import Drawn
from proxops.runs.shutters import LOOKS, MOST_ORDERED, MOST_WAITING, Shutters
from proxops.sensors.moment import Moment, PictureOrder

CYCLE_S = 0.004


class PaperOrders:
    """Draws nothing: an order is answered as soon as ``ready`` says so, by a picture of one grey level."""

    def __init__(self, level: int = 128) -> None:
        self.given: list[PictureOrder] = []
        self.ready, self.level, self.blocked = 10**9, level, 0
        self._open: deque[int] = deque()

    @property
    def waiting(self) -> int:
        return len(self._open)

    def give(self, order: PictureOrder) -> int:
        self.given.append(order)
        self._open.append(len(self.given) - 1)
        return len(self.given) - 1

    def take(self, *, block: bool) -> Drawn | None:
        if not self._open or (not block and self.ready <= 0):
            return None
        self.blocked += block
        self.ready -= 1
        number = self._open.popleft()
        order = self.given[number]
        pixels = np.full((4, 4), self.level, np.uint8)
        image = CameraImage("eye", order.number, order.t, order.duration_s, order.gain_db, 255, pixels)
        return Drawn(number, order.sensor, image, EncodedImage("eye", order.number, order.t, {}), np.zeros(7))


def camera(**changes: object) -> CameraSensor:
    fixed = {"name": "eye", "rate_hz": 10.0, "exposure_ms": 10.0, "delay_ms": 100.0}
    return CameraSensor.model_validate({"kind": "camera", **fixed}).model_copy(
        update=changes
    )  # also what a file may not ask for


def flown(shutters: Shutters, seconds: float, begin: int = 0) -> list[tuple[float, Drawn]]:
    """Arrivals of so many seconds of cycles."""
    found = []
    for cycle in range(begin, begin + round(seconds / CYCLE_S)):
        t = cycle * CYCLE_S
        shutters.look(t, lambda t=t: Moment(t, None, None))  # type: ignore[misc]
        found += [(t, drawn) for drawn in shutters.arrived(t)]
    return found


def made(*sensors: ImagingSensor, waits: bool = True, seed: int = 1) -> tuple[Shutters, PaperOrders]:
    orders = PaperOrders()
    return Shutters(sensors, orders, seed, waits=waits), orders


def test_exposures_begin_at_multiples_of_the_period_and_arrive_a_delay_after_their_end() -> None:
    shutters, orders = made(camera())
    arrivals = flown(shutters, 1.0)
    assert [order.t for order in orders.given] == pytest.approx(np.arange(10) / 10.0, abs=CYCLE_S)
    assert [order.number for order in orders.given] == list(range(10))
    for t, drawn in arrivals:
        wanted = orders.given[drawn.order].t + 0.010 + 0.100
        assert wanted - 1e-9 <= t < wanted + CYCLE_S
    assert len(arrivals) == 9  # the tenth is due after the end


def test_moments_cover_an_exposure_and_are_few() -> None:
    shutters, orders = made(LidarSensor(kind="lidar", name="scan", rate_hz=2.0))
    flown(shutters, 1.2)
    first = orders.given[0]
    assert first.duration_s == 0.5
    times = [moment.t for moment in first.moments]
    assert times[0] == first.t and times[-1] >= first.t + first.duration_s - 1e-9
    assert 0.8 * LOOKS <= len(times) <= LOOKS + 2  # whole cycles
    assert first.times[0] == first.t and first.times[-1] == first.t + first.duration_s


def test_a_scan_follows_the_one_before_without_a_gap() -> None:
    shutters, orders = made(LidarSensor(kind="lidar", name="scan", rate_hz=5.0))
    flown(shutters, 2.0)
    assert np.diff([order.t for order in orders.given]) == pytest.approx(0.2, abs=1e-9)


def test_four_phases_are_one_exposure() -> None:
    shutters, orders = made(TofSensor(kind="tof", name="depth", exposure_ms=4.0))
    flown(shutters, 0.1)
    assert orders.given[0].duration_s == pytest.approx(0.016)


def test_an_automatic_exposure_is_measured_by_what_somebody_says_of_the_picture() -> None:
    shutters, _ = made(camera(exposure_ms="auto"))
    asked: list[int] = []

    def part(image: CameraImage) -> MeteredPart:
        asked.append(image.number)
        return MeteredPart(0, 0, 1, 1, 1.0)

    shutters.measured_by = part
    arrivals = flown(shutters, 1.0)
    assert asked == [drawn.image.number for _, drawn in arrivals]
    fixed, _ = made(camera())
    fixed.measured_by = part
    asked.clear()
    assert flown(fixed, 1.0) and not asked


def test_lockstep_waits_for_what_is_due_and_nothing_else() -> None:
    shutters, orders = made(camera())
    flown(shutters, 0.104)
    assert orders.blocked == 0 and orders.given
    flown(shutters, 0.02, begin=26)
    assert orders.blocked == 1


def test_live_nothing_is_waited_for_late_images_come_later_and_too_many_are_left_out() -> None:
    shutters, orders = made(camera(), waits=False)
    orders.ready = 0
    assert not flown(shutters, 1.0) and orders.blocked == 0
    assert len(orders.given) == MOST_WAITING and shutters.left_out == 10 - MOST_WAITING
    orders.ready = 10**9
    arrivals = flown(shutters, 1.0, begin=250)
    assert arrivals[0][0] == 1.0 and orders.blocked == 0
    numbers = [order.number for order in orders.given]
    assert numbers[:3] == [0, 1, 10]  # a gap in the numbers is a lost image


def test_images_that_are_drawn_and_not_yet_due_keep_no_shutter_closed() -> None:
    """A second until an image is there: ten are under way, live as in lockstep."""
    live, orders = made(camera(delay_ms=1000.0), waits=False)
    arrivals = flown(live, 3.0)
    assert [order.number for order in orders.given] == list(range(30)) and live.left_out == 0
    assert min(t - orders.given[drawn.order].t for t, drawn in arrivals) >= 1.01 - 1e-9


def test_lockstep_never_has_more_orders_under_way_than_the_lines_hold() -> None:
    shutters, orders = made(camera(rate_hz=50.0, exposure_ms=1.0, delay_ms=5000.0))
    most = 0
    for cycle in range(500):
        flown(shutters, CYCLE_S, begin=cycle)
        most = max(most, orders.waiting)
    assert most == MOST_ORDERED and len(orders.given) == 100


def test_exposures_that_could_not_be_made_leave_a_gap_in_the_numbers_and_are_counted() -> None:
    shutters, orders = made(camera(), waits=False)
    flown(shutters, 0.44)
    flown(shutters, 0.4, begin=500)  # nobody looked for one and a half seconds
    assert [order.number for order in orders.given] == [0, 1, 2, 3, 4, 20, 21, 22, 23] and shutters.left_out == 15
    longer, orders = made(camera(exposure_ms=250.0))
    flown(longer, 1.0)
    assert [order.number for order in orders.given] == [0, 2, 5] and longer.left_out == 4


def test_jitter_is_not_the_noise_of_a_picture() -> None:
    shutters, orders = made(camera(jitter_ms=400.0), seed=7)
    (t, _), *_ = sorted(flown(shutters, 1.0), key=lambda one: one[1].order)
    noise = np.random.default_rng((7, 0, 1)).random()  # of exposure 1
    assert abs(t - (0.11 + 0.4 * noise)) > CYCLE_S and orders.given


def test_the_automatic_follows_images_that_have_arrived() -> None:
    shutters, orders = made(camera(exposure_ms="auto"))
    orders.level = 255  # far too bright
    flown(shutters, 1.0)
    exposures = [order.duration_s for order in orders.given]
    assert exposures[0] == exposures[1] > exposures[-1]  # the second begins before the first is there


def test_jitter_is_the_seeds() -> None:
    runs = [made(camera(jitter_ms=50.0), seed=seed)[0] for seed in (1, 1, 2)]
    times = [[t for t, _ in flown(shutters, 1.0)] for shutters in runs]
    assert times[0] == times[1] != times[2]


def test_nothing_is_due_before_it_says_so() -> None:
    """A mission flies ahead to ``next_s``: to look in each cycle must not make a difference."""
    every, _ = made(camera(), LidarSensor(kind="lidar", name="scan"))
    only, orders = made(camera(), LidarSensor(kind="lidar", name="scan"))
    wanted = [(t, drawn.order) for t, drawn in flown(every, 2.0)]
    found = []
    for cycle in range(500):
        t = cycle * CYCLE_S
        if t >= only.next_s - 1e-9:
            only.look(t, lambda t=t: Moment(t, None, None))  # type: ignore[misc]
            found += [(t, drawn.order) for drawn in only.arrived(t)]
    assert found == wanted and orders.given
