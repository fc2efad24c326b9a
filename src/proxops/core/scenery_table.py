"""What imaging sensors look at, and what shines on it."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Final, Literal

from pydantic import Field

from proxops.core.strict_table import Finite, Strict, Triple, Truth, within

ORBIT_SUFFIX: Final = "_orbit"  # of a sensor that sees both, for its pictures of the orbit


class Illuminator(Strict):
    """A lamp on the chaser that shines only while a sensor exposes. 0 W/sr: there is none."""

    intensity_w_sr: Annotated[Finite, within(0, 1e6)] = 0.0  # on its axis, 400 to 1000 nm
    half_angle_deg: Annotated[Finite, within(1, 90)] = 15.0  # at which half of that is left
    place_m: Triple = (
        -0.24,
        -0.12,
        -0.25,
    )  # in the chaser's frame, where the shipped servicer draws it; it shines along -x


class ModelError(Strict):
    """By how much the client that is seen differs from its model, which image processing has: drawn from the run's seed."""

    albedo: Annotated[Finite, within(1, 10)] = 1.0  # each material is up to so many times brighter or darker
    part_m: Annotated[Finite, within(0, 0.1)] = (
        0.0  # by which each part stands elsewhere: one standard deviation, each axis
    )


class Scenery(Strict):
    """What imaging sensors look at. ``hall``: what the robots show, with robot, curtain, fence and lamp; ``orbit``: two craft
    before stars and Earth, in the light of the Sun; ``both``: each sensor twice, the second as ``NAME_orbit``. Without a hall:
    orbit."""

    see: Literal["hall", "orbit", "both"] = "hall"
    client: Annotated[str, Field(max_length=500)] = ""  # in orbit: URDF, STL, OBJ, glTF; else the hall's mock-up
    client_scale: Annotated[Finite, within(1e-6, 1e4)] = 1.0  # metres in a unit of that file
    wrapped: Truth = True  # robot 2 is wrapped in black cloth
    illuminator: Illuminator = Illuminator()
    model_error: ModelError = ModelError()

    def beside(self, source: Path) -> Scenery:
        """The client's file is named as seen from the scenario's folder; one that is not there may be a shipped model's name."""
        found = source.parent / self.client
        return self.model_copy(update={"client": str(found)}) if self.client and found.is_file() else self
