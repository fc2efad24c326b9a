"""When imaging sensors expose, for how long, and when their images are there: the same in a mission and in a served hall.

Exposures begin at multiples of a sensor's period. While a shutter is open its owner looks now and then, so that pictures know
how everything moved. An image is there a fixed delay (and the sensor's jitter) after its exposure ended: in lockstep it is
waited for then, live it comes later if it is not drawn by then, and an exposure is left out when two of the same sensor wait.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable
from dataclasses import replace
from typing import Final, Protocol

import numpy as np

from proxops.core.images import CameraImage, Image, MeteredPart
from proxops.core.imaging_table import GreyCamera, RenderedSensor
from proxops.runs.image_orders import Drawn
from proxops.sensors.camera.exposure_control import ExposureControl
from proxops.sensors.moment import Moment, PictureOrder, fixed_exposure_s

SLACK_S: Final = 1e-9  # a clock that counts in ticks meets multiples of a period only to rounding
LOOKS: Final = 24  # at most, during one exposure
MOST_WAITING: Final = (
    2  # images of one sensor that are not drawn yet, live; one if there are many sensors, or all would be old
)
MOST_ORDERED: Final = (
    16  # orders under way, in lockstep: more would fill the lines to who draws, and both would wait for ever
)


class Orders(Protocol):
    """Who draws (``ImageOrders``)."""

    @property
    def waiting(self) -> int: ...
    def give(self, order: PictureOrder) -> int: ...
    def take(self, *, block: bool) -> Drawn | None: ...


MeasuredBy = Callable[[CameraImage], MeteredPart | None]
"""The part of a picture that an automatic exposure is measured by; None: all of it."""


class Shutter:
    """Of one sensor. ``looks``: what was seen since it was opened."""

    def __init__(self, number: int, spec: RenderedSensor) -> None:
        self.number, self.spec = number, spec
        self.period_s = 1.0 / spec.rate_hz
        self.exposures = self.left_out = self.waiting = 0
        self._control = ExposureControl.of(spec) if isinstance(spec, GreyCamera) else None
        self._fixed_s = fixed_exposure_s(spec)
        self.looks: list[Moment] = []
        self.opened_s = self.next_look_s = self.exposure_s = self._gain_db = 0.0
        self._periods: int | None = (
            None  # that are over or begun; whoever is switched on later begins with the next one
        )

    @property
    def open(self) -> bool:
        return bool(self.looks)

    def learn(self, image: Image, measured_by: MeasuredBy) -> None:
        """An image has arrived: an automatic exposure follows it."""
        if self._control and self._control.bounds and isinstance(image, CameraImage):
            self._control = self._control.after(image, measured_by(image))

    @property
    def next_s(self) -> float:
        """When it wants to be looked at."""
        return self.next_look_s if self.open else (self._periods or 0) * self.period_s

    @property
    def closes_s(self) -> float:
        return self.opened_s + self.exposure_s

    def look(self, now: Moment) -> PictureOrder | None:
        """Open, look, close: what is due. The order of a picture when it closes."""
        order = None
        if self._periods is None:
            self._periods = math.ceil((now.t - SLACK_S) / self.period_s)
        if self.open:
            self.looks.append(now)
            self._plan_look()
            if now.t >= self.closes_s - SLACK_S:
                order = self._close()
        if not self.open and now.t >= self._periods * self.period_s - SLACK_S:
            self._open_next(now.t, self._periods)
            self.opened_s, self.looks = now.t, [now]
            self.exposure_s = self._control.exposure_s if self._control else self._fixed_s
            self._gain_db = self._control.gain_db if self._control else 0.0
            self._plan_look()
        return order

    def _open_next(self, t: float, periods: int) -> None:
        """Periods in which the shutter was still open, or nobody looked, leave a gap in the numbers and are counted."""
        begun = math.floor((t + SLACK_S) / self.period_s)
        missed, self._periods = begun - periods, begun + 1
        self.exposures, self.left_out = self.exposures + missed, self.left_out + missed

    def _plan_look(self) -> None:
        self.next_look_s = min(self.looks[-1].t + self.exposure_s / LOOKS, self.closes_s)

    def _close(self) -> PictureOrder:
        order = PictureOrder(
            self.number, self.exposures, self.opened_s, self.exposure_s, self._gain_db, tuple(self.looks)
        )
        self.exposures, self.looks = self.exposures + 1, []
        return order


class Shutters:
    """``waits``: images that are due are waited for. ``closed``: numbers of sensors whose shutters stay closed; the images of the
    others are the same with them and without."""

    def __init__(
        self, sensors: tuple[RenderedSensor, ...], orders: Orders, seed: int, *, waits: bool,
        closed: frozenset[int] = frozenset(),
    ) -> None:  # fmt: skip
        self._all = tuple(Shutter(number, spec) for number, spec in enumerate(sensors))
        self._used = tuple(shutter for shutter in self._all if shutter.number not in closed)
        self._orders, self._waits = orders, waits
        self.measured_by: MeasuredBy = lambda image: None
        # Four numbers: no exposure's (seed, sensor, number), and not its chip's.
        self._late = [np.random.default_rng((seed, number, 0, 2)) for number in range(len(sensors))]
        self._due: list[tuple[float, int]] = []  # when the images of an order are there, and its number
        self._drawn: dict[int, Drawn] = {}
        self._opened: dict[int, tuple[float, int]] = {}  # time and UTC of an order's first look

    @property
    def next_s(self) -> float:
        """Nothing is looked at, and no image comes, before that."""
        arrival = self._due[0][0] if self._due else math.inf
        return min([arrival, *(shutter.next_s for shutter in self._used)])

    @property
    def left_out(self) -> int:
        """Exposures that were not made because drawing has fallen behind, or nobody could look."""
        return sum(shutter.left_out for shutter in self._all)

    def look(self, t: float, moment: Callable[[], Moment]) -> None:
        """``moment``: what is true at ``t``; asked for when a shutter wants it."""
        while not self._waits and self._hear(block=False):
            pass
        wanted = [shutter for shutter in self._used if t >= shutter.next_s - SLACK_S]
        now = moment() if wanted else None
        for shutter in wanted:
            assert now is not None
            order = shutter.look(now)
            if order is None:
                continue
            if not self._waits and shutter.waiting >= (MOST_WAITING if len(self._used) <= 2 else 1):
                shutter.left_out += 1
                continue
            self._give(shutter, order)

    def arrived(self, t: float) -> list[Drawn]:
        """What is there at ``t`` and was not before, in the order in which it came; automatic exposures follow it."""
        out: list[Drawn] = []
        while self._due and self._due[0][0] <= t + SLACK_S:
            number = self._due[0][1]
            while number not in self._drawn:
                if not self._hear(block=self._waits):
                    return out
            heapq.heappop(self._due)
            drawn = _timed(self._drawn.pop(number), *self._opened.pop(number))
            shutter = self._all[drawn.sensor]
            out.append(drawn)
            shutter.learn(drawn.image, self.measured_by)
        return out

    def begin_again(self, orders: Orders) -> None:
        """With another process: what the one before owed never comes, as the gaps in the numbers say."""
        self._orders, self._due, self._drawn, self._opened = orders, [], {}, {}
        for shutter in self._all:
            shutter.waiting = 0

    def _give(self, shutter: Shutter, order: PictureOrder) -> None:
        while self._waits and self._orders.waiting >= MOST_ORDERED and self._hear(block=True):
            pass
        number = self._orders.give(order)
        self._opened[number] = order.moments[0].t, order.moments[0].utc_ns
        spec = shutter.spec
        late_s = 1e-3 * (spec.delay_ms + spec.jitter_ms * float(self._late[shutter.number].random()))
        heapq.heappush(self._due, (order.t + order.duration_s + late_s, number))
        shutter.waiting += 1

    def _hear(self, *, block: bool) -> bool:
        drawn = self._orders.take(block=block)
        if drawn is None:
            return False
        self._drawn[drawn.order] = drawn
        self._all[drawn.sensor].waiting -= 1
        return True


def _timed(drawn: Drawn, opened_s: float, opened_utc_ns: int) -> Drawn:
    """UTC of its time, by that of the first look: cycles that were lost since then do not shift it."""
    if not opened_utc_ns:
        return drawn
    return replace(drawn, exposed_ns=opened_utc_ns + round((drawn.image.t - opened_s) * 1e9))
