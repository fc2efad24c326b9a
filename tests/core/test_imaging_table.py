"""Tables of cameras as a scenario declares them: what they mean, and what is refused."""

from __future__ import annotations

from pathlib import Path

import pytest

from proxops.core.errors import BadInput
from proxops.core.imaging_table import CameraSensor, FiducialSensor, GreyCamera, ImagingSensor, Mounted
from proxops.core.strict_table import Strict, judge_table

EYE = {"name": "eye", "kind": "camera"}


class Sensors(Strict):
    sensor: tuple[ImagingSensor, ...]


def read(**given: object) -> ImagingSensor:
    return judge_table({"sensor": ({**EYE, **given},)}, Sensors, Path("here.toml")).sensor[0]


def test_kinds_are_told_apart() -> None:
    assert type(read()) is CameraSensor
    fiducial = read(kind="fiducial", marker_side_m=0.1, marker_number=3)
    assert isinstance(fiducial, FiducialSensor) and isinstance(fiducial, GreyCamera) and isinstance(fiducial, Mounted)
    assert (fiducial.marker.side_m, fiducial.marker.number) == (0.1, 3)


def test_the_lens_is_in_pixels_with_its_axis_in_the_middle() -> None:
    lens = read(focal_mm=4.95).lens
    assert (lens.fx, lens.fy, lens.cx, lens.cy) == pytest.approx((500.0, 500.0, 319.5, 239.5))
    assert read(centre_px=(300.0, 200.0)).lens.cx == 300.0


@pytest.mark.parametrize(
    ("given", "complaint"),
    [
        ({"exposure_ms": 0.0}, "exposure_ms"),
        ({"exposure_ms": "off"}, "exposure_ms"),
        ({"shortest_exposure_ms": 30.0}, "longest_exposure_ms"),
        ({"gain_db": 30.0}, "highest_gain_db: below gain_db"),
        ({"bits": 7}, "bits"),
        ({"kind": "eye"}, "kind"),
        ({"marker_side_m": 0.1}, "unknown key"),
        ({"kind": "fiducial", "marker_dictionary": "aruco"}, "marker_dictionary"),
    ],
)
def test_what_cannot_be_is_refused(given: dict[str, object], complaint: str) -> None:
    with pytest.raises(BadInput, match=complaint):
        read(**given)


def test_a_fixed_exposure_does_not_ask_for_the_automatics_bounds() -> None:
    assert read(exposure_ms=5.0, gain_db=30.0).gain_db == 30.0
