"""Several processes that draw: orders go round, images come back in the order of the orders. One alone is ``ImageOrders``.

An order's image does not depend on what was drawn before, so it does not matter who draws it.
"""

from __future__ import annotations

import sys
from dataclasses import replace

from proxops.runs.image_orders import Drawn, ImageOrders, ImageSetting
from proxops.sensors.drawing_notes import drawing_notes
from proxops.sensors.moment import PictureOrder


class ImagePool:
    """``processes`` of them; all are begun at once."""

    def __init__(self, setting: ImageSetting, processes: int) -> None:
        for note in drawing_notes(setting.scenery, setting.cell):
            print(f"note: {note}", file=sys.stderr)
        self._lines = tuple(ImageOrders(setting) for _ in range(processes))
        self.given = self.taken = 0

    def wait_ready(self) -> None:
        """Until all can draw; BadInput in their words if they cannot, and then none is left."""
        try:
            for line in self._lines:
                line.wait_ready()
        except BaseException:
            self.close()
            raise

    def ready(self) -> bool:
        """Whether all can draw now."""
        return all([line.ready() for line in self._lines])

    @property
    def waiting(self) -> int:
        """Orders that are not answered yet."""
        return self.given - self.taken

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(line.pid for line in self._lines)

    def give(self, order: PictureOrder) -> int:
        """Its number."""
        self._lines[self.given % len(self._lines)].give(order)
        self.given += 1
        return self.given - 1

    def take(self, *, block: bool) -> Drawn | None:
        """The next order's picture; None if it is not there yet and nobody waits."""
        drawn: Drawn | None = self._lines[self.taken % len(self._lines)].take(block=block)
        if drawn is None:
            return None
        self.taken += 1
        return replace(drawn, order=self.taken - 1)

    def kill(self) -> None:
        """None of them is asked."""
        for line in self._lines:
            line.kill()

    def close(self) -> None:
        """Let all of them go."""
        for line in self._lines:
            line.close()
