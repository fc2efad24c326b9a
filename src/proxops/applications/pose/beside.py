"""``pose.toml``: what is known of recorded images as a whole and stands in no label. Every key may be left out."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final

from proxops.core.scenery_table import Illuminator
from proxops.core.strict_table import Direction, Finite, Share, Strict, Whole, within
from proxops.core.strict_table import read_table as read_strict
from proxops.core.toml_text import toml_text

NAME: Final = "pose.toml"


class KnownLight(Strict):
    """For images whose labels say nothing of it; directions in the sensor's frame: z along the line of sight, x right, y down."""

    to_sun: Direction | None = None
    sunlit: Share = 1.0  # of the Sun's disc in view
    to_earth: Direction | None = None
    earth_radius_deg: Annotated[Finite, within(0, 90)] = 67.0  # as seen from 550 km
    lamp: Illuminator = Illuminator()  # on the chaser, with the sensor where its table says


class KnownBeside(Strict):
    """The file."""

    rate_hz: Annotated[Finite, within(0.001, 1000)] | None = None  # of images without times; the sensor's unless given
    exposure_ms: Annotated[Finite, within(0.0001, 100_000)] | None = None
    gain_db: Annotated[Finite, within(-60, 60)] | None = None
    white: Annotated[Whole, within(1, 65_535)] | None = None  # highest level of a pixel
    range_m: Annotated[Finite, within(0.05, 1e6)] | None = None  # about which the client is searched
    light: KnownLight = KnownLight()


def read_beside(folder: Path) -> KnownBeside:
    """Nothing is known where there is no such file."""
    path = folder / NAME
    return read_strict(toml_text(path, NAME), KnownBeside, path) if path.is_file() else KnownBeside()
