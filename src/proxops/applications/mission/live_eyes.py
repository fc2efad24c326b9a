"""The imaging sensors of a mission in real time: what its application's process is handed for them, and what it does with it."""

from __future__ import annotations

import argparse
import os
import pickle
import socket
from collections.abc import Callable

from proxops.applications.mission.seeing import Seeing
from proxops.applications.mission.seen_by import log_of
from proxops.core.imaging_table import own
from proxops.core.mission import Mission, MissionFile
from proxops.facility.installation import Installation
from proxops.facility.live import Additions
from proxops.ground.sensor_log import Arrival
from proxops.ground.viewer_ring import ViewerRing
from proxops.runs.image_news import ImageNews, ImageNewsWatch
from proxops.sensors.own.image_source import demand_sources


class EyesLine:
    """The facility's end. ``images``: listens for who wants every image."""

    def __init__(self, file: MissionFile, images: socket.socket | None) -> None:
        demand_sources(own(file.imaging), live=True)
        self.additions = Additions(sensors=log_of(file) if file.imaging else None)
        self._news, self._tells = os.pipe()
        handed = {"--news": self._tells, **({"--images": images.fileno()} if images else {})}
        self.words: tuple[object, ...] = tuple(word for pair in handed.items() for word in pair)
        self.fds = tuple(handed.values())  # for the application's process
        self._watch: ImageNewsWatch | None = None

    def begin(self, hall: Installation) -> None:
        """The process has its end; what it tells becomes events."""
        os.close(self._tells)
        self._watch = ImageNewsWatch(self._news, hall.facility.events)
        hall.facility.surroundings.watchers.append(self._watch)

    def close(self) -> None:
        if self._watch:
            self._watch.close()


def add_options(parser: argparse.ArgumentParser) -> None:
    """Of the application's process."""
    parser.add_argument("--images", type=int, help="descriptor of the socket that listens for who wants images")
    parser.add_argument("--news", type=int, help="descriptor of a pipe for what is wrong with images")


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
