"""A camera's calibration as OpenCV or ROS writes it, read as a ``Lens``.

Both have ``image_width``, ``image_height``, ``camera_matrix`` and ``distortion_coefficients`` (k1 k2 p1 p2 k3); OpenCV as YAML,
XML or JSON with tagged matrices, ROS's camera_info as plain YAML with rows, cols and data. What Brown's model of
core/lens.py does not have is refused, not left out. Both count pixels as we do: (0, 0) is the middle of the first.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from proxops.core.errors import BadInput
from proxops.core.lens import Lens
from proxops.core.lens_check import check_lens

LARGEST: Final = 1_000_000  # bytes; calibrations with all their points have some hundred thousand
BROWN: Final = ("plumb_bob", "")  # ROS's name; OpenCV's files name none
KEYS: Final = {  # as written today; as OpenCV's older sample wrote them
    "width": ("image_width", "image_Width"),
    "height": ("image_height", "image_Height"),
    "matrix": ("camera_matrix", "Camera_Matrix"),
    "distortion": ("distortion_coefficients", "Distortion_Coefficients"),
}
WAY_OUT: Final = "OpenCV's calibration and ROS's camera_info bring all four: " + ", ".join(k[0] for k in KEYS.values())

Floats = NDArray[np.float64]


def read_lens(path: Path, size: tuple[int, int]) -> Lens:
    """The lens of a calibration file; ``size`` is (width, height) of the pictures that it is meant for."""
    storage = _open(path)
    try:
        lens = _lens(storage, path)
    finally:
        storage.release()
    if (lens.width, lens.height) != size:
        raise BadInput(
            "the lens was calibrated for pictures of another size",
            where=str(path),
            value=f"{lens.width} x {lens.height}",
            bound=f"{size[0]} x {size[1]}",
            way_out="give the sensor the calibration's width and height, or calibrate with its own pictures",
        )
    check_lens(lens, where=str(path))
    return lens


def _open(path: Path) -> Any:
    """OpenCV's reader of the file's text, which ROS writes without the heading that OpenCV wants."""
    import cv2

    text = _text(path)
    if not text.lstrip().startswith(("%YAML", "<?xml", "{")):
        text = "%YAML:1.0\n---\n" + text.removeprefix("---\n")
    level = cv2.utils.logging.setLogLevel(cv2.utils.logging.LOG_LEVEL_SILENT)  # what is wrong, we say
    try:
        storage = cv2.FileStorage(text, cv2.FILE_STORAGE_READ | cv2.FILE_STORAGE_MEMORY)
        storage.getNode("camera_matrix")  # fails if the file is a list
        return storage
    except (cv2.error, SystemError) as error:  # it cannot be parsed
        raise _wrong("not a calibration file", path) from error
    finally:
        cv2.utils.logging.setLogLevel(level)


def _text(path: Path) -> str:
    try:
        if path.stat().st_size > LARGEST:
            raise _wrong("too large for a calibration file", path, bound=f"{LARGEST} bytes")
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise _wrong(f"cannot be read: {error}", path) from error
    if not text.strip():
        raise _wrong("the file is empty", path)
    return text


def _lens(storage: Any, path: Path) -> Lens:
    model = storage.getNode("distortion_model")
    name = model.string() if model.isString() else ""
    if name not in BROWN:
        raise _wrong(
            "another model of distortion", path, name, BROWN[0], "calibrate with five coefficients k1 k2 p1 p2 k3"
        )
    K = _matrix(storage, "matrix", path)
    if K.shape != (3, 3) or K[0, 1] != 0.0 or K[1, 0] != 0.0 or tuple(K[2]) != (0.0, 0.0, 1.0):
        raise _wrong("not a camera's matrix", path, K.tolist(), "3 x 3: fx 0 cx, 0 fy cy, 0 0 1")
    width, height = _whole(storage, "width", path), _whole(storage, "height", path)
    distortion = _coefficients(_matrix(storage, "distortion", path), path)
    return Lens(width, height, float(K[0, 0]), float(K[1, 1]), float(K[0, 2]), float(K[1, 2]), distortion)


def _coefficients(found: Floats, path: Path) -> tuple[float, float, float, float, float]:
    values = found.ravel().tolist()
    if min(found.shape) > 1 or len(values) not in (4, 5, 8, 12, 14) or any(values[5:]):
        bound, way_out = (
            "4 or 5 numbers; others only if zero",
            "calibrate without the rational, thin-prism and tilt terms",
        )
        raise _wrong("distortion that we do not have", path, values, bound, way_out)
    k1, k2, p1, p2, k3 = (*values, 0.0)[:5]
    return k1, k2, p1, p2, k3


def _node(storage: Any, key: str, path: Path) -> Any:
    for name in KEYS[key]:
        node = storage.getNode(name)
        if not node.empty():
            return node
    raise _wrong(f"{KEYS[key][0]} is missing", path)


def _whole(storage: Any, key: str, path: Path) -> int:
    node = _node(storage, key, path)
    value = node.real() if node.isInt() or node.isReal() else float("nan")
    if not 1 <= value <= 65_536 or value != int(value):
        raise _wrong(f"{KEYS[key][0]} is no number of pixels", path, value, "1 … 65536")
    return int(value)


def _matrix(storage: Any, key: str, path: Path) -> Floats:
    """(rows, cols), tagged as OpenCV does it or plain as ROS does."""
    node = _node(storage, key, path)
    found = node.mat() if _tagged(node) else _plain(node)
    if found is None or found.ndim != 2 or found.size == 0 or not np.all(np.isfinite(found)):
        raise _wrong(f"{KEYS[key][0]} is no matrix of finite numbers", path, bound="rows, cols and data")
    return np.asarray(found, np.float64)


def _tagged(node: Any) -> bool:
    return bool(node.isMap()) and "dt" in set(node.keys())


def _plain(node: Any) -> Floats | None:
    if not node.isMap() or not {"rows", "cols", "data"} <= set(node.keys()):
        return None
    data, rows, cols = node.getNode("data"), node.getNode("rows").real(), node.getNode("cols").real()
    items = [data.at(i) for i in range(data.size())] if data.isSeq() else []
    if not all(item.isInt() or item.isReal() for item in items) or rows * cols != len(items):
        return None
    return np.array([item.real() for item in items]).reshape(int(rows), int(cols))


def _wrong(what: str, path: Path, value: object = None, bound: str = "", way_out: str = WAY_OUT) -> BadInput:
    return BadInput(what, where=str(path), value=value, bound=bound, way_out=way_out)
