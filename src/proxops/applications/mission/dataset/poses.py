"""Where the target stands before a sensor: drawn over a range of distances, or as a mission flies."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from numpy.typing import NDArray

from proxops.applications.mission.dataset.lights import ORBIT_M, LightCondition, about, sun_and_earth
from proxops.core.imaging_table import LidarSensor, RenderedSensor
from proxops.maths.pose import compose, inverse_pose, pose
from proxops.maths.rotation import matrix_from_quat, quat_from_matrix
from proxops.sensors.moment import Moment, OrbitMoment
from proxops.sensors.mount import T_craft_sensor
from proxops.sensors.staging import packed

Floats = NDArray[np.float64]
FILLED: Final = 0.6  # of half the field of view, in which the target's origin lies


@dataclass(frozen=True, eq=False)
class PosedView:
    """One picture to be taken: what is true, and which light that is."""

    moment: Moment
    light: str


def drawn(
    spec: RenderedSensor, light: str, condition: LightCondition, between_m: tuple[float, float], rng: np.random.Generator,
    filled: float = FILLED,
) -> PosedView:  # fmt: skip
    """By a sensor on the chaser: any attitude; distance evenly on a logarithmic scale; the target's origin anywhere in the middle
    of the picture, ``filled`` of its half."""
    range_m = math.exp(rng.uniform(*np.log(between_m)))
    half = filled * _half_view(spec) * math.sqrt(rng.random())
    sight = about(np.array([0.0, 0.0, 1.0]), half, rng)
    T_sensor_target = pose(matrix_from_quat(_any_attitude(rng)), range_m * sight)
    T_craft_target = compose(T_craft_sensor(spec), T_sensor_target)
    T_target_chaser = inverse_pose(T_craft_target)
    q_eci_target = _any_attitude(rng)
    R_eci_target = matrix_from_quat(q_eci_target)
    to_sensor = -R_eci_target @ T_sensor_target[:3, :3].T @ sight
    sun, earth = sun_and_earth(condition, to_sensor, rng)
    orbit = OrbitMoment(packed(T_target_chaser), q_eci_target, -ORBIT_M * earth, sun, condition.sunlit, _turn(rng))
    return PosedView(Moment(0.0, orbit, None), light)


def flown(moments: Sequence[Moment], count: int) -> list[PosedView]:
    """Of a flight, evenly in time; the light is the orbit's."""
    places = np.linspace(0, len(moments) - 1, min(count, len(moments))).round().astype(int)
    return [PosedView(replace(moments[place], t=0.0), "flown") for place in places]


def narrowest(sensors: Sequence[RenderedSensor]) -> RenderedSensor:
    """The one whose view the client is put into: pictures of one number show one moment, so that sensors can be compared."""
    return min(sensors, key=_half_view)


def _half_view(spec: RenderedSensor) -> float:
    if isinstance(spec, LidarSensor):
        return 0.5 * math.radians(min(spec.field_of_view_deg))
    lens = spec.lens
    return math.atan(0.5 * min(lens.width / lens.fx, lens.height / lens.fy))


def _any_attitude(rng: np.random.Generator) -> Floats:
    q = rng.standard_normal(4)
    return np.asarray(quat_from_matrix(matrix_from_quat(q / np.linalg.norm(q))))


def _turn(rng: np.random.Generator) -> float:
    return 2.0 * math.pi * float(rng.random())
