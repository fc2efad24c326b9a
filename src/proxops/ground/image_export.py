"""The images of a log as files: pictures as PNG or PGM, distances as .npy in metres and PNG in millimetres, scans as PCD and PLY.

Beside them ``frames.csv`` (``core/image_listing.py``), with which the folder is a sensor again, and ``lenses.json``.
"""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np

from proxops.core.errors import BadInput
from proxops.core.grey_picture import Grey, pgm, png
from proxops.core.image_listing import LISTING, ListedImage, listing_text
from proxops.core.images import CameraImage, DepthImage, Image, PointScan
from proxops.core.point_file import pcd, ply, point_rows
from proxops.ground.log import Log
from proxops.ground.recorded_image import RecordedImage

LENSES: Final = "lenses.json"
_MOST_MM: Final = 65535
Files = dict[str, bytes]  # name, contents


def export_images(log: Log, folder: Path, *, plain: bool = False) -> dict[str, int]:
    """Every image of every sensor into a new or empty folder, with a folder for each sensor; how many of each. ``plain``: PGM."""
    if not log.sensors:
        raise BadInput("the log has no images", where=str(log.path))
    if folder.exists() and (not folder.is_dir() or any(folder.iterdir())):
        raise BadInput("exists already and is not empty", where=str(folder), way_out="choose another folder")
    try:
        return _export(log, folder, plain=plain)
    except OSError as reason:
        raise BadInput(f"cannot be written: {reason.strerror}", where=str(reason.filename or folder)) from reason


def _export(log: Log, folder: Path, *, plain: bool) -> dict[str, int]:
    listed: list[ListedImage] = []
    counts: dict[str, int] = {}
    lenses: dict[str, Any] = {}
    for sensor in log.sensors:
        (folder / sensor).mkdir(parents=True, exist_ok=True)
        for count, recorded in enumerate(log.recorded_images(sensor)):
            listed.append(_write(recorded, folder, count, plain=plain))
            if recorded.lens:
                lenses.setdefault(sensor, recorded.lens)
            counts[sensor] = count + 1
    listed.sort(key=lambda one: one.t)
    (folder / LISTING).write_text(listing_text(listed), "utf-8")
    (folder / LENSES).write_text(json.dumps(lenses, indent=1) + "\n", "utf-8")
    return counts


def _write(recorded: RecordedImage, folder: Path, count: int, *, plain: bool) -> ListedImage:
    image = recorded.image
    number = image.number if image.number >= 0 else count  # logs of before say none
    files = dict(image_files(image, f"{image.sensor}/{number:06d}", plain=plain))
    for name, data in files.items():
        (folder / name).write_bytes(data)
    truth = recorded.T_sensor_target
    return listed_image(
        image,
        number,
        next(iter(files)),
        f"{np.datetime64(recorded.exposed_ns, 'ns')}Z",
        () if truth is None else tuple(truth.tolist()),
    )


def listed_image(image: Image, number: int, file: str, utc: str = "", truth: tuple[float, ...] = ()) -> ListedImage:
    """Its line in ``frames.csv``."""
    if isinstance(image, CameraImage):
        return ListedImage(
            image.sensor, "camera", number, image.t, file, utc, image.exposure_s, image.gain_db, image.white, truth
        )
    kind = "tof" if isinstance(image, DepthImage) else "lidar"
    return ListedImage(image.sensor, kind, number, image.t, file, utc, T_sensor_target=truth)


def image_files(image: Image, stem: str, *, plain: bool = False) -> Iterator[tuple[str, bytes]]:
    """Names and contents, the one that holds it all first."""
    if isinstance(image, CameraImage):
        yield (f"{stem}.pgm", pgm(image.pixels, image.white)) if plain else (f"{stem}.png", png(image.pixels))
    elif isinstance(image, PointScan):
        rows = point_rows(image)
        yield f"{stem}.pcd", pcd(rows)
        yield f"{stem}.ply", ply(rows)
    else:
        array = io.BytesIO()
        np.save(array, image.range_m)
        yield f"{stem}_range.npy", array.getvalue()
        pictures: tuple[tuple[str, Grey], ...] = (("depth", millimetres(image)), ("intensity", image.intensity))
        for word, pixels in pictures:
            yield (f"{stem}_{word}.pgm", pgm(pixels, _MOST_MM)) if plain else (f"{stem}_{word}.png", png(pixels))


def millimetres(image: DepthImage) -> Grey:
    """Rounded, 0 where nothing came back, at most 65.5 m."""
    found = np.nan_to_num(1000.0 * image.range_m.astype(np.float64), nan=0.0)
    return np.rint(np.clip(found, 0, _MOST_MM)).astype(np.uint16)
