"""What a mission's chaser measures with: the relative-pose sensor, what sees, and its own instruments."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field
from pydantic_core import PydanticCustomError

from proxops.core.imaging_table import OwnImages, RenderedSensor
from proxops.core.strict_table import Finite, Share, Strict, Triple, within


class Sensor(Strict):
    """The relative-pose sensor on the chaser. All noise, bias and misalignment is one standard deviation per component; bias
    and misalignment are drawn once per run. Across: the two directions perpendicular to the line of sight."""

    kind: Literal["pose"] = "pose"
    rate_hz: Annotated[Finite, within(0.1, 50)] = 10.0
    delay_ms: Annotated[Finite, within(0, 2000)] = 120.0  # from exposure to the flight software
    jitter_ms: Annotated[Finite, within(0, 1000)] = 20.0  # added to it, uniform
    field_of_view_deg: Annotated[Finite, within(1, 180)] = 60.0  # full cone
    range_m: Annotated[Finite, within(1, 10_000)] = 400.0
    across_share: Annotated[Finite, within(0, 0.1)] = 0.0005  # noise across per metre of range
    along_share: Annotated[Finite, within(0, 0.1)] = 0.002  # along the line of sight per metre of range
    position_floor_m: Annotated[Finite, within(0, 1)] = 0.001  # added in quadrature, each component
    attitude_deg: Annotated[Finite, within(0, 30)] = 0.2
    attitude_deg_per_m: Annotated[Finite, within(0, 5)] = 0.05  # added in quadrature, times range
    bias_m: Annotated[Finite, within(0, 1)] = 0.002
    boresight_deg: Annotated[Finite, within(0, 5)] = 0.03
    attitude_bias_deg: Annotated[Finite, within(0, 10)] = 0.1
    outlier_share: Share = 0.01  # measurements that are wrong
    outlier_size: Annotated[Finite, within(1, 1000)] = 30.0  # in standard deviations
    dropout_share: Share = 0.02  # measurements that are missing
    place_m: Triple = (-0.333, 0.0, -0.25)  # in the chaser's frame: the servicer's drawn lens; it looks along -x


class Avionics(Strict):
    """The chaser's own instruments, one standard deviation."""

    star_tracker_arcsec: Annotated[Finite, within(0, 3600)] = 8.0  # white
    star_tracker_bias_arcsec: Annotated[Finite, within(0, 3600)] = 10.0
    gyro_deg_h: Annotated[Finite, within(0, 1000)] = 1.0  # white, at each sample
    gyro_bias_deg_h: Annotated[Finite, within(0, 1000)] = 0.5
    gnss_m: Annotated[Finite, within(0, 1000)] = 5.0
    gnss_m_s: Annotated[Finite, within(0, 10)] = 0.02


def fitted(given: Any) -> Any:
    """``[sensor]`` alone is the relative-pose sensor; of ``[[sensor]]`` each says its kind. Without a pose sensor there is the
    usual one, because flight software navigates by it."""
    if isinstance(given, dict):
        given = [{"kind": "pose", **given}]
    if not isinstance(given, list):
        return given
    kinds = [one.get("kind") if isinstance(one, dict) else None for one in given]
    if kinds.count("pose") > 1:
        raise PydanticCustomError("one_pose", "more than one sensor of kind pose", {"bound": "one"})
    names = [one["name"] for one in given if isinstance(one, dict) and isinstance(one.get("name"), str)]
    if len(set(names)) < len(names):
        raise PydanticCustomError("names", "two sensors of one name", {"bound": "a name for each"})
    return given if "pose" in kinds else [*given, {"kind": "pose"}]


AnySensor = Annotated[Sensor | RenderedSensor | OwnImages, Field(discriminator="kind")]
Sensors = Annotated[tuple[AnySensor, ...], Field(max_length=9), BeforeValidator(fitted)]
