"""What a sensor's images are lit by, as is known without looking: the Sun in orbit, the lamp where a hall stands in for it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proxops.core.flight import Floats
from proxops.core.mounted_table import Mounted
from proxops.core.scenery_table import Illuminator
from proxops.lab.cell import Cell
from proxops.lab.coordinates import put_port_poses
from proxops.maths.pose import inverse_pose
from proxops.optics.scene.hall_lights import hall_lights
from proxops.optics.scene.light import DistantLight, Light, NearLight, SurroundingLight
from proxops.sensors.hall_staging import HALF_TURN
from proxops.sensors.mount import T_craft_sensor
from proxops.sensors.staging import lamp_on_chaser


class HallLight:
    """The lamp by the axes as robots report them: how far these are off, nobody knows."""

    def __init__(self, cell: Cell, exchanged: bool) -> None:
        self._cell, self._lights, self._exchanged = cell, hall_lights(cell), exchanged

    def seen_by(self, spec: Mounted, axes: Floats) -> tuple[Light, ...]:
        """In the sensor's frame."""
        T1, T2 = np.eye(4), np.eye(4)
        put_port_poses(self._cell.hall, np.ascontiguousarray(axes, np.float64), T1, T2)
        T_lab_chaser = T2 @ HALF_TURN if self._exchanged else T1
        T_sensor_lab = inverse_pose(np.ascontiguousarray(T_lab_chaser @ T_craft_sensor(spec)))
        return tuple(_carried(light, T_sensor_lab) for light in self._lights)


def own_lamp(lamp: Illuminator, spec: Mounted) -> Sequence[Light]:
    """The chaser's, in the sensor's frame."""
    return lamp_on_chaser(lamp, inverse_pose(np.ascontiguousarray(T_craft_sensor(spec))))


def _carried(light: Light, T: Floats) -> Light:
    x, y, z = (T[:3, :3] @ np.array(light.direction)).tolist()
    if isinstance(light, DistantLight):
        return DistantLight((x, y, z), light.irradiance, light.radius_rad)
    if isinstance(light, SurroundingLight):
        return SurroundingLight((x, y, z), light.irradiance)
    a, b, c = (T[:3, :3] @ np.array(light.place) + T[:3, 3]).tolist()
    return NearLight((a, b, c), (x, y, z), light.intensity, light.half_angle_rad, light.radius_m)
