"""Pictures to order: the same bits for the same order, poses that fit what is seen, hall and orbit of one mind."""

from __future__ import annotations

import numpy as np
import pytest
from small_eyes import image_bytes, moment, order, small_sensors

from proxops.core.errors import BadInput
from proxops.core.images import CameraImage, DepthImage, PointScan
from proxops.core.imaging_table import CameraSensor, FiducialSensor
from proxops.core.scenery_table import Illuminator, ModelError, Scenery
from proxops.lab.any_cell import load_cell
from proxops.maths.pose import compose, inverse_pose, pose_from_packed
from proxops.onboard.marker_finder import MarkerFinder
from proxops.optics.scene.hall_surroundings import PORT2_BODY
from proxops.optics.scene.orbit_surroundings import TARGET
from proxops.sensors.camera.exposure_control import ExposureControl
from proxops.sensors.hall_staging import HallStaging
from proxops.sensors.image_generator import ImageGenerator, true_lens
from proxops.sensors.moment import PictureOrder
from proxops.sensors.mount import T_craft_sensor
from proxops.sensors.orbit_staging import OrbitStaging

SENSORS = small_sensors()


@pytest.fixture(scope="module")
def orbit() -> ImageGenerator:
    return ImageGenerator(SENSORS, (False,) * 3, Scenery(), 1, load_cell())


@pytest.fixture(scope="module")
def hall() -> ImageGenerator:
    return ImageGenerator(SENSORS, (True,) * 3, Scenery(), 1, load_cell())


@pytest.mark.parametrize("index", range(3))
def test_the_same_order_gives_the_same_bits_whatever_came_before(index: int, orbit: ImageGenerator) -> None:
    first = image_bytes(orbit.take(order(index))[0])
    orbit.take(order(index, 1, moment(range_m=6.0)))
    assert image_bytes(orbit.take(order(index))[0]) == first
    fresh = ImageGenerator(SENSORS, (False,) * 3, Scenery(), 1, load_cell())
    assert image_bytes(fresh.take(order(index))[0]) == first
    other = ImageGenerator(SENSORS, (False,) * 3, Scenery(), 2, load_cell())
    assert image_bytes(other.take(order(index))[0]) != first


@pytest.mark.parametrize("on", ["chaser", "target"])
def test_the_pose_that_goes_with_an_image_is_that_of_the_craft(on: str, hall: ImageGenerator) -> None:
    spec = SENSORS[0].model_copy(update={"on": on, "turn_deg": (3.0, -2.0, 40.0), "place_m": (-1.1, 0.2, -0.3)})
    assert isinstance(spec, CameraSensor)
    T_target_chaser = pose_from_packed(moment().hall.T_port2_port1)  # type: ignore[union-attr]
    T_target_craft = T_target_chaser if on == "chaser" else np.eye(4)
    wanted = inverse_pose(compose(T_target_craft, T_craft_sensor(spec)))
    for sees_hall in (True, False):
        generator = ImageGenerator((spec,), (sees_hall,), Scenery(), 1, load_cell())
        np.testing.assert_allclose(pose_from_packed(generator.take(order(0))[1]), wanted, atol=1e-9)


def test_the_pose_that_goes_with_a_scan_is_that_of_its_first_point(orbit: ImageGenerator) -> None:
    moments = tuple(moment(0.1 * k, range_m=4.0 - 0.1 * k) for k in range(3))
    image, T_sensor_target = orbit.take(order(2, 0, *moments))
    still = orbit.take(order(2, 0, moment(range_m=4.0)))[1]
    assert image.t == 0.0
    np.testing.assert_allclose(T_sensor_target, still, atol=1e-12)


def test_with_exchanged_roles_the_chaser_is_on_robot_2() -> None:
    """T_port2_port1 = Rz(π)⁻¹ T_target_chaser⁻¹ Rz(π): bridge/roles.py."""
    generator = ImageGenerator(SENSORS[:1], (True,), Scenery(), 1, load_cell(), exchanged=True)
    turn = np.diag([-1.0, -1.0, 1.0, 1.0])
    T_port2_port1 = pose_from_packed(moment().hall.T_port2_port1)  # type: ignore[union-attr]
    T_chaser_target = turn @ T_port2_port1 @ turn
    wanted = compose(inverse_pose(T_craft_sensor(SENSORS[0])), T_chaser_target)
    np.testing.assert_allclose(pose_from_packed(generator.take(order(0))[1]), wanted, atol=1e-9)


def test_the_client_is_where_its_pose_says_in_hall_and_orbit(hall: ImageGenerator, orbit: ImageGenerator) -> None:
    """The middle of the docking disc (x = 0.715 m in the target's frame) is bright, at the pixel where the lens puts it; both
    surroundings show it at the same place, and a time-of-flight camera at its distance."""
    for generator in (hall, orbit):
        image, T = generator.take(order(0))
        assert isinstance(image, CameraImage) and isinstance(SENSORS[0], CameraSensor)
        p = pose_from_packed(T) @ np.array([0.716, 0.09, 0.0, 1.0])
        u, v, w = SENSORS[0].lens.intrinsics @ p[:3]
        assert image.pixels[round(v / w), round(u / w)] > 40
        depth, T = generator.take(order(1))
        assert isinstance(depth, DepthImage)
        p = pose_from_packed(T) @ np.array([0.716, 0.09, 0.0, 1.0])
        u, v, w = SENSORS[1].lens.intrinsics @ p[:3]  # type: ignore[union-attr]
        assert depth.range_m[round(v / w), round(u / w)] == pytest.approx(np.linalg.norm(p[:3]), abs=0.15)
    scan, _ = hall.take(order(2))
    assert isinstance(scan, PointScan) and len(scan.points_m) > 20


def test_what_moves_during_the_exposure_is_blurred(orbit: ImageGenerator) -> None:
    still = orbit.take(order(0))[0]
    turning = orbit.take(order(0, 0, moment(), moment(t=3e-5, turn_rad=0.5)))[0]
    assert isinstance(still, CameraImage) and isinstance(turning, CameraImage)
    edges = [np.abs(np.diff(image.pixels.astype(float), axis=1)).sum() for image in (still, turning)]
    assert edges[1] < 0.8 * edges[0]


def test_the_chasers_lamp_lights_an_eclipse() -> None:
    dark = moment()
    assert dark.orbit is not None
    eclipsed = moment()
    object.__setattr__(eclipsed.orbit, "sunlit", 0.0)
    bright = []
    for intensity in (0.0, 50_000.0):
        scenery = Scenery(illuminator=Illuminator(intensity_w_sr=intensity))
        generator = ImageGenerator(SENSORS[:1], (False,), scenery, 1, None)
        image = generator.take(order(0, 0, eclipsed))[0]
        assert isinstance(image, CameraImage)
        bright.append(int(image.pixels.max()))
    assert bright[0] < 10 and bright[1] > 100


@pytest.mark.parametrize("sees_hall", [True, False])
def test_a_camera_inside_a_body_is_refused_by_name(sees_hall: bool) -> None:
    buried = SENSORS[0].model_copy(update={"place_m": (-0.1, 0.0, -0.14)})  # in the servicer's box
    with pytest.raises(BadInput, match="sensor eye is inside the chaser"):
        ImageGenerator((buried,), (sees_hall,), Scenery(), 1, load_cell())


@pytest.mark.parametrize("sees_hall", [True, False])
def test_the_marker_of_a_fiducial_is_found_where_it_is(sees_hall: bool) -> None:
    """By the finder that flight software has: through lens, light, noise and all. Beside the mast's disc, out of its shadow."""
    spec = FiducialSensor.model_validate({"kind": "fiducial", "name": "mark", "marker_place_m": (0.74, 0.0, -0.25)})
    generator = ImageGenerator((spec,), (sees_hall,), Scenery(), 1, load_cell())
    control, sighting = ExposureControl.of(spec), None
    for number in range(6):
        look = PictureOrder(0, number, 0.0, control.exposure_s, control.gain_db, (moment(range_m=3.0),))
        image, T = generator.take(look)
        assert isinstance(image, CameraImage) and image.pixels.dtype == np.uint8
        control = control.after(image)
        marker = spec.marker
        sighting = MarkerFinder(spec.lens.intrinsics, marker.side_m, marker.dictionary, marker.number).find(
            image.pixels
        )
    assert sighting is not None
    wanted = compose(pose_from_packed(T), spec.T_craft_marker)
    found = pose_from_packed(sighting.T_camera_marker)
    np.testing.assert_allclose(found[:3, 3], wanted[:3, 3], atol=0.004)  # in depth: 0.1 px of 110 px at 2 m is 2 mm
    assert np.degrees(np.arccos(0.5 * (np.trace(found[:3, :3].T @ wanted[:3, :3]) - 1.0))) < 1.5


def test_a_client_that_is_not_as_its_model_is_the_same_in_hall_and_orbit_and_another_with_each_seed() -> None:
    scenery = Scenery(model_error=ModelError(albedo=2.0, part_m=0.003))
    cell = load_cell()

    def client(staging: HallStaging | OrbitStaging, body: int) -> np.ndarray:
        scene = staging.scene
        return scene.vertices[np.unique(scene.triangles[scene.first_triangle[body] : scene.first_triangle[body + 1]])]

    drawn = client(OrbitStaging(Scenery(), cell, (), 1), TARGET)
    orbit = client(OrbitStaging(scenery, cell, (), 1), TARGET)
    hall = client(HallStaging(cell, scenery, False, (), 1), PORT2_BODY)
    np.testing.assert_array_equal(np.sort(hall, axis=0), np.sort(orbit, axis=0))
    off = np.linalg.norm(orbit - drawn, axis=1)
    assert 0.002 < np.sqrt(np.mean(off**2)) < 0.009  # 3 mm on each of three axes, of some tens of parts
    assert not np.array_equal(client(OrbitStaging(scenery, cell, (), 2), TARGET), orbit)


def test_a_focal_length_that_is_not_as_told_scales_the_picture() -> None:
    spec = SENSORS[0].model_copy(update={"focal_error_share": 0.05})
    assert isinstance(spec, CameraSensor)
    lens = true_lens(spec, 3)
    assert lens.fx != spec.lens.fx and lens.fy / lens.fx == pytest.approx(spec.lens.fy / spec.lens.fx)
    assert true_lens(spec.model_copy(update={"name": spec.name + "_orbit"}), 3) == lens  # one camera
    drawn = [true_lens(spec, seed).fx / spec.lens.fx - 1.0 for seed in range(200)]
    assert np.std(drawn) == pytest.approx(0.05, rel=0.15)
