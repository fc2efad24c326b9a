"""The imaging sensors of a mission in real time: what its application's process is handed for them, and what it does with it."""

from __future__ import annotations

import argparse
import os
import pickle
import socket
from collections.abc import Callable

from proxops.applications.mission.operator_line import OperatorWords, designate_verb
from proxops.applications.mission.seeing import Seeing
from proxops.applications.mission.seen_by import log_of, looked_through, seen_by
from proxops.core.imaging_table import own
from proxops.core.mission import Mission, MissionFile
from proxops.facility.installation import Installation
from proxops.facility.live import Additions
from proxops.ground.eyes_about import EyesAbout, eyes_about
from proxops.ground.sensor_log import Arrival
from proxops.ground.viewer_ring import ViewerRing
from proxops.runs.image_news import ImageNews, ImageNewsWatch
from proxops.sensors.own.image_source import demand_sources


class EyesLine:
    """The facility's end. ``images``: listens for who wants every image."""

    def __init__(self, file: MissionFile, images: socket.socket | None) -> None:
        demand_sources(own(file.imaging), live=True)
        self._log = log_of(file) if file.imaging else None
        self._seen = {spec.name: spec for spec, _ in seen_by(file, True)}
        (self._news, self._tells), (self._heard, self._says) = os.pipe(), os.pipe()
        looked = {name: self._seen[name] for name in looked_through(file, True)}
        verbs = {"designate": designate_verb(self._says, looked)} if looked else {}
        self.additions = Additions(sensors=self._log, verbs=verbs)
        handed = {"--news": self._tells, "--words": self._heard, **({"--images": images.fileno()} if images else {})}
        self.words: tuple[object, ...] = tuple(word for pair in handed.items() for word in pair)
        self.fds = tuple(handed.values())  # for the application's process
        self._watch: ImageNewsWatch | None = None

    def begin(self, hall: Installation) -> None:
        """The process has its end; what it tells becomes events."""
        os.close(self._tells)
        os.close(self._heard)
        self._watch = ImageNewsWatch(self._news, hall.facility.events)
        hall.facility.surroundings.watchers.append(self._watch)

    def about(self, hall: Installation) -> EyesAbout | None:
        """For who looks on."""
        if hall.viewer is None or self._log is None:
            return None
        return eyes_about(hall.viewer.ring.path, self._seen.values(), self._log.channels)

    def close(self) -> None:
        os.close(self._says)
        if self._watch:
            self._watch.close()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Of the application's process."""
    parser.add_argument("--images", type=int, help="descriptor of the socket that listens for who wants images")
    parser.add_argument("--news", type=int, help="descriptor of a pipe for what is wrong with images")
    parser.add_argument("--words", type=int, help="descriptor of a pipe from which an operator's words come")


def open_eyes(mission: Mission, options: argparse.Namespace, latency_s: float) -> Seeing:
    """The imaging sensors, if there are any and a log for them, and who looks for the client in their images; they wait for
    nobody."""
    seeing = Seeing()
    if options.viewer and mission.file.imaging:
        images = socket.socket(fileno=options.images) if options.images is not None else None
        cell = pickle.loads(options.cell.read_bytes())
        seeing.open(mission.file, options.seed, cell, latency_s, images=images, watched=True, waits=False)
    return seeing


def record(seeing: Seeing, options: argparse.Namespace, arrival: Callable[[float], Arrival]) -> None:
    """From now on; ``arrival``: at a mission time, by the hall's clock."""
    if seeing.eyes:
        tell = ImageNews(options.news).tell if options.news is not None else lambda name, words: None
        seeing.record_in(ViewerRing.attach(options.viewer), arrival, tell)


def operator_words(seeing: Seeing, options: argparse.Namespace) -> Callable[[], None]:
    """To be called in every cycle: what an operator has said by then is heard."""
    vision = seeing.vision
    if vision is None or options.words is None:
        return lambda: None
    words = OperatorWords(options.words)

    def hear() -> None:
        for word in words.come():
            vision.designations.hear(word)

    return hear
