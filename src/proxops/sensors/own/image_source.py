"""What gives images that nobody draws, and the one place that says which kind of sensor takes them whence."""

from __future__ import annotations

from collections.abc import Mapping
from importlib.util import find_spec
from pathlib import Path
from typing import Protocol

from proxops.core.errors import BadInput
from proxops.core.imaging_table import OwnImages
from proxops.core.own_sensor_table import FolderSensor, GenicamSensor
from proxops.sensors.genicam_camera import EXTRA
from proxops.sensors.image_folder import SeenImage
from proxops.sensors.own.folder_source import FolderSource, folder_of
from proxops.sensors.own.genicam_source import GenicamSource
from proxops.sensors.own.network_source import NetworkSource


class ImageSource(Protocol):
    """Nothing here waits, and what goes wrong outside is a condition, not an error."""

    @property
    def next_s(self) -> float:
        """Nothing comes before that; on the run's clock, as all times."""
        ...

    @property
    def conditions(self) -> Mapping[str, str]:
        """What is wrong now, by name, in words."""
        ...

    def take(self, now_s: float) -> list[SeenImage]:
        """What has come since the last time, named after the sensor, with times on the run's clock."""
        ...

    def close(self) -> None: ...


def source_of(spec: OwnImages) -> ImageSource:
    """BadInput if there is nothing to begin with."""
    if isinstance(spec, FolderSensor):
        return FolderSource(spec)
    return GenicamSource(spec) if isinstance(spec, GenicamSensor) else NetworkSource(spec)


def demand_sources(sensors: tuple[OwnImages, ...], *, live: bool) -> None:
    """BadInput before anything moves, for what will not work: a folder that cannot be read, a camera where time is not kept."""
    for spec in sensors:
        where = f"sensor {spec.name}"
        if spec.live_only and not live:
            raise BadInput(
                f"kind {spec.kind}: keeps the wall's time, and this run does not", where=where,
                way_out="proxops run --realtime, proxops serve --sensors, or record a folder and replay it",
            )  # fmt: skip
        if isinstance(spec, FolderSensor):
            folder_of(spec)
        elif isinstance(spec, GenicamSensor):
            if not Path(spec.producer).is_file():
                raise BadInput(
                    "no such GenTL producer (a .cti file of the camera's maker)", where=where, value=spec.producer
                )
            if find_spec("harvesters") is None:
                raise BadInput("a GenICam camera needs harvesters", where=where, way_out=EXTRA)
