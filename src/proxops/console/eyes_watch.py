"""Watches what the facility's imaging sensors see, for all pages: drains the ring at its own pace, keeps the newest of each."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Mapping
from typing import Any, Final

from proxops.console.attendance import Attendance
from proxops.console.marks import marks_of, scan_marks_of
from proxops.console.sight import facts_of, sight_of
from proxops.console.vision_watch import VisionWatch
from proxops.ground.eyes_about import SEEN_PARTS, EyeAbout, EyesAbout
from proxops.ground.sensor_log import FACTS_PART, FOUND_PART, MARKS_PART
from proxops.ground.viewer_message import ViewerMessage
from proxops.ground.viewer_onlooker import ViewerOnlooker

LOOK_S: Final = 0.04
VISION_EVERY: Final = 5  # looks, between two states of image processing
NO_RING: Final = "their ring cannot be read"
CLOSED: Final = "the sensors have ended"


class EyesWatch:
    """``run`` for as long as the server lives. ``follow``: the facility has said which sensors there are. ``moment_ms``: a UTC of
    the facility's (ns) by our clock."""

    def __init__(self, attendance: Attendance, moment_ms: Callable[[int], float]) -> None:
        self._attendance, self._gallery, self._moment_ms = attendance, attendance.gallery, moment_ms
        self._onlooker: ViewerOnlooker | None = None
        self._channels: dict[int, tuple[EyeAbout, str]] = {}
        self._trouble, self.malformed = "", 0
        self._about: EyesAbout | None = None
        self._vision, self._looks = VisionWatch(moment_ms), 0

    def states(self) -> list[dict[str, Any]]:
        """What a page that comes now must know: nothing where there never was a sensor."""
        seen = [] if self._about is None and not self._trouble else [self._state()]
        return [*seen, self._vision.state()] if self._looked_through else seen

    def follow(self, about: EyesAbout | None) -> None:
        """Other sensors than before: another ring, and nothing that the old ones saw."""
        if about == self._about and not (about is None and self._trouble):
            return
        self._about, self._onlooker, self._trouble = about, None, ""
        self._gallery.clear()
        self._vision.clear()
        self._channels = {
            number: (eye, what) for eye in (about.sensors if about else ()) for number, what in eye.channels.items()
        }
        if about:
            try:
                self._onlooker = ViewerOnlooker(about.ring)
            except (OSError, ValueError) as error:
                self._trouble = f"{NO_RING}: {error}"
        self._attendance.tell_all(self._state())

    def heed(self, status: Mapping[str, Any]) -> None:
        """The desk's status says so where a facility's sensors change while it runs."""
        if "eyes" in status:
            try:
                self.follow(EyesAbout.of(status["eyes"]))
            except (ValueError, KeyError, TypeError, AttributeError) as error:
                if self._about:
                    self.follow(None)
                self._say(f"what the facility says of them cannot be understood: {type(error).__name__} {error}")

    async def run(self) -> None:
        while True:
            self.look()
            await asyncio.sleep(LOOK_S)

    def look(self) -> None:
        """What has come by now, and whoever looks on is told that there is something."""
        if self._onlooker is not None:
            for message in self._onlooker.look():
                self._take(message)
            if self._onlooker.closed:
                self._onlooker = None
                self._say(CLOSED)
        self._looks += 1
        if self._vision.news and self._looked_through and self._looks % VISION_EVERY == 0:
            self._attendance.tell_all(self._vision.state())
        self._wake()

    def _take(self, message: ViewerMessage) -> None:
        """One that cannot be understood is counted, and what was seen before stays."""
        eye, what = self._channels.get(message.channel, (None, ""))
        if eye is None:
            return
        try:
            if what == FACTS_PART:
                self._gallery.learn(eye.name, *facts_of(message.body))
            elif what == FOUND_PART:
                self._vision.learn(eye.name, message.body)
            elif what == MARKS_PART:
                marks = (scan_marks_of if eye.kind == "lidar" else marks_of)(eye.name, message.body)
                marks = marks.with_facts(number=self._vision.number_at(eye.name, marks.utc_ns))
                self._gallery.hang(marks, self._moment_ms(marks.utc_ns))
            else:
                sight = sight_of(eye.name, what, message.body)
                self._gallery.hang(sight, self._moment_ms(sight.utc_ns))
        except ValueError:
            self.malformed += 1

    def _wake(self) -> None:
        for viewer in self._attendance.viewers.values():
            if viewer.looking.waiting():
                viewer.wake.set()

    @property
    def _looked_through(self) -> bool:
        return any(what == FOUND_PART for _, what in self._channels.values())

    def _say(self, trouble: str) -> None:
        if trouble != self._trouble:
            self._trouble = trouble
            self._attendance.tell_all(self._state())

    def _state(self) -> dict[str, Any]:
        sensors = [
            {
                "name": eye.name, "kind": eye.kind, "width": eye.width, "height": eye.height, "rate_hz": eye.rate_hz,
                "shows": [part for part in SEEN_PARTS if part in eye.channels.values()],
                "looked_through": FOUND_PART in eye.channels.values(),
            }
            for eye in (self._about.sensors if self._about else ())
        ]  # fmt: skip
        return {"kind": "sensors", "sensors": sensors, "trouble": self._trouble}
