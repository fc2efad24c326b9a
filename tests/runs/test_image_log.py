"""What the log says of where sensors are, and which of their images it has."""

from __future__ import annotations

import numpy as np
import pytest
from small_eyes import AXES

from proxops.bridge.roles import exchange_pose
from proxops.core.imaging_table import CameraSensor
from proxops.core.scenery_table import Scenery
from proxops.lab.any_cell import load_cell
from proxops.maths.pose import compose
from proxops.optics.scene.hall_surroundings import PORT1_BODY, PORT2_BODY
from proxops.runs import image_log
from proxops.runs.image_log import sensor_log
from proxops.sensors.hall_staging import HallStaging
from proxops.sensors.moment import HallMoment, Moment, PictureOrder
from proxops.sensors.staging import unpacked

EYE = CameraSensor(kind="camera", name="eye", place_m=(-0.9, 0.1, -0.3), turn_deg=(3.0, 5.0, 7.0), log_hz=5.0)


@pytest.mark.parametrize("exchanged", [False, True])
def test_the_log_has_a_sensor_where_its_pictures_are_taken(exchanged: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    """Port frame of the log times the mount in the log: the pose that the scene is seen from."""
    mounts = {}

    def noted(sensors: object, places: dict[str, np.ndarray], *others: object, **named: object) -> None:
        mounts.update(places)

    monkeypatch.setattr(image_log, "SensorLog", noted)
    sensor_log((EYE,), exchanged)
    T_port2_port1 = np.array([6.0, 0.2, -0.1, np.cos(0.05), np.sin(0.05), 0.0, 0.0])
    if exchanged:
        exchange_pose(T_port2_port1.copy(), T_port2_port1)
    staging = HallStaging(load_cell(), Scenery(), exchanged, (EYE,))
    exposure = staging.exposure(
        PictureOrder(0, 0, 0.0, 0.0, 0.0, (Moment(0.0, None, HallMoment(T_port2_port1, AXES)),)), EYE
    )
    port = exposure.T_scene_body[0, PORT2_BODY if exchanged else PORT1_BODY]
    np.testing.assert_allclose(compose(unpacked(port), mounts["eye"]), unpacked(exposure.T_scene_sensor[0]), atol=1e-12)


def test_images_that_overtake_each_other_are_all_recorded() -> None:
    log = sensor_log((EYE,))
    order = [0, 2, 1, 4, 3, 5]
    assert [log.due("eye", 0.2 * k + 0.001) for k in order] == [True] * 6
    assert not any(log.due("eye", 0.2 * k + 0.1) for k in order)  # each fifth of a second has its image
