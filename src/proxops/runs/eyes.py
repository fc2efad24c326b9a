"""All imaging sensors of a run, as its owner has them: those whose images another process draws, and those that a user brings.

What goes wrong is told once and by name. In lockstep a process that cannot draw any more ends the run (DrawingFailed), because
what comes after would not be what the seed says; live the run goes on without its images.
"""

from __future__ import annotations

import math
import socket
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.image_frame import BadFrame
from proxops.core.images import Image
from proxops.core.imaging_table import OwnImages
from proxops.runs.image_orders import DrawingFailed, Drawn, ImageSetting
from proxops.runs.image_pool import ImagePool
from proxops.runs.shutters import MeasuredBy, Shutters
from proxops.sensors.image_server import ImageServer
from proxops.sensors.moment import Moment
from proxops.sensors.own.image_source import demand_sources, source_of

Tell = Callable[[str, str], None]
"""A condition's name, and words."""

NOT_DRAWN: Final = "images_not_drawn"
NOT_SERVED: Final = "images_not_served"


@dataclass(frozen=True)
class EyeSetting:
    """``drawn``: None if no images are drawn. What is not drawn stands behind what is, in the log and in numbers."""

    drawn: ImageSetting | None
    own: tuple[OwnImages, ...] = ()
    processes: int = 1  # that draw
    closed: frozenset[int] = frozenset()  # of those that are drawn: nobody wants their images


class OwnEye:
    """One sensor that a user brings; each of its conditions is told once."""

    def __init__(self, spec: OwnImages, number: int) -> None:
        self._spec, self._number, self._source = spec, number, source_of(spec)
        self._told: set[str] = set()
        self._taken = 0
        self.close = self._source.close

    @property
    def next_s(self) -> float:
        return self._source.next_s

    def arrived(self, t: float, tell: Tell) -> list[Drawn]:
        found: list[Drawn] = []
        if t >= self._source.next_s - 1e-9:
            for seen in self._source.take(t):
                found.append(Drawn(self._taken, self._number, seen.image, None, seen.T_sensor_target))
                self._taken += 1
        for name, words in self._source.conditions.items():
            if name not in self._told:
                self._told.add(name)
                tell(name, f"{self._spec.name}: {words}")
        return found


class Eyes:
    """``waits``: in lockstep, images that are due are waited for. ``restarts``: how often a process that draws may be replaced.
    ``images``: listens for who wants every image, without its truth."""

    def __init__(
        self, setting: EyeSetting, *, waits: bool, restarts: int = 0, images: socket.socket | None = None
    ) -> None:
        demand_sources(setting.own, live=not waits)
        self._setting, self._waits, self._restarts = setting, waits, restarts
        self._server = ImageServer(images) if images else None
        self.tell: Tell = lambda name, words: None
        self._unserved: set[str] = set()
        first = len(setting.drawn.sensors) if setting.drawn else 0
        self._own = [OwnEye(spec, first + k) for k, spec in enumerate(setting.own)]
        self._orders: ImagePool | None = None
        self._shutters: Shutters | None = None
        if setting.drawn:
            self._orders = ImagePool(setting.drawn, setting.processes)
            try:
                self._orders.wait_ready()
            except DrawingFailed:
                if waits:
                    raise  # live the first look finds it again, and tells whoever listens by then
            self._shutters = Shutters(
                setting.drawn.sensors, self._orders, setting.drawn.seed, waits=waits, closed=setting.closed
            )

    def measure_by(self, part: MeasuredBy) -> None:
        """Automatic exposures of pictures that are drawn."""
        if self._shutters:
            self._shutters.measured_by = part

    @property
    def next_s(self) -> float:
        """Nothing is looked at, and no image comes, before that."""
        drawn = self._shutters.next_s if self._shutters and self._orders else math.inf
        return min([drawn, *(eye.next_s for eye in self._own)])

    @property
    def left_out(self) -> int:
        return self._shutters.left_out if self._shutters else 0

    @property
    def pids(self) -> tuple[int, ...]:
        """Of the processes that draw."""
        return self._orders.pids if self._orders else ()

    def look(self, t: float, moment: Callable[[], Moment]) -> list[Drawn]:
        """Expose what is due at ``t``; what has come since the last time."""
        found = self._drawn(t, moment)
        for eye in self._own:
            found += eye.arrived(t, self.tell)
        for drawn in found:
            self._serve(drawn.image)
        return found

    def poll(self) -> None:
        """Live, in every turn of the owner's loop: send on what waits for clients."""
        if self._server:
            self._server.poll()

    def close(self) -> None:
        for eye in self._own:
            eye.close()
        if self._server:
            self._server.close()
        if self._orders:
            self._orders.close()

    def _drawn(self, t: float, moment: Callable[[], Moment]) -> list[Drawn]:
        if self._orders is None or self._shutters is None:
            return []
        try:
            if not self._orders.ready():
                return []
            self._shutters.look(t, moment)
            return self._shutters.arrived(t)
        except BadInput as failure:
            if self._waits:
                raise
            self._lose(failure)
            return []

    def _serve(self, image: Image) -> None:
        """To whoever listens; one that no frame can hold is told once of its sensor."""
        if self._server is None:
            return
        try:
            self._server.send(image, 0 if self._waits else time.time_ns())
        except BadFrame as reason:
            if image.sensor not in self._unserved:
                self._unserved.add(image.sensor)
                self.tell(NOT_SERVED, str(reason))

    def _lose(self, failure: BadInput) -> None:
        """The process is of no use any more; another takes its place, if it may."""
        assert self._orders and self._shutters and self._setting.drawn
        self._orders.kill()
        self._orders = None
        again = self._restarts > 0 and isinstance(failure, DrawingFailed)
        self.tell(NOT_DRAWN, f"{failure}; {'it is started again' if again else 'there are no more images of it'}")
        if again:
            self._restarts -= 1
            self._orders = ImagePool(self._setting.drawn, self._setting.processes)
            self._shutters.begin_again(self._orders)
