"""Draws the pictures of docs/eyes.md: ``PYTHONPATH=src python docs/draw_eyes.py [RUN]``.

The contact sheet is taken by the sensors' own code, at poses and lights that stand here. Hall and orbit are the last images of
the shipped mission ``eyes``: of the run in the folder ``RUN``, or else flown now, which takes minutes.
"""

import sys
import tempfile
from pathlib import Path
from typing import Final

import cv2
import numpy as np
from numpy.typing import NDArray

from proxops import read_log, run
from proxops.applications.mission.dataset.exposing import take
from proxops.applications.mission.dataset.poses import PosedView
from proxops.applications.mission.report.eyes_pictures import picture_of
from proxops.core.images import CameraImage
from proxops.core.imaging_table import CameraSensor, ImagingSensor, LidarSensor, TofSensor
from proxops.core.scenery_table import Illuminator, Scenery
from proxops.maths.pose import compose, inverse_pose, pose
from proxops.maths.rotation import matrix_from_rotation_vector
from proxops.sensors.image_generator import ImageGenerator
from proxops.sensors.moment import Moment, OrbitMoment
from proxops.sensors.mount import T_craft_sensor
from proxops.sensors.staging import packed

Rgb = NDArray[np.uint8]
PICTURES: Final = Path(__file__).parent / "pictures"
DISTANCES_M: Final = (20.0, 10.0, 5.0, 3.0)
LIGHTS: Final = {  # angle at the client between the ways to the Sun and to the camera; its share in view; W/sr of the lamp
    "Sun 15 deg": (15.0, 1.0, 0.0),
    "Sun 50 deg": (50.0, 1.0, 0.0),
    "Sun 90 deg": (90.0, 1.0, 0.0),
    "Sun 135 deg, Earth": (135.0, 1.0, 0.0),
    "eclipse, lamp": (50.0, 0.0, 100.0),
}
WIDTH, HEIGHT = 320, 240  # of a cell
ORBIT_M: Final = 6.928e6
TURN: Final = np.array([0.35, 0.30, 0.50])  # rad, of the client before the camera
EYE: Final = CameraSensor(kind="camera", name="eye")


def main() -> None:
    PICTURES.mkdir(exist_ok=True)
    _save("eyes_light.jpg", _contact_sheet())
    if len(sys.argv) > 1:
        _of_run(Path(sys.argv[1]))
        return
    with tempfile.TemporaryDirectory() as name:
        run("eyes", out=name, report=False)
        _of_run(Path(name))


def _contact_sheet() -> Rgb:
    """Distance downwards, light across."""
    rows = []
    for distance_m in DISTANCES_M:
        cells = [_cell(distance_m, words, light) for words, light in LIGHTS.items()]
        rows.append(np.hstack(cells))
    return np.vstack(rows)


def _cell(distance_m: float, words: str, light: tuple[float, float, float]) -> Rgb:
    """The middle of the picture where the client is small, else all of it."""
    phase_deg, sunlit, lamp = light
    scenery = Scenery(see="orbit", illuminator=Illuminator(intensity_w_sr=lamp))
    generator = ImageGenerator((EYE,), (False,), scenery, 1, None)
    image, _ = take(
        generator, EYE, 0, 0, PosedView(_moment(distance_m, phase_deg, sunlit, "Earth" in words), words), 1.0
    )
    assert isinstance(image, CameraImage)
    rgb = picture_of(EYE, image, 0.0, 1.0, EYE.width)
    if distance_m >= 10.0:
        top, left = (EYE.height - HEIGHT) // 2, (EYE.width - WIDTH) // 2
        rgb = np.ascontiguousarray(rgb[top : top + HEIGHT, left : left + WIDTH])
    else:
        rgb = np.asarray(cv2.resize(rgb, (WIDTH, HEIGHT), interpolation=cv2.INTER_AREA), np.uint8)
    exposed = f"{1e3 * image.exposure_s:.2f} ms" + (f", {image.gain_db:.0f} dB" if image.gain_db else "")
    return _labelled(rgb, f"{distance_m:g} m, {words}, {exposed}")


def _moment(distance_m: float, phase_deg: float, sunlit: float, earthlit: bool) -> Moment:
    """The client's axes are inertial; the Sun to the right and above as the camera has it."""
    R_sensor_target = matrix_from_rotation_vector(TURN) @ np.array(
        [[0.0, 1.0, 0.0], [0.0, 0.0, -1.0], [-1.0, 0.0, 0.0]]
    )
    T_sensor_target = pose(np.ascontiguousarray(R_sensor_target), np.array([0.0, 0.0, distance_m]))
    T_target_chaser = inverse_pose(compose(T_craft_sensor(EYE), T_sensor_target))
    aside, away = np.array([0.8, -0.6, 0.0]), np.radians(phase_deg)
    to_sun = R_sensor_target.T @ (np.sin(away) * aside + np.cos(away) * np.array([0.0, 0.0, -1.0]))
    down = np.array([0.0, 0.0, -1.0]) if earthlit else np.array([0.0, 1.0, 0.0])  # behind the camera, or below
    orbit = OrbitMoment(
        packed(T_target_chaser), np.array([1.0, 0, 0, 0]), -ORBIT_M * (R_sensor_target.T @ down), to_sun, sunlit, 0.3
    )
    return Moment(0.0, orbit, None)


def _of_run(folder: Path) -> None:
    """Cameras of hall and orbit side by side; ranges likewise, in colours."""
    specs: tuple[ImagingSensor, ...] = (
        EYE,
        TofSensor(kind="tof", name="depth"),
        LidarSensor(kind="lidar", name="scan"),
    )
    log = read_log(folder)
    rows = []
    for name, spec in zip(("far", "depth", "scan"), specs, strict=True):
        pair = []
        for where, sensor in (("hall", name), ("orbit", f"{name}_orbit")):
            *_, image = log.images(sensor)
            words = "2 m red to 10 m blue" if name != "far" else "camera"
            pair.append(_labelled(picture_of(spec, image, 2.0, 10.0, 480), f"{sensor}: {where}, {words}"))
        rows.append(np.hstack(pair))
    _save("eyes_hall.jpg", rows[0])
    _save("eyes_depth.jpg", rows[1])
    _save("eyes_scan.jpg", rows[2])


def _labelled(rgb: Rgb, words: str) -> Rgb:
    out = np.ascontiguousarray(rgb)
    for colour, thick in (((0, 0, 0), 3), ((255, 255, 255), 1)):
        cv2.putText(out, words, (6, 14), cv2.FONT_HERSHEY_SIMPLEX, 0.38, colour, thick, cv2.LINE_AA)
    return out


def _save(name: str, rgb: Rgb) -> None:
    (PICTURES / name).write_bytes(cv2.imencode(".jpg", rgb[:, :, ::-1], [cv2.IMWRITE_JPEG_QUALITY, 82])[1].tobytes())


if __name__ == "__main__":
    main()
