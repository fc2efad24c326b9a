"""Wires the image processing of a mission: which sensors it looks through, with what it knows of the light."""

from __future__ import annotations

import math

from proxops.applications.mission.eyes import LIVE_RESTARTS
from proxops.applications.mission.seen_by import looked_through, seen_by
from proxops.applications.mission.vision.light import HallLight, own_lamp
from proxops.applications.mission.vision.mission_vision import MissionVision
from proxops.applications.mission.vision.order import VisionSetting
from proxops.applications.mission.vision.sensor_work import Lights
from proxops.core.flight import Floats, onboard_data
from proxops.core.images import Image
from proxops.core.imaging_table import ImagingSensor
from proxops.core.mission import MissionFile
from proxops.lab.cell import Cell
from proxops.onboard.surface_force import begin_of, sun_direction
from proxops.onboard.vision.known_light import light_in_orbit
from proxops.onboard.vision.unit import LookedThrough, VisionUnit


class Lighting:
    """Of the sensors that are looked through, in their order; ``cells``: of the hall that each looks at, None in orbit."""

    def __init__(self, file: MissionFile, sensors: tuple[ImagingSensor, ...], cells: tuple[Cell | None, ...]) -> None:
        self._sensors, self._lamp = sensors, file.scenery.illuminator
        exchanged = file.bridge.chaser_on == 2
        self._halls = tuple(HallLight(cell, exchanged) if cell else None for cell in cells)
        self._to_sun = sun_direction(begin_of(file.orbit))

    def __call__(self, unit: VisionUnit, place: int, image: Image, axes: Floats | None) -> Lights:
        """What shone when the image was taken. ``axes``: of the hall's robots as they report them."""
        spec, hall = self._sensors[place], self._halls[place]
        lamp = tuple(own_lamp(self._lamp, spec))
        if hall is not None and image.t >= unit.handed_over_s:
            return (*hall.seen_by(spec, axes), *lamp) if axes is not None else lamp, None
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
    seen = {spec.name: (spec, hall) for spec, hall in seen_by(file, cell is not None)}
    sources = {spec.name: place for place, spec in enumerate(file.imaging, 1)}
    looked = [(*seen[name], sources.get(name, 0)) for name in looked_through(file, cell is not None)]
    cells = tuple(cell if hall else None for _, hall, _ in looked)
    exchanged = file.bridge.chaser_on == 2
    settings = tuple(
        VisionSetting(spec, file.vision, file.scenery, seen_cell, exchanged)
        for (spec, _, _), seen_cell in zip(looked, cells, strict=True)
    )
    sensors = tuple(LookedThrough(spec, source, latency_s if hall else 0.0) for spec, hall, source in looked)
    return MissionVision(
        file.vision, onboard_data(file), sensors, settings, Lighting(file, tuple(spec for spec, _, _ in looked), cells),
        waits=waits, restarts=0 if waits else LIVE_RESTARTS, distance_m=math.hypot(*file.start.position_m),
    )  # fmt: skip
