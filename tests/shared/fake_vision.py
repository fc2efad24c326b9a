"""Image processing of a mission without its processes: who looks for the client finds it at once, wherever anything is seen."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest
from small_eyes import FLIGHT

from proxops.applications.mission.vision import sensor_work
from proxops.applications.mission.vision.mission_vision import MissionVision
from proxops.applications.mission.vision.order import VisionFailed, VisionSetting
from proxops.core.flight import RelativeMeasurement, onboard_data
from proxops.core.images import CameraImage
from proxops.core.imaging_table import CameraSensor
from proxops.core.mission import parse_mission
from proxops.core.scenery_table import Scenery
from proxops.core.vision import PoseFound
from proxops.core.vision_table import Designate, Vision
from proxops.core.vocabulary import Doubt
from proxops.onboard.vision.sight import Sight
from proxops.onboard.vision.unit import LookedThrough

EYE = CameraSensor(kind="camera", name="eye", rate_hz=10.0)
VISION = Vision(sensors=("eye",), frame_ms=50.0, search_s=2.0, lost_after=3)
POSE = np.array([0.0, 0.0, 6.0, 1.0, 0.0, 0.0, 0.0])


class FakeLine:
    """Who looks for the client: at once, wherever anything is to be seen. ``dies`` at the sight of so many."""

    dies_after = 10**9

    def __init__(self, setting: VisionSetting) -> None:
        self.sights: list[Sight] = []
        self.answers: list[PoseFound] = []
        self.pid = 0

    def wait_ready(self) -> None: ...
    def let_go(self) -> None: ...
    def close(self) -> None: ...
    def kill(self) -> None: ...
    def ready(self, *, block: bool) -> bool:
        return True

    def give(self, sight: Sight) -> None:
        if len(self.sights) >= self.dies_after:
            raise VisionFailed("it has ended")
        self.sights.append(sight)
        image = sight.image
        assert isinstance(image, CameraImage)
        doubt = Doubt.NONE if image.pixels.any() else Doubt.DARK
        self.answers.append(PoseFound("eye", image.number, image.t, doubt, 0.9, POSE, np.eye(6) * 1e-5))

    def take(self, *, block: bool) -> PoseFound | None:
        return self.answers.pop(0) if self.answers else None


def without_processes(
    monkeypatch: pytest.MonkeyPatch, *, waits: bool = True, restarts: int = 0, designate: Sequence[Designate] = ()
) -> MissionVision:
    monkeypatch.setattr(sensor_work, "VisionOrders", FakeLine)
    file, vision = parse_mission(FLIGHT, Path("short.toml")).file, VISION.model_copy(update={"designate": designate})
    setting = VisionSetting(EYE, vision, Scenery(), None, False)
    return MissionVision(
        vision, onboard_data(file), (LookedThrough(EYE, 1, 0.0),), (setting,), lambda *_: ((), None),
        waits=waits, restarts=restarts,
    )  # fmt: skip


def picture(k: int) -> CameraImage:
    return CameraImage("eye", k, 0.1 * k, 1e-3, 0.0, 255, np.full((2, 3), [1, 2, k % 200 + 3], np.uint8))


def flown(vision: MissionVision, cycles: int, first: int = 0) -> list[tuple[float, RelativeMeasurement]]:
    """An image every 0.1 s; each measurement with the time at which it came."""
    found = []
    for k in range(first, first + cycles):
        found += [(0.1 * k, one) for one in vision.arrived(0.1 * k)]
        vision.see(picture(k), 0.1 * k, None)
    return found


def line_of(vision: MissionVision) -> FakeLine:
    line = vision._work[0].line
    assert isinstance(line, FakeLine)
    return line
