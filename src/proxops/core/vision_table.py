"""Which images a mission navigates by, and what image processing knows and needs."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

from pydantic import Field

from proxops.core.designation import LEAST_PX, Designation, check_designation
from proxops.core.errors import BadInput
from proxops.core.imaging_table import ImagingSensor
from proxops.core.mounted_table import Name, PathText
from proxops.core.segments import Seconds
from proxops.core.strict_table import Finite, Strict, Truth, Whole, within


class Designate(Strict):
    """An operator says where the target is in the newest picture of a sensor, as with the console: it is searched for there."""

    at_s: Seconds
    sensor: Name
    right_px: Annotated[Finite, within(0, 4096)]
    down_px: Annotated[Finite, within(0, 4096)]
    radius_px: Annotated[Finite, within(LEAST_PX, 4096)] = 40.0  # within which its middle is

    @property
    def word(self) -> Designation:
        return Designation(self.sensor, self.right_px, self.down_px, self.radius_px)


class Vision(Strict):
    """Without ``sensors`` nobody looks for the client in images, and the modelled pose sensor measures alone."""

    sensors: Annotated[tuple[Name, ...], Field(max_length=8)] = ()  # whose images give poses
    pose_sensor: Truth = False  # the modelled pose sensor measures beside them
    client: PathText = ""  # as known on board: URDF, STL, OBJ, glTF beside this file; the one that is seen unless given
    client_scale: Annotated[Finite, within(1e-6, 1e4)] = 1.0  # metres in a unit of that file
    part_m: Annotated[Finite, within(0, 0.1)] = (
        1e-4  # by which that model's parts may stand elsewhere: one standard deviation
    )
    estimator: PathText = ""  # one of your own: path/to/file.py:ClassName, package.module:ClassName or tcp://HOST:PORT
    estimator_sensors: Annotated[
        tuple[Name, ...], Field(max_length=8)
    ] = ()  # whose images it is given; all unless given
    estimator_limit_s: Annotated[Finite, within(0.01, 50)] = 10.0  # for an image, by the wall's clock: later is no pose
    frame_ms: Annotated[Finite, within(1, 10_000)] = 100.0  # from an image to its pose, in lockstep
    search_s: Annotated[Finite, within(0.01, 600)] = 10.0  # of a picture as a whole, in lockstep
    scan_search_s: Annotated[Finite, within(0.01, 600)] = 1.0  # of a depth image or a scan
    compare_s: Annotated[Finite, within(0.1, 3600)] = 10.0  # between orbit's images beside the hall's (see = "both")
    lost_after: Annotated[Whole, within(1, 1000)] = 5  # images in a row without a pose
    designate: Annotated[tuple[Designate, ...], Field(max_length=100)] = ()  # what an operator says

    def beside(self, source: Path) -> Vision:
        """Files are named as seen from the scenario's folder; a client that is not there may be a shipped model's name."""
        found, (path, colon, name) = {}, self.estimator.rpartition(":")
        if self.client and (source.parent / self.client).is_file():
            found["client"] = str(source.parent / self.client)
        if colon and (source.parent / path).is_file():
            found["estimator"] = f"{source.parent / path}:{name}"
        return self.model_copy(update=found)

    def estimator_for(self, sensor: str) -> str:
        """Whose estimator looks at this sensor's images; empty: ours."""
        return self.estimator if not self.estimator_sensors or sensor in self.estimator_sensors else ""

    def searched_s(self, spec: ImagingSensor) -> float:
        """From an image to its pose where it is searched as a whole, in lockstep."""
        return self.search_s if spec.gives == "camera" else self.scan_search_s

    def check(self, imaging: tuple[ImagingSensor, ...]) -> None:
        """That they are there, and where the chaser can use them."""
        known = {one.name: one for one in imaging}
        for name in self.sensors:
            if name not in known:
                raise BadInput("vision.sensors: no such sensor", value=name, bound=", ".join(known) or "there is none")
            if known[name].on != "chaser":
                raise BadInput(
                    "vision.sensors: it must be on the chaser", value=name, way_out='give it on = "chaser", or leave it out'
                )  # fmt: skip
        for name in self.estimator_sensors:
            if name not in self.sensors:
                raise BadInput(
                    "vision.estimator_sensors: none of vision.sensors", value=name, bound=", ".join(self.sensors) or "none"
                )  # fmt: skip
        looked = {name: known[name] for name in self.sensors}
        for one in self.designate:
            check_designation(one.word, looked)
