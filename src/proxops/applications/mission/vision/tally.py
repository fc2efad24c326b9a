"""How image processing did, by the truth that images carry beside them: for who judges a flight, never for who flies it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from proxops.core.flight import Floats
from proxops.core.vision import Processed
from proxops.core.wrong_pose import is_wrong
from proxops.runs.image_orders import Drawn

MOST_KEPT: Final = 4096  # images that nobody has answered yet


@dataclass
class VisionTally:
    """Of the images that count: ``accepted``, ``refused``; of those accepted whose truth is known, ``wrong``."""

    accepted: int = 0
    refused: int = 0
    wrong: int = 0

    def __post_init__(self) -> None:
        self._truths: dict[tuple[str, int], Floats] = {}

    def know(self, drawn: Drawn) -> None:
        """The truth of an image."""
        if drawn.T_sensor_target is None:
            return
        if len(self._truths) >= MOST_KEPT:
            self._truths.pop(next(iter(self._truths)))
        self._truths[drawn.image.sensor, drawn.image.number] = drawn.T_sensor_target

    def hear(self, processed: Processed, t: float) -> None:
        """An answer."""
        found = processed.found
        truth = self._truths.pop((found.sensor, found.number), None)
        if not processed.source:
            return
        self.accepted += found.trusted
        self.refused += not found.trusted
        if found.trusted and found.T_sensor_target is not None and truth is not None:
            self.wrong += is_wrong(found.T_sensor_target, truth)
