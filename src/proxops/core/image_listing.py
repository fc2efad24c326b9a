"""``frames.csv``: which file holds which image, when it was exposed and, if known, where the target truly was.

Columns, of which a user's own list needs ``t_s`` and ``file`` only: see ``COLUMNS``. Files are named from the list's own folder.
"""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

from proxops.core.errors import BadInput
from proxops.core.user_file import read_text

LISTING: Final = "frames.csv"
POSE: Final = ("x_m", "y_m", "z_m", "qw", "qx", "qy", "qz")
COLUMNS: Final = (
    "sensor", "kind", "number", "t_s", "utc", "exposure_s", "gain_db", "white", "file", *(f"T_sensor_target_{c}" for c in POSE),
)  # fmt: skip
KINDS: Final = ("camera", "tof", "lidar")
_BY_SUFFIX: Final = {".npy": "tof", ".pfm": "tof", ".pcd": "lidar", ".ply": "lidar"}
_LARGEST: Final = 256 * 1024 * 1024
_UNIT_ERROR: Final = 1e-3  # by which a quaternion's length may be off


@dataclass(frozen=True)
class ListedImage:
    """One line. ``T_sensor_target``: x y z qw qx qy qz; empty when unknown."""

    sensor: str
    kind: str
    number: int
    t: float
    file: str
    utc: str = ""
    exposure_s: float = 0.0
    gain_db: float = 0.0
    white: int = 0  # 0: as high as the file's bits go
    T_sensor_target: tuple[float, ...] = ()


def listing_text(images: Iterable[ListedImage]) -> str:
    """The file's text: numbers that read back exactly."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(COLUMNS)
    for one in images:
        truth = one.T_sensor_target or ("",) * len(POSE)
        writer.writerow(
            [one.sensor, one.kind, one.number, one.t, one.utc, one.exposure_s, one.gain_db, one.white, one.file, *truth]
        )
    return out.getvalue()


def read_listing(path: Path, told: Callable[[str], object]) -> list[ListedImage]:
    """Lines as they stand; one that makes no sense is told and left out. BadInput when nothing can be read at all."""
    rows = csv.DictReader(io.StringIO(read_text(path, "the list of images", _LARGEST)))
    names = [name.strip() for name in rows.fieldnames or ()]
    rows.fieldnames = ["t_s" if name == "t" else name for name in names]
    if not {"t_s", "file"} <= set(rows.fieldnames):
        raise BadInput("the list of images lacks t_s or file", where=str(path), value=", ".join(names[:20]))
    found: list[ListedImage] = []
    try:
        for row in rows:
            try:
                found.append(_listed({key: value for key, value in row.items() if key and value}, len(found)))
            except (ValueError, KeyError) as reason:
                told(f"{path.name} line {rows.line_num}: {reason}: left out")
    except csv.Error as reason:
        raise BadInput(
            f"is no table of comma-separated values: {reason}", where=f"{path} line {rows.line_num}"
        ) from None
    return found


def _listed(row: dict[str, str], number: int) -> ListedImage:
    file = row["file"].strip()
    kind = row.get("kind", _BY_SUFFIX.get(Path(file).suffix.lower(), "camera"))
    if kind not in KINDS:
        raise ValueError(f"kind {kind!r} is none of {', '.join(KINDS)}")
    own = ListedImage(
        row.get("sensor", kind), kind, int(row.get("number", number)), float(row["t_s"]), file, row.get("utc", ""),
        float(row.get("exposure_s", 0)), float(row.get("gain_db", 0)), int(row.get("white", 0)), _pose(row),
    )  # fmt: skip
    if not (0 <= own.number < 2**32 and 0 <= own.white < 2**16):
        raise ValueError(f"number {own.number} or white {own.white} is out of bounds")
    if not all(map(math.isfinite, (own.t, own.exposure_s, own.gain_db))):
        raise ValueError("a number is not finite")
    return own


def _pose(row: dict[str, str]) -> tuple[float, ...]:
    words = [row[key] for c in POSE if (key := f"T_sensor_target_{c}") in row]
    if not words:
        return ()
    pose = tuple(map(float, words))
    if len(pose) != len(POSE) or not all(map(math.isfinite, pose)) or abs(math.hypot(*pose[3:]) - 1.0) > _UNIT_ERROR:
        raise ValueError("T_sensor_target is no pose")
    return pose
