"""Which files of a folder are images, in which order, and what a list would say of each."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Final

from proxops.applications.pose.beside import KnownBeside
from proxops.applications.pose.labels import ImageLabel
from proxops.core.image_listing import LISTING, ListedImage
from proxops.core.imaging_table import CameraSensor, ImagingSensor

SUFFIXES: Final = {
    "camera": (".png", ".tif", ".tiff", ".pgm", ".jpg", ".jpeg", ".bmp"),
    "tof": (".npy", ".npz", ".pfm", ".png", ".tif", ".tiff", ".pgm"),
    "lidar": (".pcd", ".ply", ".csv", ".npz", ".npy", ".xyz", ".txt"),
}
LABELS: Final = (LISTING, "labels.csv", "labels.json")
OURS: Final = (*LABELS, "poses.csv")
AMPLITUDE: Final = "_intensity"


def listed_as(label: ImageLabel, kind: str, place: int, beside: KnownBeside) -> ListedImage:
    exposure_s = label.exposure_s if label.exposure_s is not None else (beside.exposure_ms or 0.0) * 1e-3
    gain_db = label.gain_db if label.gain_db is not None else beside.gain_db or 0.0
    number = label.number if label.number is not None else place
    return ListedImage(
        "camera",
        kind,
        number,
        0.0,
        label.file,
        exposure_s=exposure_s,
        gain_db=gain_db,
        white=label.white or beside.white or 0,
    )


def white_of(sensor: ImagingSensor, file: str) -> int:
    """Of a camera with more than 8 bits in 16, as its table says; 0: as high as the file's bits go."""
    deep = isinstance(sensor, CameraSensor) and sensor.bits > 8 and not file.lower().endswith((".jpg", ".jpeg"))
    return 2**sensor.bits - 1 if deep and isinstance(sensor, CameraSensor) else 0


def image_files_in(folder: Path, kind: str) -> list[str]:
    """By their names, numbers in them as numbers; one for each image."""
    suffixes = SUFFIXES[kind]
    names = [
        path.name for path in folder.iterdir()
        if path.suffix.lower() in suffixes and path.name not in OURS and AMPLITUDE not in path.stem and path.is_file()
    ]  # fmt: skip
    if kind == "tof" and any(name.lower().endswith((".npy", ".npz")) for name in names):
        names = [name for name in names if name.lower().endswith((".npy", ".npz"))]
    best: dict[str, str] = {}
    for name in sorted(names, key=lambda name: suffixes.index(Path(name).suffix.lower())):
        best.setdefault(Path(name).stem, name)
    return sorted(best.values(), key=lambda name: [int(w) if w.isdecimal() else w for w in re.split(r"(\d+)", name)])
