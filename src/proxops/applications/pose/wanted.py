"""What is wanted of a look through recorded images."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from proxops.core.errors import BadInput
from proxops.core.image_listing import KINDS
from proxops.onboard.vision.pose_covariance import DeclaredError

PART_MOST_M = 0.1
PICTURES = 12  # with what was found drawn into them


@dataclass(frozen=True)
class PoseOptions:
    """``camera``: what took the images, where they do not tell. ``start``: poses that are expected. ``alone``: each image is
    searched, none follows another."""

    model: str
    camera: Path | None = None
    model_scale: float = 1.0
    sensor: str = ""
    gives: str = ""
    labels: Path | None = None
    start: Path | None = None
    estimator: str = ""
    limit_s: float = 10.0
    alone: bool = False
    pictures: int = PICTURES
    lost_after: int = 5
    most: int | None = None  # images
    part_m: float = DeclaredError.part_m  # by which parts of the model may stand elsewhere: one standard deviation

    def demand(self) -> None:
        if self.gives and self.gives not in KINDS:
            raise BadInput("--gives", value=self.gives, bound=", ".join(KINDS))
        if not 0.0 <= self.part_m <= PART_MOST_M:
            raise BadInput("--part-m", value=self.part_m, bound=f"0 to {PART_MOST_M:g} m")
        for option, path in (("--labels", self.labels), ("--start", self.start)):
            if path is not None and not path.is_file():
                raise BadInput(f"{option}: no such file", where=str(path))
