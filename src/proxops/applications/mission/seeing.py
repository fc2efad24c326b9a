"""What a mission in lockstep sees with: imaging sensors, and who finds the client in their images; opened and closed together."""

from __future__ import annotations

import socket

from proxops.applications.mission.eyes import MissionEyes
from proxops.applications.mission.vision.build import vision_of
from proxops.applications.mission.vision.mission_vision import MissionVision
from proxops.core.mission import MissionFile
from proxops.lab.cell import Cell


class Seeing:
    """Nothing until it is opened, and after that only what somebody needs."""

    def __init__(self) -> None:
        self.eyes: MissionEyes | None = None
        self.vision: MissionVision | None = None

    def open(
        self, file: MissionFile, seed: int, cell: Cell | None, latency_s: float, *, images: socket.socket | None = None,
        watched: bool = False,
    ) -> None:  # fmt: skip
        """``cell``: of the hall, if it takes part. ``watched``: images are recorded or served."""
        if not file.imaging or not (watched or file.vision.sensors):
            return
        self.eyes = MissionEyes(file, seed, cell, waits=True, images=images, only_vision=not watched)
        self.vision = vision_of(file, cell, latency_s, waits=True)

    def close(self) -> None:
        for part in (self.eyes, self.vision):
            if part:
                part.close()
