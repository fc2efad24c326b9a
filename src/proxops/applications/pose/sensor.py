"""Which sensor took recorded images: a table, a calibration file, or what stands beside the images or in their log."""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from proxops.core.errors import BadInput
from proxops.core.imaging_table import CameraSensor, ImagingSensor, LidarSensor, TofSensor
from proxops.core.json_text import read_json
from proxops.core.lens import Lens
from proxops.core.lens_check import check_lens
from proxops.core.lens_file import read_lens
from proxops.core.mission import load_mission, mission_paths
from proxops.core.mounted_table import Lensed
from proxops.core.toml_text import load_toml
from proxops.core.user_file import read_text
from proxops.runs.sensor_file import read_sensor_file

FORMS: Final = "a TOML file with a [[sensor]] table, a calibration of OpenCV or ROS, or a mission"
ABOUT: Final = "dataset.json"
LENSES: Final = "lenses.json"
LARGEST: Final = 16_000_000


def named_sensors(camera: Path) -> tuple[ImagingSensor, ...]:
    """Of a TOML file or a mission's name; none of a calibration file."""
    if not camera.exists() and str(camera) in mission_paths():
        return load_mission(str(camera)).file.imaging
    if not camera.is_file():
        raise BadInput("--camera: no such file", where=str(camera), bound=f"{FORMS}; {', '.join(mission_paths())}")
    if camera.suffix.lower() != ".toml":
        return ()
    values = load_toml(camera, "the camera")
    return load_mission(camera).file.imaging if {"kind", "like"} & set(values) else read_sensor_file(camera).sensor


def sensors_beside(folder: Path, kinds: dict[str, str]) -> tuple[ImagingSensor, ...]:
    """As a data set or an export tells. ``kinds``: of sensors by their names, where only lenses are told."""
    if (folder / ABOUT).is_file():
        about = read_about(folder / ABOUT)
        rows = about.get("sensors", [])
        if not isinstance(rows, list):
            raise BadInput("sensors is no list", where=str(folder / ABOUT))
        return tuple(_of_data_set(row, folder / ABOUT) for row in rows)
    if (folder / LENSES).is_file():
        lenses = {name: lens_of(lens, folder / LENSES) for name, lens in read_about(folder / LENSES).items()}
        scanners = [name for name, kind in kinds.items() if kind == "lidar"]
        names = dict.fromkeys([*lenses, *scanners])
        return tuple(with_lens(kinds.get(name, "camera"), name, lenses.get(name)) for name in names)
    return ()


def with_lens(kind: str, name: str, lens: Lens | None) -> ImagingSensor:
    """Of that kind, all else as tables have it unless they say otherwise."""
    if kind == "lidar":
        return LidarSensor(kind="lidar", name=name)
    if lens is None:
        raise BadInput("nothing tells of the lens", value=name, way_out="--camera FILE")
    try:
        if kind == "tof":
            return TofSensor(kind="tof", name=name, width=lens.width, height=lens.height).looking_through(lens)
        return CameraSensor(kind="camera", name=name, width=lens.width, height=lens.height).looking_through(lens)
    except ValidationError as error:
        raise BadInput(
            "a picture of this size is not handled", value=f"{lens.width} x {lens.height}", bound="16 … 2048"
        ) from error


def calibrated(camera: Path, kind: str, size: tuple[int, int]) -> ImagingSensor:
    """From a calibration file; ``size`` (width, height) of the images."""
    if kind == "lidar":
        raise BadInput("--camera: a LiDAR has no lens", where=str(camera), bound="a TOML file with a [[sensor]] table")
    about = read_about(camera) if camera.suffix.lower() == ".json" else {}
    return with_lens(kind, "camera", _of_speed(about, camera) if "cameraMatrix" in about else read_lens(camera, size))


def _of_speed(about: dict[str, Any], path: Path) -> Lens:
    """``camera.json`` of SPEED+."""
    try:
        K, size = about["cameraMatrix"], {"width": about["Nu"], "height": about["Nv"]}
        numbers = {"fx": K[0][0], "fy": K[1][1], "cx": K[0][2], "cy": K[1][2]}
        distortion = [*about.get("distCoeffs", ()), 0.0, 0.0, 0.0, 0.0, 0.0][:5]
    except (KeyError, TypeError, IndexError):
        raise BadInput(
            "a camera that makes no sense", where=str(path), bound="Nu, Nv, cameraMatrix, distCoeffs"
        ) from None
    lens = lens_of({**size, **numbers, "distortion": distortion}, path)
    check_lens(lens, where=str(path))
    return lens


def _of_data_set(row: Any, path: Path) -> ImagingSensor:
    try:
        known = {key: value for key, value in row.items() if key not in ("lens", "T_chaser_sensor")}
        sensor: ImagingSensor = TypeAdapter(ImagingSensor).validate_python(known)
        lens = row.get("lens")
    except (ValidationError, AttributeError) as error:
        why = error.errors()[0] if isinstance(error, ValidationError) else {"loc": (), "msg": "no table"}
        words = f"a sensor that makes no sense: {'.'.join(map(str, why['loc'][1:]))} {why['msg']}"
        raise BadInput(words, where=str(path)) from None
    return sensor.looking_through(lens_of(lens, path)) if lens and isinstance(sensor, Lensed) else sensor


def lens_of(values: Any, path: Path) -> Lens:
    try:
        numbers = {key: float(values[key]) for key in ("fx", "fy", "cx", "cy")}
        k1, k2, p1, p2, k3 = (float(k) for k in values.get("distortion", (0.0,) * 5))
        return Lens(int(values["width"]), int(values["height"]), **numbers, distortion=(k1, k2, p1, p2, k3))
    except (KeyError, TypeError, ValueError, OverflowError, AttributeError):
        raise BadInput("a lens that makes no sense", where=str(path), value=values) from None


def read_about(path: Path) -> dict[str, Any]:
    value = read_json(read_text(path, path.name, LARGEST), path.name, str(path))
    if not isinstance(value, dict):
        raise BadInput(f"{path.name} is no object", where=str(path))
    return value
