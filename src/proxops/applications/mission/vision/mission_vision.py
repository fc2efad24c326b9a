"""The image processing of a mission, as its application has it: images in, poses for the filter out.

For each sensor one image is worked on at a time. In lockstep its pose is there a declared time after the image (longer where the
whole image is searched) and waited for then; live it is there when it is. Images that come meanwhile wait: while one is tracked
only the newest, while one is searched all, so that the client can be followed from the image in which it was found to now.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from proxops.applications.mission.vision.designations import Designations
from proxops.applications.mission.vision.image_faults import spoiled
from proxops.applications.mission.vision.order import VisionFailed, VisionSetting
from proxops.applications.mission.vision.sensor_work import Job, Lights, SensorWork
from proxops.core.errors import BadInput
from proxops.core.flight import Floats, Measurements, OnboardData, RelativeMeasurement, Telemetry
from proxops.core.images import CameraImage, Image, MeteredPart
from proxops.core.vision import PoseFound, Processed
from proxops.core.vision_table import Vision
from proxops.core.vocabulary import MissionPhase, VisionState
from proxops.onboard.vision.prediction_width import searches
from proxops.onboard.vision.sight import Sight
from proxops.onboard.vision.unit import LookedThrough, VisionUnit

GIVEN_UP_S: Final = 60.0  # between two looks for a lost client by a craft that has given up and drifts away
SLACK_S: Final = 1e-9  # times are sums of cycles
LightOf = Callable[[VisionUnit, int, Image, Floats | None], Lights]


class MissionVision:
    """``waits``: in lockstep. ``listeners``: to every answer, with the mission time at which it came."""

    def __init__(
        self, vision: Vision, data: OnboardData, sensors: tuple[LookedThrough, ...], settings: tuple[VisionSetting, ...],
        light_of: LightOf, *, waits: bool, restarts: int = 0, distance_m: float | None = None,
    ) -> None:  # fmt: skip
        """``distance_m``: of the client, as told at the beginning."""
        self._light_of = light_of
        self._vision, self._waits, self._restarts = vision, waits, restarts
        self.unit = VisionUnit(data, sensors, vision.lost_after, distance_m)
        self._work = [SensorWork(setting) for setting in settings]
        self._places = {setting.sensor.name: place for place, setting in enumerate(settings)}
        self._ready: list[RelativeMeasurement] = []
        self._given_up = False
        self._shown: dict[str, Image] = {}  # last image of a sensor before it was spoiled
        self.fault_of: Callable[[float, str], str] = lambda t, sensor: ""
        self.listeners: list[Callable[[Processed, float], None]] = []
        self.tell_condition: Callable[[str, str], None] = lambda name, words: None
        specs = [setting.sensor for setting in settings]
        self.designations = Designations(
            self.unit, specs, vision.designate, lambda name, words: self.tell_condition(name, words)
        )
        try:
            for work in self._work:
                work.line.wait_ready()
        except BaseException:
            self.close()
            raise

    @property
    def pids(self) -> tuple[int, ...]:
        return tuple(work.line.pid for work in self._work)

    def see(self, image: Image, t: float, axes: Floats | None) -> None:
        """An image of some sensor has come at mission time ``t``. ``axes``: of the hall's robots, as they report them."""
        place = self._places.get(image.sensor)
        if place is None:
            return
        image = spoiled(image, self._shown, self.fault_of(t, image.sensor))
        self.designations.come(image)
        self.designations.follow_script(t)
        refused = self.unit.refusal(place, image)
        if refused is not None:
            self._answered(place, refused, t, searched=False)
            return
        if self._given_up and not self._wanted(place, image):
            return
        self._work[place].waiting.append((image, self._light_of(self.unit, place, image, axes)))
        self._begin(place, t)

    def part_with_client(self, image: CameraImage) -> MeteredPart | None:
        """Where the client is in a picture, as far as that is known."""
        place = self._places.get(image.sensor)
        return None if place is None else self.unit.part_with_client(place, image)

    def note(self, m: Measurements) -> None:
        self.unit.note(m)

    def believe(self, t: float, told: Telemetry) -> None:
        self.unit.believe(t, told.estimate)
        self._given_up = told.phase is MissionPhase.DRIFT

    def arrived(self, t: float) -> tuple[RelativeMeasurement, ...]:
        """Poses that are there at ``t`` and were not before; images that waited are begun."""
        self.designations.follow_script(t)
        for place, work in enumerate(self._work):
            while work.job is not None and self._finish(place, work.job, t):
                pass
        out, self._ready = tuple(self._ready), []
        return out

    def close(self) -> None:
        """All at once: one may be in the middle of a search."""
        for work in self._work:
            work.line.let_go()
        for work in self._work:
            work.line.close()

    def _wanted(self, place: int, image: Image) -> bool:
        """After giving up: while the client is followed all images are, else one now and then."""
        work = self._work[place]
        return self.unit.followed_t(place) is not None or image.t >= work.begun_t + GIVEN_UP_S

    def _begin(self, place: int, t: float) -> None:
        """The next image, if none is worked on."""
        work = self._work[place]
        if work.job is not None or not work.waiting:
            return
        said = self.designations.waits(work.name)
        image, (lights, earth) = work.next_image(None if said else self.unit.followed_t(place))
        where = self.designations.take(place, image) if said else None
        if where is not None:
            self.unit.search(place)
        prediction = self.unit.prediction(place, image)
        searched = searches(prediction)
        takes_s = work.search_s if searched else 1e-3 * self._vision.frame_ms
        work.begun_t = image.t
        work.job = Job(image, t + takes_s, searched, where is not None)
        try:
            work.line.give(Sight(image, prediction, lights, earth, where))
        except VisionFailed as failure:
            self._lose(place, failure)

    def _finish(self, place: int, job: Job, t: float) -> bool:
        """Take what is due, begin the next; whether there may be more."""
        work = self._work[place]
        if self._waits and job.due_s > t + SLACK_S:
            return False
        try:
            found = work.line.take(block=self._waits) if work.line.ready(block=self._waits) else None
        except BadInput as failure:  # of one that was started again, what it says of its setting, too
            self._lose(place, failure)
            return False
        if found is None:
            return False
        work.job = None
        if job.designated:
            self.designations.searched(found)
        self._answered(place, found, t, job.searched)
        self._begin(place, job.due_s if self._waits else t)
        return True

    def _answered(self, place: int, found: PoseFound, t: float, searched: bool) -> None:
        before = self.unit.tracking[place].state
        measurement = self.unit.take(place, found)
        if measurement is not None:
            self._ready.append(measurement)
        state = self.unit.tracking[place].state
        if state is not before:
            why = f": {found.doubt.name}" if state is VisionState.LOST else ""
            self.tell_condition("vision", f"{found.sensor}: {before.name} → {state.name}{why} at {found.t:.1f} s")
        processed = Processed(found, state, searched, self.unit.source_of(place))
        for listener in self.listeners:
            listener(processed, t)

    def _lose(self, place: int, failure: BadInput) -> None:
        """In lockstep what comes after would not be what the seed says; live another process takes its place."""
        if self._waits or self._restarts <= 0:
            raise failure if isinstance(failure, VisionFailed) else VisionFailed(str(failure))
        self._restarts -= 1
        self.tell_condition("vision_failed", f"{self._work[place].name}: {failure}; it is started again")
        self._work[place].begin_again()
