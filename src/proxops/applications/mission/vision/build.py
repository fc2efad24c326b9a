"""Wires the image processing of a mission: which sensors it looks through, with what it knows of the light."""

from __future__ import annotations

from proxops.applications.mission.vision.light import HallLight, own_lamp
from proxops.applications.mission.vision.mission_vision import Lights, MissionVision
from proxops.applications.mission.vision.order import VisionSetting
from proxops.core.flight import Floats, onboard_data
from proxops.core.images import Image
from proxops.core.imaging_table import ImagingSensor
from proxops.core.mission import MissionFile
from proxops.lab.cell import Cell
from proxops.onboard.surface_force import begin_of, sun_direction
from proxops.onboard.vision.known_light import light_in_orbit
from proxops.onboard.vision.unit import LookedThrough, VisionUnit

LIVE_RESTARTS = 3  # of a process, live


class Lighting:
    """Of the sensors that are looked through, in their order. ``cell``: of the hall that they look at."""

    def __init__(self, file: MissionFile, sensors: tuple[ImagingSensor, ...], cell: Cell | None) -> None:
        self._sensors, self._lamp = sensors, file.scenery.illuminator
        self._hall = HallLight(cell, file.bridge.chaser_on == 2) if cell else None
        self._to_sun = sun_direction(begin_of(file.orbit))

    def __call__(self, unit: VisionUnit, place: int, image: Image, axes: Floats | None) -> Lights:
        """What shone when the image was taken. ``axes``: of the hall's robots as they report them."""
        spec = self._sensors[place]
        lamp = tuple(own_lamp(self._lamp, spec))
        if self._hall is not None:
            return (*self._hall.seen_by(spec, axes), *lamp) if axes is not None else lamp, None
        known = unit.own_at(image.t)
        if known is None:
            return lamp, None
        own, p_eci = known
        lights, earth = light_in_orbit(self._to_sun, p_eci, unit.R_sensor_eci(place, own))
        return (*lights, *lamp), earth


def vision_of(file: MissionFile, cell: Cell | None, latency_s: float, *, waits: bool) -> MissionVision | None:
    """None if nobody looks at images. ``cell``: of the hall that takes part; images show it unless the scenery says orbit.
    ``latency_s``: by which the hall is late."""
    if not file.vision.sensors:
        return None
    looked = [(place, spec) for place, spec in enumerate(file.imaging, 1) if spec.name in file.vision.sensors]
    sees_hall = cell is not None and file.scenery.see != "orbit"
    seen_cell, late_s = (cell, latency_s) if sees_hall else (None, 0.0)
    exchanged = file.bridge.chaser_on == 2
    settings = tuple(VisionSetting(spec, file.vision, file.scenery, seen_cell, exchanged) for _, spec in looked)
    sensors = tuple(LookedThrough(spec, place, late_s) for place, spec in looked)
    return MissionVision(
        file.vision, onboard_data(file), sensors, settings, Lighting(file, tuple(spec for _, spec in looked), seen_cell),
        waits=waits, restarts=0 if waits else LIVE_RESTARTS,
    )  # fmt: skip
