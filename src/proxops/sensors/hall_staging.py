"""Exposures in the hall: what robots, mock-ups and lamp look like while a shutter is open. The frame of the scene is the lab."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from proxops.core.imaging_table import RenderedSensor
from proxops.core.mounted_table import Mounted
from proxops.core.scenery_table import Scenery
from proxops.lab.cell import Cell
from proxops.maths.pose import compose
from proxops.optics.exposure import Exposure
from proxops.optics.scene.hall_lights import hall_lights
from proxops.optics.scene.hall_mockups import mockup_mesh
from proxops.optics.scene.hall_surroundings import PORT1_BODY, PORT2_BODY, hall_poses, hall_scene
from proxops.optics.scene.mesh import Mesh
from proxops.sensors.moment import Floats, PictureOrder
from proxops.sensors.staging import (
    as_it_is,
    in_the_middle,
    judge_place,
    lamp_on_chaser,
    markers_on,
    staged,
    true_pose,
    unpacked,
)

FAINT = 2.5  # W/m²/sr: a hundredth of white paint in the lamp
HALF_TURN = np.diag(
    [-1.0, -1.0, 1.0, 1.0]
)  # about z: a craft's frame in its port's with the roles exchanged (bridge/roles.py)


class HallStaging:
    """``faint``: see ``Renderer``. ``exchanged``: robot 2 shows the chaser. ``sensors``: whose markers are fitted.
    ``seed``: of what the client's model does not have."""

    faint = FAINT

    def __init__(
        self, cell: Cell, scenery: Scenery, exchanged: bool, sensors: Sequence[RenderedSensor], seed: int = 0
    ) -> None:
        self._cell, self._lights, self._lamp = cell, hall_lights(cell), scenery.illuminator
        self._target, self._chaser = (PORT1_BODY, PORT2_BODY) if exchanged else (PORT2_BODY, PORT1_BODY)
        self._T_port_craft = HALF_TURN if exchanged else np.eye(4)
        markers = {
            body: [mesh.moved(self._T_port_craft) for mesh in markers_on(craft, sensors)]
            for craft, body in (("chaser", self._chaser), ("target", self._target))
        }
        client = as_it_is(mockup_mesh(cell, 0 if exchanged else 1).mesh, scenery, seed)
        self.scene = hall_scene(cell, wrapped=scenery.wrapped, fitted=markers, seen={self._target: client})
        for spec in sensors:
            judge_place(self.scene, self._body_of(spec), self._T_port_craft, spec)

    def exposure(self, order: PictureOrder, spec: RenderedSensor) -> Exposure:
        seen = [moment.hall for moment in order.moments if moment.hall is not None]
        poses = np.array([hall_poses(self._cell, hall.axes, hall.T_port2_port1) for hall in seen])
        T_lab_chaser = compose(unpacked(in_the_middle(order, poses)[self._chaser]), self._T_port_craft)
        lights = (*self._lights, *lamp_on_chaser(self._lamp, T_lab_chaser))
        return staged(order, poses, self._T_port_craft, self._body_of(spec), spec, lights, None)

    def _body_of(self, spec: Mounted) -> int:
        return self._chaser if spec.on == "chaser" else self._target

    def truth(self, exposure: Exposure, share: float = 0.5) -> Floats:
        """T_sensor_target (7) when this share of the exposure has passed."""
        return true_pose(exposure, self._target, self._T_port_craft, share)


def hall_client(cell: Cell, exchanged: bool) -> Mesh:
    """The mock-up that plays the target, in the target's frame."""
    return mockup_mesh(cell, 0).mesh.moved(HALF_TURN) if exchanged else mockup_mesh(cell, 1).mesh
