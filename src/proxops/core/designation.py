"""An operator's word in a picture: the target's middle is about there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.imaging_table import ImagingSensor

LEAST_PX: Final = 1.0  # nobody points more finely


@dataclass(frozen=True)
class Designation:
    """``number``: of the image that was pointed into; None: the newest that has come."""

    sensor: str
    right_px: float
    down_px: float
    radius_px: float  # within which it is
    number: int | None = None
    by: str = "the scenario"

    def __str__(self) -> str:
        place = f"within {self.radius_px:.0f} px of ({self.right_px:.0f}, {self.down_px:.0f})"
        return f"{self.sensor}: the target is {place} in image {self.number}, says {self.by}"


def check_designation(one: Designation, sensors: Mapping[str, ImagingSensor]) -> None:
    """BadInput for a word that cannot be meant. ``sensors``: those that are looked through, by name."""
    spec = sensors.get(one.sensor)
    if spec is None:
        raise BadInput(
            "designate: no such sensor is looked through", value=one.sensor, bound=", ".join(sensors) or "there is none"
        )
    if spec.gives == "lidar":
        raise BadInput("designate: a scan is no picture to point into", value=one.sensor)
    if one.number is not None and one.number < 0:
        raise BadInput("designate: no such image", value=one.number, bound="0 or more")
    width, height = spec.size
    for name, value, least, most in (
        ("right_px", one.right_px, 0.0, width - 1.0),
        ("down_px", one.down_px, 0.0, height - 1.0),
        ("radius_px", one.radius_px, LEAST_PX, float(max(width, height))),
    ):
        if not least <= value <= most:  # no number is not either
            raise BadInput(f"designate: {name} of {one.sensor}", value=value, bound=f"{least:g} … {most:g}")
