"""The imaging sensors of a served hall: a TOML file with ``[[sensor]]`` tables and ``[scenery]``, as a mission has them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from proxops.core.errors import BadInput
from proxops.core.imaging_table import ImagingSensor
from proxops.core.scenery_table import Scenery
from proxops.core.strict_table import Strict, read_table
from proxops.core.toml_text import toml_text


class SensorFile(Strict):
    """The whole TOML file."""

    sensor: Annotated[tuple[ImagingSensor, ...], Field(min_length=1, max_length=8)]
    scenery: Scenery = Scenery()


def read_sensor_file(path: Path) -> SensorFile:
    """What a hall shows is looked at, so it sees no orbit; every sensor has a name of its own. Files it names stand beside it."""
    file = read_table(toml_text(path, "the sensors"), SensorFile, path)
    found = {"sensor": tuple(one.beside(path) for one in file.sensor), "scenery": file.scenery.beside(path)}
    file = file.model_copy(update=found)
    names = [sensor.name for sensor in file.sensor]
    if len(set(names)) < len(names):
        raise BadInput("sensor: two sensors of one name", where=str(path), value=", ".join(names))
    if file.scenery.see != "hall":
        raise BadInput(
            "scenery.see: a served hall has no orbit", where=str(path), value=file.scenery.see, bound="hall",
            way_out="a mission has one: proxops run MISSION --realtime",
        )  # fmt: skip
    return file
