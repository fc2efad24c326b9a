"""What an operator says of pictures: judged, kept until a search has it, and told with what has become of it.

A word is about one image. The next image of that sensor is searched with it, carried there by the chaser's own turning,
whatever was tracked before. It lapses with that search, or when the image it is about has become too old.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Final

from proxops.core.designation import Designation, check_designation
from proxops.core.errors import BadInput
from proxops.core.images import Image
from proxops.core.imaging_table import ImagingSensor
from proxops.core.vision import PoseFound
from proxops.core.vision_table import Designate
from proxops.onboard.vision.designated_place import carried_over
from proxops.onboard.vision.unit import VisionUnit

LAPSES_S: Final = 20.0  # after its image: as long as a search that is under way may take, and the operator's own time
SAID, NOT_TAKEN, CAME_OF_IT = "operator.designate", "refused.designate", "designated"
Place = tuple[float, float, float]


class Designations:
    """Of the sensors that are looked through, in their order. ``tell``: name and words of what is to be in the log."""

    def __init__(
        self, unit: VisionUnit, specs: Sequence[ImagingSensor], scripted: Sequence[Designate],
        tell: Callable[[str, str], None],
    ) -> None:  # fmt: skip
        self._unit, self._specs, self._tell = unit, {spec.name: spec for spec in specs}, tell
        self._scripted = deque(sorted(scripted, key=lambda one: one.at_s))
        self._came = {spec.name: deque[tuple[int, float]]() for spec in specs}  # number and time of images
        self._waiting: dict[str, tuple[Designation, float]] = {}  # with the time of its image

    def come(self, image: Image) -> None:
        """From now on it can be pointed into."""
        came = self._came[image.sensor]
        came.append((image.number, image.t))
        while image.t - came[0][1] > LAPSES_S:
            came.popleft()

    def follow_script(self, t: float) -> None:
        """What a scenario says by mission time ``t``."""
        while self._scripted and self._scripted[0].at_s <= t:
            self.hear(self._scripted.popleft().word)

    def hear(self, word: Designation) -> None:
        """What is refused is told, and nothing else comes of it."""
        try:
            word, t = self._judged(word)
        except BadInput as bad:
            self._tell(NOT_TAKEN, str(bad))
            return
        self._waiting[word.sensor] = word, t
        self._tell(SAID, str(word))

    def _judged(self, word: Designation) -> tuple[Designation, float]:
        """With the number of its image, and that one's time."""
        check_designation(word, self._specs)
        came = self._came[word.sensor]
        if not came:
            raise BadInput("designate: no image has come yet", value=word.sensor)
        number, t = came[-1]
        if word.number is None:
            return replace(word, number=number), t
        times = dict(came)
        if word.number not in times:
            raise BadInput(
                f"designate: image of {word.sensor} is too old, or never came", value=word.number,
                bound=f"{came[0][0]} … {number}", way_out="point into a newer one",
            )  # fmt: skip
        return word, times[word.number]

    def waits(self, sensor: str) -> bool:
        return sensor in self._waiting

    def take(self, place: int, image: Image) -> Place | None:
        """For the search of this image, if there is a word and it still holds."""
        found = self._waiting.pop(image.sensor, None)
        if found is None:
            return None
        word, t = found
        lens, width, height = self._specs[image.sensor].lens, *self._specs[image.sensor].size
        at = None
        if lens is not None and image.t - t <= LAPSES_S:
            at = carried_over(lens, (word.right_px, word.down_px), self._unit.R_to_from(place, image.t, t))
        reach = word.radius_px
        if at is None or not (-reach <= at[0] < width + reach and -reach <= at[1] < height + reach):
            why = "too old" if image.t - t > LAPSES_S else "out of view"
            self._tell(CAME_OF_IT, f"{image.sensor}: what was said of image {word.number} has lapsed: {why} by now")
            return None
        return *at, reach

    def searched(self, found: PoseFound) -> None:
        """What was found there."""
        came = f"found, trust {found.trust:.2f}" if found.trusted else f"not found: {found.doubt.name}"
        self._tell(CAME_OF_IT, f"{found.sensor}: image {found.number} was searched there: {came}")
